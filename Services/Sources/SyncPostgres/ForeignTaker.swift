import FreeholdEngine
import FreeholdMerge
import Synchronization

/// Takes over what other software has written, on a thread for batches: one such job at a time.
final class ForeignTaker: Sendable {
    private let pool: PostgresPool
    private let signal: PostgresWatcher.Signal
    private let log: @Sendable (String) -> Void
    private let isBusy = Atomic(false)

    /// Objects of one transaction.
    private static let most: Int64 = 200

    init(_ pool: PostgresPool, _ signal: PostgresWatcher.Signal, _ log: @escaping @Sendable (String) -> Void) {
        (self.pool, self.signal, self.log) = (pool, signal, log)
    }

    func take() {
        if isBusy.exchange(true, ordering: .acquiringAndReleasing) { return }
        let isTaken = pool.add { [self] worker in
            do throws(FreeholdError) {
                try Self.takeSome(worker)
                isBusy.store(false, ordering: .releasing)
                signal.give()
            } catch {
                log("what other software has written: \(error)")
                isBusy.store(false, ordering: .releasing)
            }
        }
        if !isTaken { isBusy.store(false, ordering: .releasing) }
    }

    /// What is there now; what comes meanwhile is for the next time.
    static func takeSome(_ worker: PostgresWorker) throws(FreeholdError) {
        var objects: [SyncObject] = []
        try worker.serve { (_, store) throws(FreeholdError) in objects = try store.notedObjects(most) }
        do throws(FreeholdError) {
            try worker.serve { (server, _) throws(FreeholdError) in try server.takeOver(objects, now: PostgresBackend.now) }
        } catch {
            if error.code == .io { throw error }
            // One that is locked for long, or that cannot be taken over at all, holds no other up.
            for object in objects {
                do throws(FreeholdError) {
                    try worker.serve { (server, _) throws(FreeholdError) in try server.takeOver([object], now: PostgresBackend.now) }
                } catch {
                    if error.code == .io { throw error }
                    if error.code == .busy { continue }
                    let reason = "what is in the tables cannot come to files, and stays there: \(error.message)"
                    try worker.serve { (_, store) throws(FreeholdError) in try store.setAside(object, reason) }
                }
            }
        }
    }
}
