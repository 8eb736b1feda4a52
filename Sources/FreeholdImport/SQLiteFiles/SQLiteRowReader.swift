/// Reads the rows of a table, as `SQLiteRows` does, for readers of many: a value that belongs to one of them.
///
///     record: | header's count | serial type | serial type | … | value | value | …
///
/// Safe throughout: a record is in a page or in `whole`, which the tree and the record have checked to hold it, and a field
/// is given only if it ends within the record.
struct SQLiteRowReader {
    let table: SQLiteTable
    let encoding: SQLiteEncoding
    private var tree: SQLiteTree
    private var record: SQLiteRecord
    /// The table's columns: position in the record, -1 for virtual ones, and -2 for the rowid.
    private let places: [Int]
    private let isReal: [Bool]
    private let isWithoutRowid: Bool
    private var ordinal: Int64 = -1
    /// The row's rowid; in a table WITHOUT ROWID its position, from 0.
    private(set) var key: Int64 = 0

    init(_ pages: SQLitePages, _ table: SQLiteTable, after key: Int64?, budget: SQLiteBudget? = nil) throws(SourceError) {
        self.table = table
        encoding = pages.header.encoding
        isWithoutRowid = table.isWithoutRowid
        tree = SQLiteTree(pages, root: table.rootPage, isIndex: isWithoutRowid, budget: budget ?? SQLiteBudget(pages))
        record = SQLiteRecord(pages, columnCount: table.storedCount)
        places = table.columns.enumerated().map { $0.offset == table.rowidColumn ? -2 : $0.element.place ?? -1 }
        isReal = table.columns.map { $0.affinity == .real }
        try tree.start(after: isWithoutRowid ? nil : key)
        while isWithoutRowid, let key, ordinal < key {
            guard try tree.next() else { break }
            ordinal += 1
        }
    }

    /// Goes to the next row; false at the end.
    @inline(__always)
    mutating func next() throws(SourceError) -> Bool {
        guard try tree.next() else { return false }
        if isWithoutRowid {
            ordinal += 1
            key = ordinal
        } else {
            key = tree.entry.rowid
        }
        try record.read(tree.entry)
        return true
    }

    /// The value of a column where it lies, valid until another one is asked for.
    @inline(__always)
    mutating func field(_ column: Int) throws(SourceError) -> SQLiteField {
        let place = places[column]
        if place < 0 { return place == -2 ? .int(key) : .null }
        let field = try record.field(place)
        // Whole numbers are stored as integers to save space.
        if isReal[column], case .int(let value) = field { return .real(Double(value)) }
        return field
    }

    /// The bytes that the row takes, of which a page has at least the first ones.
    var byteCount: Int { tree.entry.count }

    /// The value of a column.
    mutating func cell(_ column: Int) throws(SourceError) -> SQLiteCell {
        switch try field(column) {
        case .null: return .null
        case .int(let value): return .int(value)
        case .real(let value): return .real(value)
        case .text(let bytes):
            if encoding == .utf8 { return .text(Array(bytes)) }
            var text: [UInt8] = []
            SQLiteText.append(bytes, encoding, to: &text)
            guard text.count > SourceLimits.shortBytes else { return .text(text) }
            return .long(try SQLiteLongValue.text(SQLiteRecordPart(.bytes(Array(bytes)), 0..<bytes.count), encoding))
        case .blob(let bytes): return .blob(Array(bytes))
        case .spilled(let isText, let range):
            let part = record.part(range)
            return .long(isText ? try SQLiteLongValue.text(part, encoding) : SQLiteLongValue.bytes(part))
        case .missing:
            if case .value(let cell) = table.columns[column].fallback { return cell }
            throw unknownDefault(table.columns[column].name)
        }
    }

    /// UPDATE writes whole rows, with the defaults of columns that they do not have; VACUUM copies them as they are.
    private func unknownDefault(_ column: String) -> SourceError {
        SourceError(.unsupported, "the table '\(table.name)' has rows from before its column '\(column)' was added, and the column's "
            + "default is an expression that is not computed here; store it in the rows with SQLite: "
            + "UPDATE \"\(table.name)\" SET \"\(column)\" = \"\(column)\"")
    }
}
