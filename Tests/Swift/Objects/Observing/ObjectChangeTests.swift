import Foundation
@testable import Freehold
import FreeholdEngine
import Testing

@Suite("What changed in an object")
struct ObjectChangeTests {
    private func person(_ types: [ObjectBase.Type]? = nil) throws -> (Watch, Person) {
        let watch = try types.map { try Watch($0) } ?? Watch()
        let person = try watch.realm.write {
            let friend = watch.realm.create(Person.self, value: ["id": 2, "name": "Bo"])
            return watch.realm.create(Person.self, value: ["id": 1, "name": "Ann", "age": 30, "friend": friend])
        }
        return (watch, person)
    }

    @Test("names, old values and new ones, of this realm's commits and of others'")
    func values() throws {
        let (watch, person) = try person(), told = Heard()
        let token = person.observe { told.add($0) }
        watch.turn()
        #expect(told.take() == [])
        try watch.realm.write {
            person.age = 31
            person.email = "a@b"
        }
        watch.turn()
        #expect(told.take() == ["age: 30 → 31, email: nil → a@b"])
        try watch.elsewhere { $0.object(ofType: Person.self, forPrimaryKey: 1)?.email = nil }
        watch.realm.refresh()
        #expect(told.take() == ["email: a@b → nil"])
        try watch.realm.write { watch.realm.object(ofType: Person.self, forPrimaryKey: 2)?.age = 9 }
        watch.turn()
        #expect(told.take() == [])
        token.invalidate()
    }

    @Test("from the moment of observing on, whatever was committed before")
    func moment() throws {
        let (watch, person) = try person(), told = Heard(), realm = watch.realm
        let first = person.observe { told.add($0) }
        try realm.write { person.age = 1 }
        let second = person.observe { change in
            told.add("second")
            told.add(change)
        }
        try realm.write(withoutNotifying: []) { person.score = 2 }
        watch.turn()
        // The write told the first of the age before it began.
        #expect(told.take() == ["age: 30 → 1", "score: 0.5 → 2.0", "second", "score: 0.5 → 2.0"])
        first.invalidate()
        second.invalidate()
    }

    @Test("links, to what is deleted too; collections have no values")
    func links() throws {
        let (watch, person) = try person(), realm = watch.realm
        var told: [PropertyChange] = []
        let token = person.observe { if case .change(_, let properties) = $0 { told = properties } }
        watch.turn()
        let friend = try #require(person.friend)
        try realm.write { person.friend = person }
        watch.turn()
        #expect(told.map(\.name) == ["friend"] && (told[0].oldValue as? Person) == friend && (told[0].newValue as? Person) == person)
        try realm.write { person.friend = friend }
        watch.turn()
        try realm.write { realm.delete(friend) }
        watch.turn()
        #expect(told.map(\.name) == ["friend"] && told[0].oldValue == nil && told[0].newValue == nil)
        token.invalidate()
        let owner = try realm.write { realm.create(Owner.self) }, lists = owner.observe { if case .change(_, let properties) = $0 { told = properties } }
        try realm.write {
            owner.pets.append(Pet())
            owner.phones["a"] = "1"
        }
        watch.turn()
        #expect(told.map(\.name) == ["pets", "phones"] && told.allSatisfy { $0.oldValue == nil && $0.newValue == nil })
        lists.invalidate()
    }

    @Test("deleted, once")
    func deleted() throws {
        let (watch, person) = try person(), told = Heard(), realm = watch.realm
        let token = person.observe { told.add($0) }
        watch.turn()
        try realm.write { realm.delete(person) }
        watch.turn()
        try realm.write { realm.create(Person.self, value: ["id": 1]) }
        watch.turn()
        #expect(told.take() == ["deleted"])
        token.invalidate()
    }

    @Test("enumerations, dates, custom values have the types of the properties")
    func types() throws {
        let (watch, person) = try person(), realm = watch.realm, day = Date(timeIntervalSince1970: 86_400)
        var old: Any?, new: Any?
        let token = person.observe { if case .change(_, let properties) = $0 { (old, new) = (properties[0].oldValue, properties[0].newValue) } }
        watch.turn()
        try realm.write { person.born = day }
        watch.turn()
        #expect(old as? Date == Date(timeIntervalSince1970: 0) && new as? Date == day)
        try realm.write { person.height = 180 }
        watch.turn()
        #expect(old == nil && new as? Int == 180)
        token.invalidate()
    }

    // MARK: Key paths

    @Test("only the properties that key paths name, as texts or in Swift")
    func keyPaths() throws {
        let (watch, person) = try person(), told = Heard(), realm = watch.realm
        let tokens = [person.observe(keyPaths: ["age"]) { told.add($0) }, person.observe(keyPaths: [\Person.name, \Person.friend?.age]) { told.add($0) }]
        watch.turn()
        func change(_ body: () -> Void) throws -> [String] {
            try realm.write(body)
            watch.turn()
            return told.take()
        }
        #expect(try change { person.score = 8 } == [])
        #expect(try change { person.age = 8 } == ["age: 30 → 8"])
        #expect(try change { person.name = "Al" } == ["name: Ann → Al"])
        #expect(try change { person.friend?.score = 8 } == [])
        // What the path begins with has changed, as far as it was asked about.
        let changes = try change { person.friend?.age = 8 }
        #expect(changes.count == 1 && changes[0].hasPrefix("friend: "))
        tokens.forEach { $0.invalidate() }
    }

    @Test("over lists and linking objects, and stars")
    func farKeyPaths() throws {
        let watch = try Watch(), told = Heard(), realm = watch.realm
        let owner = try realm.write { realm.create(Owner.self, value: ["name": "Ann", "pets": [["name": "a"]], "favourite": ["name": "f"]]) }
        let pet = owner.pets[0]
        func names(_ change: Freehold.ObjectChange<Owner>) { if case .change(_, let properties) = change { told.add(properties.map(\.name).joined(separator: ",")) } }
        let tokens = [
            owner.observe(keyPaths: ["pets.name"]) { names($0) },
            owner.observe(keyPaths: ["*.name"]) { names($0) },
            pet.observe(keyPaths: ["owners.name"]) { if case .change(_, let properties) = $0 { told.add("pet: " + properties.map(\.name).joined(separator: ",")) } },
        ]
        watch.turn()
        try realm.write { pet.name = "b" }
        watch.turn()
        #expect(told.take() == ["pets", "pets"])
        try realm.write { owner.favourite?.name = "g" }
        watch.turn()
        #expect(told.take() == ["favourite"])
        try realm.write { owner.name = "Bea" }
        watch.turn()
        #expect(told.take() == ["pet: owners"])
        tokens.forEach { $0.invalidate() }
    }

    @Test("collections look four links deep, and no deeper; key paths as deep as they are")
    func depth() throws {
        let watch = try Watch([Chain.self]), told = Heard(), realm = watch.realm
        try realm.write {
            var next: Chain?
            for number in (0..<7).reversed() { next = realm.create(Chain.self, value: ["number": number, "next": next as Any]) }
        }
        let first = realm.objects(Chain.self).filter("number == 0")
        let tokens = [first.observe { told.add($0) }, first.observe(keyPaths: ["next.next.next.next.next.label"]) { change in
            if case .update = change { told.add("path") }
        }, first.observe(keyPaths: []) { change in if case .update = change { told.add("none") } }]
        watch.turn()
        _ = told.take()
        func change(_ number: Int) throws -> [String] {
            try realm.write { realm.objects(Chain.self).filter("number == %@", number)[0].label += "x" }
            watch.turn()
            return told.take()
        }
        for number in 0...4 { #expect(try change(number) == ["-[] +[] ~[0]"]) }
        #expect(try change(5) == ["path"])
        #expect(try change(6) == [])
        tokens.forEach { $0.invalidate() }
    }

    @Test("elements of collections as far as key paths say")
    func elementKeyPaths() throws {
        let watch = try Watch(), told = Heard(), realm = watch.realm
        try realm.write { for id in 1...3 { realm.create(Person.self, value: ["id": id]) } }
        let people = realm.objects(Person.self)
        let tokens = [people.observe(keyPaths: ["age"]) { told.add($0) }, people.observe(keyPaths: [\Person.friend?.name]) { told.add($0) }]
        watch.turn()
        _ = told.take()
        try realm.write { people[1].score = 3 }
        watch.turn()
        #expect(told.take() == [])
        try realm.write { people[1].age = 3 }
        watch.turn()
        #expect(told.take() == ["-[] +[] ~[1]"])
        try realm.write { people[0].friend = people[2] }
        watch.turn()
        try realm.write { people[2].name = "n" }
        watch.turn()
        #expect(told.take() == ["-[] +[] ~[0]", "-[] +[] ~[0]"])
        tokens.forEach { $0.invalidate() }
    }
}

class Chain: Object {
    @Persisted var number = 0
    @Persisted var label = ""
    @Persisted var next: Chain?
}
