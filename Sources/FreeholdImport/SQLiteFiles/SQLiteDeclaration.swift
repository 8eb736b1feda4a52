/// Reads the text that created a table.
///
/// Of anything that it does not know, a token is left out: the text was SQLite's to check, and what the rows need is
/// checked again when they are read.
struct SQLiteDeclaration {
    /// A column as its definition says.
    struct Column {
        var name: String
        var type = ""
        var isNotNull = false
        var isUnique = false
        var collation = "BINARY"
        var generation = SQLiteColumn.Generation.none
        var fallback = SQLiteFallback.none
        var hasDefault = false
    }

    /// A list of columns, with the collation of each if one is given.
    typealias Terms = [(name: String, collation: String?)]

    private var tokens: SQLiteTokenReader
    private(set) var name = ""
    private(set) var columns: [Column] = []
    private(set) var primaryKey: Terms = []
    /// Whether the primary key may be another name of the rowid.
    private(set) var isPlainKey = false
    private(set) var uniques: [Terms] = []
    private(set) var foreignKeys: [(columns: [String], parent: String, parentColumns: [String], onDelete: String?)] = []
    private(set) var isWithoutRowid = false
    private(set) var isStrict = false
    private(set) var hasChecks = false

    /// More columns than this has no table of SQLite.
    private static let maximumColumns = 32_767

    /// Nil if the text creates no table with columns.
    init?(_ sql: String) {
        tokens = SQLiteTokenReader(sql)
        guard tokens.take("CREATE") else { return nil }
        _ = tokens.take("TEMP") || tokens.take("TEMPORARY")
        guard tokens.take("TABLE") else { return nil }
        if tokens.take("IF") { _ = tokens.take("NOT") && tokens.take("EXISTS") }
        guard let name = tokens.qualifiedName(), tokens.take(symbol: "(") else { return nil }
        self.name = name
        while !tokens.isAtEnd, !tokens.take(symbol: ")") {
            if !takeConstraint() { takeColumn() }
            _ = tokens.take(symbol: ",")
            if columns.count > Self.maximumColumns { return nil }
        }
        takeOptions()
        if columns.isEmpty { return nil }
    }

    private mutating func takeOptions() {
        while !tokens.isAtEnd {
            if tokens.take("WITHOUT") {
                isWithoutRowid = tokens.take("ROWID") || isWithoutRowid
            } else if tokens.take("STRICT") {
                isStrict = true
            } else {
                tokens.skip()
            }
        }
    }

    // MARK: Columns

    private mutating func takeColumn() {
        guard let name = tokens.name() else { return tokens.skip() }
        var column = Column(name: name)
        column.type = tokens.typeName()
        while !tokens.isAtEnd, !tokens.isAt(symbol: ","), !tokens.isAt(symbol: ")") {
            if !takeConstraint(of: &column) { tokens.skip() }
        }
        columns.append(column)
    }

    private mutating func takeConstraint(of column: inout Column) -> Bool {
        if tokens.take("CONSTRAINT") { return tokens.name() != nil }
        if tokens.take("PRIMARY") {
            _ = tokens.take("KEY")
            // SQLite takes no column with this word for the rowid.
            isPlainKey = !tokens.take("DESC")
            primaryKey = [(column.name, nil)]
            return true
        }
        if tokens.take("NOT") {
            if tokens.take("NULL") { column.isNotNull = true }
            return true
        }
        if tokens.take("UNIQUE") {
            uniques.append([(column.name, nil)])
            column.isUnique = true
            return true
        }
        if tokens.take("DEFAULT") {
            column.fallback = tokens.fallback()
            column.hasDefault = true
            return true
        }
        if tokens.take("COLLATE") {
            column.collation = tokens.name() ?? column.collation
            return true
        }
        if tokens.take("REFERENCES") {
            takeReference([column.name])
            return true
        }
        if tokens.take("CHECK") {
            hasChecks = true
            return true
        }
        if tokens.take("GENERATED") { return true }
        guard tokens.take("AS") else { return false }
        column.generation = .virtual
        tokens.skip()
        if tokens.take("STORED") { column.generation = .stored }
        return true
    }

    // MARK: Constraints of the table

    private mutating func takeConstraint() -> Bool {
        if tokens.take("CONSTRAINT") { return tokens.name() != nil }
        if tokens.take("PRIMARY") {
            _ = tokens.take("KEY")
            primaryKey = tokens.terms()
            isPlainKey = true
            skipRest()
            return true
        }
        if tokens.take("UNIQUE") {
            uniques.append(tokens.terms())
            skipRest()
            return true
        }
        if tokens.take("CHECK") {
            hasChecks = true
            skipRest()
            return true
        }
        guard tokens.take("FOREIGN") else { return false }
        _ = tokens.take("KEY")
        let names = tokens.terms().map(\.name)
        if tokens.take("REFERENCES") { takeReference(names) }
        skipRest()
        return true
    }

    /// Leaves out what follows a constraint: `ON CONFLICT IGNORE`, `DEFERRABLE`. The comma between two of them may be missing.
    private mutating func skipRest() {
        while !tokens.isAtEnd, !tokens.isAt(symbol: ","), !tokens.isAt(symbol: ")"), !tokens.isAtConstraint { tokens.skip() }
    }

    private mutating func takeReference(_ names: [String]) {
        guard let parent = tokens.name() else { return }
        let parentColumns = tokens.isAt(symbol: "(") ? tokens.terms().map(\.name) : []
        var onDelete: String?
        while true {
            if tokens.take("ON") {
                let isDelete = tokens.take("DELETE")
                if !isDelete { tokens.skip() }
                let action = tokens.action()
                if isDelete { onDelete = action }
            } else if tokens.take("MATCH") {
                tokens.skip()
            } else {
                break
            }
        }
        foreignKeys.append((names, parent, parentColumns, onDelete))
    }
}

/// A column's default as the text has it.
enum SQLiteFallback {
    case none
    case number(String, isNegative: Bool)
    case text(String)
    case blob(String)
    case bool(Bool)
    /// Anything that is not a literal.
    case expression(String)
}
