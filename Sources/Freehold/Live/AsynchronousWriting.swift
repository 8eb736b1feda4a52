import FreeholdEngine

/// What a realm's program has asked to be written without waiting for it: blocks for which it is not their turn yet, and commits
/// that do not survive a power cut yet. Used where the realm is.
///
/// A commit is made at once, so that everybody sees it, and flushed behind the program's back; several share a flush if the program allows
/// that (`mostGrouped` at most).
final class AsynchronousWriting {
    // Safe: the core owns it; what is on its way holds the core.
    private unowned(unsafe) let core: RealmCore
    private let scheduler: Scheduler
    private var last: UInt32 = 0
    private var asked: [UInt32: Asked] = [:]
    private var unflushed: [UInt32: ((any Error)?) -> Void] = [:]
    /// Commits whose flush waits for more of them.
    private var group: [UInt32] = []
    /// Calls of `asyncWrite` that have not ended.
    var awaited = 0
    private var isInTurn = false

    private static let mostGrouped = 20

    private struct Asked {
        let turn: WriteTurn
        let held: Held
        let block: () -> Void
        let failed: (any Error) -> Void
    }

    /// A realm that is held while something is on its way to where it is used, and let go of there: the file closes with its last realm,
    /// not some time later.
    ///
    /// Safe to share: the core is used where it belongs, and taken out once; what flushes looks at it before that.
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

    /// Whether something is still to be written or flushed.
    var isBusy: Bool { !asked.isEmpty || !unflushed.isEmpty || awaited > 0 }

    /// Asks for a write transaction in which `block` runs.
    func begin(_ block: @escaping () -> Void, failed: @escaping (any Error) -> Void) -> UInt32 {
        let number = next(), held = Held(core)
        let turn = WriteTurn(core.shared.database, at: core.confinement.identity) { [scheduler] outcome in
            scheduler.schedule { held.core?.asynchronous?.come(number, outcome) }
        }
        asked[number] = Asked(turn: turn, held: held, block: block, failed: failed)
        core.shared.writes.ask(turn)
        return number
    }

    private func come(_ number: UInt32, _ outcome: Result<Void, any Error>) {
        // Held until this is over.
        let core = core
        guard core.enter(), let wanted = asked[number] else { return }
        do {
            try outcome.get()
            guard try core.begin(wanted.turn) else { return }
        } catch {
            forget(number)
            wanted.failed(error)
            return settle()
        }
        forget(number)
        let transaction = core.transaction
        isInTurn = true
        wanted.block()
        isInTurn = false
        // What was neither committed nor cancelled is undone; a transaction that the block began itself stays.
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

    /// Drops a block whose turn has not come, or the completion of a commit.
    func cancel(_ number: UInt32) {
        if let wanted = asked[number], core.shared.writes.cancel(wanted.turn) {
            forget(number)
            settle()
        }
        if unflushed[number] != nil { unflushed[number] = { _ in } }
    }

    /// Gives up all that has not begun: the thread ends.
    func abandon() {
        for (number, wanted) in asked {
            core.shared.writes.cancel(wanted.turn)
            forget(number)
        }
        settle()
        unflushed = [:]
    }

    private func forget(_ number: UInt32) { _ = asked.removeValue(forKey: number)?.held.take() }

    private func next() -> UInt32 {
        // Safe: nobody has so many under way that one would be taken for another.
        last &+= 1
        return last
    }

    /// Flushes what waits for more, if none is to come.
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
    /// What writes without waiting; nil, after that was told, where nothing could come back to the caller.
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

    /// Begins the write transaction of a turn that was granted; false if it comes again later.
    func begin(_ turn: WriteTurn) throws -> Bool {
        let writes = shared.writes
        if transaction == nil {
            if let granted = writes.take(turn) {
                begin(granted, turn)
                return true
            }
            // The lock went back, as this place was busy for long; mostly it is free again.
            if writes.isWanted(turn), let own = try beginAtOnce() {
                writes.cancel(turn)
                begin(own)
                return true
            }
        }
        writes.ask(turn, isFirst: true)
        return false
    }

    private func beginAtOnce() throws -> WriteTransaction? {
        do throws(FreeholdError) { return try shared.database.beginWrite(timeoutMilliseconds: 0) } catch {
            if error.code == .busy || error.code == .alreadyInWrite { return nil }
            throw RealmError(error)
        }
    }
}
