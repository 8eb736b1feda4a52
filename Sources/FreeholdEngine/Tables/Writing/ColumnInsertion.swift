/// Fills new rows column by column: properties are checked once for each column, not for each value.
///
/// Rows are created in batches that stay in the processor's cache. Strings are written as each row is created, because
/// they follow it in memory; values of fixed width follow column by column.
///
/// Safe throughout: a slot is written only after the column's type was compared with the class's own, so it is as wide
/// as the value; rows of the batch are in the buffer, and the caller has compared all counts.
struct ColumnInsertion: TableChange {
    let writer: TableWriter

    private static let batchRows = 1024

    /// Splits `count` rows into batches.
    static func batches(_ count: Int) -> some Collection<Range<Int>> {
        stride(from: 0, to: count, by: batchRows).lazy.map { $0..<min($0 + batchRows, count) }
    }

    /// Creates rows for objects `rows` of the columns.
    ///
    /// - Parameters:
    ///   - keys: the object keys asked for; nil for the next free ones.
    ///   - member: the objects' class, where that extends the table's.
    ///   - fill: sets a value that has to be looked at.
    func insert(_ rows: Range<Int>, keys: [Int64]?, of member: FamilyMember?, _ columns: [PlacedColumn],
                fill: (Int, Int, Value) throws(FreeholdError) -> Void) throws(FreeholdError) {
        let texts = columns.filter { $0.kind == .text }, others = columns.filter { $0.kind == .other }
        if buffer.count + rows.count > TableWriter.bufferRows { try writer.seal() }
        // The position of the first row: the first insertion of a transaction brings rows of the tail into the buffer.
        var first = 0
        for row in rows {
            let place = try writer.insert(key: keys?[row], of: member)
            if row == rows.lowerBound { first = place }
            for column in texts where !column.values.isNull(row) {
                if !appendText(place, row, column) { try fill(place, column.index, column.values.value(row, of: column.slot.type)) }
            }
            // Immediately: the values of unique columns are compared with those of all rows that exist.
            for column in others { try fill(place, column.index, column.values.value(row, of: column.slot.type)) }
        }
        for column in columns {
            switch column.kind {
            case .text: nullTexts(rows, column, from: first)
            case .plain: storeAll(rows, column, from: first)
            case .other: break
            }
        }
        if stored.indexes.isEmpty { return }
        for row in rows { try writer.claims.claimKeys(first + row - rows.lowerBound, in: writer) }
    }

    private func appendText(_ place: Int, _ row: Int, _ column: PlacedColumn) -> Bool {
        func append(_ bytes: UnsafeRawBufferPointer) -> Bool {
            if bytes.count > Int(column.slot.longestText) { return false }
            if buffer.appendText(place, column.index, slot: Int(column.slot.offset), bytes) { return true }
            guard buffer.row(place).length + bytes.count <= RowLayout.maximumBytes else { return false }
            buffer.setText(place, column.index, layout, to: bytes)
            return true
        }
        switch column.values.content {
        case .strings(let values):
            var text = values[row]
            return text.withUTF8 { append(UnsafeRawBufferPointer($0)) }
        case .texts(let bytes, let ends):
            let start = row == 0 ? 0 : ends[row - 1]
            return bytes.withUnsafeBytes { append(UnsafeRawBufferPointer(rebasing: $0[start..<ends[row]])) }
        default: return false
        }
    }

    /// Rows begin with null where that is the default, which a required property never has.
    private func nullTexts(_ rows: Range<Int>, _ column: PlacedColumn, from first: Int) {
        guard column.values.nulls != nil else { return }
        for row in rows where column.values.isNull(row) { buffer.setNull(first + row - rows.lowerBound, column.index, true) }
    }

    private func storeAll(_ rows: Range<Int>, _ column: PlacedColumn, from first: Int) {
        switch column.values.content {
        case .ints(let values) where column.slot.type == .date:
            store(rows, column, first) { row, slot in
                slot.storeBytes(of: values[row], as: Int64.self)
                slot.storeBytes(of: 0, toByteOffset: 8, as: Int32.self)
            }
        case .ints(let values): store(rows, column, first) { $1.storeBytes(of: values[$0], as: Int64.self) }
        case .doubles(let values): store(rows, column, first) { $1.storeBytes(of: values[$0], as: Double.self) }
        case .floats(let values): store(rows, column, first) { $1.storeBytes(of: values[$0], as: Float.self) }
        case .bools(let values): store(rows, column, first) { $1.storeBytes(of: values[$0] ? 1 : 0, as: UInt8.self) }
        case .dates(let values):
            store(rows, column, first) { row, slot in
                slot.storeBytes(of: values[row].seconds, as: Int64.self)
                slot.storeBytes(of: values[row].nanoseconds, toByteOffset: 8, as: Int32.self)
            }
        case .strings, .texts, .values: break
        }
    }

    @inline(__always)
    private func store(_ rows: Range<Int>, _ column: PlacedColumn, _ first: Int, _ put: (Int, UnsafeMutableRawPointer) -> Void) {
        let offset = Int(column.slot.offset), isNullable = column.isNullable
        for row in rows {
            let place = first + row - rows.lowerBound
            let isNull = column.values.isNull(row)
            if !isNull { put(row, buffer.mutableRow(place) + offset) }
            if isNullable { buffer.setNull(place, column.index, isNull) }
        }
    }
}

/// A column's values and how they are written. A class, because it is read for each value: a copy would count its
/// arrays each time.
final class PlacedColumn {
    enum Kind { case plain, text, other }

    let values: ColumnValues
    let index: Int
    let slot: RowSlot
    let isNullable: Bool
    let kind: Kind

    init(_ values: ColumnValues, index: Int, of member: FamilyMember?, _ writer: TableWriter) {
        self.values = values
        self.index = index
        slot = (member?.template ?? writer.template).slot(index)
        let property = writer.stored.properties[index]
        isNullable = property.isNullable
        // Nulls given for a required property are found one by one.
        let mayBeNull = values.nulls?.contains { $0 != 0 } ?? false
        if mayBeNull && !isNullable {
            kind = .other
            return
        }
        switch (values.content, property.type) {
        case (.ints, .int), (.ints, .date), (.doubles, .double), (.floats, .float), (.bools, .bool), (.dates, .date):
            kind = slot.isPlain ? .plain : .other
        case (.strings, .string), (.texts, .string), (.texts, .data): kind = slot.longestText >= 0 ? .text : .other
        default: kind = .other
        }
    }
}
