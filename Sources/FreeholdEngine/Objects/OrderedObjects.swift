/// The objects of a range of an index and of the tail, merged in one order.
struct OrderedObjects {
    private let table: Table
    private let descending: Bool
    /// Whether the tree may have objects that are not of the class.
    private let isSifted: Bool
    private var cursor: IndexCursor
    /// The remaining objects of the tail, in the order of the walk.
    private var waiting: ArraySlice<KeyedObject>
    /// What was returned last: the rank of a posting, or an object of the tail.
    private var lastRank: Int?
    private var lastInTail: KeyedObject?

    /// - Parameter tail: the objects of the tail that belong to the range, in any order.
    init(_ table: Table, _ cursor: IndexCursor, _ tail: [KeyedObject], descending: Bool, isSifted: Bool) throws(FreeholdError) {
        self.table = table
        self.descending = descending
        self.isSifted = isSifted
        self.cursor = cursor
        var rows = tail
        if isSifted {
            rows = []
            for row in tail { if try table.contains(row.object) { rows.append(row) } }
        }
        waiting = rows.sorted { descending ? $1 < $0 : $0 < $1 }[...]
        if descending { self.cursor.moveToEnd() }
    }

    /// The next objects, at most `limit`; fewer only at the end.
    mutating func take(_ limit: Int) throws(FreeholdError) -> [ObjectKey] {
        var found: [ObjectKey] = [], rank: Int?
        // Safe: in a damaged tree the ranks may be anything; it is only room.
        found.reserveCapacity(max(0, min(limit, cursor.ranks.upperBound &- cursor.ranks.lowerBound, 1 << 16)))
        while found.count < limit, try descending ? cursor.previous() : cursor.next() {
            if isSifted, try !table.contains(cursor.objectKey) { continue }
            if !waiting.isEmpty {
                let sealed = KeyedObject(key: try cursor.key(), object: cursor.objectKey)
                while let tail = waiting.first, descending ? sealed < tail : tail < sealed, found.count < limit {
                    takeFromTail(&found)
                    rank = nil
                }
            }
            if found.count < limit {
                found.append(cursor.objectKey)
                rank = cursor.rank
            }
        }
        while found.count < limit, !waiting.isEmpty {
            takeFromTail(&found)
            rank = nil
        }
        if !found.isEmpty { lastRank = rank }
        try table.state.access.requireIntactMapping()
        return found
    }

    private mutating func takeFromTail(_ found: inout [ObjectKey]) {
        guard let tail = waiting.popFirst() else { return }
        found.append(tail.object)
        lastInTail = tail
    }

    /// The position of the object returned last; nil if there is none. Nothing can be taken afterwards.
    mutating func last() throws(FreeholdError) -> KeyedObject? {
        guard let lastRank else { return lastInTail }
        guard try cursor.move(toRank: lastRank) else { return nil }
        return KeyedObject(key: try cursor.key(), object: cursor.objectKey)
    }
}
