// A write transaction that somebody asked for without waiting for it.
//
// The lock between the processes is a thread's. So a thread of its own, the keeper, begins the transaction and ends it; what happens in
// between is done by who took it.
//
//     caller:   ask ───────────────► take, write, end ──────────►
//     keeper:       begin (waits) ─► ring            commit ─►
//
//     idle ──► waiting ──► granted ──► taken ──► over
//      ▲                      │                    ▲
//      └──────────────────────┘        (given up, failed)
//
// 1. The keeper alone begins, commits and rolls back; the transaction is used by nobody else before it is taken, and by the keeper only
//    after the taker has ended it.
// 2. A turn that was granted and not taken for a while goes back, so that a busy caller keeps nobody else from writing.
//
// Safe throughout: the mutex guards what changes; the transaction is used by whoever has the turn (1); the bell is allocated with the keeper
// and freed with it.
import FreeholdEngine
import Platform
import Synchronization

final class WriteKeeper: @unchecked Sendable {
    enum State {
        /// Not asked for, or gone back since.
        case idle
        case waiting, granted, taken, over
    }

    private struct Inside {
        var state = State.idle
        var transaction: Passed<WriteTransaction>?
        var failure: FreeholdError?
        /// How the taker wants it to end.
        var ending: Passed<() -> Void>?
    }

    /// What one thread leaves to another.
    private struct Passed<Value>: @unchecked Sendable {
        let value: Value
    }

    private let inside = Mutex(Inside())
    private let bell = UnsafeMutablePointer<Atomic<UInt32>>.allocate(capacity: 1)
    private let database: SharedDatabase
    private let timeoutMilliseconds: Int
    /// Tells the caller that there is something to take, or that there will be nothing.
    private let announce: @Sendable () -> Void

    /// How long a turn that was granted waits to be taken.
    private static let patienceMilliseconds = 250

    init(_ owner: OpenDatabase, timeoutMilliseconds: Int, announce: @escaping @Sendable () -> Void) {
        (database, self.timeoutMilliseconds, self.announce) = (SharedDatabase(owner), timeoutMilliseconds, announce)
        bell.initialize(to: Atomic(0))
    }

    deinit {
        bell.deinitialize(count: 1)
        bell.deallocate()
    }

    // MARK: The caller

    /// Asks for a turn, or once more for one that went back.
    func ask() throws(FreeholdError) {
        let isIdle = inside.withLock { inside in
            guard inside.state == .idle else { return false }
            inside.state = .waiting
            return true
        }
        guard isIdle else { return }
        do throws(SystemError) {
            try LinuxSystem.shared.startThread("freehold-write") { [self] in keep() }
        } catch {
            inside.withLock { $0.state = .idle }
            throw FreeholdError(.outOfMemory, "a thread that waits for the writer lock could not be made: \(error)")
        }
    }

    /// The transaction, if it is granted. Throws why there will be none.
    func take() throws(FreeholdError) -> WriteTransaction? {
        let (transaction, failure) = inside.withLock { inside -> (Passed<WriteTransaction>?, FreeholdError?) in
            guard inside.state == .granted else { return (nil, inside.failure) }
            inside.state = .taken
            return (inside.transaction, nil)
        }
        if let failure { throw failure }
        if transaction != nil { ring() }
        return transaction?.value
    }

    var state: State { inside.withLock { $0.state } }

    var failure: FreeholdError? { inside.withLock { $0.failure } }

    /// Waits for as long as a state lasts; false when the time is up.
    func wait(while state: State, timeoutMilliseconds: Int) -> Bool {
        until(timeoutMilliseconds: timeoutMilliseconds) { self.state != state }
    }

    /// Has the keeper end a transaction that was taken, and waits for that.
    func end<Result>(_ body: @escaping () throws -> Result) throws -> Result {
        let told = Told<Result>()
        let ending = Passed<() -> Void>(value: { told.result = Swift.Result { try body() } })
        inside.withLock { $0.ending = ending }
        ring()
        _ = until(timeoutMilliseconds: .max) { inside.withLock { $0.ending == nil } }
        guard let result = told.result else { throw FreeholdError(.closed, "the transaction has ended") }
        return try result.get()
    }

    /// What came of an ending.
    private final class Told<Result>: @unchecked Sendable {
        var result: Swift.Result<Result, any Error>?
    }

    /// Gives a turn up that is not taken.
    func giveUp() {
        inside.withLock { inside in
            if inside.state != .taken { inside.state = .over }
        }
        ring()
    }

    // MARK: The keeper

    private func keep() {
        do throws(FreeholdError) {
            guard try beginTurn() else { return }
            announce()
            if isTaken() { serve() } else { giveBack() }
        } catch {
            inside.withLock { inside in
                inside.failure = error
                inside.state = .over
            }
            ring()
            announce()
        }
    }

    /// Begins and grants; false if the turn is not wanted any more. The transaction is not held here, so that the file closes with the
    /// taker's last handle.
    private func beginTurn() throws(FreeholdError) -> Bool {
        guard let transaction = try begin() else { return false }
        if grant(transaction) { return true }
        transaction.rollback()
        return false
    }

    /// Waits for the lock for as long as the turn is wanted.
    private func begin() throws(FreeholdError) -> WriteTransaction? {
        let end = LinuxSystem.shared.monotonicNanoseconds + UInt64(timeoutMilliseconds) * 1_000_000
        while state == .waiting, let database = database.opened {
            let now = LinuxSystem.shared.monotonicNanoseconds, left = end > now ? Int((end - now) / 1_000_000) : 0
            do throws(FreeholdError) {
                // In pieces, so that a turn that was given up keeps the file open no longer than this.
                return try database.beginWrite(timeoutMilliseconds: min(left, Self.patienceMilliseconds))
            } catch {
                if error.code != .busy || left <= Self.patienceMilliseconds { throw error }
            }
        }
        return nil
    }

    private func grant(_ transaction: WriteTransaction) -> Bool {
        let passed = Passed(value: transaction)
        let isGranted = inside.withLock { inside in
            guard inside.state == .waiting else { return false }
            inside.state = .granted
            inside.transaction = passed
            return true
        }
        ring()
        return isGranted
    }

    /// Waits until the turn is taken; false if it goes back, or was given up (2).
    private func isTaken() -> Bool {
        _ = wait(while: .granted, timeoutMilliseconds: Self.patienceMilliseconds)
        return inside.withLock { inside in
            if inside.state == .granted { inside.state = .idle }
            return inside.state == .taken
        }
    }

    /// Lets the lock go. Whoever asks again waits for it.
    private func giveBack() {
        let transaction = inside.withLock { inside in
            defer { inside.transaction = nil }
            return inside.transaction
        }
        transaction?.value.rollback()
    }

    /// Does what ends the transaction, and forgets it before who waits for that goes on.
    private func serve() {
        _ = until(timeoutMilliseconds: .max) { inside.withLock { $0.ending != nil } }
        inside.withLock { $0.ending }?.value()
        database.close()
        inside.withLock { inside in
            inside.state = .over
            inside.transaction = nil
            inside.ending = nil
        }
        ring()
    }

    // MARK: Waiting

    private var word: UnsafePointer<UInt32> { UnsafeRawPointer(bell).assumingMemoryBound(to: UInt32.self) }

    private func ring() {
        bell.pointee.wrappingAdd(1, ordering: .sequentiallyConsistent)
        LinuxSystem.shared.wake(word, count: .max)
    }

    private func until(timeoutMilliseconds: Int, _ holds: () -> Bool) -> Bool {
        let system = LinuxSystem.shared, start = system.monotonicNanoseconds
        while true {
            let seen = bell.pointee.load(ordering: .sequentiallyConsistent)
            if holds() { return true }
            let gone = Int((system.monotonicNanoseconds - start) / 1_000_000)
            if gone >= timeoutMilliseconds { return false }
            _ = system.wait(on: word, whileEqual: seen, timeoutMilliseconds: timeoutMilliseconds - gone)
        }
    }
}

/// A database that a thread of the library uses, held open until it is done with it.
///
/// Safe: of what a C program has by its handle only the engine's database is used, which any thread may; the mutex guards the reference.
final class SharedDatabase: @unchecked Sendable {
    private let owner: Mutex<Held>

    private struct Held: @unchecked Sendable {
        var owner: OpenDatabase?
    }

    init(_ owner: OpenDatabase) { self.owner = Mutex(Held(owner: owner)) }

    var opened: Database? { owner.withLock { $0.owner?.database } }

    func close() { owner.withLock { $0.owner = nil } }
}
