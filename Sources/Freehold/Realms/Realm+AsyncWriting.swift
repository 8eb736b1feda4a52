import Dispatch
import FreeholdEngine
import Synchronization

/// Writing without waiting for other writers, nor for the disk.
extension Realm {
    /// Names a block that is to write, or a commit that is to become durable.
    public typealias AsyncTransactionId = UInt32

    /// Runs `block` in a write transaction as soon as nobody else writes, and commits what it did unless it ended the transaction itself.
    /// Nothing waits meanwhile: the block runs at a later turn of the realm's queue, actor or run loop.
    ///
    /// ```swift
    /// realm.writeAsync({ person.age += 1 }) { error in print(error ?? "it is on the disk") }
    /// ```
    /// - Parameters:
    ///   - tokens: who is not told of what the block did.
    ///   - onComplete: called there once the commit survives a power cut, or with what went wrong.
    @discardableResult
    public func writeAsync(withoutNotifying tokens: [NotificationToken] = [], _ block: @escaping () -> Void,
                           onComplete: ((Swift.Error?) -> Void)? = nil) -> AsyncTransactionId {
        guard let writing = requireAsynchronous() else { return 0 }
        return writing.begin({ [self] in
            block()
            if isInWriteTransaction { commitAsyncWrite(withoutNotifying: tokens, onComplete) }
        }, failed: { onComplete?($0) })
    }

    /// Runs `block` in a write transaction as soon as nobody else writes. It has to end with `commitAsyncWrite` or `commitWrite`; else what
    /// it did is undone. Blocks run in the order in which they were asked for; also within a write transaction one may be asked for.
    @discardableResult
    public func beginAsyncWrite(_ block: @escaping () -> Void) -> AsyncTransactionId {
        guard let writing = requireAsynchronous() else { return 0 }
        return writing.begin(block, failed: { Misuse.report("\($0)") })
    }

    /// Ends the write transaction: everybody sees what it did, and nothing waits for the disk.
    ///
    /// - Parameters:
    ///   - allowGrouping: whether the disk may wait until the blocks that were asked for have committed too (of twenty commits at most): then
    ///     they share a flush. Until then a power cut undoes them, the last ones first; a crash of the program does not.
    ///   - tokens: who is not told of what it did.
    ///   - onComplete: called at a later turn, once the commit survives a power cut, or with what went wrong.
    @discardableResult
    public func commitAsyncWrite(allowGrouping: Bool = false, withoutNotifying tokens: [NotificationToken] = [],
                                 _ onComplete: ((Swift.Error?) -> Void)? = nil) -> AsyncTransactionId {
        guard core.enter() else { return 0 }
        guard isInWriteTransaction else {
            Misuse.report("Can't commit a non-existing write transaction")
            return 0
        }
        guard requireEnding(), let silent = silent(tokens) else { return 0 }
        return core.writesAsynchronously()?.commit(allowGrouping: allowGrouping, silent: silent) { onComplete?($0) } ?? 0
    }

    /// Drops a block that has not run yet; of a commit only what was to be called.
    public func cancelAsyncWrite(_ asyncTransactionId: AsyncTransactionId) throws {
        if core.enter() { core.asynchronous?.cancel(asyncTransactionId) }
    }

    /// Whether blocks are still to write, or commits to become durable.
    public var isPerformingAsynchronousWriteOperations: Bool { core.asynchronous?.isBusy ?? false }

    private func requireAsynchronous() -> AsynchronousWriting? {
        guard core.enter(), requireWritable() else { return nil }
        return core.writesAsynchronously()
    }

    /// Runs `block` in a write transaction as soon as nobody else writes, and commits what it did unless it throws or ended the transaction
    /// itself. Waits, for other writers and for the disk, without keeping the actor from other work.
    ///
    /// ```swift
    /// actor Store {
    ///     func birthday(_ id: Int) async throws {
    ///         let realm = try await Realm.open()
    ///         try await realm.asyncWrite { realm.object(ofType: Person.self, forPrimaryKey: id)?.age += 1 }
    ///     }
    /// }
    /// ```
    /// - Parameter tokens: who is not told of what the block did.
    /// - Throws: `CancellationError`, and writes nothing, if the task is cancelled before the block runs; what the block throws; what
    ///   committing does.
    @discardableResult
    public func asyncWrite<Result>(withoutNotifying tokens: [NotificationToken] = [], _isolation actor: isolated (any Actor)? = #isolation,
                                   _ block: () throws -> Result) async throws -> Result {
        try requireActor(actor, "asyncWrite")
        guard core.enter(), requireWritable(), silent(tokens) != nil, let writing = core.writesAsynchronously() else {
            throw RealmError(.fail, "The realm cannot be written.")
        }
        writing.awaited += 1
        defer { writing.awaited -= 1 }
        try await beginAwaited()
        let transaction = core.transaction, result: Result
        do { result = try block() } catch {
            if core.transaction === transaction { cancelWrite() }
            throw error
        }
        if let transaction, core.transaction === transaction {
            try core.commitWrite(.processCrash, silent: silent(tokens) ?? [])
            try await flush()
        }
        return result
    }

    /// Begins a write transaction when it is the caller's turn.
    private func beginAwaited(_isolation actor: isolated (any Actor)? = #isolation) async throws {
        try Task.checkCancellation()
        let call = AwaitedCall(), writes = core.shared.writes
        let turn = WriteTurn(core.shared.database, at: core.confinement.identity) { call.tell($0) }
        writes.ask(turn)
        repeat {
            try await withTaskCancellationHandler {
                try await withCheckedThrowingContinuation { call.wait($0) }
            } onCancel: {
                if writes.cancel(turn) { call.tell(.failure(CancellationError())) }
            }
        } while try !core.begin(turn)
    }

    /// Waits until what is committed survives a power cut.
    private func flush(_isolation actor: isolated (any Actor)? = #isolation) async throws {
        try await withCheckedThrowingContinuation { (continuation: CheckedContinuation<Void, any Swift.Error>) in
            // The caller, who waits, holds the file; what flushes must not hold it longer.
            core.shared.flushes.async { [unowned shared = core.shared] in
                do throws(FreeholdError) {
                    try shared.database.flush()
                    continuation.resume()
                } catch { continuation.resume(throwing: RealmError(error)) }
            }
        }
    }

    // MARK: Refreshing

    /// Whether commits of other threads, queues, actors and processes show by themselves, at later turns of the realm's queue or actor, or of
    /// the main run loop. Of another thread's realm it is false until it is set, as only the program knows that the thread has a run loop.
    public var autorefresh: Bool {
        get { core.isFollowing }
        nonmutating set {
            if isFrozen {
                if newValue { Misuse.report("Auto-refresh cannot be enabled for frozen Realms.") }
            } else if core.enter() {
                core.isFollowing = newValue
            }
        }
    }

    /// Shows the newest version; false if it did already, or within a write transaction. Of realms of actors and the main thread.
    @discardableResult
    public func asyncRefresh(_isolation actor: isolated (any Actor)? = #isolation) async -> Bool {
        do { try requireActor(actor, "asyncRefresh") } catch { return false }
        return refresh()
    }

    /// Tells if the realm does not belong to the actor that the caller runs in, which is where it goes on after waiting.
    private func requireActor(_ actor: (any Actor)?, _ name: String) throws {
        if let actor, Confinement.of(actor).identity == core.confinement.identity { return }
        Misuse.report("\(name)() can only be called on main thread or actor-isolated Realms", hint: "Open the realm within the actor: Realm.open().")
        throw RealmError(.fail, "\(name)() can only be called on main thread or actor-isolated Realms")
    }
}

/// Who waits to be told once, or is told before.
private final class AwaitedCall: Sendable {
    private let state = Mutex(State())

    private struct State {
        var continuation: CheckedContinuation<Void, any Swift.Error>?
        var outcome: Result<Void, any Swift.Error>?
    }

    func wait(_ continuation: CheckedContinuation<Void, any Swift.Error>) {
        let outcome = state.withLock { state in
            if state.outcome == nil { state.continuation = continuation }
            defer { state.outcome = nil }
            return state.outcome
        }
        if let outcome { continuation.resume(with: outcome) }
    }

    func tell(_ outcome: Result<Void, any Swift.Error>) {
        let continuation = state.withLock { state in
            if state.continuation == nil { state.outcome = outcome }
            defer { state.continuation = nil }
            return state.continuation
        }
        continuation?.resume(with: outcome)
    }
}
