/// A list of the server with the pending changes of this file's: what is inserted or moved here follows its neighbour here.
struct ListRebase {
    struct Element {
        enum Source {
            case row(Value)
            /// Embedded objects, as the row has them.
            case message(SyncValue)
            /// The value of this file's list at a place.
            case local(Int)
        }

        let identity: SyncIdentity
        let position: SyncIdentity
        var source: Source
    }

    private(set) var elements: [Element] = []
    private(set) var runs: [IdentityRun] = []
    /// Entries of elements that another device has deleted.
    private(set) var lost: [(act: SyncChange.Act, ranges: [ClosedRange<UInt64>])] = []
    private let listed: ListedIdentities

    init(_ row: [Element], _ local: ListedIdentities, _ pending: PendingElements) {
        listed = local
        let inserted = IdentitySet(pending.identities(.inserted)), moved = IdentitySet(pending.identities(.moved))
        let changed = IdentitySet(pending.identities(.changed)), deleted = IdentitySet(pending.identities(.deleted))
        let known = Set(row.lazy.map(\.identity))
        // A list of successors: what is put in stands behind any element.
        var all: [Element] = [], next: [Int] = [], places: [SyncIdentity: Int] = [:], first = -1, last = -1
        for var one in row where !deleted.contains(one.identity) && !moved.contains(one.identity) && places[one.identity] == nil {
            if changed.contains(one.identity), let index = local.index(of: one.identity) { one.source = .local(index) }
            places[one.identity] = all.count
            if last >= 0 { next[last] = all.count } else { first = 0 }
            last = all.count
            all.append(one)
            next.append(-1)
        }
        var before = -1, index = 0
        for run in local.runs {
            for offset in 0..<run.count {
                let identity = run.first.advanced(by: offset), isKnown = known.contains(identity)
                if (inserted.contains(identity) && !isKnown) || (moved.contains(identity) && isKnown) {
                    places[identity] = all.count
                    next.append(before >= 0 ? next[before] : first)
                    if before >= 0 { next[before] = all.count } else { first = all.count }
                    all.append(Element(identity: identity, position: run.position.advanced(by: offset), source: .local(index)))
                }
                if let place = places[identity] { before = place }
                index += 1
            }
        }
        var at = first
        while at >= 0 {
            elements.append(all[at])
            runs.append(joining: IdentityRun(first: all[at].identity, position: all[at].position, count: 1))
            at = next[at]
        }
        for act in [SyncChange.Act.changed, .moved, .deleted] {
            let gone = pending.identities(act).flatMap { $0.filter { raw in
                let identity = SyncIdentity(rawValue: raw)
                return !known.contains(identity) && !inserted.contains(identity)
            } }
            if !gone.isEmpty { lost.append((act, gone.map { $0...$0 }.joined())) }
        }
    }

    /// Where an element was in this file's list.
    func local(_ identity: SyncIdentity) -> Int? { listed.index(of: identity) }

    /// Positions beside which something is pending, and that do not show any more.
    func vanished(_ pending: PendingElements) -> [ClosedRange<UInt64>] {
        let shown = IdentitySet(runs.map(\.positions).joined())
        var gone: [ClosedRange<UInt64>] = []
        for (change, _) in pending.changes {
            for position in [change.left, change.right] where position != .none && !shown.contains(position) {
                gone.append(position.rawValue...position.rawValue)
            }
        }
        return gone
    }
}

/// A set of identities as disjoint ascending ranges.
private struct IdentitySet {
    let ranges: [ClosedRange<UInt64>]

    init(_ ranges: [ClosedRange<UInt64>]) { self.ranges = ranges }

    func contains(_ identity: SyncIdentity) -> Bool {
        var low = 0, high = ranges.count
        while low < high {
            let middle = (low + high) / 2
            if ranges[middle].upperBound < identity.rawValue { low = middle + 1 } else { high = middle }
        }
        return low < ranges.count && ranges[low].contains(identity.rawValue)
    }
}
