import Dispatch
import Foundation
@testable import Freehold
import FreeholdEngine
import Synchronization
import Testing

@Suite("Commits of others show by themselves", .serialized)
struct FollowingTests {
    private let types: [ObjectBase.Type] = [Person.self, Dog.self]

    private func elsewhere(_ configuration: Realm.Configuration, _ age: Int) throws {
        try onThread { try Realm(configuration: configuration).write { try Realm(configuration: configuration).setAge(age) } }
    }

    @Test("of threads, on a queue: each time anew")
    func queue() throws {
        let folder = try Folder(), configuration = folder.configuration(types), queue = RealmQueue("follows", configuration)
        try elsewhere(configuration, 1)
        let kept = try queue.sync { realm in Smuggled((realm, realm.objects(Person.self)[0])) }
        for age in 2..<30 {
            try elsewhere(configuration, age)
            try queue.work { _ in kept.value.1.age == age }
        }
        #expect(try queue.sync { $0.autorefresh })
    }

    @Test("of another process")
    func process() async throws {
        let folder = try Folder(), configuration = folder.configuration(types), path = folder.path, queue = RealmQueue("process", configuration)
        try elsewhere(configuration, 1)
        let kept = try queue.sync { realm in Smuggled((realm, realm.objects(Person.self)[0])) }
        try queue.work { _ in kept.value.1.age == 1 }
        await #expect(processExitsWith: .success) { [path = path as String] in
            let realm = try Realm(configuration: Realm.Configuration(fileURL: URL(fileURLWithPath: path), objectTypes: [Person.self, Dog.self]))
            try realm.write { realm.setAge(55) }
        }
        try queue.work { _ in kept.value.1.age == 55 }
    }

    @Test("not where the program does not want it, nor while it writes; once it wants it, again")
    func unwanted() throws {
        let folder = try Folder(), configuration = folder.configuration(types)
        let follower = RealmQueue("follower", configuration), stays = RealmQueue("stays", configuration)
        try elsewhere(configuration, 1)
        let kept = try follower.sync { Smuggled(($0, $0.age)) }
        let still = try stays.sync { realm in
            realm.autorefresh = false
            return Smuggled((realm, realm.objects(Person.self)[0]))
        }
        #expect(try stays.sync { _ in still.value.1.age } == 1)
        try elsewhere(configuration, 2)
        try follower.work { _ in kept.value.0.age == 2 }
        #expect(try stays.sync { $0.age } == 1 && !still.value.0.autorefresh)
        try stays.sync { $0.autorefresh = true }
        try stays.work { $0.age == 2 }
    }

    @Test("on a thread with a run loop, once it is asked for")
    func runLoop() throws {
        let folder = try Folder(), configuration = folder.configuration(types), isReady = DispatchSemaphore(value: 0)
        try elsewhere(configuration, 1)
        let age = Mutex(0)
        let thread = Thread {
            guard let realm = try? Realm(configuration: configuration) else { return }
            let isOff = !realm.autorefresh && realm.age == 1
            realm.autorefresh = true
            let person = realm.objects(Person.self)[0]
            isReady.signal()
            while person.age != 2 { _ = RunLoop.current.run(mode: .default, before: .distantFuture) }
            age.withLock { $0 = isOff ? person.age : -1 }
            isReady.signal()
        }
        thread.start()
        isReady.wait()
        try elsewhere(configuration, 2)
        isReady.wait()
        #expect(age.withLock { $0 } == 2)
    }

    private final class Kept {
        var realm: Realm?
    }

    @Test("a realm that is let go of closes its file at once, whatever is on its way to it")
    func closes() throws {
        let folder = try Folder(), configuration = folder.configuration(types)
        for age in 0..<40 {
            let queue = RealmQueue("goes \(age)", configuration)
            let kept = Smuggled(Kept())
            try queue.sync { kept.value.realm = $0 }
            try elsewhere(configuration, age)
            queue.queue.sync { kept.value.realm = nil }
            #expect(try Realm.deleteFiles(for: configuration))
        }
    }

    @Test("a frozen realm stays as it is, and says so")
    func frozen() throws {
        let folder = try Folder(), realm = try Realm(configuration: folder.configuration(types)), frozen = realm.freeze()
        #expect(!frozen.autorefresh)
        #expect(mistakes { frozen.autorefresh = true } == ["Auto-refresh cannot be enabled for frozen Realms."])
    }
}
