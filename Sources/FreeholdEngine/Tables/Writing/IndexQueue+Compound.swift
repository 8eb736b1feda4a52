/// Trees over several columns: their keys are those of the columns concatenated, as ordered keys.
///
/// The queue treats them as other trees, under a column of their own (`StoredIndex.column`).
extension IndexQueue {
    /// The key of a row, with a column's value replaced by `replacing`; nil where a unique index does not count the
    /// row.
    func compoundKey(_ index: StoredIndex, _ place: RowPlace,
                     replacing: (column: Int, value: Value)? = nil) throws(FreeholdError) -> (key: ByteBuffer, hasNull: Bool) {
        let key = ByteBuffer(capacity: 64)
        var hasNull = false
        for column in index.columns {
            let property = stored.properties[column]
            let value: Value = if let replacing, replacing.column == column { replacing.value }
                else if property.isObjectKey { .int(place.key) } else { try state.value(place, column) }
            if value == .null { hasNull = true }
            if let kind = value.collectionKind {
                throw FreeholdError(.typeMismatch, "property '\(property.name)' of class '\(stored.name)' is part of an index over several "
                    + "properties; a \(kind.name) cannot be")
            }
            key.appendKey(value, of: property.type)
        }
        if key.count > IndexLayout.maximumKeyBytes {
            throw FreeholdError(.valueTooLarge, "the values of an object for the index over \(names(index)) of class '\(stored.name)' "
                + "take \(key.count) bytes; the most is \(IndexLayout.maximumKeyBytes)")
        }
        return (key, hasNull)
    }

    func names(_ index: StoredIndex) -> String {
        index.columns.map { "'\(stored.properties[$0].name)'" }.joined(separator: ", ")
    }

    /// Records every row of the buffer for an index.
    func recordInserts(_ index: StoredIndex) throws(FreeholdError) {
        for place in 0..<buffer.count where try state.isFiled(.tail(buffer.row(place)), in: index) {
            let key = try compoundKey(index, .tail(buffer.row(place))).key
            try waiting(index.column).insert(key.bytes, ObjectKey(buffer.keys[place]))
        }
    }

    /// Records that a sealed row leaves an index.
    func record(removalOf place: RowPlace, _ index: StoredIndex, key object: Int64) throws(FreeholdError) {
        guard try state.isFiled(place, in: index) else { return }
        let key = try compoundKey(index, place).key
        try waiting(index.column).remove(key.bytes, ObjectKey(object))
    }

    /// Fills a new index from the clusters.
    func fill(_ index: StoredIndex) throws(FreeholdError) {
        var cursor = try ClusterCursor(state.root.clusters, in: table.pending.access)
        while let cluster = try cursor.next() {
            for row in 0..<cluster.count where !cluster.isDeleted(row) {
                guard try state.isFiled(.cluster(cluster, row), in: index) else { continue }
                let key = try compoundKey(index, .cluster(cluster, row)).key
                try waiting(index.column).insert(key.bytes, ObjectKey(cluster.key(row)))
            }
        }
    }

    /// The move of a row from one key of an index to another.
    struct Move {
        fileprivate let index: StoredIndex
        fileprivate let old: ByteBuffer
        fileprivate let new: ByteBuffer
    }

    /// The move of a row in an index when a column gets another value.
    func move(of place: RowPlace, _ index: StoredIndex, _ column: Int, to value: Value) throws(FreeholdError) -> Move {
        Move(index: index, old: try compoundKey(index, place).key, new: try compoundKey(index, place, replacing: (column, value)).key)
    }

    /// Records the move of a sealed row.
    func record(_ move: Move, _ object: Int64) throws(FreeholdError) {
        let waiting = try waiting(move.index.column)
        waiting.remove(move.old.bytes, ObjectKey(object))
        waiting.insert(move.new.bytes, ObjectKey(object))
    }
}
