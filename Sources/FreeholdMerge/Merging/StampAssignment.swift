import FreeholdEngine

/// The stamps that the server gives to a batch: those ahead of its clock are replaced, in their order, and above what their writer had
/// seen.
struct StampAssignment {
    private var replaced: [SyncStamp: SyncStamp] = [:]
    /// The last stamp that was given in place of one ahead.
    private(set) var clamped: SyncStamp?

    /// How far a stamp may be ahead of the server's clock: 5 minutes.
    static let limitMilliseconds: Int64 = 300_000

    init() {}

    /// - Parameter floor: the replacements are above it.
    init(_ push: SyncPush, limit: SyncStamp, floor: SyncStamp) {
        var ahead: Set<SyncStamp> = [], last = SyncStamp.none
        let look = { (stamp: SyncStamp) in
            if stamp > limit { ahead.insert(stamp) } else { last = max(last, stamp) }
        }
        for change in push.changes {
            for register in change.registers { look(register.entry.stamp) }
            for element in change.elements { look(element.entry.stamp) }
        }
        for stamp in ahead.sorted() {
            last = max(floor, last.successor)
            replaced[stamp] = last
            clamped = last
        }
    }

    func callAsFunction(_ stamp: SyncStamp) -> SyncStamp { replaced.isEmpty ? stamp : replaced[stamp] ?? stamp }
}
