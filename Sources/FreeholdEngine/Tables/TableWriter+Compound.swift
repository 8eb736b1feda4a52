/// Trees over several columns: their keys are those of the columns concatenated, as ordered keys.
///
/// `TableWriter` treats them as other trees, under a column of their own (`StoredIndex.column`). Unique ones are
/// checked when all of a new object's properties are set. An object that has null in one of them equals no other,
/// unless they are the primary key: there null is an ordinary value.
extension TableWriter {
    /// Records the move of a sealed row to its new key in each index; throws if another object has the key in a unique
    /// index.
    func recordChange(of place: RowPlace, _ object: Int64, _ column: Int, to value: Value) throws(FreeholdError) {
        var touched: [StoredIndex] = []
        for index in stored.indexes where index.columns.contains(column) {
            if try state.isFiled(place, in: index) { touched.append(index) }
        }
        for index in touched where index.isUnique {
            try requireFree(try indexes.compoundKey(index, place, replacing: (column, value)), index, owner: object)
        }
        for index in touched { try indexes.record(changeOf: place, index, key: object, column, to: value) }
    }

    /// Makes a row of the buffer the owner of its unique values, or throws; with a column, of the values after that
    /// column is set.
    func claim(_ place: Int, _ column: Int? = nil, _ value: Value = .null) throws(FreeholdError) {
        let object = buffer.keys[place], row = RowPlace.tail(buffer.row(place))
        for index in stored.indexes where column.map({ index.columns.contains($0) }) ?? true {
            guard try state.isFiled(row, in: index) else { continue }
            let key = try indexes.compoundKey(index, row, replacing: column.map { ($0, value) })
            if index.isUnique { try requireFree(key, index, owner: object) }
        }
        for index in stored.indexes where index.isUnique && uniqueRows[index.column] != nil {
            guard try state.isFiled(row, in: index) else { continue }
            let before = try indexes.compoundKey(index, row).key, key = try indexes.compoundKey(index, row, replacing: column.map { ($0, value) }).key
            uniqueRows[index.column]?.replace(.data(before.array), by: .data(key.array), key: object)
        }
    }

    private func requireFree(_ key: (key: ByteBuffer, hasNull: Bool), _ index: StoredIndex, owner: Int64) throws(FreeholdError) {
        if key.hasNull, index != stored.keyIndex { return }
        guard let other = try self.key(of: key.key, in: index, butFor: owner), other != owner else { return }
        throw FreeholdError(.duplicateKey, "class '\(stored.name)' already has an object with the same \(indexes.names(index)): object \(other)")
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
            rows.insert(.data(try indexes.compoundKey(index, .tail(row)).key.array), key: row.key)
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
