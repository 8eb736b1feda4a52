/// Trees over several columns: their keys are those of the columns concatenated, as ordered keys.
///
/// `TableWriter` treats them as other trees, under a column of their own (`StoredIndex.column`). Unique ones are
/// checked when all of a new object's properties are set. An object that has null in one of them equals no other,
/// unless they are the primary key: there null is an ordinary value.
extension TableWriter {
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

    private func names(_ index: StoredIndex) -> String {
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
        var cursor = try ClusterCursor(state.root.clusters, in: pending.access)
        while let cluster = try cursor.next() {
            for row in 0..<cluster.count where !cluster.isDeleted(row) {
                guard try state.isFiled(.cluster(cluster, row), in: index) else { continue }
                let key = try compoundKey(index, .cluster(cluster, row)).key
                try waiting(index.column).insert(key.bytes, ObjectKey(cluster.key(row)))
            }
        }
    }

    /// Records the move of a sealed row to its new key in each index; throws if another object has the key in a unique
    /// index.
    func recordChange(of place: RowPlace, _ object: Int64, _ column: Int, to value: Value) throws(FreeholdError) {
        var indexes: [StoredIndex] = []
        for index in stored.indexes where index.columns.contains(column) {
            if try state.isFiled(place, in: index) { indexes.append(index) }
        }
        for index in indexes where index.isUnique {
            try requireFree(try compoundKey(index, place, replacing: (column, value)), index, owner: object)
        }
        for index in indexes {
            let old = try compoundKey(index, place).key, new = try compoundKey(index, place, replacing: (column, value)).key
            try waiting(index.column).remove(old.bytes, ObjectKey(object))
            try waiting(index.column).insert(new.bytes, ObjectKey(object))
        }
    }

    /// Makes a row of the buffer the owner of its unique values, or throws; with a column, of the values after that
    /// column is set.
    func claim(_ place: Int, _ column: Int? = nil, _ value: Value = .null) throws(FreeholdError) {
        let object = buffer.keys[place], row = RowPlace.tail(buffer.row(place))
        for index in stored.indexes where column.map({ index.columns.contains($0) }) ?? true {
            guard try state.isFiled(row, in: index) else { continue }
            let key = try compoundKey(index, row, replacing: column.map { ($0, value) })
            if index.isUnique { try requireFree(key, index, owner: object) }
        }
        for index in stored.indexes where index.isUnique && uniqueRows[index.column] != nil {
            guard try state.isFiled(row, in: index) else { continue }
            let before = try compoundKey(index, row).key, key = try compoundKey(index, row, replacing: column.map { ($0, value) }).key
            uniqueRows[index.column]?.replace(.data(before.array), by: .data(key.array), key: object)
        }
    }

    private func requireFree(_ key: (key: ByteBuffer, hasNull: Bool), _ index: StoredIndex, owner: Int64) throws(FreeholdError) {
        if key.hasNull, index != stored.keyIndex { return }
        guard let other = try self.key(of: key.key, in: index, butFor: owner), other != owner else { return }
        throw FreeholdError(.duplicateKey, "class '\(stored.name)' already has an object with the same \(names(index)): object \(other)")
    }

    /// The object with this key in an index.
    func key(of key: ByteBuffer, in index: StoredIndex, butFor owner: Int64? = nil) throws(FreeholdError) -> Int64? {
        if uniqueRows[index.column] == nil { try gatherUnique(index, butFor: owner) }
        if let found = uniqueRows[index.column]?.find(.data(key.array)) { return found }
        return try OrderedIndex(root: self.index(index.column), access: pending.access).first(key.bytes)?.rawValue
    }

    /// Collects the rows of the tail; rows that are being filled are checked when that is done.
    private func gatherUnique(_ index: StoredIndex, butFor owner: Int64?) throws(FreeholdError) {
        var rows = UniqueRows()
        try state.forEachTailRow { row throws(FreeholdError) in
            if row.key == owner || beingFilled.contains(row.key) { return }
            guard try state.isFiled(.tail(row), in: index) else { return }
            rows.insert(.data(try compoundKey(index, .tail(row)).key.array), key: row.key)
        }
        uniqueRows[index.column] = rows
    }
}

extension RowPlace {
    /// The object's key.
    var key: Int64 {
        switch self {
        case .cluster(let cluster, let row): cluster.key(row)
        case .tail(let row): row.key
        }
    }
}
