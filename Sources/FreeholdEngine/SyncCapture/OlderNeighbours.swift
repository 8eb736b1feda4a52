/// The positions of a list beside which others were made: older ones (`PositionAges`).
///
/// Finding them for all runs of a list takes time in proportion to the runs: a search passes over runs whose own neighbours are known.
struct OlderNeighbours {
    private let runs: [IdentityRun]
    private let ages: PositionAges
    /// The next run with an older position, on the left of each run's first element and on the right of its last one.
    private var onLeft: [Int] = [], onRight: [Int] = []

    init(_ runs: [IdentityRun], _ ages: PositionAges) {
        self.runs = runs
        self.ages = ages
        onLeft.reserveCapacity(runs.count)
        for place in runs.indices { onLeft.append(left(of: runs[place].position, from: place - 1)) }
        onRight = [Int](repeating: runs.count, count: runs.count)
        for place in runs.indices.reversed() { onRight[place] = right(of: runs[place].lastPosition, from: place + 1) }
    }

    /// The next older position on the left of one that is in the run at a place; `none` at the list's begin.
    func left(of position: SyncIdentity, at place: Int) -> SyncIdentity {
        if runs[place].position < position { return SyncIdentity(rawValue: position.rawValue - 1) }
        let found = onLeft[place]
        return found < 0 ? .none : runs[found].lastPosition
    }

    /// The next older position on the right of one that is in the run at a place; `none` at the list's end.
    func right(of position: SyncIdentity, at place: Int) -> SyncIdentity {
        let found = position == runs[place].lastPosition ? onRight[place] : right(of: position, from: place + 1)
        return found == runs.count ? .none : runs[found].position
    }

    private func left(of position: SyncIdentity, from place: Int) -> Int {
        var found = place
        while found >= 0, !ages.isOlder(runs[found].lastPosition, than: position) { found = onLeft[found] }
        return found
    }

    private func right(of position: SyncIdentity, from place: Int) -> Int {
        var found = place
        while found < runs.count, !ages.isOlder(runs[found].position, than: position) { found = onRight[found] }
        return found
    }
}
