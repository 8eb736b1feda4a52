/// A clock that follows the wall clock where it can, and never gives a stamp that is not above all earlier ones.
///
/// A file keeps its state over restarts, so that all processes on the file share one clock.
public struct HybridClock: Hashable, Sendable {
    /// The last stamp that was given.
    public private(set) var last: SyncStamp

    /// The highest stamp seen from the server.
    public private(set) var seen: SyncStamp

    /// Milliseconds to add to the device's wall clock, as the server has reported.
    public var offset: Int64

    public init(last: SyncStamp = .none, seen: SyncStamp = .none, offset: Int64 = 0) {
        self.last = last
        self.seen = seen
        self.offset = offset
    }

    /// The stamp for a commit: the corrected wall time, or the successor of the highest stamp given or seen, whichever is later.
    public mutating func next(wallMilliseconds: Int64) -> SyncStamp {
        last = max(max(last, seen).successor, SyncStamp(milliseconds: corrected(wallMilliseconds)))
        return last
    }

    /// Notes a stamp of the server: every later stamp of this clock is above it.
    public mutating func see(_ stamp: SyncStamp) { seen = max(seen, stamp) }

    /// The wall time with the offset.
    public func corrected(_ wallMilliseconds: Int64) -> Int64 {
        let (sum, isOver) = wallMilliseconds.addingReportingOverflow(offset)
        return isOver ? (offset < 0 ? .min : .max) : sum
    }

    /// By how much a stamp may be ahead of the server's time without being replaced.
    public static let toleranceMilliseconds: Int64 = 300_000

    /// No pending change has a later stamp: a clock that was set back has left those that the server accepts.
    var latestPending: SyncStamp {
        let last = max(last, seen)
        return max(last, SyncStamp(milliseconds: last.milliseconds + Self.toleranceMilliseconds + 1))
    }

    /// Sets a clock that ran ahead back to the server's time, but not below the highest stamp seen. Pending changes with later stamps
    /// have to be stamped anew, in their order.
    public mutating func setBack(toServerMilliseconds now: Int64) {
        last = max(seen, SyncStamp(milliseconds: now))
    }
}
