/// Which transactions of a server a file has: a snapshot in the form of PostgreSQL's `pg_snapshot`.
///
///     next 12, running 8 and 10:   1 2 3 4 5 6 7 · 9 · 11 · ·
///
/// Invariant (3 of the floor): `running` is ascending, without duplicates, above 0 and below `next`.
public struct SyncCursor: Hashable, Sendable {
    /// Transactions from here on had not begun.
    public let next: UInt64

    /// The transactions that had begun and not ended, ascending.
    public let running: [UInt64]

    /// A snapshot; nil if the transactions in progress are not ascending, or not between 1 and `next`.
    public init?(next: UInt64, running: [UInt64] = []) {
        guard next > 0, (running.first ?? 1) > 0, (running.last ?? 0) < next else { return nil }
        guard zip(running, running.dropFirst()).allSatisfy({ $0 < $1 }) else { return nil }
        self.next = next
        self.running = running
    }

    private init(nothing: Void) {
        next = 1
        running = []
    }

    /// The cursor of a file that has had no answer: it contains no transaction.
    public static let never = Self(nothing: ())

    /// Whether the file has what a transaction changed.
    @inline(__always) public func contains(_ transaction: UInt64) -> Bool {
        transaction < next && (running.isEmpty || !isRunning(transaction))
    }

    /// The first transaction that may be missing: all below have ended.
    public var oldest: UInt64 { running.first ?? next }

    private func isRunning(_ transaction: UInt64) -> Bool {
        var low = 0, high = running.count
        while low < high {
            let middle = (low + high) / 2
            if running[middle] < transaction { low = middle + 1 } else { high = middle }
        }
        return low < running.count && running[low] == transaction
    }
}
