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
}
