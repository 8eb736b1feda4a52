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

    /// The element at a place; nil if there is none.
    func identity(at place: Int) -> SyncIdentity? {
        var low = 0, high = starts.count
        while low < high {
            let middle = (low + high) / 2
            if starts[middle] <= place { low = middle + 1 } else { high = middle }
        }
        guard low > 0, place - starts[low - 1] < runs[low - 1].count else { return nil }
        return runs[low - 1].first.advanced(by: place - starts[low - 1])
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

    /// Adds changes within elements that are one value each: such a change is one of the whole element, of which the last one counts.
    mutating func addChanges(within elements: [(identity: SyncIdentity, entry: PendingEntry)]) {
        if elements.isEmpty { return }
        var newest: [UInt64: PendingEntry] = [:], kept: [(change: ElementChange, entry: PendingEntry)] = []
        for (identity, entry) in elements { newest[identity.rawValue] = entry }
        for (change, entry) in changes {
            guard change.act == .changed else {
                kept.append((change, entry))
                continue
            }
            var passed: [ClosedRange<UInt64>] = []
            for identity in change.identities {
                guard let other = newest[identity] else { continue }
                if entry.isEarlier(than: other) { passed.append(identity...identity) } else { newest[identity] = nil }
            }
            for part in [change.identities].removing(passed) { kept.append((ElementChange(.changed, part), entry)) }
        }
        for (identity, entry) in newest.sorted(by: { $0.key < $1.key }) {
            kept.append((ElementChange(.changed, identity...identity), entry))
        }
        changes = kept
    }

    /// Adds insertions of the elements that have none: those that a new object had from the start.
    mutating func addCreation(_ list: [IdentityRun], _ created: PendingEntry, _ ages: PositionAges) {
        let inserted = identities(.inserted), moved = identities(.moved)
        let neighbours = OlderNeighbours(list, ages)
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
