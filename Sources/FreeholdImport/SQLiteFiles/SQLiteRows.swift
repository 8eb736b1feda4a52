/// Reads the rows of a table one after another, and of each the values that are asked for.
///
/// ```swift
/// let rows = try file.rows(of: table, after: nil)
/// while try rows.next() { print(rows.key, try rows.cell(0)) }
/// ```
final class SQLiteRows {
    private var reader: SQLiteRowReader

    init(_ reader: SQLiteRowReader) { self.reader = reader }

    var table: SQLiteTable { reader.table }
    var encoding: SQLiteEncoding { reader.encoding }

    /// The row's rowid; in a table WITHOUT ROWID its position, from 0.
    var key: Int64 { reader.key }

    /// Goes to the next row; false at the end.
    func next() throws(SourceError) -> Bool { try reader.next() }

    /// The value of a column where it lies, valid until another one is asked for.
    func field(_ column: Int) throws(SourceError) -> SQLiteField { try reader.field(column) }

    /// The value of a column.
    func cell(_ column: Int) throws(SourceError) -> SQLiteCell { try reader.cell(column) }
}
