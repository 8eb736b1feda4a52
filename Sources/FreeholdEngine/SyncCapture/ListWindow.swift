/// The identities of consecutive elements of a list, in which other neighbours of pending elements are looked for.
struct ListWindow {
    let runs: [IdentityRun]
    /// Whether the list begins, and ends, with these elements.
    let hasBegin: Bool
    let hasEnd: Bool
    private let ages: PositionAges

    init(_ runs: [IdentityRun], hasBegin: Bool = true, hasEnd: Bool = true, _ ages: PositionAges) {
        (self.runs, self.hasBegin, self.hasEnd, self.ages) = (runs, hasBegin, hasEnd, ages)
    }

    /// The next older neighbours; nil if one of them may be outside of the window. A position that the list does not have gets none.
    ///
    /// - Parameter wanted: ascending by their positions.
    func neighbours(of wanted: [ElementNotes.Wanted]) -> [SyncIdentity]? {
        let older = OlderNeighbours(runs, ages)
        var found: [SyncIdentity] = []
        for (one, place) in zip(wanted, places(of: wanted)) {
            guard let place else {
                if !(hasBegin && hasEnd) { return nil }
                found.append(.none)
                continue
            }
            let neighbour = one.isLeft ? older.left(of: one.own, at: place) : older.right(of: one.own, at: place)
            if neighbour == .none, one.isLeft ? !hasBegin : !hasEnd { return nil }
            found.append(neighbour)
        }
        return found
    }

    /// The runs that have the positions.
    private func places(of wanted: [ElementNotes.Wanted]) -> [Int?] {
        var places = [Int?](repeating: nil, count: wanted.count)
        for (place, run) in runs.enumerated() {
            var low = 0, high = wanted.count
            while low < high {
                let middle = (low + high) / 2
                if wanted[middle].position < run.position.rawValue { low = middle + 1 } else { high = middle }
            }
            while low < wanted.count, wanted[low].position <= run.lastPosition.rawValue {
                places[low] = place
                low += 1
            }
        }
        return places
    }
}
