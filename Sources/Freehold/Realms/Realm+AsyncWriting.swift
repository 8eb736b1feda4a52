import Dispatch
import FreeholdEngine
import Synchronization

/// Asynchronous writing, which blocks neither on other writers nor on the disk.
extension Realm {
    /// Identifies a queued write block, or a commit that is not durable yet.
    public typealias AsyncTransactionId = UInt32

    /// Runs `block` in a write transaction once no other transaction is open, and commits unless the block ended the
    /// transaction itself. Does not block: `block` runs on a later turn of the realm's queue, actor or run loop.
    ///
    /// ```swift
    /// realm.writeAsync({ person.age += 1 }) { error in print(error ?? "it is on the disk") }
    /// ```
    /// - Parameters:
    ///   - tokens: tokens of the observers that are not notified of this transaction.
    ///   - onComplete: called on a later turn once the commit survives a power cut, or with the error.
    @discardableResult
    public func writeAsync(withoutNotifying tokens: [NotificationToken] = [], _ block: @escaping () -> Void,
                           onComplete: ((Swift.Error?) -> Void)? = nil) -> AsyncTransactionId {
        guard let writing = requireAsynchronous() else { return 0 }
        return writing.begin({ [self] in
            block()
            if isInWriteTransaction { commitAsyncWrite(withoutNotifying: tokens, onComplete) }
        }, failed: { onComplete?($0) })
    }

    /// Runs `block` in a write transaction once no other transaction is open. The block has to end with
    /// `commitAsyncWrite` or `commitWrite`; otherwise its changes are rolled back. Blocks run in the order of the
    /// calls. It may also be called within a write transaction.
    @discardableResult
    public func beginAsyncWrite(_ block: @escaping () -> Void) -> AsyncTransactionId {
        guard let writing = requireAsynchronous() else { return 0 }
        return writing.begin(block, failed: { Misuse.report("\($0)") })
    }

    /// Commits the write transaction without waiting for the disk. Its changes are visible to all readers at once.
    ///
    /// - Parameters:
    ///   - allowGrouping: whether the flush may wait until the queued blocks have committed too, up to twenty commits:
    ///     then they share a flush. Until then a power cut undoes them, the last ones first; a crash of the program
    ///     does not.
    ///   - tokens: tokens of the observers that are not notified of this transaction.
    ///   - onComplete: called on a later turn once the commit survives a power cut, or with the error.
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

    /// Cancels a block that has not run yet. For a commit, it cancels only the completion block.
    public func cancelAsyncWrite(_ asyncTransactionId: AsyncTransactionId) throws {
        if core.enter() { core.asynchronous?.cancel(asyncTransactionId) }
    }

    /// Whether write blocks are still queued, or commits are not durable yet.
    public var isPerformingAsynchronousWriteOperations: Bool { core.asynchronous?.isBusy ?? false }

    private func requireAsynchronous() -> AsynchronousWriting? {
        guard core.enter(), requireWritable() else { return nil }
        return core.writesAsynchronously()
    }

    /// Runs `block` in a write transaction once no other transaction is open, and commits unless the block throws or
    /// ended the transaction itself. While it waits for other writers and the disk the actor can do other work.
    ///
    /// ```swift
    /// actor Store {
    ///     func birthday(_ id: Int) async throws {
    ///         let realm = try await Realm.open()
    ///         try await realm.asyncWrite { realm.object(ofType: Person.self, forPrimaryKey: id)?.age += 1 }
    ///     }
    /// }
    /// ```
    /// - Parameter tokens: tokens of the observers that are not notified of this transaction.
    /// - Throws: `CancellationError`, and writes nothing, if the task is cancelled before the block runs; the error of
    ///   the block; the error of the commit.
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

    /// Waits for the writer lock, then begins a write transaction.
    private func beginAwaited(_isolation actor: isolated (any Actor)? = #isolation) async throws {
        try Task.checkCancellation()
        let call = AwaitedCall(), writes = core.shared.writes
        let request = core.requestWrite { call.tell(.success(())) }
        repeat {
            try await withTaskCancellationHandler {
                try await withCheckedThrowingContinuation { call.wait($0) }
            } onCancel: {
                if writes.cancel(request) { call.tell(.failure(CancellationError())) }
            }
        } while try !core.begin(request)
    }

    /// Waits until all committed changes survive a power cut.
    private func flush(_isolation actor: isolated (any Actor)? = #isolation) async throws {
        try await withCheckedThrowingContinuation { (continuation: CheckedContinuation<Void, any Swift.Error>) in
            // The caller, which waits, holds the file; the flush must not hold it longer.
            core.shared.flushes.async { [unowned shared = core.shared] in
                do throws(FreeholdError) {
                    try shared.database.flush()
                    continuation.resume()
                } catch { continuation.resume(throwing: RealmError(error)) }
            }
        }
    }

    // MARK: Refreshing

    /// Whether the realm picks up commits of other threads, queues, actors and processes automatically, on later turns
    /// of its queue or actor, or of the main run loop. For a realm of another thread it is false until it is set: only
    /// the program knows whether that thread has a run loop.
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

    /// Moves the realm to the newest version; false if it shows that already, or within a write transaction. Only for
    /// realms of actors and the main thread.
    @discardableResult
    public func asyncRefresh(_isolation actor: isolated (any Actor)? = #isolation) async -> Bool {
        do { try requireActor(actor, "asyncRefresh") } catch { return false }
        return refresh()
    }

    /// Throws, and reports misuse, if the realm does not belong to the caller's actor, on which the caller resumes.
    private func requireActor(_ actor: (any Actor)?, _ name: String) throws {
        if let actor, Confinement.of(actor).identity == core.confinement.identity { return }
        Misuse.report("\(name)() can only be called on main thread or actor-isolated Realms", hint: "Open the realm within the actor: Realm.open().")
        throw RealmError(.fail, "\(name)() can only be called on main thread or actor-isolated Realms")
    }
}

/// A single result for one waiting caller; it may arrive before the caller waits.
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
