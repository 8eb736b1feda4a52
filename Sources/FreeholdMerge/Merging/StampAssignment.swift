import FreeholdEngine

/// The stamps that the server gives to a batch: those ahead of its clock are replaced, in their order, and above what their writer had
/// seen. A stamp that another file has brought before, with a copy of the same pending changes, is replaced as it was then.
struct StampAssignment {
    /// A stamp as a replica has given it.
    struct Given: Hashable, Sendable {
        let replica: UInt32
        let stamp: SyncStamp
    }

    private var replaced: [Given: SyncStamp] = [:]
    /// The stamps that were given now in place of ones ahead.
    private(set) var fresh: [(given: Given, stamp: SyncStamp)] = []

    /// How far a stamp may be ahead of the server's clock: 5 minutes.
    static let limitMilliseconds: Int64 = 300_000

    init() {}

    /// - Parameters:
    ///   - floor: the replacements are above it.
    ///   - earlier: what has replaced a stamp of a replica (a number of the message) before: it does so again, also when the stamp is not
    ///     ahead any more.
    init(_ push: SyncPush, limit: SyncStamp, floor: SyncStamp, earlier: (Given) -> SyncStamp?) {
        var ahead: Set<Given> = [], last = SyncStamp.none
        func note(_ entry: SyncEntry) {
            let given = Given(replica: entry.replica, stamp: entry.stamp)
            if entry.stamp > limit || earlier(given) != nil {
                ahead.insert(given)
            } else {
                last = max(last, entry.stamp)
            }
        }
        for change in push.changes {
            for register in change.registers { note(register.entry) }
            for element in change.elements { note(element.entry) }
        }
        for given in ahead.sorted(by: { ($0.stamp, $0.replica) < ($1.stamp, $1.replica) }) {
            if let stamp = earlier(given) {
                replaced[given] = stamp
                last = max(last, stamp)
            } else {
                last = max(floor, last.successor)
                replaced[given] = last
                fresh.append((given, last))
            }
        }
    }

    func callAsFunction(_ entry: SyncEntry) -> SyncStamp {
        replaced.isEmpty ? entry.stamp : replaced[Given(replica: entry.replica, stamp: entry.stamp)] ?? entry.stamp
    }
}
