import Foundation
import Freehold
import Testing

/// Going through collections that the loop changes.
extension RealmGapsTests {
    @Test("a loop over a list deletes every object of it, within a write transaction or with one each")
    func deletingFromList() throws {
        let realm = try Self.realm(), dog = try Self.dog(realm, 5)
        try realm.write { for friend in dog.friends where friend.name < "f3" { realm.delete(friend) } }
        #expect(dog.friends.map(\.name) as [String] == ["f3", "f4"])
        for friend in dog.friends { try realm.write { realm.delete(friend) } }
        #expect(dog.friends.isEmpty && realm.objects(GapDog.self).count == 1)
    }

    @Test("a loop over a set, linking objects or an untyped list deletes every object of it")
    func deletingFromOthers() throws {
        let realm = try Self.realm(), dog = try Self.dog(realm)
        func fill() -> [GapDog] { (0..<4).map { realm.create(GapDog.self, value: ["name": "\($0)"]) } }
        try realm.write {
            dog.pack.insert(objectsIn: fill())
            for friend in dog.pack { realm.delete(friend) }
            #expect(dog.pack.isEmpty)
            dog.friends.append(objectsIn: fill())
            for friend in dog.dynamicList("friends") { realm.delete(friend) }
            #expect(dog.friends.isEmpty)
            for fan in fill() { fan.friends.append(dog) }
            for fan in dog.fans { realm.delete(fan) }
            #expect(dog.fans.isEmpty)
            dog.friends.append(objectsIn: fill())
            for friend in AnyRealmCollection(dog.friends) { realm.delete(friend) }
            #expect(dog.friends.isEmpty)
            for (number, made) in fill().enumerated() { dog.byName["\(number)"] = made }
            for entry in dog.byName { if let friend = entry.value { realm.delete(friend) } }
            #expect(dog.byName.count == 4 && dog.byName.values.allSatisfy { $0 == nil })
            #expect(realm.objects(GapDog.self).count == 1)
        }
        try realm.write { dog.pack.insert(objectsIn: fill()) }
        for friend in dog.pack { try realm.write { realm.delete(friend) } }
        #expect(dog.pack.isEmpty)
    }

    @Test("a loop over values goes over those that were there when a write began")
    func removingValues() throws {
        let realm = try Self.realm(), dog = try Self.dog(realm)
        try realm.write {
            dog.ints.append(objectsIn: [1, 2, 3, 4])
            var seen: [Int] = []
            for number in dog.ints {
                seen.append(number)
                dog.ints.removeFirst()
            }
            #expect(seen == [1, 2, 3, 4] && dog.ints.isEmpty)
            dog.ints.append(objectsIn: [1, 2, 3, 4])
            dog.any.append(objectsIn: [.int(1), .fromArray([.int(2)]), .string("x")])
            var kinds: [AnyRealmValue] = []
            for value in dog.any { kinds.append(value) }
            kinds[1].listValue?.append(.int(3))
            #expect(dog.any[1].listValue?.count == 2)
        }
        var seen: [Int] = []
        for number in dog.ints {
            if seen.count == 1 { try realm.write { dog.ints.removeAll() } }
            seen.append(number)
        }
        #expect(seen == [1, 2, 3, 4] && dog.ints.isEmpty)
    }

    @Test("removing from the list that a loop goes over leaves no element out")
    func removingFromList() throws {
        let realm = try Self.realm(), dog = try Self.dog(realm, 4)
        var seen: [String] = []
        try realm.write {
            for friend in dog.friends {
                seen.append(friend.name)
                dog.friends.removeFirst()
            }
        }
        #expect(seen == ["f0", "f1", "f2", "f3"] && dog.friends.isEmpty && realm.objects(GapDog.self).count == 5)
    }
}
