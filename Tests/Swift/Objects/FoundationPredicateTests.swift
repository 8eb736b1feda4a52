import Foundation
@testable import Freehold
import FreeholdEngine
import Testing

@Suite("Foundation's predicates")
struct FoundationPredicateTests {
    private let zoo: Zoo
    init() throws { zoo = try Zoo() }

    @Test("NSPredicate of a text asks what the text asks")
    func formats() throws {
        let animals = zoo.animals
        let predicate = NSPredicate(format: "age > %@ AND name BEGINSWITH[c] %@", 4, "f")
        #expect(animals.filter(predicate).text == animals.filter("age > %@ AND name BEGINSWITH[c] %@", 4, "f").text)
        #expect(animals.filter(predicate).map(\.name) == ["Fido"] && animals.index(matching: predicate) == 1)
        #expect(animals.filter(NSPredicate(format: "%K == %d", argumentArray: ["age", 5])).map(\.name) == ["Fido", "ada"])
        #expect(animals.filter(NSPredicate(format: "nick == %@", nil)).count == 5 && animals.filter(NSPredicate(format: "age == 3")).count == 1)
        #expect(zoo.house.animals.filter(NSPredicate(format: "age < 10")).count == 3 && zoo.house.byName.filter(NSPredicate(format: "age > 3")).count == 2)
        #expect(animals.filter(NSPredicate(value: true)).count == 6 && animals.filter(NSPredicate(value: false)).isEmpty)
        let either = NSCompoundPredicate(orPredicateWithSubpredicates: [predicate, NSPredicate(format: "isTame == true")])
        let both = NSCompoundPredicate(andPredicateWithSubpredicates: [either, NSCompoundPredicate(notPredicateWithSubpredicate: NSPredicate(format: "age == 5"))])
        #expect(animals.filter(both).text == #"(years > 4 AND name BEGINSWITH[c] "f" OR isTame == true) AND NOT (years == 5)"#
            || animals.filter(both).text == #"((years > 4 AND name BEGINSWITH[c] "f") OR isTame == true) AND NOT (years == 5)"#)
        #expect(animals.filter(both).map(\.name) == ["Jolly"])
        #expect(predicate.evaluate(with: animals[1]) && !predicate.evaluate(with: animals[0]))
    }

    @Test("a block, a text that is none, and a sort within another predicate are told")
    func refusals() {
        func told(_ predicate: NSPredicate) -> String { mistakes { _ = zoo.animals.filter(predicate).count }.joined(separator: " | ") }
        #expect(told(NSPredicate { _, _ in true }).hasPrefix("Only predicates created from a format string can be queried"))
        #expect(told(NSPredicate(format: "agee == 1")).contains("did you mean 'age'?"))
        #expect(told(NSCompoundPredicate(notPredicateWithSubpredicate: NSPredicate(format: "age > 1 LIMIT(2)"))).contains("only conditions can be combined"))
        #expect(mistakes { _ = NSPredicate(format: "age == 1").evaluate(with: "text") }.count == 1)
    }

    /// Whether both ask the same; gives the names found.
    private func names(_ predicate: Predicate<Beast>, _ text: String, _ location: SourceLocation = #_sourceLocation) throws -> [String] {
        let found = zoo.animals.filter(predicate), written = zoo.animals.filter(text)
        #expect(found.text == written.text && found.map { $0._key } == written.map { $0._key }, sourceLocation: location)
        return found.map(\.name)
    }

    @Test("#Predicate makes the tree that a text makes")
    func macros() throws {
        let limit = 4, wanted = ["Rex", "ada"]
        #expect(try names(#Predicate<Beast> { $0.age > limit && $0.name != "ada" }, "age > 4 AND name != 'ada'") == ["Fido", "Élan", "Jolly"])
        #expect(try names(#Predicate<Beast> { $0.age <= 1 || $0.isTame || !($0.age < 12) }, "age <= 1 OR isTame OR NOT (age < 12)") == ["Élan", "Jolly", "Zack"])
        #expect(try names(#Predicate<Beast> { $0.keeper?.name == "Ann" }, "keeper.name == 'Ann'") == ["Rex", "Élan"])
        #expect(try names(#Predicate<Beast> { $0.nick == nil && $0.age + 1 > 5 }, "nick == nil AND age + 1 > 5") == ["Fido", "Élan", "ada"])
        #expect(try names(#Predicate<Beast> { wanted.contains($0.name) }, "name IN {'Rex', 'ada'}") == ["Rex", "ada"])
        #expect(try names(#Predicate<Beast> { (3...5).contains($0.age) }, "age BETWEEN {3, 5}") == ["Rex", "Fido", "ada"])
        #expect(try names(#Predicate<Beast> { (3..<5).contains($0.age) }, "age >= 3 AND age < 5") == ["Rex"])
        #expect(try names(#Predicate<Beast> { $0.name.starts(with: "F") || $0.name.contains("ac") }, "name BEGINSWITH 'F' OR name CONTAINS 'ac'") == ["Fido", "Zack"])
    }

    @Test("#Predicate about collections")
    func collections() throws {
        #expect(try names(#Predicate<Beast> { $0.tags.contains("Rex") }, "'Rex' IN tags") == ["Rex"])
        #expect(try names(#Predicate<Beast> { $0.tags.count == 2 }, "tags.@count == 2").count == 4)
        #expect(try names(#Predicate<Beast> { $0.tags.isEmpty }, "tags.@count == 0") == ["Jolly", "Zack"])
        #expect(try names(#Predicate<Beast> { $0.houses.contains { $0.city == "Oslo" } },
                          "SUBQUERY(houses, $element1, $element1.city == 'Oslo').@count > 0") == ["Rex", "ada", "Jolly"])
        let stables = zoo.realm.objects(Stable.self)
        #expect(stables.filter(#Predicate<Stable> { $0.animals.filter { $0.age > 4 }.count == 2 }).map(\.city) == ["Oslo"])
        #expect(stables.filter(#Predicate<Stable> { $0.animals.allSatisfy { $0.age < 10 } }).map(\.city) == ["Rome"])
        #expect(zoo.house.animals.filter(#Predicate<Beast> { $0.age < 10 }).count == 3 && zoo.animals.index(matching: #Predicate<Beast> { $0.age == 20 }) == 4)
    }

    @Test("what queries do not know of #Predicate is told by its name")
    func unknown() {
        func told(_ predicate: Predicate<Beast>) -> String { mistakes { _ = zoo.animals.filter(predicate).count }.joined(separator: " | ") }
        #expect(told(#Predicate<Beast> { ($0.nick ?? "x") == "x" }) == "queries do not support NilCoalesce of #Predicate")
        #expect(told(#Predicate<Beast> { $0.isOld }).contains("is not a persisted property"))
    }
}
