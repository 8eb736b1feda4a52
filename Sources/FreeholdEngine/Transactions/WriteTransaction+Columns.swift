extension WriteTransaction {
    /// Creates many objects from their values property by property: all of them or none.
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
        let (writer, member) = try columnWriter(of: table), count = columns.first?.count ?? 0
        let values = try PlacedColumns(columns, count, member, writer, core.path)
        if count == 0 { return nil }
        let first = values.keys?[0] ?? writer.state.root.nextKey
        try undoing { () throws(FreeholdError) in
            for rows in ColumnInsertion.batches(count) { try insert(rows, values, writer, member) }
        }
        return ObjectKey(first)
    }

    /// Creates many objects from values that `columns` supplies in parts, for callers that hold them in a form of their
    /// own.
    ///
    /// ```swift
    /// try transaction.insert(into: people, count: rows.count) { part in
    ///     [ColumnValues(id, .ints(rows[part].map(\.id))), ColumnValues(name, .strings(rows[part].map(\.name)))]
    /// }
    /// ```
    /// - Parameter columns: gives the values of some objects in the order of their numbers, 0 ..< `count`, about a thousand at a time; of
    ///   none if there is none, to be checked. If objects of the class were read since it was changed last, it is asked for all before the first
    ///   object is made, as the values may be theirs. Nothing of the transaction may be changed in it. What it throws is thrown, and
    ///   no object is made.
    @discardableResult
    public func insert(into table: Table, count: Int,
                       columns: (Range<Int>) throws(FreeholdError) -> [ColumnValues]) throws(FreeholdError) -> ObjectKey? {
        let (writer, member) = try columnWriter(of: table)
        if count <= 0 {
            _ = try PlacedColumns(columns(0..<0), 0, member, writer, core.path)
            return nil
        }
        let parts = ColumnInsertion.batches(count)
        var given: [[ColumnValues]] = []
        // The values may have been read from rows of the class, which move when new rows are added.
        if writer.buffer.hasGivenRows { for part in parts { given.append(try columns(part)) } }
        var first: Int64?
        try undoing { () throws(FreeholdError) in
            for (number, part) in parts.enumerated() {
                let values = try PlacedColumns(number < given.count ? given[number] : columns(part), part.count, member, writer, core.path)
                first = first ?? values.keys?[0] ?? writer.state.root.nextKey
                try insert(0..<part.count, values, writer, member)
            }
        }
        return first.map(ObjectKey.init)
    }

    private func columnWriter(of table: Table) throws(FreeholdError) -> (TableWriter, FamilyMember?) {
        let writer = try own(table), member = try member(of: table, writer)
        if writer.stored.isEmbedded { throw writer.stored.notByItself }
        return (writer, member)
    }

    private func insert(_ rows: Range<Int>, _ values: PlacedColumns, _ writer: TableWriter, _ member: FamilyMember?) throws(FreeholdError) {
        try writer.columns.insert(rows, keys: values.keys, of: member, values.columns) { place, column, value throws(FreeholdError) in
            try fill(writer, place, column, value)
        }
    }
}

/// What one insertion was given, compared with the class.
private struct PlacedColumns {
    private(set) var columns: [PlacedColumn] = []
    /// The object keys asked for; nil where the class gives them.
    private(set) var keys: [Int64]?

    init(_ columns: [ColumnValues], _ count: Int, _ member: FamilyMember?, _ writer: TableWriter, _ path: String) throws(FreeholdError) {
        func refusal(_ what: String) -> FreeholdError {
            FreeholdError(.invalidArgument, "columns of class '\(writer.stored.name)': \(what)", path: path)
        }
        for values in columns {
            let index = try writer.state.index(of: values.column)
            if let complaint = values.complaint(count: count) { throw refusal(complaint) }
            if self.columns.contains(where: { $0.index == index }) { throw refusal("a property is named twice") }
            self.columns.append(PlacedColumn(values, index: index, of: member, writer))
        }
        guard let primary = writer.stored.primaryKey else { return }
        guard let place = self.columns.firstIndex(where: { $0.index == primary }) else { throw refusal("the primary key has no values") }
        guard writer.isKeyedByInteger else { return }
        guard let keys = self.columns.remove(at: place).values.objectKeys else { throw refusal("a value of the primary key is not an int") }
        self.keys = keys
    }
}
