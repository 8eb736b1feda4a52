/// A table with what its rows have in each column.
struct SQLiteScan {
    let table: SQLiteTable
    /// The number of rows.
    private(set) var count = 0
    /// By column.
    private(set) var seen: [SQLiteEvidence]

    init(_ table: SQLiteTable, _ options: SQLiteStoreOptions) {
        self.table = table
        seen = table.columns.map { column in
            SQLiteEvidence(SQLiteTypeChoice.interest(of: column, declared: SQLiteStoreOptions.find(options.types, table, column)))
        }
    }

    /// Reads all rows. After an error, it has those before it.
    mutating func read(_ file: SQLiteFile, _ budget: SQLiteBudget) throws(SourceError) {
        var rows = try file.reader(of: table, after: nil, budget: budget)
        let columns = table.columns.indices.filter { table.columns[$0].generation != .virtual }
        var converted: [UInt8] = []
        while try rows.next() {
            for column in columns { try add(&rows, column, &converted) }
            count += 1
        }
    }

    @inline(__always)
    private mutating func add(_ rows: inout SQLiteRowReader, _ column: Int, _ converted: inout [UInt8]) throws(SourceError) {
        switch try rows.field(column) {
        case .null: seen[column].addNull()
        case .int(let value): seen[column].add(int: value)
        case .real(let value): seen[column].add(real: value)
        case .blob(let bytes): seen[column].add(blob: bytes.count)
        case .text(let bytes):
            if rows.encoding == .utf8 { return seen[column].add(text: bytes) }
            converted.removeAll(keepingCapacity: true)
            SQLiteText.append(bytes, rows.encoding, to: &converted)
            // Safe: the buffer is that of the array, and is not kept.
            converted.withUnsafeBytes { seen[column].add(text: $0) }
        case .spilled(let isText, _):
            if case .long(let long) = try rows.cell(column) { seen[column].add(long: long, isText: isText) }
        case .missing: addCell(try rows.cell(column), column)
        }
    }

    /// Adds a column's default.
    private mutating func addCell(_ cell: SQLiteCell, _ column: Int) {
        switch cell {
        case .null: seen[column].addNull()
        case .int(let value): seen[column].add(int: value)
        case .real(let value): seen[column].add(real: value)
        case .blob(let bytes): seen[column].add(blob: bytes.count)
        case .text(let bytes): bytes.withUnsafeBytes { seen[column].add(text: $0) }  // Safe: the array lives until the call ends.
        case .long(let long): seen[column].add(long: long, isText: long.isText)
        }
    }
}
