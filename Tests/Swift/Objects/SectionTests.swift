import Foundation
@testable import Freehold
import FreeholdEngine
import Testing

@Suite("Sections of results")
struct SectionTests {
    private let zoo: Zoo
    init() throws { zoo = try Zoo() }

    @Test("by a property: in the order of its values, by place and by path of places")
    func byProperty() {
        let sections = zoo.animals.filter("age > 2").sectioned(by: \.age, ascending: false)
        #expect(sections.allKeys == [20, 12, 5, 3] && sections.count == 4 && sections[2].map(\.name) == ["Fido", "ada"])
        #expect(sections[IndexPath(item: 1, section: 2)].name == "ada" && sections[0].key == 20 && sections[0].id == 20)
        #expect(sections == sections && sections != zoo.animals.filter("age > 2").sectioned(by: \.age, ascending: false))
        #expect(sections[1] == sections[1] && sections[1] != sections[2] && sections.map(\.count) == [1, 1, 2, 1])
        #expect(sections.description == "SectionedResults<Int, Beast> (4 sections)" && sections[0].description.hasPrefix("ResultsSection<Int, Beast> (\n\t[0] Horse {"))
        // Those without a keeper come last, as in Realm: the link on the way is null.
        #expect(zoo.animals.sectioned(by: \.keeper?.name).allKeys == ["Ann", "Bob", nil])
    }

    @Test("by what is computed of one property; several need to be told what is sorted by")
    func computed() {
        #expect(zoo.animals.sectioned(by: \.isOld).map { $0.map(\.name) } == [["Zack", "Rex", "Fido", "ada"], ["Élan", "Jolly"]])
        #expect(zoo.animals.sectioned(by: \.name.count, sortDescriptors: ["name"]).allKeys == [4, 5, 3])
        let told = mistakes { #expect(zoo.animals.sectioned(by: \.nameAndAge).isEmpty) }
        #expect(told.count == 1 && told[0].contains("is not computed from exactly one persisted property"))
    }

    @Test("they follow what is written, also within the transaction; a section is that of its key, wherever it is then")
    func live() throws {
        let sections = zoo.animals.sectioned(by: \.age), fives = sections[2], threes = sections[1]
        #expect(fives.key == 5 && threes.key == 3 && !threes.isInvalidated)
        try zoo.realm.write {
            zoo.animals[0].age = 5
            #expect(fives.map(\.name) == ["Rex", "Fido", "ada"] && sections.allKeys == [1, 5, 12, 20])
            #expect(threes.isInvalidated && threes.isEmpty && threes.key == 3 && threes.first == nil)
        }
        #expect(sections.realm == zoo.realm && fives.realm == zoo.realm && fives.last?.name == "ada" && sections[1] == fives)
        zoo.realm.beginWrite()
        zoo.realm.deleteAll()
        #expect(sections.isEmpty && fives.isEmpty && sections.allKeys == [])
        zoo.realm.cancelWrite()
        #expect(sections.count == 4)
    }

    @Test("a loop goes over the sections, and the elements, that there were at its beginning")
    func stable() throws {
        var visited: [String] = []
        try zoo.realm.write {
            for section in zoo.animals.sectioned(by: \.age) {
                for animal in section {
                    visited.append(animal.name)
                    animal.age += 100
                }
            }
        }
        #expect(visited == ["Zack", "Rex", "Fido", "ada", "Élan", "Jolly"] && zoo.animals.min(of: \.age) == 101)
    }

    @Test("frozen sections stay, for every thread; thawed ones follow again")
    func frozen() throws {
        let sections = zoo.animals.sectioned(by: \.age), frozen = Frozen(sections), section = Frozen(sections[2])
        try zoo.realm.write { zoo.animals.setValue(5, forKey: "age") }
        let seen = try onThread { (keys: frozen.value.allKeys, names: section.value.map(\.name), isFrozen: section.value.isFrozen && frozen.value[0].isFrozen) }
        #expect(seen.keys == [1, 3, 5, 12, 20] && seen.names == ["Fido", "ada"] && seen.isFrozen)
        #expect(frozen.thaw()?.allKeys == [5] && section.thaw()?.count == 6 && section.thaw()?.key == 5 && section.thaw()?.isFrozen == false)
        let reference = ThreadSafeReference(to: sections), file = Smuggled(zoo.realm.configuration)
        #expect(try onThread { try Realm(configuration: file.value).resolve(reference)?.map(\.count) } == [6])
        let smuggled = Smuggled(sections)
        #expect(try onThread { mistakes { _ = smuggled.value.allKeys } } == ["Realm accessed from incorrect thread."])
    }

    @Test("by a closure, with descriptors")
    func closures() {
        let first = zoo.animals.sectioned(by: { String($0.name.prefix(1)).lowercased() }, sortDescriptors: [Freehold.SortDescriptor(keyPath: "name", ascending: false)])
        #expect(first.allKeys == ["é", "a", "z", "r", "j", "f"])
        let sized = zoo.animals.sectioned(by: \.size, sortDescriptors: ["size", Freehold.SortDescriptor(keyPath: "age", ascending: false)])
        #expect(sized.allKeys == [.large, .small] && sized[1].map(\.age) == [12, 5, 5, 3])
        #expect(zoo.animals.sectioned(sortDescriptors: ["age"]) { $0.age / 10 }.map(\.count) == [4, 1, 1])
    }

    @Test("of lists, sets, linking objects, any collection, and of values")
    func collections() throws {
        let house = zoo.house, rex = zoo.animals[0]
        #expect(house.animals.sectioned(by: \.age).map { $0.map(\.name) } == [["Rex", "Rex"], ["ada"], ["Jolly"]])
        #expect(house.favourites.sectioned(by: \.keeper?.name, ascending: false).allKeys == ["Bob", "Ann"])
        #expect(rex.houses.sectioned(by: \.city)[0].count == 2 && AnyRealmCollection(house.animals).sectioned(by: \.name).count == 3)
        #expect(house.numbers.sectioned(by: { $0 > 2 }).map { Array($0) } == [[1, 2], [3, 3]])
        #expect(house.words.sectioned(by: { $0.lowercased() == $0 }, ascending: false).map { Array($0) } == [["b", "a"], ["Z"]])
        #expect(house.notes.sectioned(by: { $0 == nil }).map { Array($0) } == [[nil, nil], ["a", "x"]])
        let numbers = house.numbers.sectioned(by: { $0 % 2 }), odd = numbers[0]
        try zoo.realm.write { house.numbers.append(5) }
        #expect(Array(odd) == [1, 3, 3, 5] && odd.freeze().count == 4 && numbers.freeze()[1].first == 2)
    }

    @Test("what makes no sections is told")
    func misuse() {
        #expect(mistakes { _ = zoo.animals.sectioned(by: \.size, sortDescriptors: ["age"]).count } == ["The section key path must match the primary sort descriptor."])
        #expect(mistakes { _ = zoo.animals.sectioned(sortDescriptors: []) { $0.age } } == ["There must be at least one SortDescriptor when using SectionedResults."])
        #expect(mistakes { _ = zoo.animals.sectioned(by: \.keeper) } == ["Links are not supported as section keys."])
        #expect(mistakes { _ = zoo.animals.sectioned(by: \.tags) } == ["Collections are not supported as section keys."])
        let sections = zoo.animals.sectioned(by: \.age)
        var beyond = sections[0]
        #expect(mistakes { beyond = sections[5] } == ["Index 5 is out of bounds (must be less than 5)."] && beyond.isEmpty && beyond.key == 0)
        #expect(mistakes { _ = sections[-1] } == ["Cannot pass a negative value for 'index'."])
        #expect(mistakes { _ = sections[2][2] } == ["Index 2 is out of bounds (must be less than 2)."])
        #expect(mistakes { _ = Stable().animals.sectioned(by: \.age).count } == ["This method may only be called on RLMArray instances retrieved from an RLMRealm"])
    }

    @Test("groups with figures, by key paths and by names")
    func groups() {
        let groups = zoo.animals.grouped(by: \.size, select: .count, .max(of: \.age), .sum(of: \.price), .average(of: \.age), .min(of: \.keeper?.name))
        #expect(groups.map(\.key) == [.large, .small] && groups[0][0] == .int(2))
        #expect(groups.map(\.figures) == [[.int(2), .int(20), .double(9.5), .double(10.5), .none], [.int(4), .int(12), .double(12.5), .double(6.25), .string("Ann")]])
        let named = zoo.animals.filter("age < 13").grouped(by: ["keeper.name", "age"], select: "@count", "tags.@count")
        #expect(named.map(\.key) == [[.none, .int(1)], [.none, .int(5)], [.string("Ann"), .int(3)], [.string("Ann"), .int(12)], [.string("Bob"), .int(5)]])
        #expect(named.map(\.figures) == [[.int(1), .int(0)]] + Array(repeating: [.int(1), .int(2)], count: 4))
        #expect(zoo.house.animals.filter("age < 10").grouped(by: [], select: "age.@sum").map(\.figures) == [[.int(11)]])
        #expect(zoo.animals.sorted(by: \.age).limit(2).grouped(by: \.keeper, select: .count).map(\.key?.name) == [nil, "Ann"])
        #expect(zoo.animals.freeze().grouped(by: \.isTame, select: "@count").map(\.figures) == [[.int(5)], [.int(1)]])
        #expect(mistakes { _ = zoo.animals.grouped(by: ["sise"], select: "@count") }.first?.contains("did you mean 'size'?") == true)
        #expect(mistakes { _ = zoo.animals.grouped(by: \.size, select: "name.@avg") }.first?.contains("@avg needs numbers; 'name'") == true)
        #expect(mistakes { _ = zoo.animals.grouped(by: \.size, select: "age") }.first?.contains("ends with @count") == true)
    }
}

extension Beast {
    fileprivate var nameAndAge: String { "\(name), \(age)" }
}
