/// What was done to consecutive elements of a list, which is not yet known to be known by the server.
struct ElementChange: Equatable {
    let act: SyncChange.Act
    var first: SyncIdentity
    var last: SyncIdentity
    /// Of what was inserted or moved: the new position of the first, those of the others follow it. Else none.
    var position = SyncIdentity.none
    /// The position on the left of the first at the commit; each of the others stands right of the one before it.
    var left = SyncIdentity.none
    /// The position on the right of all of them at the commit.
    var right = SyncIdentity.none

    var identities: ClosedRange<UInt64> { first.rawValue...last.rawValue }
    var count: Int { Int(last.rawValue - first.rawValue) + 1 }

    /// The positions of what was inserted or moved.
    var positions: ClosedRange<UInt64>? { position == .none ? nil : position.rawValue...position.advanced(by: count - 1).rawValue }

    init(_ act: SyncChange.Act, _ identities: ClosedRange<UInt64>) {
        self.act = act
        (first, last) = (SyncIdentity(rawValue: identities.lowerBound), SyncIdentity(rawValue: identities.upperBound))
    }

    init(_ act: SyncChange.Act, _ run: IdentityRun, left: SyncIdentity, right: SyncIdentity) {
        self.init(act, run.identities)
        (position, self.left, self.right) = (run.position, left, right)
    }

    /// Some of the elements: the first of them stands right of the one that was before it.
    func part(_ identities: ClosedRange<UInt64>) -> ElementChange {
        var part = self
        let offset = Int(identities.lowerBound - first.rawValue)
        (part.first, part.last) = (SyncIdentity(rawValue: identities.lowerBound), SyncIdentity(rawValue: identities.upperBound))
        if position != .none {
            part.position = position.advanced(by: offset)
            if offset > 0 { part.left = position.advanced(by: offset - 1) }
        }
        return part
    }
}

/// What is pending of one list's elements, while a commit changes it.
///
/// 1. Of an element and an act there is one entry.
/// 2. What was inserted or moved stands between two positions that show and were there before it, or an end of the list. If one of them
///    goes, the next one that is older than the inserted element stands for it: so a batch names no position that was never sent. If the
///    element itself was moved on, nothing stands beside its first position.
struct ElementNotes {
    struct Note: Equatable {
        var change: ElementChange
        var stamp: SyncStamp
        var origin: PendingOrigin
        /// Whether its tree has it.
        var isStored: Bool
    }

    /// By act, ascending.
    private var notes: [[Note]] = [[], [], [], []]
    /// Entries that the tree has, and that are not true any more.
    private(set) var dropped: [Note] = []
    /// Positions that do not show any more.
    private var vanished: [ClosedRange<UInt64>] = []
    /// By act, the first elements of entries that were added.
    private var loaded: [Set<UInt64>] = [[], [], [], []]

    init() {}

    /// Adds an entry of the tree, unless it was added before.
    mutating func load(_ change: ElementChange, _ stamp: SyncStamp, _ origin: PendingOrigin) {
        if !loaded[Int(change.act.rawValue)].insert(change.first.rawValue).inserted { return }
        notes[Int(change.act.rawValue)].append(Note(change: change, stamp: stamp, origin: origin, isStored: true))
    }

    mutating func add(_ change: ElementChange, _ stamp: SyncStamp, _ origin: PendingOrigin) {
        notes[Int(change.act.rawValue)].append(Note(change: change, stamp: stamp, origin: origin, isStored: false))
    }

    /// Entries that the tree does not have.
    var added: [Note] { notes.flatMap { $0 }.filter { !$0.isStored } }

    mutating func vanish(_ positions: ClosedRange<UInt64>) { vanished.append(positions) }

    /// Takes elements, as disjoint ascending ranges, out of the entries of an act; returns what was noted of them.
    mutating func take(_ act: SyncChange.Act, _ ranges: [ClosedRange<UInt64>]) -> [Note] {
        var kept: [Note] = [], taken: [Note] = [], next = 0
        for note in notes[Int(act.rawValue)].sorted(by: { $0.change.first < $1.change.first }) {
            let all = note.change.identities
            while next < ranges.count, ranges[next].upperBound < all.lowerBound { next += 1 }
            guard next < ranges.count, ranges[next].lowerBound <= all.upperBound else {
                kept.append(note)
                continue
            }
            if note.isStored { dropped.append(note) }
            var low = all.lowerBound, index = next
            func part(_ identities: ClosedRange<UInt64>) -> Note {
                Note(change: note.change.part(identities), stamp: note.stamp, origin: note.origin, isStored: false)
            }
            while index < ranges.count, ranges[index].lowerBound <= all.upperBound {
                let cut = max(ranges[index].lowerBound, all.lowerBound)...min(ranges[index].upperBound, all.upperBound)
                if low < cut.lowerBound { kept.append(part(low...cut.lowerBound - 1)) }
                taken.append(part(cut))
                low = cut.upperBound + 1
                index += 1
            }
            if low <= all.upperBound { kept.append(part(low...all.upperBound)) }
        }
        notes[Int(act.rawValue)] = kept
        return taken
    }

    /// Nothing stands beside the first position of an element that was moved on, and this beside nothing.
    ///
    /// - Parameter moved: elements, as disjoint ascending ranges.
    mutating func leaveFirstPositions(_ moved: [ClosedRange<UInt64>]) {
        if moved.isEmpty { return }
        for note in take(.inserted, moved) {
            if let positions = note.change.positions { vanish(positions) }
            for identity in note.change.identities {
                var alone = note.change.part(identity...identity)
                (alone.left, alone.right) = (.none, .none)
                add(alone, note.stamp, note.origin)
            }
        }
    }

    // MARK: Neighbours

    private func hasVanished(_ position: SyncIdentity, _ sorted: [ClosedRange<UInt64>]) -> Bool {
        if position == .none { return false }
        var low = 0, high = sorted.count
        while low < high {
            let middle = (low + high) / 2
            if sorted[middle].upperBound < position.rawValue { low = middle + 1 } else { high = middle }
        }
        return low < sorted.count && sorted[low].contains(position.rawValue)
    }

    /// Finds other neighbours for what stood beside positions that do not show any more.
    ///
    /// - Parameter window: finds the identities of the list as it is after the commit, around what was changed: the wider, the higher
    ///   the number that it is called with.
    mutating func moveNeighbours(in window: (Int) throws(FreeholdError) -> ListWindow) throws(FreeholdError) {
        if vanished.isEmpty { return }
        let sorted = vanished.joined()
        var wanted: [Wanted] = []
        for act in [SyncChange.Act.inserted, .moved].map({ Int($0.rawValue) }) {
            for (index, note) in notes[act].enumerated() {
                guard let positions = note.change.positions else { continue }
                let own = note.change.position
                func wants(_ side: WritableKeyPath<ElementChange, SyncIdentity>, _ position: UInt64) {
                    if !hasVanished(note.change[keyPath: side], sorted) { return }
                    wanted.append(Wanted(position: position, own: own, act: act, index: index, isLeft: side == \.left))
                }
                wants(\.left, positions.lowerBound)
                wants(\.right, positions.upperBound)
            }
        }
        if wanted.isEmpty { return }
        wanted.sort { $0.position < $1.position }
        var width = 1, found: [SyncIdentity]?
        while found == nil {
            found = try window(width).neighbours(of: wanted)
            width *= 8
        }
        for (one, neighbour) in zip(wanted, found ?? []) {
            var note = notes[one.act][one.index]
            if note.isStored { dropped.append(note) }
            note.isStored = false
            if one.isLeft { note.change.left = neighbour } else { note.change.right = neighbour }
            notes[one.act][one.index] = note
        }
    }

    /// A neighbour that is looked for.
    struct Wanted {
        /// The position that it stands beside: the first or the last of an entry.
        let position: UInt64
        /// The first position of the entry.
        let own: SyncIdentity
        fileprivate let act: Int
        fileprivate let index: Int
        let isLeft: Bool
    }
}

extension [ClosedRange<UInt64>] {
    /// Disjoint ascending ranges of these numbers.
    func joined() -> [ClosedRange<UInt64>] {
        var joined: [ClosedRange<UInt64>] = []
        for range in sorted(by: { $0.lowerBound < $1.lowerBound }) {
            if let last = joined.last, range.lowerBound <= last.upperBound || range.lowerBound == last.upperBound + 1 {
                joined[joined.count - 1] = last.lowerBound...Swift.max(last.upperBound, range.upperBound)
            } else {
                joined.append(range)
            }
        }
        return joined
    }

    /// These numbers without those of other ranges; both are disjoint and ascend.
    func removing(_ others: [ClosedRange<UInt64>]) -> [ClosedRange<UInt64>] {
        var left: [ClosedRange<UInt64>] = [], next = 0
        for range in self {
            var low = range.lowerBound, isOver = false
            while next < others.count, others[next].upperBound < low { next += 1 }
            var index = next
            while index < others.count, others[index].lowerBound <= range.upperBound, !isOver {
                if low < others[index].lowerBound { left.append(low...others[index].lowerBound - 1) }
                if others[index].upperBound >= range.upperBound { isOver = true } else { low = others[index].upperBound + 1 }
                index += 1
            }
            if !isOver { left.append(low...range.upperBound) }
        }
        return left
    }
}
