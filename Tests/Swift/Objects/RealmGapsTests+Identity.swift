import Foundation
import Freehold
import Testing

class GapPuppy: GapDog {
    @Persisted var toy = ""
}

/// Which objects are the same, and which are there at all.
extension RealmGapsTests {
    @Test("an object is the same whatever it is read as, and an unmanaged one is itself")
    func sameObject() throws {
        let realm = try Self.realm([GapDog.self, GapInner.self, GapPuppy.self]), dog = try Self.dog(realm, 2)
        let untyped = try #require(realm.dynamicObjects("GapDog").first)
        #expect(untyped.isSameObject(as: dog) && dog.isSameObject(as: untyped))
        #expect(dog.dynamicList("friends")[0].isSameObject(as: dog.friends[0]))
        #expect(!dog.dynamicList("friends")[0].isSameObject(as: dog.friends[1]))
        let alone = GapDog()
        #expect(alone.isSameObject(as: alone) && !alone.isSameObject(as: GapDog()) && !alone.isSameObject(as: nil))
        #expect(!alone.isSameObject(as: dog) && !dog.isSameObject(as: alone))
        let puppy = try realm.write { realm.create(GapPuppy.self) }
        let asDog = try #require(realm.dynamicObjects("GapDog").last), asPuppy = try #require(realm.dynamicObjects("GapPuppy").first)
        #expect(asDog.isSameObject(as: puppy) && asPuppy.isSameObject(as: puppy) && asPuppy.isSameObject(as: asDog))
        let old = try Self.realm(), other = try old.write { old.create(GapOld.self) }
        #expect(try old.write { old.create(GapDog.self) }.isSameObject(as: other) == false)
    }

    @Test("an object is found in a list of mixed values")
    func indexOfMixed() throws {
        let realm = try Self.realm(), dog = try Self.dog(realm, 2)
        try realm.write {
            dog.any.append(objectsIn: [.int(1), .object(dog.friends[0])])
            let made = GapDog()
            dog.any.append(.object(made))
            #expect(dog.any.index(of: .object(made)) == 2)
        }
        #expect(dog.any.index(of: .object(dog.friends[0])) == 1 && dog.any.contains(.object(dog.friends[0])))
        #expect(dog.any.index(of: .object(dog.friends[1])) == nil && dog.any.index(of: .int(1)) == 0)
        #expect(dog.any.sorted(ascending: true).index(of: .object(dog.friends[0])) != nil)
    }

    @Test("invalidating a realm invalidates its objects and collections; results show nothing until the realm is read again")
    func invalidating() throws {
        let realm = try Self.realm(), dog = try Self.dog(realm, 2), friends = dog.friends, pack = dog.pack, byName = dog.byName, fans = dog.friends[0].fans
        let all = realm.objects(GapDog.self), named = all.filter("name == 'f0'"), any = AnyRealmCollection(all)
        #expect(!dog.isInvalidated && !all.isInvalidated)
        realm.invalidate()
        #expect(dog.isInvalidated && friends.isInvalidated && pack.isInvalidated && byName.isInvalidated && fans.isInvalidated)
        #expect(all.isInvalidated && named.isInvalidated && any.isInvalidated)
        #expect(realm.objects(GapDog.self).count == 3)
        #expect(dog.isInvalidated && friends.isInvalidated && pack.isInvalidated && byName.isInvalidated && fans.isInvalidated)
        #expect(mistakes { _ = dog.name } == ["Object has been deleted or invalidated."])
        #expect(mistakes { _ = friends.count } == ["Object has been deleted or invalidated."])
        try realm.write {
            #expect(mistakes { dog.name = "x" } == ["Object has been deleted or invalidated."])
            #expect(mistakes { friends.removeAll() } == ["Object has been deleted or invalidated."])
            #expect(mistakes { realm.delete(dog) } == ["Object has been deleted or invalidated."])
        }
        #expect(!all.isInvalidated && all.count == 3 && named.count == 1)
        #expect(realm.objects(GapDog.self)[0].friends.count == 2)
        realm.beginWrite()
        let made = realm.create(GapDog.self)
        realm.invalidate()
        #expect(made.isInvalidated && !realm.isInWriteTransaction && realm.objects(GapDog.self).count == 3)
    }

    @Test("invalidating a realm ends the observers of its objects and collections; those of results go on")
    func invalidatingObservers() throws {
        let watch = try Watch([GapDog.self, GapInner.self]), realm = watch.realm, dog = try Self.dog(realm, 1), heard = Heard()
        try realm.write {
            dog.pack.insert(dog.friends[0])
            dog.byName["a"] = dog.friends[0]
        }
        watch.turn()
        let tokens = [
            dog.observe { (_: ObjectChange<GapDog>) in heard.add("object") }, dog.friends.observe { _ in heard.add("list") },
            dog.pack.observe { _ in heard.add("set") }, dog.byName.observe { _ in heard.add("map") },
            dog.friends[0].fans.observe { _ in heard.add("links") }, realm.objects(GapDog.self).observe { _ in heard.add("results") },
        ]
        func change() throws {
            try realm.write {
                for dog in realm.objects(GapDog.self) {
                    dog.name += "x"
                    dog.age = (dog.age ?? 0) + 1
                    if let friend = dog.friends.first {
                        dog.friends.append(friend)
                        dog.pack.remove(friend)
                        dog.byName["b"] = friend
                    }
                }
            }
            watch.turn()
        }
        watch.turn()
        _ = heard.take()
        try change()
        #expect(heard.take().sorted() == ["links", "list", "map", "object", "results", "set"])
        realm.invalidate()
        _ = realm.objects(GapDog.self).count
        try change()
        #expect(heard.take() == ["results"])
        tokens.forEach { $0.invalidate() }
    }
}
