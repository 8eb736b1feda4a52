/// One object that differs between two versions of its class.
struct ObjectDifference {
    enum Kind { case inserted, deleted, changed, replaced }
    let kind: Kind
    let key: Int64
    /// The old row, unless the object was inserted, and the new one, unless it was deleted.
    let old: RowPlace?
    let new: RowPlace?
    /// The columns of the newer version whose values differ, if the object was changed.
    let columns: ColumnSet
}

/// A cursor over the differences between two versions of a class, in key order.
struct ChangeCursor {
    private var old: ChangeSide
    private var new: ChangeSide
    private let pairing: ColumnPairing
    /// The older version's number: an object created again after it is another one.
    private let since: UInt64
    /// The rows of two clusters, compared; the changed ones are returned next.
    private var run: ComparedRun?

    init(old: TableState, new: TableState, _ pairing: ColumnPairing, since: UInt64) throws(FreeholdError) {
        self.old = try ChangeSide(old, against: new)
        self.new = try ChangeSide(new, against: old)
        self.pairing = pairing
        self.since = since
        if pairing.isSame { ChangeSide.skipSameTailRows(&self.old, &self.new, since: since) }
    }

    /// The next difference, or nil at the end.
    mutating func next() throws(FreeholdError) -> ObjectDifference? {
        while true {
            if run != nil, let found = nextOfRun() { return found }
            let oldKey = old.key, newKey = new.key
            if try step(until: minimum(oldKey, newKey)) { continue }
            switch (oldKey, newKey) {
            case (nil, nil): return nil
            case (let key?, let other) where other == nil || key < other!:
                defer { old.advance() }
                return ObjectDifference(kind: .deleted, key: key, old: old.place, new: nil, columns: ColumnSet())
            case (let other, let key?) where other == nil || key < other!:
                defer { new.advance() }
                return ObjectDifference(kind: .inserted, key: key, old: nil, new: new.place, columns: ColumnSet())
            default:
                if let found = try compareCommon(newKey!) { return found }
            }
        }
    }

    /// Counts the remaining objects that differ.
    mutating func count() throws(FreeholdError) -> (inserted: Int, deleted: Int, changed: Int, replaced: Int) {
        var counts = (inserted: 0, deleted: 0, changed: 0, replaced: 0)
        while true {
            if run == nil, old.isAtEnd { counts.inserted += try new.countRest() }
            if run == nil, new.isAtEnd { counts.deleted += try old.countRest() }
            if run == nil, old.walk.head == nil, new.walk.head == nil, old.isAtEnd || new.isAtEnd { return counts }
            guard let found = try next() else { return counts }
            switch found.kind {
            case .inserted: counts.inserted += 1
            case .deleted: counts.deleted += 1
            case .changed: counts.changed += 1
            case .replaced: counts.replaced += 1
            }
        }
    }

    private func minimum(_ left: Int64?, _ right: Int64?) -> Int64? {
        guard let left, let right else { return left ?? right }
        return min(left, right)
    }

    /// Advances the walks if one of their heads may hold keys up to `key` (nil: any); false if none does.
    private mutating func step(until key: Int64?) throws(FreeholdError) -> Bool {
        TreeWalk.skipCommon(&old.walk, &new.walk)
        let left = old.walk.head, right = new.walk.head
        if let left, let right, left.firstKey == right.firstKey {
            if key.map({ left.firstKey > $0 }) ?? false { return false }
            if left.reference.isSameBlock(as: right.reference) {
                old.walk.skip()
                new.walk.skip()
            } else {
                if left.level >= right.level { try Self.open(left, of: &old) }
                if right.level >= left.level { try Self.open(right, of: &new) }
            }
            return true
        }
        if let left, right.map({ left.firstKey < $0.firstKey }) ?? true {
            if key.map({ left.firstKey > $0 }) ?? false { return false }
            try Self.open(left, of: &old)
        } else if let right {
            if key.map({ right.firstKey > $0 }) ?? false { return false }
            try Self.open(right, of: &new)
        } else {
            return false
        }
        return true
    }

    private static func open(_ head: TreeWalk.Head, of side: inout ChangeSide) throws(FreeholdError) {
        if head.level > 0 { try side.walk.enter(head) } else { try side.load(head) }
    }

    /// Compares the object that both versions have under `key`; if both have it in a cluster, also those that follow.
    private mutating func compareCommon(_ key: Int64) throws(FreeholdError) -> ObjectDifference? {
        if old.isInCluster, new.isInCluster, let left = old.cluster, let right = new.cluster {
            let limit = minimum(old.tailKey, new.tailKey)
            let made = try ComparedRun(LeafComparison(old: old.state, left, new: new.state, right), old.row, new.row, below: limit, pairing,
                                       since: since)
            old.advance(rows: made.count)
            new.advance(rows: made.count)
            if !made.changed.isEmpty { run = made }
            return nil
        }
        let before = old.place!, after = new.place!
        defer {
            old.advance()
            new.advance()
        }
        if max(old.incarnation, new.incarnation) > since {
            return ObjectDifference(kind: .replaced, key: key, old: before, new: after, columns: ColumnSet())
        }
        let columns = try PlaceComparison(old: old.state, new: new.state, pairing).columns(before, after)
        return columns.isEmpty ? nil
            : ObjectDifference(kind: .changed, key: key, old: before, new: after, columns: columns)
    }

    private mutating func nextOfRun() -> ObjectDifference? {
        guard let row = run?.changed.removeFirst(), let run else {
            self.run = nil
            return nil
        }
        return run.difference(row)
    }
}
