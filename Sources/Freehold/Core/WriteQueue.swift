import Foundation
import FreeholdEngine
import Synchronization

/// A FIFO queue of asynchronous write requests; each requester is called back where it uses the realm, once it holds
/// the writer lock.
///
/// A thread of its own, the writer thread, begins and ends every such transaction, because the lock between processes
/// belongs to a thread. The writes in between are done by the requester, where the realm is used.
///
/// ```
/// who asked:  ask ─────────────────► take, write, end ─────────►
/// keeper:         begin (waits) ─► tell ·············· commit ─► begin the next one
/// ```
/// 1. Requests are granted in the order in which they were made.
/// 2. A granted request that is not taken for a while gives the lock back, so that a busy queue or run loop keeps no
///    other thread or process from writing. It does so at once if a thread that the request is for waits for the lock.
///    A requester that comes late asks again, before all others.
/// 3. The writer thread holds the file open only while there are requests.
///
/// Safe to share: the condition guards all mutable state.
final class WriteQueue: @unchecked Sendable {
    private let condition = NSCondition()
    private var waiting: [WriteTurn] = []
    private var isRunning = false
    private var isEnded = false
    /// The number of callers that block while they wait for the lock, by the place they block.
    private var blocked: [Confinement.Identity: Int] = [:]
    /// Whether there has been any request.
    private let isUsed = Atomic<Bool>(false)

    /// How long a granted request waits to be taken, in seconds.
    private static let patience: TimeInterval = 0.25

    /// Queues a request.
    ///
    /// - Parameter isFirst: whether it goes before all others.
    func ask(_ turn: WriteTurn, isFirst: Bool = false) {
        isUsed.store(true, ordering: .relaxed)
        condition.withLock {
            if turn.state == .over { return }
            turn.become(.waiting)
            waiting.insert(turn, at: isFirst ? 0 : waiting.count)
            startKeeper()
            condition.broadcast()
        }
    }

    /// Takes the granted transaction; nil if the lock was given back, or the request was cancelled.
    func take(_ turn: WriteTurn) -> WriteTransaction? {
        condition.withLock {
            guard turn.state == .granted else { return nil }
            turn.become(.taken)
            condition.broadcast()
            return turn.transaction
        }
    }

    /// Whether a request is not over.
    func isWanted(_ turn: WriteTurn) -> Bool { condition.withLock { turn.state != .over } }

    /// Cancels a request that is not taken; returns whether it was still pending.
    @discardableResult
    func cancel(_ turn: WriteTurn) -> Bool {
        condition.withLock {
            guard turn.state != .taken, turn.state != .over else { return false }
            turn.become(.over)
            waiting = waiting.filter { $0 !== turn }
            condition.broadcast()
            while turn.transaction != nil { condition.wait() }
            return true
        }
    }

    /// Ends the transaction of a request: the writer thread runs `body`, which commits or rolls back, while the caller
    /// waits.
    func end(_ turn: WriteTurn, _ body: () -> Void) {
        withoutActuallyEscaping(body) { body in
            condition.withLock {
                turn.ending = body
                condition.broadcast()
                while turn.ending != nil { condition.wait() }
            }
        }
    }

    /// Runs a body that waits for the lock and blocks a place: requests for that place give the lock back first.
    func blocking<Result>(_ place: Confinement.Identity, _ body: () throws -> Result) rethrows -> Result {
        guard isUsed.load(ordering: .relaxed) else { return try body() }
        condition.withLock {
            blocked[place, default: 0] += 1
            condition.broadcast()
        }
        defer {
            condition.withLock {
                blocked[place, default: 1] -= 1
                if blocked[place] == 0 { blocked[place] = nil }
            }
        }
        return try body()
    }

    /// Ends the writer thread, as no more requests come.
    func end() {
        condition.withLock {
            isEnded = true
            condition.broadcast()
        }
    }

    // MARK: The writer thread

    /// Called while the lock is held.
    private func startKeeper() {
        if isRunning { return }
        isRunning = true
        Thread { [self] in
            while let turn = next() { serve(turn) }
        }.start()
    }

    private func next() -> WriteTurn? {
        condition.withLock {
            while waiting.isEmpty {
                if isEnded {
                    isRunning = false
                    return nil
                }
                condition.wait()
            }
            let turn = waiting[0]
            waiting = Array(waiting.dropFirst())
            return turn
        }
    }

    private func serve(_ turn: WriteTurn) {
        do throws(FreeholdError) {
            guard try begin(turn) else { return }
            turn.announce(.success(()))
            if isTaken(turn) { end(turn) } else { giveBack(turn) }
        } catch {
            if cancel(turn) { turn.announce(.failure(RealmError(error))) }
        }
    }

    /// Waits for the writer lock while the request is wanted, and grants it; false if the request is no longer wanted.
    private func begin(_ turn: WriteTurn) throws(FreeholdError) -> Bool {
        while let database = condition.withLock({ turn.state == .waiting ? turn.database : nil }) {
            do throws(FreeholdError) {
                let transaction = try database.beginWrite()
                if grant(turn, transaction) { return true }
                transaction.rollback()
            } catch { if error.code != .busy { throw error } }
        }
        return false
    }

    private func grant(_ turn: WriteTurn, _ transaction: WriteTransaction) -> Bool {
        condition.withLock {
            guard turn.state == .waiting else { return false }
            turn.become(.granted)
            turn.transaction = transaction
            return true
        }
    }

    /// Waits until the request is taken; false if it gave the lock back, or was cancelled (2).
    private func isTaken(_ turn: WriteTurn) -> Bool {
        condition.withLock {
            let end = Date(timeIntervalSinceNow: Self.patience)
            while turn.state == .granted {
                if blocked[turn.place] != nil || end.timeIntervalSinceNow <= 0 { turn.become(.late) } else { _ = condition.wait(until: end) }
            }
            return turn.state == .taken
        }
    }

    /// Rolls back, and so releases the writer lock for the time being.
    private func giveBack(_ turn: WriteTurn) {
        turn.transaction?.rollback()
        condition.withLock {
            turn.transaction = nil
            condition.broadcast()
        }
    }

    /// Waits for the caller's body, and runs it to end the transaction.
    private func end(_ turn: WriteTurn) {
        var ending = condition.withLock {
            while turn.ending == nil { condition.wait() }
            return turn.ending
        }
        ending?()
        // The body belongs to the caller, which goes on once it is released here; that may free the last user of the
        // file.
        ending = nil
        condition.withLock {
            turn.become(.over)
            turn.transaction = nil
            turn.ending = nil
            condition.broadcast()
        }
    }
}
