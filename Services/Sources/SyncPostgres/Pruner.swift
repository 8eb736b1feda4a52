import FreeholdEngine
import FreeholdMerge
import Synchronization

/// Forgets old deletions once an hour, on a thread for questions. Several servers may do so at once.
final class Pruner: Sendable {
    private let pool: PostgresPool
    private let retention: Int64?
    private let log: @Sendable (String) -> Void
    private let isBusy = Atomic(false)

    init(_ pool: PostgresPool, _ retention: Int64?, _ log: @escaping @Sendable (String) -> Void) {
        (self.pool, self.retention, self.log) = (pool, retention, log)
    }

    func prune() {
        if isBusy.exchange(true, ordering: .acquiringAndReleasing) { return }
        let isTaken = pool.add { [self] worker in
            do throws(FreeholdError) {
                try worker.serve { (_, store) throws(FreeholdError) in
                    try store.mark()
                    try store.forgetEnded()
                    if let retention { try store.prune(keeping: retention) }
                }
            } catch {
                log("old deletions are not forgotten: \(error)")
            }
            isBusy.store(false, ordering: .releasing)
        }
        if !isTaken { isBusy.store(false, ordering: .releasing) }
    }
}
