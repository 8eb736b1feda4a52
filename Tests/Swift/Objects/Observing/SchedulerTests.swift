import Dispatch
import Foundation
@testable import Freehold
import FreeholdEngine
import Synchronization
import Testing

@Suite("Where changes are told", .serialized)
struct SchedulerTests {
    private let types: [ObjectBase.Type] = [Person.self, Dog.self]

    private func write(_ configuration: Realm.Configuration, _ name: String) throws {
        try onThread {
            let realm = try Realm(configuration: configuration)
            try realm.write { _ = realm.dog(name) }
        }
    }

    @Test("on a queue: of other threads' commits, each time anew")
    func queue() throws {
        let folder = try Folder(), configuration = folder.configuration(types), queue = RealmQueue("told", configuration), count = Mutex(-1)
        let token = try queue.sync { realm in
            realm.objects(Dog.self).observe { change in
                if case .initial(let dogs) = change { count.withLock { $0 = dogs.count } }
                if case .update(_, _, let insertions, _) = change { count.withLock { $0 += insertions.count } }
            }
        }
        try queue.work { _ in count.withLock { $0 } == 0 }
        for number in 1...20 {
            try write(configuration, "d\(number)")
            try queue.work { _ in count.withLock { $0 } == number }
        }
        token.invalidate()
    }

    @Test("observing from elsewhere on a queue, with a realm of that; not if the token goes before")
    func onQueue() throws {
        let watch = try Watch(types), queue = RealmQueue("elsewhere", watch.configuration), notes = Notes(), realm = watch.realm
        let person = try realm.write { realm.create(Person.self, value: ["id": 1]) }
        let gate = DispatchSemaphore(value: 0)
        queue.queue.async { gate.wait() }
        let tokens = [
            realm.objects(Dog.self).filter("age > 1").observe(on: queue.queue) { change in
                dispatchPrecondition(condition: .onQueue(queue.queue))
                if case .initial(let dogs) = change { notes.add("initial \(dogs.count)") } else { notes.add("update") }
            },
            person.observe(on: queue.queue) { change in
                if case .change(let person, let properties) = change { notes.add("\(properties[0].name) \(person.age)") }
            },
        ]
        var gone: NotificationToken? = realm.objects(Dog.self).observe(on: queue.queue) { _ in notes.add("never") }
        gone = nil
        // An object's changes are told from the call on, whenever the queue comes to it.
        try realm.write { person.age = 5 }
        gate.signal()
        try queue.work { _ in notes.all.count == 2 }
        #expect(notes.all.sorted() == ["age 5", "initial 0"] && gone == nil)
        try realm.write { _ = realm.dog("old", 9) }
        try queue.work { _ in notes.all.count == 3 }
        #expect(notes.all.last == "update")
        tokens.forEach { $0.invalidate() }
    }

    private final class Kept {
        let realm: Realm
        var token: NotificationToken?
        init(_ realm: Realm) { self.realm = realm }
    }

    @Test("on a thread with a run loop")
    func runLoop() throws {
        let folder = try Folder(), configuration = folder.configuration(types), isReady = DispatchSemaphore(value: 0), told = Notes()
        let thread = Thread {
            guard let realm = try? Realm(configuration: configuration) else { return }
            let kept = Smuggled(Kept(realm))
            RunLoop.current.add(Timer(fire: Date(), interval: 0, repeats: false) { _ in
                kept.value.token = kept.value.realm.objects(Dog.self).observe { change in
                    if case .initial = change { isReady.signal() }
                    if case .update(let dogs, _, _, _) = change { told.add("\(dogs.count)") }
                }
            }, forMode: .default)
            while told.all.isEmpty { _ = RunLoop.current.run(mode: .default, before: .distantFuture) }
            kept.value.token?.invalidate()
            isReady.signal()
        }
        thread.start()
        isReady.wait()
        try write(configuration, "other")
        isReady.wait()
        #expect(told.all == ["1"])
    }

    @Test("a program's own loop hears of other threads and processes by its descriptor")
    func hostLoop() async throws {
        let told = Mutex<[String]>([])
        try await withCheckedThrowingContinuation { (done: CheckedContinuation<Void, any Error>) in
            Thread {
                done.resume(with: Result {
                    let watch = try Watch(types)
                    let token = watch.realm.objects(Dog.self).observe { change in
                        if case .update(let dogs, _, _, _) = change { told.withLock { $0.append(dogs.map(\.name).joined(separator: ",")) } }
                    }
                    watch.turn()
                    try watch.elsewhere { $0.dog("thread") }
                    while told.withLock({ $0.isEmpty }) { watch.wait() }
                    token.invalidate()
                })
            }.start()
        }
        #expect(told.withLock { $0 } == ["thread"])
    }

    @Test("commits of another process")
    func process() async throws {
        let folder = try Folder(), configuration = folder.configuration(types), path = folder.path, queue = RealmQueue("process", configuration), notes = Notes()
        let token = try queue.sync { realm in
            realm.objects(Dog.self).observe { change in
                if case .update(_, _, let insertions, _) = change { notes.add("\(insertions)") } else { notes.add("initial") }
            }
        }
        try queue.work { _ in notes.all == ["initial"] }
        await #expect(processExitsWith: .success) { [path = path as String] in
            let realm = try Realm(configuration: Realm.Configuration(fileURL: URL(fileURLWithPath: path), objectTypes: [Person.self, Dog.self]))
            try realm.write { _ = realm.dog("process") }
        }
        try queue.work { _ in notes.all == ["initial", "[0]"] }
        token.invalidate()
    }

    // MARK: Actors

    private actor Store {
        private var opened: Realm?
        private var realm: Realm { opened! }
        var told: [String] = []
        private var tokens: [NotificationToken] = []
        private var waiting: [CheckedContinuation<Void, Never>] = []

        func open(_ configuration: Realm.Configuration) async throws { opened = try await Realm.open(configuration: configuration) }

        func observe() async {
            tokens.append(await realm.objects(Dog.self).observe(on: self) { store, change in
                switch change {
                case .initial(let dogs): store.note("initial \(dogs.count)")
                case .update(let dogs, _, let insertions, _): store.note(insertions.map { dogs[$0].name }.joined())
                case .error: store.note("error")
                }
            })
        }

        func note(_ text: String) {
            told.append(text)
            for continuation in waiting { continuation.resume() }
            waiting = []
        }

        func wait(for count: Int) async { while told.count < count { await withCheckedContinuation { waiting.append($0) } } }

        func observeCancelled() async -> Bool {
            let task = Task {
                withUnsafeCurrentTask { $0?.cancel() }
                let token = await self.realm.objects(Dog.self).observe(on: self) { store, _ in store.note("never") }
                return token.isListening
            }
            return await task.value
        }

        /// Hears of so many changes of results, and writes in between.
        func changes(_ count: Int) async throws -> [String] {
            var found: [String] = []
            for await change in realm.objects(Dog.self).sorted(byKeyPath: "name").changes {
                switch change {
                case .initial(let dogs): found.append("initial \(dogs.count)")
                case .update(let dogs, let deletions, let insertions, _): found.append("-\(deletions) \(insertions.map { dogs[$0].name })")
                case .error: found.append("error")
                }
                if found.count == count { break }
                try realm.write { _ = realm.dog("d\(found.count)") }
            }
            return found
        }

        func objectChanges() async throws -> [String] {
            let dog = try realm.write { realm.dog("Rex", 1) }
            var found: [String] = []
            try await realm.asyncWrite { dog.age = 1 }
            let sequence = dog.changes
            let writing = Task {
                try await self.realm.asyncWrite { dog.age += 1 }
                await self.wait(for: 1)
                try await self.realm.asyncWrite { self.realm.delete(dog) }
            }
            for await change in sequence {
                switch change {
                case .change(_, let properties): found.append("\(properties[0].oldValue ?? 0) → \(properties[0].newValue ?? 0)")
                case .deleted: found.append("deleted")
                case .error: found.append("error")
                }
                note(found.last ?? "")
            }
            try await writing.value
            return found
        }

        func endedByCancelling() async -> Int {
            let task = Task {
                var count = 0
                for await _ in realm.objects(Dog.self).changes {
                    count += 1
                    self.note("got")
                }
                return count
            }
            await wait(for: 1)
            task.cancel()
            return await task.value
        }

        func end() { tokens = [] }
    }

    @Test("in an actor")
    func inActor() async throws {
        let folder = try Folder(), configuration = folder.configuration(types), store = Store()
        try await store.open(configuration)
        await store.observe()
        await store.wait(for: 1)
        try write(configuration, "a")
        await store.wait(for: 2)
        #expect(await store.told == ["initial 0", "a"])
        #expect(await store.observeCancelled() == false)
        await store.end()
    }

    @Test("results as a sequence: each change from the one told last")
    func sequence() async throws {
        let folder = try Folder(), configuration = folder.configuration(types), store = Store()
        try await store.open(configuration)
        #expect(try await store.changes(3) == ["initial 0", "-[] [\"d1\"]", "-[] [\"d2\"]"])
    }

    @Test("an object as a sequence, which ends with it")
    func objectSequence() async throws {
        let folder = try Folder(), store = Store()
        try await store.open(folder.configuration(types))
        #expect(try await store.objectChanges() == ["1 → 2", "deleted"])
    }

    @Test("a sequence ends with its task")
    func cancelledSequence() async throws {
        let folder = try Folder(), store = Store()
        try await store.open(folder.configuration(types))
        #expect(await store.endedByCancelling() == 1)
    }
}
