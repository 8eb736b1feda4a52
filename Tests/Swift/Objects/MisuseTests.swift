import Dispatch
import Foundation
@testable import Freehold
import Synchronization
import Testing

/// What was told while `body` ran.
func mistakes(_ body: () throws -> Void) rethrows -> [String] {
    let told = Told()
    try Misuse.listen({ misuse in told.messages.withLock { $0.append(misuse.message) } }, while: body)
    return told.messages.withLock { $0 }
}

private final class Told: Sendable {
    let messages = Mutex<[String]>([])
}

@Suite("Mistakes")
struct MisuseTests {
    private let types: [ObjectBase.Type] = [Person.self, Dog.self]

    @Test("a change outside a write transaction is told and changes nothing")
    func outside() throws {
        let folder = try Folder()
        let realm = try Realm(configuration: folder.configuration(types)), ann = Person(value: ["id": 1, "name": "Ann"])
        #expect(mistakes { realm.add(ann) } == ["Can only add, remove, or create objects in a Realm in a write transaction - call beginWrite on a Realm instance first."])
        try realm.write { realm.add(ann) }
        #expect(mistakes { ann.name = "Bea" } == ["Cannot modify managed objects outside of a write transaction."])
        #expect(ann.name == "Ann")
        #expect(mistakes { realm.cancelWrite() } == ["Can't cancel a non-existing write transaction"])
        #expect(try mistakes { try realm.commitWrite() } == ["Can't commit a non-existing write transaction"])
        try realm.write {
            #expect(mistakes { realm.beginWrite() } == ["The Realm is already in a write transaction"])
            #expect(mistakes { ann.id = 2 } == ["Primary key can't be changed after an object is inserted."])
        }
        #expect(ann.id == 1)
    }

    @Test("a message and its hint are two sentences, whether or not Realm's words end with a full stop")
    func sentences() {
        func text(_ message: String, _ hint: String) -> String { "\(Misuse(message: message, hint: hint))" }
        #expect(text("It is so", "Change it.") == "It is so. Change it." && text("It is so.", "Change it.") == "It is so. Change it.")
        #expect(text("Is it?", "Ask.") == "Is it? Ask." && text("It is so", "") == "It is so")
    }

    @Test("what stops the program says what was wrong and what to do, as sentences")
    func stopMessage() async throws {
        let result = try await #require(processExitsWith: .failure, observing: [\.standardErrorContent]) {
            let realm = try Realm(configuration: Realm.Configuration(inMemoryIdentifier: "stop", objectTypes: [Dog.self, Person.self]))
            realm.beginWrite()
            realm.beginWrite()
        }
        let message = "Freehold: The Realm is already in a write transaction. Transactions do not nest; commit or cancel the open one first."
        #expect(String(decoding: result.standardErrorContent, as: UTF8.self).contains(message))
    }

    @Test("a deleted object says so")
    func deleted() throws {
        let folder = try Folder()
        let realm = try Realm(configuration: folder.configuration(types)), ann = Person(value: ["id": 1, "name": "Ann"])
        try realm.write { realm.add(ann) }
        let again = try #require(realm.object(ofType: Person.self, forPrimaryKey: 1))
        try realm.write { realm.delete(ann) }
        #expect(ann.isInvalidated && again.isInvalidated)
        #expect(ann.realm == nil)
        var name = "unread"
        #expect(mistakes { name = again.name } == ["Object has been deleted or invalidated."])
        #expect(name.isEmpty)
        try realm.write {
            #expect(mistakes { realm.add(ann) } == ["Adding a deleted or invalidated object to a Realm is not permitted"])
        }
    }

    @Test("a realm and its objects on the wrong thread say so, also for what was read the short way")
    func wrongThread() throws {
        let folder = try Folder()
        let realm = try Realm(configuration: folder.configuration(types))
        try realm.write { for id in 0..<600 { realm.create(Person.self, value: ["id": id, "age": id]) } }
        let person = realm.objects(Person.self)[5]
        #expect(person.age + person.age + person.age == 15)
        // Safe: what is tested is that the other thread is refused.
        nonisolated(unsafe) let (smuggled, smuggledRealm) = (person, realm)
        let messages = Mutex<[String]>([])
        let done = DispatchSemaphore(value: 0)
        let thread = Thread {
            let told = mistakes {
                if smuggled.age != 0 { messages.withLock { $0.append("the age was read") } }
                if smuggledRealm.objects(Person.self).count != 0 { messages.withLock { $0.append("objects were counted") } }
            }
            messages.withLock { $0 += told }
            done.signal()
        }
        thread.start()
        done.wait()
        let told = messages.withLock { $0 }
        #expect(told == ["Realm accessed from incorrect thread.", "Realm accessed from incorrect thread."])
        #expect(person.age == 5)
    }

    @Test("a value that does not fit is told by name")
    func values() throws {
        let folder = try Folder()
        let realm = try Realm(configuration: folder.configuration(types))
        try realm.write {
            realm.create(Person.self, value: ["id": 1, "name": "Ann"])
            #expect(mistakes { realm.create(Person.self, value: ["id": 2, "age": "old"]) }
                == ["Invalid value 'old' of type 'String' for 'int' property 'Person.age'."])
            #expect(mistakes { _ = Person(value: Array(repeating: 0, count: 11)) }
                == ["Invalid array input: more values (11) than properties (10)."])
            realm.create(Person.self, value: ["id": 1, "age": 40], update: .modified)
        }
        let ann = try #require(realm.object(ofType: Person.self, forPrimaryKey: 1))
        #expect(ann.age == 40)
        #expect(realm.object(ofType: Person.self, forPrimaryKey: 9) == nil)
        #expect(mistakes { _ = realm.object(ofType: Dog.self, forPrimaryKey: 1) } == ["Dog does not have a primary key"])
    }

    @Test("a class that the file does not have is told")
    func unknownClass() throws {
        let folder = try Folder()
        let realm = try Realm(configuration: folder.configuration([Pet.self, Owner.self]))
        var count = -1
        #expect(mistakes { count = realm.objects(Dog.self).count } == ["Object type 'Dog' is not managed by the Realm."])
        #expect(count == 0)
    }
}
