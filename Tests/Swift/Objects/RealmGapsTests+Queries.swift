import Foundation
import Freehold
import Testing

/// Queries.
extension RealmGapsTests {
    @Test("distinct by what a link leads to leaves out objects without one")
    func distinctOverNil() throws {
        let realm = try Self.realm(), dog = try Self.dog(realm)
        try realm.write {
            for (name, age) in [("a", 1), ("b", 1), ("c", 2)] { realm.create(GapDog.self, value: ["name": name, "best": ["age": age, "name": "of \(name)"]]) }
            realm.create(GapDog.self, value: ["name": "d", "best": ["name": "of d"]])
        }
        let all = realm.objects(GapDog.self)
        #expect(all.distinct(by: ["best.age"]).map(\.name) as [String] == ["a", "c", "d"])
        #expect(all.distinct(by: ["best.age", "name"]).count == 4)
        #expect(all.distinct(by: ["age"]).count == 3)
        #expect(all.sorted(byKeyPath: "name").distinct(by: ["best.age"]).count == 3)
        _ = dog
    }

    @Test("no object links to one that is unmanaged")
    func unmanagedArgument() throws {
        let realm = try Self.realm(), dog = try Self.dog(realm, 2), all = realm.objects(GapDog.self)
        try realm.write { dog.best = dog.friends[0] }
        let told = mistakes {
            #expect(all.filter("ANY friends == %@", GapDog()).isEmpty && all.filter("best == %@", GapDog()).isEmpty)
            #expect(all.filter("best != %@", GapDog()).count == 3 && all.filter("best IN %@", [GapDog(), dog.friends[0]]).count == 1)
            #expect(all.where { $0.best == GapDog() }.isEmpty && all.where { $0.friends.contains(GapDog()) }.isEmpty)
        }
        #expect(told == [])
    }

    @Test("texts that Realm's language has")
    func realmsTexts() throws {
        let realm = try Self.realm(), dog = try Self.dog(realm, 2), all = realm.objects(GapDog.self)
        try realm.write { dog.best = dog.friends[0] }
        #expect([0, 1, 2].map { all.filter("@links.@count == %@", $0).count } == [1, 1, 1])
        #expect(all.filter("best.@links.@count == 0x2").count == 1)
        #expect(all.filter("NONE %@ == name", ["x", "y"]).count == 3 && all.filter("name == ANY {'x', 'y'}").isEmpty)
    }

    @Test("sections of values behind any collection")
    func sectionedValues() throws {
        let realm = try Self.realm(), dog = try Self.dog(realm)
        try realm.write { dog.ints.append(objectsIn: [3, 1, 2, 4]) }
        let told = mistakes {
            let sections = AnyRealmCollection(dog.ints).sectioned(by: { $0 % 2 })
            #expect(sections.count == 2 && sections.allKeys == [1, 0])
            #expect(Array(AnyRealmCollection(dog.ints).sorted(ascending: false)) == [4, 3, 2, 1])
            #expect(AnyRealmCollection(dog.ints).distinct().count == 4)
        }
        #expect(told == [])
    }

    @Test("of a collection of values stored as embedded objects one has to be equal, or another one, as of any collection")
    func embeddedElements() throws {
        let realm = try Self.realm([GapShelf.self, GapWrapped.self, GapInner.self]), w = { GapWrapper(v: $0) }
        try realm.write {
            for list in [[], [1], [1, 2], [2], [1, 1]] as [[Int]] {
                let shelf = GapShelf(value: ["name": "\(list)"])
                shelf.list.append(objectsIn: list.map(w))
                for one in list {
                    let item = GapWrapped()
                    item.one = w(one)
                    item.list.append(objectsIn: [w(one), w(9)])
                    shelf.items.append(item)
                }
                realm.add(shelf)
            }
        }
        func names(_ isIncluded: (Query<GapShelf>) -> Query<Bool>) -> [String] { realm.objects(GapShelf.self).where(isIncluded).map(\.name) }
        #expect(names { $0.list == w(1) } == ["[1]", "[1, 2]", "[1, 1]"] && names { !($0.list == w(1)) } == ["[]", "[2]"])
        #expect(names { $0.list != w(1) } == ["[1, 2]", "[2]"] && names { !($0.list != w(1)) } == ["[]", "[1]", "[1, 1]"])
        #expect(names { $0.items.one != w(1) } == ["[1, 2]", "[2]"] && names { $0.items.one == w(2) } == ["[1, 2]", "[2]"])
        #expect(names { ($0.list == w(1)).count == 1 } == ["[1]", "[1, 2]"] && names { ($0.list == w(1)).count > 1 } == ["[1, 1]"])
        #expect(names { ($0.list != w(1)).count == 1 } == ["[1, 2]", "[2]"] && names { (!($0.list == w(1))).count == 1 } == ["[1, 2]", "[2]"])
        #expect(names { ($0.list == w(1) || $0.list == w(2)).count == 2 } == ["[1, 2]", "[1, 1]"] && names { ($0.list == w(1) && $0.list == w(2)).count > 0 } == [])
        #expect(names { ($0.list == w(1) && $0.list.persistableValue.v == 1).count == 2 } == ["[1, 1]"] && names { $0.list.containsAny(in: [w(2), w(3)]).count == 1 } == ["[1, 2]", "[2]"])
        #expect(names { ($0.items.one == w(1) && $0.items.color == .red).count == 2 } == ["[1, 1]"])
        #expect(names { ($0.items.list == w(9) && $0.items.one == w(2)).count == 1 } == ["[1, 2]", "[2]"] && names { ($0.items.list == w(1)).count == 2 } == ["[1, 1]"])
        #expect(mistakes { _ = names { ($0.list == w(1) && $0.items.one == w(1)).count == 1 } } == ["Subqueries will only work with one collection."])
        #expect(mistakes { _ = names { ($0.best == w(1)).count == 1 } } == ["Subqueries must contain a keypath starting with a collection."])
    }
}

class GapShelf: Object {
    @Persisted var name = ""
    @Persisted var best: GapWrapper?
    @Persisted var list: List<GapWrapper>
    @Persisted var items: List<GapWrapped>
}
