import Foundation
@testable import Freehold
import FreeholdEngine
import Testing

/// Each typed query makes the tree that a text makes.
@Suite("Queries that the compiler checks")
struct TypedQueryTests {
    private let zoo: Zoo
    init() throws { zoo = try Zoo() }

    /// Whether both ask the same; gives the names found.
    private func names(_ isIncluded: (Query<Beast>) -> Query<Bool>, _ text: String, _ arguments: [Any] = [],
                       _ location: SourceLocation = #_sourceLocation) throws -> [String] {
        let typed = zoo.animals.where(isIncluded), subject = try #require(zoo.animals.source.subject)
        let written = try subject.refined(by: ObjectQuery(text, subject.arguments(arguments)))
        #expect(typed.text == written.subject?.query.description, sourceLocation: location)
        #expect(try typed.map { ObjectKey($0._key) } == written.keys(), sourceLocation: location)
        return typed.map(\.name)
    }

    @Test("values of every type are compared")
    func values() throws {
        let ann = try #require(zoo.realm.object(ofType: Keeper.self, forPrimaryKey: 1))
        #expect(try names({ $0.age > 4 }, "age > 4") == ["Fido", "Élan", "ada", "Jolly"])
        #expect(try names({ $0.age >= 5 && $0.age <= 12 && $0.age != 6 }, "age >= 5 AND age <= 12 AND age != 6") == ["Fido", "Élan", "ada"])
        #expect(try names({ $0.age < 3 || $0.name == "Rex" || $0.isTame }, "age < 3 OR name == 'Rex' OR isTame") == ["Rex", "Jolly", "Zack"])
        #expect(try names({ !($0.age < 10) }, "NOT (age < 10)") == ["Élan", "Jolly"])
        #expect(try names({ $0.nick == nil }, "nick == nil").count == 5)
        #expect(try names({ $0.nick == "J" || $0.nick.starts(with: "x") }, "nick == 'J' OR nick BEGINSWITH 'x'") == ["Jolly"])
        #expect(try names({ $0.size == .large && $0.weight == Weight(grams: 0) }, "size == %@ AND weight == 0", ["large"]) == ["Jolly", "Zack"])
        #expect(try names({ $0.size.rawValue == "small" && $0.weight.persistableValue > 400 }, "size == 'small' AND weight > 400") == ["Fido", "Élan", "ada"])
        #expect(try names({ $0.weight > Weight(grams: 1000) }, "weight > 1000") == ["Élan"])
        #expect(try names({ $0.born <= Date(timeIntervalSince1970: 3) }, "born <= %@", [Date(timeIntervalSince1970: 3)]) == ["Rex", "Jolly", "Zack"])
        #expect(try names({ $0.keeper == ann }, "keeper == %@", [ann]) == ["Rex", "Élan"])
        #expect(try names({ $0.keeper == nil || $0.keeper.in([ann]) }, "keeper == nil OR keeper IN %@", [[ann]]) == ["Rex", "Élan", "ada", "Jolly", "Zack"])
        #expect(try names({ $0.keeper.name == "Bob" }, "keeper.name == 'Bob'") == ["Fido"])
        #expect(try names({ $0.name > $0.keeper.name }, "name > keeper.name") == ["Rex", "Fido", "Élan"])
        #expect(try names({ $0.price > 4 && $0.price < 7.5 }, "price > 4.0 AND price < 7.5") == ["Élan"])
        #expect(try names({ $0.any == .int(1) || $0.any == .string("text") }, "any == 1 OR any == 'text'") == ["Jolly", "Zack"])
    }

    @Test("ranges, choices and texts")
    func texts() throws {
        #expect(try names({ $0.age.contains(3..<5) }, "age >= 3 AND age < 5") == ["Rex"])
        #expect(try names({ $0.age.contains(3...5) && $0.price.contains(1...2) }, "age BETWEEN {3, 5} AND price BETWEEN {1.0, 2.0}") == ["Rex"])
        #expect(try names({ $0.age.in([1, 3]) && $0.nick.in(["a", nil]) }, "age IN {1, 3} AND nick IN {'a', nil}") == ["Rex", "Zack"])
        #expect(try names({ $0.name.starts(with: "é", options: .caseInsensitive) }, "name BEGINSWITH[c] 'é'") == ["Élan"])
        #expect(try names({ $0.name.contains("A", options: [.caseInsensitive, .diacriticInsensitive]) }, "name CONTAINS[cd] 'A'") == ["Élan", "ada", "Zack"])
        #expect(try names({ $0.name.ends(with: "o") || $0.name.like("*ck") }, "name ENDSWITH 'o' OR name LIKE '*ck'") == ["Fido", "Zack"])
        #expect(try names({ $0.name.like("REX", caseInsensitive: true) }, "name LIKE[c] 'REX'") == ["Rex"])
        #expect(try names({ $0.name.search("rex OR elan") }, "name TEXT 'rex OR elan'") == ["Rex", "Élan"])
        #expect(try names({ !$0.name.search("\"fido\"") && $0.name.search("f*") }, "NOT name TEXT '\"fido\"' AND name TEXT 'f*'") == [])
        #expect(try names({ $0.name.equals("elan", options: [.caseInsensitive, .diacriticInsensitive]) }, "name ==[cd] 'elan'") == ["Élan"])
        #expect(try names({ $0.name.notEquals("REX", options: .caseInsensitive) }, "name !=[c] 'REX'").count == 5)
        #expect(try names({ $0.name.equals($0.keeper.name) || $0.name.ends(with: $0.keeper.name) }, "name == keeper.name OR name ENDSWITH keeper.name") == [])
    }

    @Test("collections, maps, links backwards, figures and subqueries")
    func collections() throws {
        #expect(try names({ $0.tags.contains("Rex") }, "'Rex' IN tags") == ["Rex"])
        #expect(try names({ $0.tags.containsAny(in: ["Rex", "ada"]) && $0.tags.count == 2 }, "ANY tags IN {'Rex', 'ada'} AND tags.@count == 2") == ["Rex", "ada"])
        #expect(try names({ $0.marks["a"] > 4 }, "marks['a'] > 4") == ["Fido", "Élan", "ada"])
        #expect(try names({ $0.marks.keys == "a" && $0.marks.values < 4 }, "ANY marks.@keys == 'a' AND ANY marks.@values < 4") == ["Rex"])
        #expect(try names({ $0.marks.contains(12) || $0.marks.max == 3 }, "12 IN marks OR marks.@max == 3") == ["Rex", "Élan"])
        #expect(try names({ $0.houses.city == "Oslo" && $0.houses.count == 1 }, "ANY houses.city == 'Oslo' AND houses.@count == 1") == ["ada", "Jolly"])
        // As Realm's: a list that has an object twice links to it twice.
        #expect(try names({ $0.houses.count == 2 }, "houses.@count == 2") == ["Rex"])
        #expect(try names({ $0.keeper.animals.age.max > 10 }, "keeper.animals.@max.age > 10") == ["Rex", "Élan"])
        #expect(try names({ ($0.houses.city == "Oslo" && $0.houses.city != "Rome").count == 1 },
                          "SUBQUERY(houses, $element, $element.city == 'Oslo' AND $element.city != 'Rome').@count == 1") == ["ada", "Jolly"])
        let stables = zoo.realm.objects(Stable.self)
        #expect(stables.where { $0.numbers.sum == 9 && $0.numbers.contains(1...3) }.text
            == "numbers.@sum == 9 AND numbers.@min >= 1 AND numbers.@max <= 3")
        #expect(stables.where { $0.animals.age.avg > 7 && $0.words.contains("Z") }.map(\.city) == ["Oslo"])
        #expect(stables.where { ($0.animals.age > 4 && $0.animals.name != "ada").count == 1 }.map(\.city) == ["Oslo"])
        #expect(stables.where { $0.byName["Rex"].age == 3 && $0.byName.values.age > 11 }.map(\.city) == ["Oslo"])
        #expect(stables.where { $0.animals.contains(zoo.animals[0]) }.map(\.city) == ["Oslo"])
    }

    @Test("on every collection, in chains, and for places")
    func places() {
        let stable = zoo.house
        #expect(stable.animals.where { $0.age < 10 }.map(\.name) == ["ada", "Rex", "Rex"])
        #expect(stable.byName.where { $0.age > 3 }.map(\.name) == ["Fido", "Élan"])
        #expect(stable.animals.index(matching: { $0.name == "Jolly" }) == 2)
        #expect(zoo.animals.filter("age > 2").where { $0.age < 6 }.sorted(by: \.name, ascending: false).where { $0.name != "ada" }.map(\.name) == ["Rex", "Fido"])
        #expect(zoo.realm.objects(Horse.self).where { $0.speed == 7 && $0.age == 20 }.map(\.name) == ["Jolly"])
    }

    @Test("what is no property, and what cannot be asked, is told")
    func refusals() {
        func told(_ isIncluded: (Query<Beast>) -> Query<Bool>) -> String {
            var count = -1
            let told = mistakes { count = zoo.animals.where(isIncluded).count }
            return count == 0 ? told.joined(separator: " | ") : "\(count) results"
        }
        #expect(told { $0.isOld }.hasSuffix("is not a persisted property and cannot be used in a query"))
        #expect(told { $0.isTame.count == 1 } == "Subqueries must contain a keypath starting with a collection.")
        #expect(told { ($0.houses.city == "x" && $0.tags.contains("y")).count == 1 } == "Subqueries will only work with one collection.")
        #expect(told { $0.age.max > 5 } == "@max needs a collection; 'age' has one value")
        #expect(told { $0.keeper == Keeper(value: ["id": 7]) } == "")
        #expect(told { $0.tags.max > "a" }.contains("@max needs numbers or dates"))
    }
}
