import Foundation
@testable import Freehold
import FreeholdEngine
import Testing

@Suite("What changed in a collection")
struct CollectionChangeTests {
    private func dogs(_ names: [String]) throws -> Watch {
        let watch = try Watch()
        try watch.realm.write { for (age, name) in names.enumerated() { watch.realm.dog(name, age) } }
        return watch
    }

    @Test("the first call has the collection as it is, at a later turn")
    func first() throws {
        let watch = try dogs(["a", "b"]), told = Heard()
        let token = watch.realm.objects(Dog.self).observe { told.add($0) }
        #expect(told.take() == [])
        watch.turn()
        #expect(told.take() == ["initial 2"])
        watch.turn()
        #expect(told.take() == [])
        token.invalidate()
    }

    @Test("what others write before the first call is in it, and the realm's own next write comes behind it")
    func folded() throws {
        let watch = try dogs([]), told = Heard()
        try onThread { [configuration = watch.realm.configuration] in
            let realm = try Realm(configuration: configuration)
            try realm.write { _ = realm.dog("Ada") }
        }
        let token = watch.realm.objects(Dog.self).observe { told.add($0) }
        #expect(told.take() == [])
        try watch.realm.write {
            #expect(told.take() == ["initial 1"])
            _ = watch.realm.dog("Rex")
        }
        watch.turn()
        #expect(told.take() == ["-[] +[1] ~[]"])
        // Sections, maps and linking objects begin likewise.
        let sections = watch.realm.objects(Dog.self).sectioned(by: \.age)
        var heard: [String] = []
        let other = sections.observe { change in
            switch change {
            case .initial(let sections): heard.append("initial \(sections.count)")
            case .update(_, _, let insertions, _, let come, _): heard.append("\(insertions.count) in \(come.count)")
            }
        }
        try watch.realm.write { watch.realm.dog("Zoe").age = 9 }
        watch.turn()
        #expect(heard == ["initial 1", "1 in 1"] && told.take() == ["-[] +[2] ~[]"])
        token.invalidate()
        other.invalidate()
    }

    @Test("deletions and modifications are places of the old collection, insertions of the new one")
    func indexes() throws {
        let watch = try dogs(["a", "b", "c", "d", "e"]), told = Heard(), realm = watch.realm
        let all = realm.objects(Dog.self).sorted(byKeyPath: "name"), token = all.observe { told.add($0) }
        watch.turn()
        _ = told.take()
        try realm.write {
            realm.delete(all[0])
            realm.dog("aa")
            realm.dog("cc")
            all.filter("name == 'd'")[0].age = 50
        }
        watch.turn()
        // a b c d e → aa b c cc d e
        #expect(told.take() == ["-[0] +[0, 3] ~[3]"])
        token.invalidate()
    }

    @Test("what moves is deleted and inserted, and not told as modified")
    func moves() throws {
        let watch = try dogs(["a", "b", "c", "d"]), told = Heard(), realm = watch.realm
        let all = realm.objects(Dog.self).sorted(byKeyPath: "name"), token = all.observe { told.add($0) }
        watch.turn()
        _ = told.take()
        try realm.write { all[0].name = "z" }
        watch.turn()
        #expect(told.take() == ["-[0] +[3] ~[]"])
        // Changed, and where it was.
        try realm.write { all[3].name = "y" }
        watch.turn()
        #expect(told.take() == ["-[] +[] ~[3]"])
        token.invalidate()
    }

    @Test("an object that comes to meet the condition is inserted, one that ceases to is deleted")
    func condition() throws {
        let watch = try dogs(["a", "b", "c"]), told = Heard(), realm = watch.realm
        let old = realm.objects(Dog.self).filter("age > 1"), token = old.observe { told.add($0) }
        watch.turn()
        #expect(told.take() == ["initial 1"])
        try realm.write {
            realm.objects(Dog.self)[0].age = 7
            realm.objects(Dog.self)[2].age = 0
        }
        watch.turn()
        #expect(told.take() == ["-[0] +[0] ~[]"])
        #expect(old.count == 1 && old[0].name == "a")
        token.invalidate()
    }

    @Test("a property set to what it has is no change")
    func selfAssignment() throws {
        let watch = try dogs(["a"]), told = Heard(), realm = watch.realm, dog = realm.objects(Dog.self)[0]
        let tokens = [realm.objects(Dog.self).observe { told.add($0) }, dog.observe { told.add($0) }]
        watch.turn()
        _ = told.take()
        try realm.write { dog.age = dog.age }
        watch.turn()
        #expect(told.take() == [])
        // Nor is one that was taken back.
        try realm.write { dog.age = 5 }
        try realm.write { dog.age = 0 }
        #expect(told.take() == ["-[] +[] ~[0]", "age: 0 → 5"])
        tokens.forEach { $0.invalidate() }
    }

    @Test("an object that is deleted and made again is another one")
    func replaced() throws {
        let watch = try Watch(), told = Heard(), realm = watch.realm
        try realm.write { for id in 1...3 { realm.create(Person.self, value: ["id": id]) } }
        let token = realm.objects(Person.self).observe { told.add($0) }
        watch.turn()
        _ = told.take()
        try realm.write {
            realm.delete(realm.object(ofType: Person.self, forPrimaryKey: 2)!)
            realm.create(Person.self, value: ["id": 2, "age": 1])
        }
        watch.turn()
        #expect(told.take() == ["-[1] +[1] ~[]"])
        token.invalidate()
    }

    @Test("several commits are told at once")
    func coalesced() throws {
        let watch = try dogs(["a"]), told = Heard()
        let token = watch.realm.objects(Dog.self).observe { told.add($0) }
        watch.turn()
        _ = told.take()
        for age in 10..<13 { try watch.elsewhere { $0.dog("by \(age)", age) } }
        watch.realm.refresh()
        #expect(told.take() == ["-[] +[1, 2, 3] ~[]"])
        token.invalidate()
    }

    @Test("limited, distinct and chained results")
    func steps() throws {
        let watch = try dogs(["a", "b", "c", "d"]), told = Heard(), realm = watch.realm, all = realm.objects(Dog.self)
        let tokens = [
            all.sorted(byKeyPath: "age").limit(2).observe { told.add($0) },
            all.distinct(by: ["age"]).observe { told.add($0) },
            all.sorted(byKeyPath: "age").limit(3).filter("name != 'b'").observe { told.add($0) },
        ]
        watch.turn()
        #expect(told.take() == ["initial 2", "initial 4", "initial 2"])
        try realm.write { all[0].age = 2 }
        watch.turn()
        // Ages 2 1 2 3: b a, without a or c once, b a c.
        #expect(told.take() == ["-[0] +[1] ~[]", "-[2] +[] ~[0]", "-[] +[] ~[0]"])
        tokens.forEach { $0.invalidate() }
    }

    // MARK: Lists, sets, maps

    private func owner() throws -> (Watch, Owner) {
        let watch = try Watch(), realm = watch.realm
        let owner = try realm.write { realm.create(Owner.self, value: ["name": "Ann", "pets": [["name": "a"], ["name": "b"], ["name": "c"]]]) }
        return (watch, owner)
    }

    @Test("a list: appended, removed, replaced, moved, and an element changed")
    func list() throws {
        let (watch, owner) = try owner(), told = Heard(), realm = watch.realm
        let token = owner.pets.observe { told.add($0) }
        watch.turn()
        #expect(told.take() == ["initial 3"])
        func change(_ body: () -> Void) throws -> [String] {
            try realm.write(body)
            watch.turn()
            return told.take()
        }
        #expect(try change { owner.pets.append(Pet(value: ["name": "d"])) } == ["-[] +[3] ~[]"])
        #expect(try change { owner.pets.remove(at: 1) } == ["-[1] +[] ~[]"])
        #expect(try change { owner.pets[1] = Pet(value: ["name": "x"]) } == ["-[] +[] ~[1]"])
        #expect(try change { owner.pets[0].name = "y" } == ["-[] +[] ~[0]"])
        #expect(try change { owner.pets.move(from: 0, to: 2) } == ["-[0] +[2] ~[]"])
        #expect(try change { realm.delete(owner.pets[0]) } == ["-[0] +[] ~[]"])
        #expect(try change { owner.name = "Bea" } == [])
        #expect(try change { owner.pets.removeAll() } == ["-[0, 1] +[] ~[]"])
        token.invalidate()
    }

    @Test("a list whose object is deleted loses all elements, and is told no more")
    func deletedOwner() throws {
        let (watch, owner) = try owner(), told = Heard(), realm = watch.realm
        let token = owner.pets.observe { change in
            if case .update(_, let deletions, _, _) = change { told.add("-\(deletions)") } else { told.add(change) }
        }
        watch.turn()
        try realm.write { realm.delete(owner) }
        watch.turn()
        try realm.write { _ = realm.create(Owner.self) }
        watch.turn()
        #expect(told.take() == ["initial 3", "-[0, 1, 2]"])
        token.invalidate()
    }

    @Test("lists and sets of values")
    func values() throws {
        let watch = try Watch(), told = Heard(), realm = watch.realm
        let kennel = try realm.write { realm.create(Kennel.self, value: ["name": "k", "scores": [3, 1, 2]]) }
        let owner = try realm.write { realm.create(Owner.self, value: ["tags": ["b", "d"]]) }
        let tokens = [kennel.scores.observe { told.add($0) }, owner.tags.observe { told.add($0) }, kennel.scores.sorted().observe { told.add($0) }]
        watch.turn()
        #expect(told.take() == ["initial 3", "initial 2", "initial 3"])
        try realm.write {
            kennel.scores.append(0)
            owner.tags.insert("c")
            owner.tags.remove("b")
        }
        watch.turn()
        #expect(told.take() == ["-[] +[3] ~[]", "-[0] +[0] ~[]", "-[] +[0] ~[]"])
        tokens.forEach { $0.invalidate() }
    }

    @Test("maps, by keys, and their objects")
    func maps() throws {
        let watch = try Watch(), told = Heard(), realm = watch.realm
        let owner = try realm.write { realm.create(Owner.self, value: ["phones": ["home": "1", "work": "2"], "byName": ["x": ["name": "X"], "y": ["name": "Y"]]]) }
        let tokens = [owner.phones.observe { told.add($0) }, owner.byName.observe { told.add($0) }]
        watch.turn()
        #expect(told.take() == ["initial 2", "initial 2"])
        try realm.write {
            owner.phones["home"] = nil
            owner.phones["car"] = "3"
            owner.phones["work"] = "4"
            owner.byName["x"]??.name = "XX"
        }
        watch.turn()
        #expect(told.take() == [#"-["home"] +["car"] ~["work"]"#, #"-[] +[] ~["x"]"#])
        // Its key stays, with nil.
        try realm.write { if let pet = owner.byName["y"] ?? nil { realm.delete(pet) } }
        watch.turn()
        #expect(told.take() == [#"-[] +[] ~["y"]"#])
        tokens.forEach { $0.invalidate() }
    }

    @Test("linking objects, results of a list, and any collection")
    func derived() throws {
        let (watch, owner) = try owner(), told = Heard(), realm = watch.realm, pet = owner.pets[0]
        let tokens = [
            pet.owners.observe { told.add($0) },
            owner.pets.filter("name > 'a'").sorted(byKeyPath: "name", ascending: false).observe { told.add($0) },
            AnyRealmCollection(owner.pets).observe { told.add($0) },
        ]
        watch.turn()
        #expect(told.take() == ["initial 1", "initial 2", "initial 3"])
        try realm.write { realm.create(Owner.self, value: ["name": "Second", "pets": [pet]]) }
        watch.turn()
        #expect(told.take() == ["-[] +[1] ~[]"])
        try realm.write { owner.pets.append(Pet(value: ["name": "z"])) }
        watch.turn()
        #expect(told.take() == ["-[] +[] ~[0]", "-[] +[0] ~[]", "-[] +[3] ~[]"])
        tokens.forEach { $0.invalidate() }
    }

    @Test("a collection within others")
    func nested() throws {
        let watch = try Watch([Groups.self]), told = Heard(), realm = watch.realm
        let groups = try realm.write { realm.create(Groups.self, value: ["teams": ["a": ["x", "y"], "b": ["z"]]]) }
        let inner = try #require(groups.teams["a"]), token = inner.observe { change in
            if case .update(_, let deletions, let insertions, _) = change { told.add("-\(deletions) +\(insertions)") } else { told.add(change) }
        }
        watch.turn()
        try realm.write { groups.teams["a"]?.append("w") }
        watch.turn()
        try realm.write { groups.teams["b"]?.append("v") }
        watch.turn()
        try realm.write { groups.teams["a"] = nil }
        watch.turn()
        #expect(told.take() == ["initial 2", "-[] +[2]", "-[0, 1, 2] +[]"])
        token.invalidate()
    }
}

class Groups: Object {
    @Persisted var teams: Map<String, List<String>>
}
