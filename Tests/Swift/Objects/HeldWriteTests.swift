import Dispatch
import Foundation
@testable import Freehold
import Testing

/// `beginWrite()` keeps its realm.
@Suite("Write transactions that nothing else keeps")
struct HeldWriteTests {
    private let folder: Folder
    private let configuration: Realm.Configuration

    init() throws {
        folder = try Folder()
        configuration = folder.configuration([Person.self, Dog.self])
    }

    @Test("a transaction goes on in the next realm that is opened on the thread")
    func goesOn() throws {
        try onThread { [configuration] in
            try Realm(configuration: configuration).beginWrite()
            try Realm(configuration: configuration).create(Dog.self, value: ["name": "Fido"])
            #expect(try Realm(configuration: configuration).isInWriteTransaction)
            try Realm(configuration: configuration).commitWrite()
            try Realm(configuration: configuration).beginWrite()
            try Realm(configuration: configuration).deleteAll()
            try Realm(configuration: configuration).cancelWrite()
            #expect(try Realm(configuration: configuration).objects(Dog.self).map(\.name) == ["Fido"])
        }
    }

    @Test("a realm whose transaction has ended is let go of, and its file is closed")
    func letsGo() throws {
        try onThread { [configuration] in
            weak var core: RealmCore?
            for isCommitted in [true, false] {
                do {
                    let realm = try Realm(configuration: configuration)
                    core = realm.core
                    realm.beginWrite()
                    if isCommitted { try realm.commitWrite() } else { realm.cancelWrite() }
                }
                #expect(core == nil)
            }
            #expect(try Realm.deleteFiles(for: configuration))
        }
    }

    @Test("one that a thread forgets is rolled back when the thread ends")
    func forgottenByThread() throws {
        try onThread { [configuration] in
            try Realm(configuration: configuration).beginWrite()
            try Realm(configuration: configuration).create(Dog.self)
        }
        let realm = try Realm(configuration: configuration)
        #expect(realm.objects(Dog.self).isEmpty)
        try realm.write { realm.create(Dog.self) }
    }

    @Test("one that a queue forgets is rolled back at the queue's next turn, one that the program keeps is not")
    func forgottenByQueue() throws {
        let queue = DispatchQueue(label: "held")
        let kept = try queue.sync { () throws -> Smuggled<Realm> in
            try Realm(configuration: configuration, queue: queue).beginWrite()
            try Realm(configuration: configuration, queue: queue).create(Dog.self)
            #expect(try Realm(configuration: configuration, queue: queue).objects(Dog.self).count == 1)
            return Smuggled(try Realm(configuration: folder.configuration([Person.self, Dog.self], name: "other"), queue: queue))
        }
        queue.sync {
            // The block that lets go came before this one.
            kept.value.beginWrite()
        }
        try queue.sync {
            let realm = try Realm(configuration: configuration, queue: queue)
            #expect(!realm.isInWriteTransaction && realm.objects(Dog.self).isEmpty)
            #expect(kept.value.isInWriteTransaction)
            try kept.value.commitWrite()
        }
    }

    @Test("a variable that threads share shows each what another has written by it")
    func threadSafe() throws {
        let realm = try Realm(configuration: configuration), other = DispatchQueue(label: "other")
        try realm.write { realm.add(Dog(value: ["name": "before"])) }
        let shared = ThreadSafe(wrappedValue: realm.objects(Dog.self).first)
        #expect(shared.wrappedValue?.name == "before")
        try other.sync { [configuration] in
            let realm = try Realm(configuration: configuration, queue: other)
            #expect(realm.objects(Dog.self).count == 1)
            try onThread {
                let own = try Realm(configuration: configuration)
                try own.write { shared.wrappedValue?.name = "after" }
            }
        }
        #expect(shared.wrappedValue?.name == "after")
    }

    private actor Store {
        func write(_ configuration: Realm.Configuration) async throws -> [Bool] {
            let realm = try await Realm.open(configuration: configuration)
            return [try await realm.asyncWrite { realm.isPerformingAsynchronousWriteOperations }, realm.isPerformingAsynchronousWriteOperations]
        }
    }

    @Test("a realm performs asynchronous writes within the block of one, and none when it has ended")
    func performing() async throws {
        #expect(try await Store().write(configuration) == [true, false])
    }
}
