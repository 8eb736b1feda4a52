import Foundation
import FreeholdEngine
import Synchronization

/// Write transactions for those who do not wait for them: in turn, each told where it is used when it is its turn.
///
/// A thread of its own, the keeper, begins every such transaction and ends it, as the lock between the processes is a thread's. What happens
/// in between is done by who asked, where the realm is used.
///
/// ```
/// who asked:  ask ─────────────────► take, write, end ─────────►
/// keeper:         begin (waits) ─► tell ·············· commit ─► begin the next one
/// ```
/// 1. Turns are granted in the order in which they were asked for.
/// 2. A turn that was granted and not taken for a while goes back, so that a busy queue or run loop keeps no other thread or process from
///    writing; it goes back at once if a thread that it is to be used on waits for the lock. Who comes late asks again, before all others.
/// 3. The keeper holds the file open only while somebody wants to write.
///
/// Safe to share: the condition guards all that changes.
final class WriteQueue: @unchecked Sendable {
    private let condition = NSCondition()
    private var waiting: [WriteTurn] = []
    private var isRunning = false
    private var isEnded = false
    /// How many wait for the lock by blocking, by the place that they block.
    private var blocked: [Confinement.Identity: Int] = [:]
    /// Whether anybody has asked yet.
    private let isUsed = Atomic<Bool>(false)

    /// How long a turn that was granted waits to be taken.
    private static let patience: TimeInterval = 0.25

    /// Asks for a transaction.
    ///
    /// - Parameter isFirst: before all who wait.
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

    /// The transaction that was granted; nil if it went back, or was cancelled.
    func take(_ turn: WriteTurn) -> WriteTransaction? {
        condition.withLock {
            guard turn.state == .granted else { return nil }
            turn.become(.taken)
            condition.broadcast()
            return turn.transaction
        }
    }

    /// Whether a turn is still to come.
    func isWanted(_ turn: WriteTurn) -> Bool { condition.withLock { turn.state != .over } }

    /// Gives a turn up that is not taken; true if it was still to come.
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

    /// Ends a turn that was taken: the keeper runs `body`, which commits or rolls back, while the caller waits.
    func end(_ turn: WriteTurn, _ body: () -> Void) {
        withoutActuallyEscaping(body) { body in
            condition.withLock {
                turn.ending = body
                condition.broadcast()
                while turn.ending != nil { condition.wait() }
            }
        }
    }

    /// Waits for the lock by blocking a place: turns that are to be used there let it go first.
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

    /// Lets the keeper end: nobody asks any more.
    func end() {
        condition.withLock {
            isEnded = true
            condition.broadcast()
        }
    }

    // MARK: The keeper

    /// Called with the lock.
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

    /// Waits for the lock for as long as the turn is wanted, and grants it; false if it is not wanted any more.
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

    /// Waits until the turn is taken; false if it went back, or was cancelled (2).
    private func isTaken(_ turn: WriteTurn) -> Bool {
        condition.withLock {
            let end = Date(timeIntervalSinceNow: Self.patience)
            while turn.state == .granted {
                if blocked[turn.place] != nil || end.timeIntervalSinceNow <= 0 { turn.become(.late) } else { _ = condition.wait(until: end) }
            }
            return turn.state == .taken
        }
    }

    /// Lets the lock go for the time being.
    private func giveBack(_ turn: WriteTurn) {
        turn.transaction?.rollback()
        condition.withLock {
            turn.transaction = nil
            condition.broadcast()
        }
    }

    /// Does what ends the transaction.
    private func end(_ turn: WriteTurn) {
        var ending = condition.withLock {
            while turn.ending == nil { condition.wait() }
            return turn.ending
        }
        ending?()
        // It is the caller's, who goes on once it is forgotten here; so does the file's last user, it may be.
        ending = nil
        condition.withLock {
            turn.become(.over)
            turn.transaction = nil
            turn.ending = nil
            condition.broadcast()
        }
    }
}
