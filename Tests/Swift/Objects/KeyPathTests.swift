import Foundation
@testable import Freehold
import Testing

extension GapDog {
    fileprivate var firstFriend: String? { friends.first?.name }

    /// Follows links for as long as there are any.
    fileprivate var deepest: GapDog {
        var dog = self
        while let next = dog.friends.first ?? dog.best { dog = next }
        return dog
    }
}

private class Dated: Object {
    @Persisted var born: Date?
    @Persisted var home: Label?
    @Persisted var labels: List<Label>
    @Persisted var grid: List<List<Int>>
}

/// Which names key paths stand for.
@Suite("Names of key paths")
struct KeyPathTests {
    @Test("properties, and those of what links lead to")
    func links() {
        #expect(_name(for: \Dog.owner?.name) == "owner.name" && _name(for: \Kennel.dogs) == "dogs" && _name(for: \GapDog.best?.best?.inner?.v) == "best.best.inner.v")
        #expect(_name(for: \Dated.born!) == "born" && _name(for: \Dated.home) == "home")
    }

    @Test("an element stands for all of its collection, by any position or key, first or last")
    func elements() {
        #expect(_name(for: \GapDog.friends[0].name) == "friends.name" && _name(for: \GapDog.friends[7]) == "friends")
        #expect(_name(for: \GapDog.friends.first?.name) == "friends.name" && _name(for: \GapDog.friends.last!.age) == "friends.age")
        #expect(_name(for: \GapDog.pack[0].name) == "pack.name" && _name(for: \GapDog.pack.first?.best?.name) == "pack.best.name")
        #expect(_name(for: \GapDog.byName["a"]??.name) == "byName.name" && _name(for: \GapDog.byName["a"]) == "byName")
        #expect(_name(for: \GapDog.byName.values[0]?.name) == "byName.name" && _name(for: \GapDog.inners[1].v) == "inners.v")
        #expect(_name(for: \GapDog.fans[0].name) == "fans.name" && _name(for: \GapDog.fans.first?.friends[0].name) == "fans.friends.name")
        #expect(_name(for: \GapDog.friends[0].best?.fans[0].friends) == "friends.best.fans.friends")
        #expect(_name(for: \GapDog.ints[0]) == "ints" && _name(for: \GapDog.any.first) == "any" && _name(for: \Dated.labels[0]) == "labels")
        #expect(_name(for: \Dated.grid[0][1]) == "grid" && _name(for: \Kennel.notes[0]) == "notes")
        #expect(_name(for: \OldOwner.pets[0].name) == "pets.name" && _name(for: \OldPet.owners[0].name) == "owners.name")
        #expect(_name(for: \OldPet.owners.first?.pets.last?.owners) == "owners.pets.owners" && _name(for: \GapOld.number) == "number" && _name(for: \OldOwner.tags) == "tags")
    }

    @Test("what is no property is told, with what to write instead")
    func mistaken() {
        let notes = Notes()
        func told(_ body: () -> Void) -> Bool {
            let before = notes.count
            Misuse.listen({ notes.add("\($0)") }, while: body)
            return notes.count == before + 1 && notes.all[before].contains("includes a member that is not a persisted property, so it cannot be used in a query. ")
                && notes.all[before].hasSuffix(#"of elements (\Person.dogs[0].name), or write the names as a string: "dogs.name"."#)
        }
        #expect(told { _ = _name(for: \GapDog.name.count) } && told { _ = _name(for: \GapDog.friends.count) } && told { _ = _name(for: \GapDog.friends[0].name.isEmpty) })
        #expect(told { _ = _name(for: \GapDog.byName.keys[0]) } && told { _ = _name(for: \GapDog.deepest) } && told { _ = _name(for: \GapDog.deepest.name) })
    }

    @Test("a query does not take what is computed of the first element for a condition about any")
    func computed() throws {
        let realm = try RealmGapsTests.realm(), dog = try RealmGapsTests.dog(realm, 2), all = realm.objects(GapDog.self)
        #expect(mistakes { _ = all.where { $0.firstFriend == "f1" }.count }.first?.hasSuffix("is not a persisted property and cannot be used in a query") == true)
        #expect(dog.firstFriend == "f0" && dog.friends[1].firstFriend == nil && List<GapDog>().first == nil && Map<String, Int>()["a"] == nil)
        #expect(mistakes { _ = List<Int>()[0] } == ["Index 0 is out of bounds (must be less than 0)."])
    }

    @Test("observers take key paths over elements")
    func observed() throws {
        let watch = try Watch([GapDog.self, GapInner.self]), dog = try RealmGapsTests.dog(watch.realm, 2), heard = Heard()
        watch.turn()
        let tokens = [
            dog.observe(keyPaths: [\GapDog.friends.first?.name]) { (change: ObjectChange<GapDog>) in heard.add("object") },
            watch.realm.objects(GapDog.self).observe(keyPaths: [\GapDog.friends[0].name]) { if case .update = $0 { heard.add("results") } },
        ]
        watch.turn()
        try watch.realm.write { dog.friends[1].age = 5 }
        watch.turn()
        #expect(heard.take() == [])
        try watch.realm.write { dog.friends[1].name = "new" }
        watch.turn()
        #expect(heard.take().sorted() == ["object", "results"])
        tokens.forEach { $0.invalidate() }
    }
}
