import Foundation
@testable import Freehold
import FreeholdEngine
import Platform
import Synchronization
import Testing

@_silgen_name("fork") private func fork() -> Int32

@Suite("Threads that end, processes that fork")
struct ThreadLifeTests {
    private let types: [ObjectBase.Type] = [Person.self, Dog.self]

    @Test("a thread that ends lets its version go, though its realm is still held")
    func endReleases() throws {
        let folder = try Folder(), configuration = folder.configuration(types), path = configuration.fileURL!.path
        let database = try Database.open(path)
        let leaked = try onThread {
            let realm = try Realm(configuration: configuration)
            try realm.write { realm.create(Person.self, value: ["id": 1, "age": 1]) }
            _ = realm.objects(Person.self).first?.age
            return Smuggled((realm, realm.objects(Person.self)[0]))
        }
        #expect(try database.information().holders.filter { $0.readers > 1 }.isEmpty)
        try database.write { try $0.set(ObjectKey(1), in: $0.table("Person"), $0.table("Person").column("age"), to: .int(2)) }
        #expect(Set(try database.information().holders.map(\.version)).count == 1)
        #expect(mistakes { _ = leaked.value.1.age } == ["Realm accessed from incorrect thread."])
    }

    @Test("a write that a thread leaves behind is rolled back, and others go on")
    func endRollsBack() throws {
        let folder = try Folder(), configuration = folder.configuration(types)
        let leaked = try onThread {
            let realm = try Realm(configuration: configuration)
            realm.beginWrite()
            return Smuggled((realm, realm.create(Person.self, value: ["id": 1])))
        }
        let realm = try Realm(configuration: configuration)
        #expect(realm.objects(Person.self).isEmpty)
        try realm.write { realm.create(Person.self, value: ["id": 2]) }
        #expect(mistakes { _ = leaked.value.1.id } == ["Realm accessed from incorrect thread."])
    }

    @Test("a thread that gets the address of one that has ended does not get its realms, nor what they read the short way")
    func reusedAddress() throws {
        let folder = try Folder(), configuration = folder.configuration(types)
        let realm = try Realm(configuration: configuration)
        try realm.write { for id in 0..<600 { realm.create(Person.self, value: ["id": id, "age": id]) } }
        let (address, leaked) = try onThread {
            let realm = try Realm(configuration: configuration), person = realm.objects(Person.self)[5]
            #expect((0..<3).allSatisfy { _ in person.age == 5 } && person._canBeReadHere)
            return (Confinement.here, Smuggled((realm, person)))
        }
        // The system gives the same address again sooner or later; mostly at once.
        for _ in 0..<50 {
            let isSame = try onThread {
                guard Confinement.here == address else { return false }
                let told = mistakes { if leaked.value.1.age != 0 { Issue.record("the age was read") } }
                #expect(told == ["Realm accessed from incorrect thread."])
                let own = try Realm(configuration: configuration)
                #expect(own != leaked.value.0)
                return true
            }
            if isSame { return }
        }
        Issue.record("no thread got the address again")
    }

    @Test("a forked child cannot use the realms and objects of its parent, is told so, and can open the file anew", .timeLimit(.minutes(30)))
    func forked() async {
        await #expect(processExitsWith: .success) {
            let folder = try Folder(), configuration = folder.configuration([Person.self, Dog.self])
            let realm = try Realm(configuration: configuration)
            try realm.write { for id in 0..<600 { realm.create(Person.self, value: ["id": id, "age": id]) } }
            let person = realm.objects(Person.self)[5], frozen = realm.objects(Person.self)[6].freeze()
            guard (0..<3).allSatisfy({ _ in person.age == 5 }), person._canBeReadHere, frozen.age == 6 else { exit(1) }
            let child = fork()
            if child == 0 {
                if person._canBeReadHere { _exit(2) }
                let told = mistakes {
                    if person.age != 0 || frozen.age != 0 || realm.objects(Person.self).count != 0 { _exit(3) }
                    try? realm.write {}
                }
                if told.count < 3 || Set(told) != ["Realm accessed in a process that was forked after it was opened."] { _exit(4) }
                guard let own = try? Realm(configuration: configuration), own != realm, own.objects(Person.self)[5].age == 5 else { _exit(5) }
                guard (try? own.write { own.objects(Person.self)[5].age = 50 }) != nil else { _exit(6) }
                _exit(0)
            }
            var status: Int32 = 0
            waitpid(child, &status, 0)
            guard status == 0, person.age == 5, realm.refresh(), person.age == 50, frozen.age == 6 else { exit(status >> 8 + 10) }
            exit(0)
        }
    }
}

@Suite("Processes that fork while other threads are at work")
struct BusyForkTests {
    private static let types: [ObjectBase.Type] = [Person.self, Dog.self]

    /// What the body gave in a forked child; nil if the child was stuck.
    private static func inChild(_ body: () -> Int32) -> Int32? {
        let child = fork()
        if child == 0 {
            alarm(60)
            _exit(body())
        }
        var status: Int32 = 0
        waitpid(child, &status, 0)
        return status & 0x7F == 0 ? status >> 8 : nil
    }

    /// ```
    /// thread              main thread         child
    /// opens A
    ///   open.start
    ///                     forks
    ///                                         opens B, and A
    ///   goes on
    /// ```
    @Test("a child opens files though a thread of its parent was opening one", .timeLimit(.minutes(30)))
    func opening() async {
        await #expect(processExitsWith: .success) {
            let folder = try Folder(), one = folder.configuration(BusyForkTests.types, name: "a"), other = folder.configuration(BusyForkTests.types, name: "b")
            let isOpening = DispatchSemaphore(value: 0), mayGoOn = DispatchSemaphore(value: 0), isFirst = Atomic<Bool>(true)
            PointTriggers.shared.setHook { name in
                guard name.description == "open.start", isFirst.exchange(false, ordering: .relaxed) else { return }
                isOpening.signal()
                mayGoOn.wait()
            }
            let isDone = DispatchSemaphore(value: 0)
            Thread.detachNewThread {
                let realm = try? Realm(configuration: one)
                if realm?.objects(Dog.self).isEmpty == true { isDone.signal() }
            }
            isOpening.wait()
            let code = BusyForkTests.inChild {
                for configuration in [other, one] {
                    guard let realm = try? Realm(configuration: configuration) else { return 1 }
                    guard (try? realm.write { realm.create(Dog.self, value: ["name": "Rex"]) }) != nil, realm.objects(Dog.self).count == 1 else { return 2 }
                    realm.refresh()
                }
                return 0
            }
            // What the child wrote is not to disturb the thread.
            try FileManager.default.removeItem(at: one.fileURL!)
            mayGoOn.signal()
            isDone.wait()
            exit(code ?? 3)
        }
    }

    /// Not with the thread sanitizer, whose own locks a child of a program of several threads may find held for ever.
    @Test("children open a realm though threads of their parent were opening and leaving it",
          .enabled(if: ProcessInfo.processInfo.environment["FREEHOLD_SANITIZER"] != "thread"), .timeLimit(.minutes(30)))
    func hammering() async {
        await #expect(processExitsWith: .success) {
            let folder = try Folder(), configuration = folder.configuration(BusyForkTests.types)
            let kept = try Realm(configuration: configuration), isOver = Atomic<Bool>(false), running = Atomic<Int>(0)
            try kept.write { kept.create(Dog.self, value: ["name": "Rex"]) }
            for _ in 0..<3 {
                Thread.detachNewThread {
                    var isFirst = true
                    while !isOver.load(ordering: .relaxed) {
                        _ = try? Realm(configuration: configuration)
                        if isFirst { running.wrappingAdd(1, ordering: .relaxed) }
                        isFirst = false
                    }
                    running.wrappingSubtract(1, ordering: .relaxed)
                }
            }
            while running.load(ordering: .relaxed) < 3 { sched_yield() }
            var failure: Int32 = 0
            for _ in 0..<200 where failure == 0 {
                failure = BusyForkTests.inChild {
                    guard let realm = try? Realm(configuration: configuration) else { return 1 }
                    return realm.objects(Dog.self).count == 1 ? 0 : 2
                } ?? 3
            }
            isOver.store(true, ordering: .relaxed)
            while running.load(ordering: .relaxed) > 0 { sched_yield() }
            exit(failure)
        }
    }
}

@Suite("Many threads")
struct ManyThreadsTests {
    @Test("two hundred threads read while one writes, live and frozen")
    func twoHundred() throws {
        let folder = try Folder(), configuration = folder.configuration([Person.self, Dog.self])
        let realm = try Realm(configuration: configuration)
        try realm.write { for id in 0..<1000 { realm.create(Person.self, value: ["id": id, "age": 0, "name": "0"]) } }
        let frozen = Frozen(realm), isDone = Atomic<Bool>(false), wrong = Atomic<Int>(0), ready = Atomic<Int>(0)
        // The writer goes on until every reader has read.
        try onThreads(201) { number in
            let realm = try Realm(configuration: configuration)
            if number == 200 {
                var round = 0
                repeat {
                    round += 1
                    try realm.write {
                        for person in realm.objects(Person.self) {
                            person.age = round
                            person.name = "\(round)"
                        }
                    }
                } while ready.load(ordering: .acquiring) < 200 && round < 100_000
                return isDone.store(true, ordering: .releasing)
            }
            var last = -1, person = realm.objects(Person.self)[number]
            for _ in 0..<5 {
                realm.refresh()
                // One version throughout: all have the same age, and none an older one than before.
                let ages = Set(realm.objects(Person.self).map(\.age))
                let age = person.age
                if ages != [age] || person.name != "\(age)" || age < last { wrong.wrappingAdd(1, ordering: .relaxed) }
                last = age
                if frozen.value.objects(Person.self).contains(where: { $0.age != 0 }) { wrong.wrappingAdd(1, ordering: .relaxed) }
                person = realm.objects(Person.self)[number]
            }
            ready.wrappingAdd(1, ordering: .releasing)
        }
        let (mistakes, isWritten) = (wrong.load(ordering: .relaxed), isDone.load(ordering: .acquiring))
        #expect(mistakes == 0 && isWritten)
    }
}
