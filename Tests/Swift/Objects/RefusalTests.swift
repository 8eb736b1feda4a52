import Foundation
@testable import Freehold
import FreeholdEngine
import Testing

class Roster: Object {
    @Persisted var name = ""
    @Persisted var best: Person?
    @Persisted var people: List<Person>
    @Persisted var byName: Map<String, Person?>
}

/// The code that `body` throws; nil if it throws none.
func refusalCode(_ body: () throws -> Void) -> Realm.Error.Code? {
    do {
        try body()
        return nil
    } catch { return (error as? Realm.Error)?.code }
}

/// Whether somebody listens to mistakes makes no difference to what the data refuses.
@Suite("What the data refuses")
struct RefusalTests {
    private let folder: Folder
    private let realm: Realm
    private let first = Shackle()

    init() throws {
        folder = try Folder()
        realm = try Realm(configuration: folder.configuration([Person.self, Roster.self, Shackle.self, DoorKey.self]))
        let second = Shackle(value: ["id": 1])
        try realm.write {
            realm.add(Person(value: ["id": 1]))
            first.next = second
            first.key = realm.create(DoorKey.self)
            realm.add(first)
            realm.create(Roster.self)
        }
    }

    /// Calls that the data refuses, with the words that the error has of it.
    private var attempts: [(words: String, call: () -> Void)] {
        let realm = realm, first = first, roster = realm.objects(Roster.self)[0], long = String(repeating: "x", count: 100_000)
        let taken = "existing primary key value '1'"
        return [
            (taken, { realm.add(Person(value: ["id": 1])) }), (taken, { realm.create(Person.self, value: ["id": 1]) }),
            (taken, { realm.dynamicCreate("Person", value: ["id": 1]) }), (taken, { roster.best = Person(value: ["id": 1]) }),
            (taken, { roster.people.append(Person(value: ["id": 1])) }), (taken, { roster.byName["a"] = Person(value: ["id": 1]) }),
            (taken, { realm.add(Roster(value: ["people": [["id": 8], ["id": 1]]])) }),
            ("cannot be deleted", { realm.delete(first) }), ("cannot be deleted", { realm.delete(realm.objects(Shackle.self)) }),
            ("is indexed", { realm.object(ofType: Person.self, forPrimaryKey: 1)?.name = long }),
            ("is indexed", { realm.create(Person.self, value: ["id": 9, "name": long]) }),
            ("is indexed", { realm.create(Roster.self, value: ["people": [["id": 9, "name": long]]]) }),
        ]
    }

    /// Runs `body` where somebody listens to mistakes, or nobody does.
    private func run(_ isHeard: Bool, _ body: () throws -> Void) rethrows {
        if isHeard { #expect(try mistakes(body) == []) } else { try body() }
    }

    private var isUnchanged: Bool {
        realm.objects(Person.self).count == 1 && realm.objects(Roster.self).count == 1 && first.next?.id == 1 && !realm.isInWriteTransaction
            && realm.objects(Roster.self)[0].people.isEmpty && realm.objects(Person.self)[0].name == "nobody"
    }

    @Test("a write that the data refuses is undone and throws", arguments: [false, true])
    func write(isHeard: Bool) throws {
        for (words, attempt) in attempts {
            try run(isHeard) {
                let error = #expect(throws: Realm.Error.self) {
                    try realm.write {
                        realm.add(Person(value: ["id": 2]))
                        attempt()
                        realm.add(Person(value: ["id": 3]))
                    }
                }
                #expect(error?.message.contains(words) == true, "\(String(describing: error))")
                #expect(isUnchanged)
                try realm.write { realm.add(Person(value: ["id": 1, "age": 5]), update: .all) }
            }
        }
        #expect(realm.objects(Person.self).first?.age == 5)
    }

    @Test("a transaction that the data refused something in cannot be committed, but can be cancelled", arguments: [false, true])
    func begun(isHeard: Bool) throws {
        for (words, attempt) in attempts {
            try run(isHeard) {
                realm.beginWrite()
                attempt()
                let error = #expect(throws: Realm.Error.self) { try realm.commitWrite() }
                #expect(error?.message.contains(words) == true && isUnchanged)
                // One that is cancelled has nothing to tell any more, nor has the next one.
                realm.beginWrite()
                attempt()
                realm.cancelWrite()
                try realm.write { realm.add(Person(value: ["id": 1, "age": 5]), update: .all) }
            }
        }
    }

    @Test("a mistake in a write is told to who listens, and the rest is committed")
    func mistake() throws {
        try realm.write {
            #expect(mistakes { realm.create(Person.self, value: ["id": 4, "age": "old"]) }.count == 1)
            realm.create(Person.self, value: ["id": 5])
        }
        #expect(realm.objects(Person.self).map(\.id) == [1, 5])
    }

    @Test("a server that listens to mistakes everywhere does not commit half of a write")
    func everywhere() async throws {
        await #expect(processExitsWith: .success) {
            let notes = Notes(), realm = try Realm(configuration: Realm.Configuration(inMemoryIdentifier: "server", objectTypes: [Dog.self, Person.self]))
            Misuse.listenEverywhere { notes.add("\($0)") }
            let code = refusalCode {
                try realm.write {
                    realm.add(Person(value: ["id": 1]))
                    realm.add(Person(value: ["id": 1]))
                    realm.add(Person(value: ["id": 2]))
                }
            }
            #expect(code == .invalidInput && realm.objects(Person.self).isEmpty && notes.all == [])
        }
    }

    @Test("what the data refuses in a migration fails the migration", arguments: [false, true])
    func migration(isHeard: Bool) throws {
        let folder = try Folder()
        do {
            let realm = try Realm(configuration: folder.configuration([Shackle.self, DoorKey.self]))
            try realm.write { realm.create(Shackle.self, value: ["id": 1, "key": [:] as [String: Any]] as [String: Any]) }
        }
        run(isHeard) {
            let error = refusal(folder.configuration([Shackle.self, DoorKey.self], version: 1) { migration, _ in
                migration.create("DoorKey")
                migration.enumerateObjects(ofType: "Shackle") { _, new in if let new { migration.delete(new) } }
            })
            #expect(error?.message.contains("cannot be deleted") == true)
        }
        let realm = try Realm(configuration: folder.configuration([Shackle.self, DoorKey.self]))
        #expect(realm.objects(Shackle.self).count == 1 && realm.objects(DoorKey.self).count == 1)
    }
}
