/// The writer thread: it begins each transaction, grants it to the first request, and ends it.
extension AsyncWriteQueue {
    /// What the writer thread does next.
    private enum Action: Sendable {
        /// Wait this long for the writer lock.
        case begin(Database, timeoutMilliseconds: Int)
        /// Fail the requests whose time is up.
        case expire
        /// Withdraw the granted request.
        case withdraw
        /// Roll back the transaction of the request that was not taken.
        case rollBack
        /// Run the taker's body.
        case end
        case stop
    }

    /// How long the thread waits for another request before it ends.
    private static let idleMilliseconds = 1000

    /// Serves requests until none has come for a while, or the queue is closed.
    func run() {
        while perform(next()) {}
    }

    private func next() -> Action {
        var idleEnd: UInt64?
        return wait { inside, now in
            if let action = Self.due(&inside, now) { return .value(action) }
            if inside.requests.holder != nil { return .until(inside.requests.nextTime) }
            let end = idleEnd ?? now.later(milliseconds: Self.idleMilliseconds)
            idleEnd = end
            guard inside.requests.closing != nil || now >= end else { return .until(end) }
            inside.isRunning = false
            return .value(.stop)
        }
    }

    /// What is due at a time; nil if there is nothing to do before the next change, or before `nextTime`.
    private static func due(_ inside: inout Inside, _ now: UInt64) -> Action? {
        let requests = inside.requests
        if requests.releasing != nil { return .rollBack }
        if requests.holder != nil {
            if inside.ending != nil { return .end }
            if requests.isLate(at: now) { return .withdraw }
            return requests.expired(at: now).isEmpty ? nil : .expire
        }
        guard let database = requests.waiting.first?.database else { return nil }
        // In steps, so that a request that was cancelled keeps the file open no longer than one of them.
        let left = now.millisecondsUntil(requests.nextTime)
        return .begin(database, timeoutMilliseconds: min(left, AsyncWriteRequests.patienceMilliseconds))
    }

    /// Does it; false if the thread is to end. Nothing of a transaction is held here when this returns, so that a taker
    /// that has ended holds the last reference to the file.
    private func perform(_ action: Action) -> Bool {
        switch action {
        case .begin(let database, let timeoutMilliseconds): begin(database, timeoutMilliseconds)
        case .expire: expire()
        case .withdraw:
            let now = now
            change { $0.requests.withdraw(at: now) }
        case .rollBack: rollBack()
        case .end: endTaken()
        case .stop: return false
        }
        return true
    }

    /// Waits for the writer lock, and grants it to the request that is first by then.
    private func begin(_ database: Database, _ timeoutMilliseconds: Int) {
        do throws(FreeholdError) {
            let begun = Passed(value: try database.beginWrite(timeoutMilliseconds: timeoutMilliseconds)), now = now
            let isGranted = change { inside in
                guard inside.requests.grant(at: now) != nil else { return false }
                inside.transaction = begun
                return true
            }
            if !isGranted { begun.value.rollback() }
        } catch {
            if error.code == .busy { return expire() }
            // The next request meets the error itself, if it lasts.
            change { inside in if let first = inside.requests.waiting.first { inside.requests.fail(first, error) } }
        }
    }

    /// Fails the requests whose time to wait is up; the first one has been tried by now (5).
    private func expire() {
        let now = now
        let late = look { inside in inside.requests.expired(at: now).compactMap { request in request.database.map { (request, $0) } } }
        if late.isEmpty { return }
        let failures = late.map { request, database in (request, Self.busy(database, request.timeoutMilliseconds ?? 0)) }
        change { inside in for (request, error) in failures { inside.requests.fail(request, error) } }
    }

    /// The error that names the holder of the writer lock; that of a closed database if it is closed.
    private static func busy(_ database: Database, _ timeoutMilliseconds: Int) -> FreeholdError {
        do throws(FreeholdError) { return try database.core().session.writerBusy(timeoutMilliseconds) } catch { return error }
    }

    /// Rolls back, and so releases the writer lock.
    private func rollBack() {
        look { inside in inside.transaction.take() }?.value.rollback()
        change { $0.requests.endRelease() }
    }

    /// Runs the taker's body. The body belongs to the taker, which goes on once it is released here.
    private func endTaken() {
        look { inside in inside.ending }?.value()
        change { inside in
            inside.requests.finish()
            inside.ending = nil
        }
    }
}
