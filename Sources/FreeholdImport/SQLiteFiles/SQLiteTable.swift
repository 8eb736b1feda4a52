import FreeholdEngine

/// A table of a database, as the text that created it says.
public struct SQLiteTable: Sendable {
    public let name: String
    public let columns: [SQLiteColumn]
    /// The text that created it.
    let sql: String
    /// The first page of its rows.
    let rootPage: UInt32
    let isWithoutRowid: Bool
    let isStrict: Bool
    /// The columns of the primary key, by position; empty without one.
    let primaryKey: [Int]
    /// The column that is another name of the rowid (`INTEGER PRIMARY KEY`); nil if none is.
    let rowidColumn: Int?
    let foreignKeys: [SQLiteForeignKey]
    /// UNIQUE constraints and indexes, without the primary key.
    let indexes: [SQLiteIndex]
    /// The positions of columns, by name in upper case.
    let positions: TextMap<Int>
    /// The columns in which no two rows have the same value.
    let uniqueColumns: Set<Int>
    /// The number of values that a complete row stores.
    let storedCount: Int
    /// Whether it has CHECK constraints.
    let hasChecks: Bool

    /// The position of a column by its name, in which ASCII letters of either case are the same.
    public func position(of column: String) -> Int? { positions[SQLiteName.uppercased(column)] }
}

/// A column of a table.
public struct SQLiteColumn: Sendable {
    /// Whether its values are computed.
    enum Generation: Sendable { case none, stored, virtual }

    public let name: String
    /// The declared type with its arguments, `DECIMAL(10, 2)`; empty without one.
    public let declaredType: String
    let affinity: SQLiteAffinity
    public let isNotNull: Bool
    /// Whether it alone is the primary key, or unique.
    let isUnique: Bool
    let generation: Generation
    let collation: String
    /// The collation by which references to the column find their row: the column's, or that of its primary key.
    let keyCollation: String
    /// The value of rows that were written before the column was added.
    let fallback: SQLiteDefault
    let hasDefault: Bool
    /// The position of its values in a row's record; nil for a virtual column, which is not stored.
    let place: Int?
}

/// A reference to rows of another table.
struct SQLiteForeignKey: Sendable {
    /// The columns of the table, by position.
    let columns: [Int]
    let parent: String
    /// The columns that it refers to; empty: the other table's primary key.
    let parentColumns: [String]
    /// `CASCADE` and its like, in upper case; nil if nothing was said.
    let onDelete: String?
}

/// An index, or a UNIQUE constraint.
struct SQLiteIndex: Sendable {
    /// Empty for a constraint.
    let name: String
    /// The columns, by position; nil where the index is over an expression.
    let columns: [Int?]
    let isUnique: Bool
    /// Whether it covers only the rows for which a condition holds.
    let isPartial: Bool
}

/// What a column makes of values that are stored in it.
enum SQLiteAffinity: Sendable {
    case blob, text, numeric, integer, real

    /// SQLite's rules for the declared type of a column.
    init(declared: String, isStrict: Bool) {
        let type = SQLiteName.uppercased(declared)
        if isStrict, type.isSame(as: "ANY") {
            self = .blob
            return
        }
        func has(_ parts: String...) -> Bool { parts.contains { SQLiteName.contains(type, $0) } }
        self = if has("INT") {
            .integer
        } else if has("CHAR", "CLOB", "TEXT") {
            .text
        } else if type.isEmpty || has("BLOB") {
            .blob
        } else {
            has("REAL", "FLOA", "DOUB") ? .real : .numeric
        }
    }
}

/// The value that a column has in rows without one.
enum SQLiteDefault: Sendable {
    case value(SQLiteCell)
    /// An expression whose value is not known.
    case expression(String)
}

/// Names and types of SQL: of ASCII letters, upper and lower case are the same.
enum SQLiteName {
    static func uppercased(_ text: String) -> String { String(decoding: text.utf8.map(uppercased), as: UTF8.self) }

    static func isSame(_ one: String, _ other: String) -> Bool {
        one.utf8.count == other.utf8.count && zip(one.utf8, other.utf8).allSatisfy { uppercased($0) == uppercased($1) }
    }

    private static func uppercased(_ byte: UInt8) -> UInt8 { (0x61...0x7A).contains(byte) ? byte - 0x20 : byte }

    /// Whether a text has a part, of the same bytes.
    static func contains(_ text: String, _ part: String) -> Bool {
        let bytes = Array(text.utf8), wanted = Array(part.utf8)
        guard bytes.count >= wanted.count else { return false }
        return (0...bytes.count - wanted.count).contains { bytes[$0..<$0 + wanted.count].elementsEqual(wanted) }
    }
}
