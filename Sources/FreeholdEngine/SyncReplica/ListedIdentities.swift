/// The identities of a list's elements, and where they are.
struct ListedIdentities {
    let runs: [IdentityRun]
    /// The places of the first elements of runs, and the runs in the order of their identities.
    private let starts: [Int]
    private let order: [Int]

    init(_ runs: [IdentityRun]) {
        self.runs = runs
        var starts: [Int] = [], next = 0
        for run in runs {
            starts.append(next)
            next += run.count
        }
        self.starts = starts
        order = runs.indices.sorted { runs[$0].first < runs[$1].first }
    }

    /// The place of an element; nil if it is not in the list.
    func index(of identity: SyncIdentity) -> Int? {
        var low = 0, high = order.count
        while low < high {
            let middle = (low + high) / 2
            if runs[order[middle]].last < identity { low = middle + 1 } else { high = middle }
        }
        guard low < order.count, runs[order[low]].identities.contains(identity.rawValue) else { return nil }
        return starts[order[low]] + Int(identity.rawValue - runs[order[low]].first.rawValue)
    }
}

/// What is pending of a list's elements.
struct PendingElements {
    private(set) var changes: [(change: ElementChange, entry: PendingEntry)] = []

    init(_ entries: [PendingEntry]) {
        for entry in entries { if case .element(_, let change) = entry.what { changes.append((change, entry)) } }
    }

    /// The identities that have an entry of an act.
    func identities(_ act: SyncChange.Act) -> [ClosedRange<UInt64>] {
        changes.filter { $0.change.act == act }.map(\.change.identities).joined()
    }

    /// Adds insertions of the elements that have none: those that a new object had from the start.
    mutating func addCreation(_ list: [IdentityRun], _ created: PendingEntry) {
        let inserted = identities(.inserted), moved = identities(.moved)
        let neighbours = OlderNeighbours(list)
        var added: [ElementChange] = []
        for (place, run) in list.enumerated() {
            for part in [run.identities].removing(inserted) {
                let offset = Int(part.lowerBound - run.first.rawValue), own = run.part(offset..<offset + Int(part.count))
                for stays in [part].removing(moved) {
                    let skip = Int(stays.lowerBound - part.lowerBound), staying = own.part(skip..<skip + Int(stays.count))
                    added.append(ElementChange(.inserted, staying, left: neighbours.left(of: staying.position, at: place),
                                               right: neighbours.right(of: staying.lastPosition, at: place)))
                }
            }
        }
        // What was moved on had another position before, beside which nothing stands.
        for range in moved.removing(inserted) {
            for identity in range {
                let one = IdentityRun(SyncIdentity(rawValue: identity), count: 1)
                added.append(ElementChange(.inserted, one, left: .none, right: .none))
            }
        }
        changes += added.map { ($0, created) }
    }
}
