/// Fewer objects than all, where an index tells which are the first.
extension Table {
    /// Among all objects those that may be among the first of an order, in the order of their keys; nil if no index says so cheaply.
    ///
    /// The tree gives sealed objects by value, and the tail's, which it lacks, are all taken. Objects that are equal to the last one
    /// wanted may be ordered by further terms, so all of them are candidates; of an only term's the first by key are enough.
    func candidates(for term: CheckedTerm, isOnly: Bool, limit: Int) throws(FreeholdError) -> [ObjectKey]? {
        guard term.links.isEmpty, isSortedByIndex(term.column) else { return nil }
        if let writer, writer.buffer.count > 4 * TableWriter.tailRows { try writer.seal() }
        var walk = try ValueWalk(index(term.column), term.column, descending: !term.isAscending)
        var found: [ObjectKey] = []
        let mayDiffer = mustSift(term.column), most = 16 * limit + 4096
        while found.count < limit {
            guard let group = try walk.next() else { break }
            var cursor = group, taken = 0
            while !isOnly || found.count < limit, try cursor.next() {
                taken += 1
                if taken > most || found.count > most { return nil }
                if mayDiffer, try !contains(cursor.objectKey) { continue }
                found.append(cursor.objectKey)
            }
        }
        try state.forEachTailRow { row throws(FreeholdError) in
            if try isMeant(.tail(row)) { found.append(ObjectKey(row.key)) }
        }
        return found.sorted()
    }

    /// Whether the tree has all objects, in the order in which they are sorted.
    private func isSortedByIndex(_ column: Column) -> Bool {
        let property = state.stored.properties[column.index]
        guard property.filesAll, !column.isObjectKey, ![.link, .mixed].contains(property.type) else { return false }
        // Objects whose class lacks the property are in no tree.
        return property.owner.map { owner in scope.map { $0.hasAll(of: property) || schemaOf.lineage(of: Int($0.number)).contains(Int(owner)) } ?? false } ?? true
    }
}

/// The values of an index one after the other, from either end, each as a cursor over its objects by key.
private struct ValueWalk {
    private let index: OrderedIndex
    private let isDescending: Bool
    private var ends: IndexCursor
    private var key: [UInt8] = []
    private let bytes = ByteBuffer(capacity: 64)

    init(_ index: OrderedIndex, _ column: Column, descending: Bool) throws(FreeholdError) {
        self.index = index
        isDescending = descending
        ends = try index.cursor(from: nil, to: column.endOfValues?.bytes)
        if descending { ends.moveToEnd() }
    }

    /// The objects of the next value; nil behind the last.
    mutating func next() throws(FreeholdError) -> IndexCursor? {
        guard try isDescending ? ends.previous() : ends.next() else { return nil }
        try ends.copyKey(into: &key)
        bytes.removeAll()
        // Safe: the key is copied at once.
        key.withUnsafeBytes { bytes.append($0) }
        let group = try index.cursor(of: bytes.bytes)
        // On to the last of the value, from which the next step leads to another.
        _ = try ends.move(toRank: isDescending ? group.ranks.lowerBound : group.ranks.upperBound - 1)
        return group
    }
}
