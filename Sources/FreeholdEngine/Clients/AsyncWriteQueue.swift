import Platform
import Synchronization

/// A FIFO queue of asynchronous write requests for one database: each requester is notified when its request is
/// granted, and takes the transaction.
///
/// ```
/// requester:      request ────────────────► take, write, end ─────────►
/// writer thread:      begin (waits) ─► notify ·············· commit ─► begin the next
/// ```
/// The writer lock belongs to a thread. So a thread of the queue, the writer thread, begins and ends each transaction;
/// the requester uses it in between. No call waits for the writer lock.
///
/// ```swift
/// let request = queue.request(database) { loop.post(…) }
/// …
/// if let transaction = try queue.take(request) {
///     …
///     try queue.end(request) { () throws(FreeholdError) in try transaction.commit() }
/// }
/// ```
/// The README has the states of a request and the invariants. Use the queue from any thread. A forked child's queue
/// refuses requests and does nothing else.
///
/// Safe to share: the mutex guards all mutable state; the word lives as long as the queue.
public final class AsyncWriteQueue: @unchecked Sendable {
    private let system: any System
    private let forkGeneration: UInt32
    private let inside = Mutex(Inside())
    /// The word that changes with the state; callers and the writer thread wait on it.
    private let memory: UnsafeMutableRawPointer
    /// Whether there has been any request.
    private let isUsed = Atomic<Bool>(false)

    /// The state that the mutex guards.
    struct Inside {
        var requests = AsyncWriteRequests()
        /// The transaction of the holder until it is taken, or the one that is to be rolled back.
        var transaction: Passed<WriteTransaction>?
        /// The body with which the writer thread ends the taken transaction.
        var ending: Passed<() -> Void>?
        /// Whether there is a writer thread.
        var isRunning = false
    }

    /// A value that is passed from one thread to another.
    ///
    /// Safe: by (3) only one of them uses it at a time.
    struct Passed<Value>: @unchecked Sendable {
        let value: Value
    }

    /// A queue without requests; its thread is started by the first one.
    public convenience init() { self.init(on: LinuxSystem.shared) }

    /// A queue on a given system: tests pass a simulated one.
    init(on system: any System) {
        self.system = system
        forkGeneration = system.forkGeneration
        memory = .allocate(byteCount: 8, alignment: 8)
        memory.initializeMemory(as: UInt64.self, repeating: 0, count: 1)
    }

    deinit { memory.deallocate() }

    private var bell: SharedBell { SharedBell(memory, 0) }
    private var isForked: Bool { system.forkGeneration != forkGeneration }
    /// The time, in nanoseconds.
    var now: UInt64 { system.monotonicNanoseconds }

    // MARK: The requester

    /// Requests a transaction. Returns at once.
    ///
    /// - Parameters:
    ///   - database: kept open until the request is over.
    ///   - place: where the transaction is going to be used (`blocking`).
    ///   - timeoutMilliseconds: how long the request waits for the writer lock before it fails with `.busy`; 0 tries once,
    ///     nil waits for any time.
    ///   - notify: called when the request is granted or has failed, mostly on the writer thread: it must return soon, and
    ///     must not call the queue.
    public func request(
        _ database: Database, at place: WriterPlace? = nil, timeoutMilliseconds: Int? = nil, notify: @escaping @Sendable () -> Void
    ) -> AsyncWriteRequest {
        let request = AsyncWriteRequest(database, at: place, timeoutMilliseconds: timeoutMilliseconds, notify: notify)
        if isForked {
            request.end(Membership.forkedError(database.path))
            notify()
            return request
        }
        isUsed.store(true, ordering: .relaxed)
        submit { requests, now in requests.add(request, at: now) }
        return request
    }

    /// Requests the transaction again, at its former place in the order: after a withdrawal, or if the requester cannot
    /// take it now. A later request that is granted and not taken waits again. Does nothing if the request waits or is
    /// over.
    public func requestAgain(_ request: AsyncWriteRequest) {
        if isForked { return }
        submit { requests, now in requests.readd(request, at: now) }
    }

    private func submit(_ add: (inout AsyncWriteRequests, UInt64) -> Void) {
        let now = now
        let mustStart = change { inside in
            add(&inside.requests, now)
            guard !inside.isRunning, !inside.requests.waiting.isEmpty else { return false }
            inside.isRunning = true
            return true
        }
        guard mustStart else { return }
        do throws(SystemError) { try system.startThread("freehold-write") { [self] in run() } } catch {
            let failure = FreeholdError(.outOfMemory, "a thread that waits for the writer lock could not be created: \(error)")
            change { inside in
                inside.isRunning = false
                for request in inside.requests.waiting { inside.requests.fail(request, failure) }
            }
        }
    }

    /// Takes the transaction of a granted request; nil if the request was not granted, or lost its grant.
    ///
    /// - Throws: the error that the request has failed with.
    public func take(_ request: AsyncWriteRequest) throws(FreeholdError) -> WriteTransaction? {
        if let failure = failure(of: request) { throw failure }
        if isForked { return nil }
        let taken = change { inside -> Passed<WriteTransaction>? in
            guard inside.requests.take(request) else { return nil }
            return inside.transaction.take()
        }
        return taken?.value
    }

    /// Ends the transaction of a taken request: the writer thread runs `body`, which commits or rolls back, while the
    /// caller waits. In a forked child the caller runs it.
    @discardableResult
    public func end<Result, Failure: Error>(
        _ request: AsyncWriteRequest, _ body: () throws(Failure) -> Result
    ) throws(Failure) -> Result {
        if isForked { return try body() }
        var outcome: Swift.Result<Result, Failure>?
        withoutActuallyEscaping({ outcome = Swift.Result(catching: body) }) { run in
            let ending = Passed<() -> Void>(value: run)
            change { inside in
                precondition(inside.requests.holder === request && request.state == .taken, "a transaction is ended once, by its taker")
                inside.ending = ending
            }
            wait { $0.requests.holder !== request }
        }
        guard let outcome else { preconditionFailure("the writer thread did not run the body") }
        return try outcome.get()
    }

    /// Cancels a request that is not taken; returns whether it was still pending. A granted request has released the
    /// writer lock when this returns.
    @discardableResult
    public func cancel(_ request: AsyncWriteRequest) -> Bool {
        if isForked { return false }
        let wasPending = change { $0.requests.cancel(request) }
        if wasPending { wait { $0.requests.releasing !== request } }
        return wasPending
    }

    /// The state of a request.
    public func state(of request: AsyncWriteRequest) -> AsyncWriteRequest.State {
        // In a forked child the mutex may be locked for good; the child has no threads that change the request.
        isForked ? request.state : look { _ in request.state }
    }

    /// The error that a request has failed with; nil if it has not.
    public func failure(of request: AsyncWriteRequest) -> FreeholdError? {
        isForked ? request.failure : look { _ in request.failure }
    }

    /// Whether the requester of a withdrawn request can begin a transaction itself, and cancel the request, without
    /// going before an earlier request.
    public func mayPass(_ request: AsyncWriteRequest) -> Bool { !isForked && look { $0.requests.mayPass(request) } }

    /// Runs a body that waits for the writer lock and blocks a place meanwhile: a granted request of that place is
    /// withdrawn at once, because its requester cannot come to take it.
    public func blocking<Result, Failure: Error>(
        _ place: WriterPlace, _ body: () throws(Failure) -> Result
    ) throws(Failure) -> Result {
        guard isUsed.load(ordering: .relaxed), !isForked else { return try body() }
        change { $0.requests.block(place) }
        defer { change { $0.requests.unblock(place) } }
        return try body()
    }

    /// Closes the queue: requests that are not taken fail with `.closed`, and so do later ones. The writer thread ends
    /// after the taken request.
    public func close() {
        if isForked { return }
        change { $0.requests.close(FreeholdError(.closed, "the database was closed; open it again")) }
    }

    // MARK: State

    /// Reads the state, or changes what no other thread waits for.
    func look<Result: Sendable>(_ body: (inout Inside) -> Result) -> Result { inside.withLock { body(&$0) } }

    /// Changes the state, wakes what waits for a change, and then notifies requesters.
    @discardableResult
    func change<Result: Sendable>(_ body: (inout Inside) -> Result) -> Result {
        let (result, notices) = inside.withLock { inside in
            let result = body(&inside)
            assert(inside.checkInvariants(), "the requests are consistent")
            return (result, inside.requests.takeNotices())
        }
        bell.advance()
        system.wake(bell.word, count: .max)
        for request in notices { request.notify() }
        return result
    }

    private func wait(until holds: (inout Inside) -> Bool) {
        wait { inside, _ in holds(&inside) ? .value(()) : .until(.max) }
    }

    /// The answer of a body that waits for the state: a value, or the time at which to run it again, in nanoseconds.
    enum Answer<Value> {
        case value(Value)
        case until(UInt64)
    }

    /// Runs a body until it answers with a value: again after each change, and at the time that it names. The body may
    /// change what no other thread waits for.
    func wait<Value: Sendable>(_ body: (inout Inside, _ now: UInt64) -> Answer<Value>) -> Value {
        while true {
            let seen = bell.load(), now = now
            switch inside.withLock({ body(&$0, now) }) {
            case .value(let value): return value
            case .until(let time): _ = system.wait(on: bell.word, whileEqual: seen, timeoutMilliseconds: now.millisecondsUntil(time))
            }
        }
    }
}

extension AsyncWriteQueue.Inside {
    func checkInvariants() -> Bool {
        let holder = requests.holder
        assert(transaction == nil || holder?.state == .granted || requests.releasing != nil, "(3): nobody is to use the transaction")
        assert(holder?.state != .granted || transaction != nil, "(3): a granted request has a transaction")
        assert(ending == nil || holder?.state == .taken, "(3): only a taken request is ended")
        let isIdle = requests.waiting.isEmpty && holder == nil && requests.releasing == nil
        assert(isRunning || isIdle, "(6): nothing waits without a writer thread")
        assert(requests.waiting.allSatisfy { $0.database != nil }, "(7): a waiting request keeps the file open")
        return requests.checkInvariants()
    }
}
