import Dispatch
import Foundation
@testable import Freehold
import FreeholdEngine
import Synchronization
import Testing

/// An actor with a realm of its own, as programs have them.
private actor Store {
    private let configuration: Realm.Configuration
    private var opened: Realm?

    init(_ configuration: Realm.Configuration) { self.configuration = configuration }

    func realm() async throws -> Realm {
        if let opened { return opened }
        let made = try await Realm.open(configuration: configuration)
        opened = made
        return made
    }

    func isCached() async throws -> Bool {
        let first = try await realm(), second = try await Realm(configuration: configuration, actor: self)
        return first == second
    }

    @discardableResult
    func raise(by years: Int = 1) async throws -> Int {
        let realm = try await realm()
        return try await realm.asyncWrite {
            realm.setAge(max(0, realm.age) + years)
            return realm.age
        }
    }

    func fail() async throws {
        struct Failure: Error {}
        let realm = try await realm()
        try await realm.asyncWrite {
            realm.setAge(1000)
            throw Failure()
        }
    }

    /// Adds one object twice; the code that the write throws, and how many objects there are then.
    func refuse(isHeard: Bool) async throws -> (Realm.Error.Code?, Int) {
        let realm = try await realm()
        func add() { for id in [1, 1, 2] { realm.add(Person(value: ["id": id])) } }
        do {
            try await realm.asyncWrite { if isHeard { #expect(mistakes(add) == []) } else { add() } }
            return (nil, realm.objects(Person.self).count)
        } catch { return ((error as? Realm.Error)?.code, realm.objects(Person.self).count) }
    }

    func endsItself() async throws {
        let realm = try await realm()
        try await realm.asyncWrite {
            realm.setAge(1000)
            realm.cancelWrite()
        }
        try await realm.asyncWrite {
            realm.setAge(40)
            try realm.commitWrite()
        }
    }

    func writeWhileAsked() async throws -> Int {
        let realm = try await realm()
        async let other: Void = self.double()
        for age in 1...5 {
            try realm.write { realm.setAge(age) }
            await Task.yield()
        }
        try await other
        return realm.age
    }

    func double() async throws {
        let realm = try await realm()
        try await realm.asyncWrite { realm.setAge(max(1, realm.age) * 16) }
    }

    func age() async throws -> Int {
        let realm = try await realm()
        await realm.asyncRefresh()
        return realm.age
    }

    func shownAge() async throws -> Int { try await realm().age }

    func smuggled() async throws -> Smuggled<Realm> { Smuggled(try await realm()) }
}

@Suite("Realms of actors")
struct ActorRealmTests {
    private let types: [ObjectBase.Type] = [Person.self, Dog.self]

    @Test("a write that the data refuses throws, whether or not somebody listens to mistakes", arguments: [false, true])
    func refused(isHeard: Bool) async throws {
        let folder = try Folder(), store = Store(folder.configuration([Person.self, Dog.self]))
        #expect(try await store.refuse(isHeard: isHeard) == (.invalidInput, 0))
        #expect(try await store.raise() == 1)
    }

    @Test("an actor has one realm, which is found again, and writes without waiting")
    func writes() async throws {
        let folder = try Folder(), store = Store(folder.configuration(types))
        #expect(try await store.isCached())
        #expect(try await store.raise() == 1)
        #expect(try await store.raise(by: 4) == 5)
        #expect(try await store.age() == 5)
    }

    @Test("several actors write at once, each task in turn, and nothing is lost")
    func many() async throws {
        let folder = try Folder(), configuration = folder.configuration(types), stores = (0..<4).map { _ in Store(configuration) }
        try await withThrowingTaskGroup(of: Void.self) { group in
            for store in stores { for _ in 0..<15 { group.addTask { try await store.raise() } } }
            try await group.waitForAll()
        }
        #expect(try await stores[0].age() == 60)
    }

    @Test("a block that throws changes nothing; one that ends its transaction itself is left alone")
    func ends() async throws {
        let folder = try Folder(), store = Store(folder.configuration(types))
        try await store.raise()
        await #expect(throws: (any Error).self) { try await store.fail() }
        #expect(try await store.age() == 1)
        try await store.endsItself()
        #expect(try await store.age() == 40)
    }

    @Test("a write that blocks the actor goes before one that is waited for, and both are done")
    func both() async throws {
        let folder = try Folder(), store = Store(folder.configuration(types))
        let age = try await store.writeWhileAsked()
        #expect([5, 16, 32, 48, 64, 80].contains(age))
        #expect(try await store.raise(by: 100) > 100)
    }

    @Test("a task that is cancelled while it waits writes nothing, and says so")
    func cancelled() async throws {
        let folder = try Folder(), configuration = folder.configuration(types), store = Store(configuration)
        try await store.raise()
        let writer = RealmQueue("writer", configuration)
        let held = try writer.sync { realm in
            realm.beginWrite()
            return Smuggled(realm)
        }
        let task = Task { try await store.raise(by: 100) }
        let second = Task { try await store.raise(by: 10) }
        task.cancel()
        await #expect(throws: CancellationError.self) { try await task.value }
        try writer.sync { realm in
            #expect(realm == held.value)
            try realm.commitWrite()
        }
        #expect(try await second.value == 11)
        #expect(try await store.age() == 11)
    }

    @Test("an actor's realm used elsewhere is told, and so is writing so without an actor")
    func misuse() async throws {
        let folder = try Folder(), configuration = folder.configuration(types), store = Store(configuration)
        try await store.raise()
        let leaked = try await store.smuggled()
        let told = mistakes { _ = leaked.value.objects(Person.self).count }
        #expect(told == ["Realm accessed from incorrect actor."])
        let thread = try queueRealm(configuration)
        let messages = Notes()
        await #expect(throws: RealmError.self) {
            let realm = thread.value
            try await Misuse.listening(messages) { try await realm.asyncWrite {} }
        }
        #expect(messages.all == ["asyncWrite() can only be called on main thread or actor-isolated Realms"])
    }

    private func queueRealm(_ configuration: Realm.Configuration) throws -> Smuggled<Realm> {
        try RealmQueue("other", configuration).sync { Smuggled($0) }
    }

    @Test("the main actor's realm is the main queue's, and stays itself over waiting")
    @MainActor func main() async throws {
        let folder = try Folder(), configuration = folder.configuration(types)
        let realm = try Realm(configuration: configuration)
        let others = [try Realm(configuration: configuration, queue: .main), try await Realm(configuration: configuration, actor: MainActor.shared),
                      try await Realm.open(configuration: configuration), try await Realm(configuration: configuration, downloadBeforeOpen: .never)]
        #expect(others.allSatisfy { $0 == realm })
        let person = try await realm.asyncWrite { realm.create(Person.self, value: ["id": 1, "age": 3]) }
        for age in 4..<20 {
            try await Task.detached { try onThread { try Realm(configuration: configuration).write { try Realm(configuration: configuration).setAge(age) } } }.value
            await realm.asyncRefresh()
            #expect(person.age == age && person.realm == realm)
        }
    }

    @Test("an actor's realm shows what others commit, by itself")
    func follows() async throws {
        let folder = try Folder(), configuration = folder.configuration(types), store = Store(configuration)
        try await store.raise()
        #expect(try await store.shownAge() == 1)
        try onThread { try Realm(configuration: configuration).write { try Realm(configuration: configuration).setAge(70) } }
        while try await store.shownAge() != 70 { await Task.yield() }
    }
}

extension Misuse {
    /// Listens while a task does something.
    fileprivate static func listening(_ notes: Notes, _isolation: isolated (any Actor)? = #isolation, _ body: () async throws -> Void) async throws {
        listenEverywhere { notes.add($0.message) }
        defer { listenEverywhere(nil) }
        try await body()
    }
}
