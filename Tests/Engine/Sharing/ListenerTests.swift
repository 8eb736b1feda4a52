import Platform
import Synchronization
import TestKit
import Testing

@testable import FreeholdEngine
@testable import SharingKit

/// Who listens: told of everything, woken no more than need be.
@Suite struct ListenerTests {
    private static func open(_ process: SimulatedProcess) throws(FreeholdError) -> Session {
        var options = ToyStore.testOptions()
        options.reserve = 16 << 20
        options.leastReserve = 1 << 20
        return try ToyStore.open("/x.freehold", options, process)
    }

    private static func makeMachine(_ seed: UInt64) -> SimulatedSystem {
        let machine = SimulatedSystem(seed: seed)
        machine.options.recordsMappedStores = false
        machine.options.fileCapacity = 64 << 20
        return machine
    }

    // MARK: how often

    /// How often a process is woken in ten seconds in which nothing happens.
    private func wakeUpsOfTenIdleSeconds(_ idle: @escaping @Sendable (Session) throws -> Void) throws -> UInt64 {
        let machine = Self.makeMachine(1), process = machine.makeProcess()
        defer { machine.discard() }
        let session = try Self.open(process)
        process.start { _ in do { try idle(session) } catch { Issue.record("\(error)") } }
        #expect(machine.run() == .finished)
        #expect(machine.nanoseconds >= 10_000_000_000)
        defer { try? session.close() }
        return session.bell.wakeUps.load(ordering: .relaxed)
    }

    @Test func anIdleListenerIsWokenFourTimesASecond() throws {
        let count = try wakeUpsOfTenIdleSeconds { session in
            let listener = try SessionListener(session)
            let heard = try listener.wait(timeoutMilliseconds: 10_000)
            #expect(heard == nil)
            listener.close()
        }
        #expect((35...45).contains(count), "\(count)")
    }

    @Test func anIdleWaiterIsWokenFourTimesASecond() throws {
        let count = try wakeUpsOfTenIdleSeconds { session in
            let seen = try session.waitForChange(after: 100, timeoutMilliseconds: 10_000)
            #expect(seen == nil)
        }
        #expect((35...45).contains(count), "\(count)")
    }

    @Test func whomNobodyObservesThroughIsNotWokenAtAll() throws {
        let count = try wakeUpsOfTenIdleSeconds { session in
            let listener = try SessionListener(session)
            listener.rereads = false
            let heard = try listener.wait(timeoutMilliseconds: 10_000)
            #expect(heard == nil)
            listener.close()
        }
        #expect(count == 0)
    }

    @Test func whoWaitsForAChangeIsWokenByIt() throws {
        for seed in TestScale.seeds(60) {
            let machine = Self.makeMachine(seed)
            machine.options.switchOneIn = 2
            machine.options.timeJumpOneIn = 0
            let writing = machine.makeProcess(), waiting = machine.makeProcess(), last: UInt64 = 6
            let sessions = [try Self.open(writing), try Self.open(waiting)], start = writing.monotonicNanoseconds
            writing.start { _ in
                do { while try ToyStore.commit(sessions[0], .processCrash).version < last {} } catch { Issue.record("seed \(seed): \(error)") }
            }
            waiting.start { _ in
                var seen: UInt64 = 1
                do { while seen < last { seen = try sessions[1].waitForChange(after: seen, timeoutMilliseconds: 60_000) ?? last } } catch { Issue.record("seed \(seed): \(error)") }
            }
            #expect(machine.run() == .finished, "seed \(seed): \(machine.unfinished)")
            // Where all are awake, time goes on by steps only; who is not woken looks by itself after a quarter of a second.
            #expect(writing.monotonicNanoseconds - start < 250_000_000, "seed \(seed): the waiter slept on")
            for session in sessions { try session.close() }
            machine.discard()
        }
    }

    @Test func aStormWakesAListenerOnceAMillisecond() throws {
        try storm(4) { session, last in
            let listener = try SessionListener(session)
            while session.visibleVersion < last { _ = try listener.wait(timeoutMilliseconds: 1000) }
            listener.close()
        }
    }

    @Test func aStormWakesAWaiterOnceAMillisecond() throws {
        try storm(4) { session, last in
            var seen: UInt64 = 1
            while seen < last { seen = try session.waitForChange(after: seen, timeoutMilliseconds: 1000) ?? seen }
        }
    }

    /// A writer that does nothing but commit, and so many who follow.
    private func storm(_ count: Int, _ follow: @escaping @Sendable (Session, UInt64) throws -> Void) throws {
        let machine = Self.makeMachine(2), commits: UInt64 = 3000
        defer { machine.discard() }
        let followers = try (0..<count).map { _ in
            let process = machine.makeProcess(), session = try Self.open(process)
            process.start { _ in do { try follow(session, commits + 1) } catch { Issue.record("\(error)") } }
            return session
        }
        let writer = machine.makeProcess(), session = try Self.open(writer)
        writer.start { _ in
            do { for _ in 0..<commits { try ToyStore.commit(session, .processCrash) } } catch { Issue.record("\(error)") }
        }
        let begin = machine.nanoseconds
        #expect(machine.run() == .finished)
        let milliseconds = (machine.nanoseconds - begin) / 1_000_000
        for follower in followers {
            let wakeUps = follower.bell.wakeUps.load(ordering: .relaxed)
            // A burst at once, then one in a millisecond; not one for each commit.
            #expect(wakeUps <= 2 * WakePace.burst + milliseconds + milliseconds / 250, "\(wakeUps) in \(milliseconds) ms")
            #expect(wakeUps < commits)
        }
        for session in followers + [session] { try session.close() }
    }

    @Test func paceIsABurstAndThenOneInAMillisecond() {
        var pace = WakePace(told: 0, now: 0), told = 0, now: UInt64 = 0
        // A commit every ten microseconds for a tenth of a second.
        for version in 1...UInt64(10_000) {
            now += 10_000
            if pace.rest(now: now) > 0 { continue }
            pace.tell(version, now: now)
            told += 1
        }
        #expect((100...100 + Int(WakePace.burst)).contains(told), "\(told)")
        // After a rest it is at once again, as often as the burst allows.
        now += 1_000_000_000
        for version in 20_000..<20_000 + WakePace.burst {
            #expect(pace.rest(now: now) == 0)
            pace.tell(version, now: now)
            pace.tell(version, now: now)
        }
        #expect(pace.rest(now: now) > 0)
        #expect(pace.rest(now: now) <= WakePace.interval)
    }

    // MARK: nothing is lost

    // Writers, one of them killed or stopped at any step, listeners, one of them killed: every listener that lives comes to know the last
    // version, within the bounded re-read though nobody may have told it.
    @Test(arguments: TestScale.seeds(30))
    func whoeverDiesOrStopsEveryListenerHearsOfTheLastVersion(seed: UInt64) throws {
        let machine = Self.makeMachine(seed)
        defer { machine.discard() }
        var random = SeededRandom(seed: seed)
        let first = machine.makeProcess(), session = try Self.open(first)
        let heard = Heard()
        let listening = try (0..<3).map { number in
            let process = machine.makeProcess("listener"), session = try Self.open(process)
            process.start { _ in Self.hear(session, number, heard) }
            return (process, session)
        }
        let writing = try (0..<2).map { _ in
            let process = machine.makeProcess("writer"), session = try Self.open(process)
            process.start { _ in
                for number in 0..<6 {
                    if (try? ToyStore.commit(session, number % 3 == 2 ? .full : .processCrash)) == nil { return }
                }
            }
            return (process, session)
        }
        let killStep = Int.random(in: 5...120, using: &random), otherStep = Int.random(in: 5...60, using: &random)
        let stopsTeller = random.oneIn(3), stopsListener = random.oneIn(2)
        machine.onStep = { step in
            if step.process === writing[0].0 {
                if stopsTeller { return step.name == "tell" ? .stop : .proceed }
                return step.processStep >= killStep ? .kill : .proceed
            }
            guard step.process === listening[2].0, step.processStep >= otherStep else { return .proceed }
            return stopsListener ? .stop : .kill
        }
        first.start { process in
            // Time enough for all the others.
            process.sleep(milliseconds: 500)
            do { heard.finish(at: try ToyStore.commit(session, .full).version, process.monotonicNanoseconds) } catch { Issue.record("seed \(seed): \(error)") }
        }
        _ = machine.run(stepLimit: 200_000)
        machine.onStep = nil
        for number in 0..<2 {
            let delay = heard.delay(number)
            #expect(delay.map { $0 <= 2 * Int64(WakePace.reread) } ?? false, "seed \(seed): listener \(number) heard after \(delay ?? -1) ns")
        }
        first.leak(session)
        for (process, session) in listening + writing { process.leak(session) }
    }

    /// What listeners know, and since when.
    private final class Heard: Sendable {
        private let state = Synchronization.Mutex<(seen: [Int: (version: UInt64, at: UInt64)], end: (version: UInt64, at: UInt64)?)>(([:], nil))

        func see(_ version: UInt64, by number: Int, _ now: UInt64) { state.withLock { $0.seen[number] = (version, now) } }
        func finish(at version: UInt64, _ now: UInt64) { state.withLock { $0.end = (version, now) } }
        func isOver(_ version: UInt64) -> Bool { state.withLock { $0.end.map { version >= $0.version } ?? false } }

        /// How long after the last commit's end it was heard of, in nanoseconds; nil if it was not.
        func delay(_ number: Int) -> Int64? {
            state.withLock { state in
                guard let seen = state.seen[number], let end = state.end, seen.version >= end.version else { return nil }
                return Int64(seen.at) - Int64(end.at)
            }
        }
    }

    private static func hear(_ session: Session, _ number: Int, _ heard: Heard) {
        do {
            let listener = try SessionListener(session)
            var version: UInt64 = 0
            while !heard.isOver(version) {
                guard let newer = try listener.wait(timeoutMilliseconds: 2_000) else { continue }
                version = newer
                heard.see(version, by: number, session.system.monotonicNanoseconds)
            }
        } catch {
            Issue.record("\(error)")
        }
    }

    @Test func aThousandListenersHearOfOneCommit() throws {
        let machine = Self.makeMachine(7)
        defer { machine.discard() }
        let sessions = try (0..<10).map { _ in try Self.open(machine.makeProcess()) }
        let listeners = try (0..<LockLayout.listenerLimit).map { try SessionListener(sessions[$0 % 10]) }
        #expect(#expect(throws: FreeholdError.self) { try SessionListener(sessions[0]) }?.code == .inUse)
        let writer = try Self.open(machine.makeProcess())
        for version in 2...3 as ClosedRange<UInt64> {
            try ToyStore.commit(writer, .processCrash)
            var heard = 0
            for listener in listeners where try listener.wait(timeoutMilliseconds: 1) == version { heard += 1 }
            #expect(heard == LockLayout.listenerLimit, "version \(version): \(heard)")
        }
        for listener in listeners { listener.close() }
        for session in sessions + [writer] { try session.close() }
    }

    // Teller                          Listener
    // disarms, killed before the byte
    //                                 nobody told it, its alarm goes off
    @Test func aTellerThatDiesBeforeItsByteDelaysNoMoreThanTheReread() throws {
        let machine = Self.makeMachine(5)
        defer { machine.discard() }
        let home = machine.makeProcess(), session = try Self.open(home)
        let listener = try SessionListener(session)
        let other = machine.makeProcess(), dying = try Self.open(other)
        other.start { _ in _ = try? ToyStore.commit(dying, .processCrash) }
        machine.onStep = { $0.process === other && $0.name == "tell" ? .kill : .proceed }
        _ = machine.run()
        #expect(!other.isAlive)
        other.leak(dying)
        machine.onStep = nil
        let before = machine.nanoseconds
        #expect(try listener.wait(timeoutMilliseconds: 60_000) == 2)
        #expect(machine.nanoseconds - before <= 2 * WakePace.reread)
        listener.close()
        try session.close()
    }

    // Teller              Another               Listener
    // disarms, stops
    //                                           its alarm goes off, arms again
    // its byte comes late
    //                     finds the pipe full
    //                                           hears of the other commit at once
    @Test func whoFindsThePipeFullIsHeardToo() throws {
        let machine = Self.makeMachine(8)
        machine.options.pipeCapacity = 1
        defer { machine.discard() }
        let session = try Self.open(machine.makeProcess()), listener = try SessionListener(session)
        let late = machine.makeProcess("late"), itsSession = try Self.open(late), another = try Self.open(machine.makeProcess("other"))
        late.start { _ in _ = try? ToyStore.commit(itsSession, .processCrash) }
        machine.onStep = { $0.process === late && $0.name == "tell" ? .stop : .proceed }
        #expect(machine.run() == .idle)
        machine.onStep = nil
        #expect(try listener.wait(timeoutMilliseconds: 60_000) == 2)
        late.resume()
        #expect(machine.run() == .finished)
        let places = session.bell.listeners.takeArmed()
        #expect(try places.map { try session.system.openNotifyPipeForWriting(session.bell.listeners.pipePath($0))?.tell() } == [.full])
        for place in places { session.bell.listeners.arm(place) }
        try ToyStore.commit(another, .processCrash)
        let before = machine.nanoseconds
        #expect(try listener.wait(timeoutMilliseconds: 60_000) == 3)
        #expect(machine.nanoseconds - before < WakePace.reread / 2)
        listener.close()
        for session in [session, itsSession, another] { try session.close() }
    }

    /// Where somebody may die whose commit, or what came behind it, is not visible yet though nothing undurable is in its way.
    enum DeathBeforeVisible: CaseIterable {
        /// Newest is set, and visible is not.
        case committing
        /// What was flushed is durable, and not visible.
        case flushing
        /// The same, and somebody else has committed since.
        case flushingWithOneBehind
    }

    /// Who sees it all the same.
    enum Observer: CaseIterable { case waiter, listener, opener }

    // Writer                                 Waiter, listener or opener
    // its commit may be seen, killed before
    // it is
    //                                        sees it at the next look of its own, or once it is open
    @Test(arguments: DeathBeforeVisible.allCases, Observer.allCases)
    func whoDiesBeforeACommitIsVisibleDelaysNoMoreThanTheReread(_ death: DeathBeforeVisible, _ observer: Observer) throws {
        let machine = Self.makeMachine(6)
        defer { machine.discard() }
        let home = machine.makeProcess("home"), session = try Self.open(home)
        let listener = observer == .listener ? try SessionListener(session) : nil
        let dying = machine.makeProcess("dying"), itsSession = try Self.open(dying)
        let other = machine.makeProcess("other"), another = try Self.open(other)
        dying.start { _ in _ = try? ToyStore.commit(itsSession, death == .committing ? .processCrash : .full) }
        machine.onStep = { step in
            guard step.process === dying else { return .proceed }
            if step.name == (death == .committing ? "publish.newestSet" : "flush.durableSet") { return .kill }
            if step.name == "flush.synced" { #expect(!session.publisher.hasUnseenCommit) }
            return death == .flushingWithOneBehind && step.name == "flush.unlocked" ? .stop : .proceed
        }
        if death == .flushingWithOneBehind {
            #expect(machine.run() == .idle)
            try ToyStore.commit(another, .processCrash)
            dying.resume()
        }
        _ = machine.run()
        machine.onStep = nil
        #expect(!dying.isAlive && session.publisher.hasUnseenCommit && session.visibleVersion == 1)
        dying.leak(itsSession)
        let last: UInt64 = death == .flushingWithOneBehind ? 3 : 2, before = machine.nanoseconds
        switch observer {
        case .waiter: #expect(try session.waitForChange(after: 1, timeoutMilliseconds: 60_000) == last)
        case .listener: #expect(try listener?.wait(timeoutMilliseconds: 60_000) == last)
        case .opener:
            let late = try Self.open(machine.makeProcess("late"))
            #expect(late.visibleVersion == last)
            try late.close()
        }
        #expect(machine.nanoseconds - before <= 2 * WakePace.reread)
        #expect(!session.publisher.hasUnseenCommit)
        listener?.close()
        for session in [session, another] { try session.close() }
    }
}
