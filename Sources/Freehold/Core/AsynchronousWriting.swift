import FreeholdEngine

/// The asynchronous writes of a realm: queued blocks that wait to write, and commits that a power cut may still undo.
/// Used where the realm is used.
///
/// A commit is made at once, so that every reader sees it, and is flushed in the background; several commits share a
/// flush if the program allows that (`mostGrouped` at most).
final class AsynchronousWriting {
    // Safe: the core owns it, and everything under way holds the core.
    private unowned(unsafe) let core: RealmCore
    private let scheduler: Scheduler
    private var last: UInt32 = 0
    private var asked: [UInt32: Asked] = [:]
    private var unflushed: [UInt32: ((any Error)?) -> Void] = [:]
    /// Commits that wait for further ones to share a flush with.
    private var group: [UInt32] = []
    /// The number of `asyncWrite` calls that have not returned.
    var awaited = 0
    private var isInTurn = false

    private static let mostGrouped = 20

    private struct Asked {
        let request: AsyncWriteRequest
        let held: Held
        let block: () -> Void
        let failed: (any Error) -> Void
    }

    /// Holds a realm while a message is under way to where the realm is used, and releases it there. So the file closes
    /// together with its last realm, not some time later.
    ///
    /// Safe to share: the core is used where it belongs, and taken out once; a flush reads it before that.
    private final class Held: @unchecked Sendable {
        private(set) var core: RealmCore?
        init(_ core: RealmCore) { self.core = core }

        func take() -> RealmCore? {
            defer { core = nil }
            return core
        }

        func flush() -> RealmError? {
            guard let core else { return nil }
            do throws(FreeholdError) { try core.shared.database.flush() } catch { return RealmError(error) }
            return nil
        }
    }

    init(_ core: RealmCore, _ scheduler: Scheduler) {
        self.core = core
        self.scheduler = scheduler
    }

    /// Whether any write or flush is pending.
    var isBusy: Bool { !asked.isEmpty || !unflushed.isEmpty || awaited > 0 }

    /// Queues a write request; `block` runs in its write transaction.
    func begin(_ block: @escaping () -> Void, failed: @escaping (any Error) -> Void) -> UInt32 {
        let number = next(), held = Held(core)
        let request = core.requestWrite { [scheduler] in scheduler.schedule { held.core?.asynchronous?.come(number) } }
        asked[number] = Asked(request: request, held: held, block: block, failed: failed)
        return number
    }

    private func come(_ number: UInt32) {
        // Held until this returns.
        let core = core
        guard core.enter(), let wanted = asked[number] else { return }
        do { guard try core.begin(wanted.request) else { return } } catch {
            forget(number)
            wanted.failed(error)
            return settle()
        }
        forget(number)
        let transaction = core.transaction
        isInTurn = true
        wanted.block()
        isInTurn = false
        // A transaction that the block neither committed nor cancelled is rolled back; one that the block began itself
        // stays.
        if let transaction, core.transaction === transaction { core.cancelWrite() }
        settle()
    }

    /// Commits the write transaction under way.
    func commit(allowGrouping: Bool, silent: [Observer], _ completed: @escaping ((any Error)?) -> Void) -> UInt32 {
        let number = next()
        do { try core.commitWrite(.processCrash, silent: silent) } catch {
            unflushed[number] = completed
            deliver([number], error)
            return number
        }
        unflushed[number] = completed
        group.append(number)
        if !allowGrouping || group.count >= Self.mostGrouped { flush() } else if !isInTurn { settle() }
        return number
    }

    /// Cancels a block that has not begun, or drops the completion of a commit.
    func cancel(_ number: UInt32) {
        if let wanted = asked[number], core.shared.writes.cancel(wanted.request) {
            forget(number)
            settle()
        }
        if unflushed[number] != nil { unflushed[number] = { _ in } }
    }

    /// Cancels all requests that have not begun, because the thread ends.
    func abandon() {
        for (number, wanted) in asked {
            core.shared.writes.cancel(wanted.request)
            forget(number)
        }
        settle()
        unflushed = [:]
    }

    private func forget(_ number: UInt32) { _ = asked.removeValue(forKey: number)?.held.take() }

    private func next() -> UInt32 {
        // Safe: too few requests are pending at a time for two to have the same number.
        last &+= 1
        return last
    }

    /// Flushes the waiting commits, if no further write is queued.
    private func settle() { if asked.isEmpty { flush() } }

    private func flush() {
        if group.isEmpty { return }
        let numbers = group, held = Held(core)
        group = []
        core.shared.flushes.async { [scheduler] in
            let failure = held.flush()
            scheduler.schedule { held.take()?.asynchronous?.finish(numbers, failure) }
        }
    }

    private func deliver(_ numbers: [UInt32], _ failure: any Error) {
        let held = Held(core)
        scheduler.schedule { held.take()?.asynchronous?.finish(numbers, failure) }
    }

    private func finish(_ numbers: [UInt32], _ failure: (any Error)?) {
        for number in numbers { unflushed.removeValue(forKey: number)?(failure) }
    }
}

extension RealmCore {
    /// The realm's asynchronous writes; nil, after a report of misuse, if there is no way to call the caller back.
    func writesAsynchronously() -> AsynchronousWriting? {
        if let asynchronous { return asynchronous }
        let scheduler: Scheduler
        if let known = self.scheduler ?? confinement.scheduler { scheduler = known } else {
            let loop = ThreadRunLoop.current
            guard loop.isRunning else {
                Misuse.report("Cannot schedule async transaction. Make sure you are running from inside a run loop.",
                              hint: "Open the realm for a queue or an actor, or on the main thread.")
                return nil
            }
            scheduler = .runLoop(loop)
        }
        let made = AsynchronousWriting(self, scheduler)
        asynchronous = made
        return made
    }

    /// Requests a write transaction for where the realm is used. `notify` is called on the writer thread when it is granted
    /// or has failed.
    func requestWrite(notify: @escaping @Sendable () -> Void) -> AsyncWriteRequest {
        shared.writes.request(shared.database, at: confinement.identity.writerPlace, notify: notify)
    }

    /// Begins the write transaction of a granted request; false if the request has to be granted again. Throws the error
    /// that the request has failed with.
    func begin(_ request: AsyncWriteRequest) throws -> Bool {
        let writes = shared.writes
        do throws(FreeholdError) {
            if let failure = writes.failure(of: request) { throw failure }
            if transaction == nil, let granted = try writes.take(request) {
                begin(granted, request)
                return true
            }
        } catch { throw RealmError(error) }
        // The queue withdrew the grant, because this place was busy for long; mostly the lock is free again.
        if transaction == nil, writes.mayPass(request), let own = try beginAtOnce() {
            writes.cancel(request)
            begin(own)
            return true
        }
        writes.requestAgain(request)
        return false
    }

    private func beginAtOnce() throws -> WriteTransaction? {
        do throws(FreeholdError) { return try shared.database.beginWrite(timeoutMilliseconds: 0) } catch {
            if error.code == .busy || error.code == .alreadyInWrite { return nil }
            throw RealmError(error)
        }
    }
}
