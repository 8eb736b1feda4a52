// An asynchronous request for a write transaction.
//
// The lock between processes belongs to a thread. So a separate writer thread, the keeper, begins the transaction and
// ends it; the caller that takes the transaction uses it in between.
//
//     caller:   ask ───────────────► take, write, end ──────────►
//     keeper:       begin (waits) ─► ring            commit ─►
//
//     idle ──► waiting ──► granted ──► taken ──► over
//      ▲                      │                    ▲
//      └──────────────────────┘        (given up, failed)
//
// 1. Only the keeper begins, commits and rolls back. No other thread uses the transaction before it is taken, and the
//    keeper uses it only after the taker has ended it.
// 2. A granted request that is not taken within `patienceMilliseconds` is withdrawn, so that a busy caller keeps no
//    other writer waiting.
//
// Safe throughout: the mutex guards the mutable state; only the thread whose turn it is by (1) uses the transaction;
// the bell is allocated and freed with the keeper.
import FreeholdEngine
import Platform
import Synchronization

final class WriteKeeper: @unchecked Sendable {
    enum State {
        /// Not requested, or withdrawn since.
        case idle
        case waiting, granted, taken, over
    }

    private struct Inside {
        var state = State.idle
        var transaction: Passed<WriteTransaction>?
        var failure: FreeholdError?
        /// The taker's way to end the transaction.
        var ending: Passed<() -> Void>?
    }

    /// A value passed from one thread to another.
    private struct Passed<Value>: @unchecked Sendable {
        let value: Value
    }

    private let inside = Mutex(Inside())
    private let bell = UnsafeMutablePointer<Atomic<UInt32>>.allocate(capacity: 1)
    private let database: SharedDatabase
    private let timeoutMilliseconds: Int
    /// Notifies the caller that there is a transaction to take, or that there will be none.
    private let announce: @Sendable () -> Void

    /// How long a granted request waits to be taken.
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

    /// Requests the transaction, or requests it again after a withdrawal.
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

    /// The transaction, if the request was granted. Throws the error of a request that failed.
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

    /// Waits while a state lasts; false if the time is up.
    func wait(while state: State, timeoutMilliseconds: Int) -> Bool {
        until(timeoutMilliseconds: timeoutMilliseconds) { self.state != state }
    }

    /// Ends a taken transaction on the keeper's thread, and waits for the result.
    func end<Result>(_ body: @escaping () throws -> Result) throws -> Result {
        let told = Told<Result>()
        let ending = Passed<() -> Void>(value: { told.result = Swift.Result { try body() } })
        inside.withLock { $0.ending = ending }
        ring()
        _ = until(timeoutMilliseconds: .max) { inside.withLock { $0.ending == nil } }
        guard let result = told.result else { throw FreeholdError(.closed, "the transaction has ended") }
        return try result.get()
    }

    /// The result of ending a transaction.
    private final class Told<Result>: @unchecked Sendable {
        var result: Swift.Result<Result, any Error>?
    }

    /// Gives up a request that was not taken.
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

    /// Begins the transaction and grants the request; false if the request was given up. The transaction is not held
    /// here, so that the file closes with the taker's last handle.
    private func beginTurn() throws(FreeholdError) -> Bool {
        guard let transaction = try begin() else { return false }
        if grant(transaction) { return true }
        transaction.rollback()
        return false
    }

    /// Waits for the lock while the request is wanted.
    private func begin() throws(FreeholdError) -> WriteTransaction? {
        let end = LinuxSystem.shared.monotonicNanoseconds + UInt64(timeoutMilliseconds) * 1_000_000
        while state == .waiting, let database = database.opened {
            let now = LinuxSystem.shared.monotonicNanoseconds, left = end > now ? Int((end - now) / 1_000_000) : 0
            do throws(FreeholdError) {
                // Waits in steps, so that a request that was given up keeps the file open no longer than one step.
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

    /// Waits until the transaction is taken; false if the grant was withdrawn, or the request given up (2).
    private func isTaken() -> Bool {
        _ = wait(while: .granted, timeoutMilliseconds: Self.patienceMilliseconds)
        return inside.withLock { inside in
            if inside.state == .granted { inside.state = .idle }
            return inside.state == .taken
        }
    }

    /// Releases the lock. A repeated request waits for it again.
    private func giveBack() {
        let transaction = inside.withLock { inside in
            defer { inside.transaction = nil }
            return inside.transaction
        }
        transaction?.value.rollback()
    }

    /// Ends the transaction as the taker wants, and forgets it before the waiting taker continues.
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

/// A database that a thread of the library uses; the thread holds it open until it is done.
///
/// Safe: of the object behind a C program's handle only the engine's database is used, which any thread may use; the
/// mutex guards the reference.
final class SharedDatabase: @unchecked Sendable {
    private let owner: Mutex<Held>

    private struct Held: @unchecked Sendable {
        var owner: OpenDatabase?
    }

    init(_ owner: OpenDatabase) { self.owner = Mutex(Held(owner: owner)) }

    var opened: Database? { owner.withLock { $0.owner?.database } }

    func close() { owner.withLock { $0.owner = nil } }
}
