extension WriteTransaction {
    /// Makes many objects from their values property by property: all of them or none.
    ///
    /// ```swift
    /// try transaction.insert(into: people, columns: [
    ///     ColumnValues(id, .ints([1, 2])), ColumnValues(name, .strings(["Ada", "Charles"])),
    /// ])
    /// ```
    /// Properties that are not named are null, or the type's zero if required. A class with a primary key needs its values.
    ///
    /// - Returns: the first object's key, if there is one; where the class gives the keys, those of the others follow it.
    /// - Throws: `.invalidArgument` if the columns do not have one value for each object, or name a property twice; what `insert`
    ///   throws for a single object.
    @discardableResult
    public func insert(into table: Table, columns: [ColumnValues]) throws(FreeholdError) -> ObjectKey? {
        let writer = try own(table), member = try member(of: table, writer), count = columns.first?.count ?? 0
        if writer.stored.isEmbedded { throw writer.stored.notByItself }
        var placed: [PlacedColumn] = [], keys: [Int64]?
        for values in columns {
            let index = try writer.state.index(of: values.column)
            if let complaint = values.complaint(count: count) { throw refusal(complaint, writer) }
            if placed.contains(where: { $0.index == index }) { throw refusal("a property is named twice", writer) }
            placed.append(PlacedColumn(values, index: index, of: member, writer))
        }
        if let primary = writer.stored.primaryKey {
            guard let place = placed.firstIndex(where: { $0.index == primary }) else { throw refusal("the primary key has no values", writer) }
            if writer.isKeyedByInteger { keys = try objectKeys(placed.remove(at: place), writer) }
        }
        if count == 0 { return nil }
        let first = keys?[0] ?? writer.state.root.nextKey
        try undoing { () throws(FreeholdError) in
            for start in stride(from: 0, to: count, by: TableWriter.columnBatch) {
                let rows = start..<min(start + TableWriter.columnBatch, count)
                try writer.insert(rows, keys: keys, of: member, placed) { place, column, value throws(FreeholdError) in
                    try fill(writer, place, column, value)
                }
            }
        }
        return ObjectKey(first)
    }

    private func objectKeys(_ column: PlacedColumn, _ writer: TableWriter) throws(FreeholdError) -> [Int64] {
        if column.values.nulls == nil, case .ints(let keys) = column.values.content { return keys }
        var keys: [Int64] = []
        for row in 0..<column.values.count {
            guard case .int(let key) = column.values.value(row, of: .int) else { throw refusal("a value of the primary key is no int", writer) }
            keys.append(key)
        }
        return keys
    }

    private func refusal(_ what: String, _ writer: TableWriter) -> FreeholdError {
        FreeholdError(.invalidArgument, "columns of class '\(writer.stored.name)': \(what)", path: core.path)
    }
}
