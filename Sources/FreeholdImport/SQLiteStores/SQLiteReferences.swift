import FreeholdEngine

/// A column that refers to rows of a table by one of its columns.
struct SQLiteReference {
    let column: Int
    /// The table referred to, by its position among the tables, and its column.
    let parent: Int
    let parentColumn: Int
    let onDelete: String?
}

/// The references of a table, of which every column has at most one.
struct SQLiteReferences {
    private var byColumn: [Int: SQLiteReference] = [:]
    /// By column, why a foreign key of it is no reference.
    private(set) var refusals: [Int: String] = [:]
    /// What is to be said about foreign keys of several columns.
    private(set) var complaints: [String] = []

    var all: [SQLiteReference] { byColumn.values.sorted { $0.column < $1.column } }

    /// Finds the references of a table: those of the options, then those that it declares.
    init(_ table: SQLiteTable, among tables: SQLiteTableNames, _ options: SQLiteStoreOptions) throws(SourceError) {
        for (column, declared) in table.columns.enumerated() {
            guard let name = SQLiteStoreOptions.find(options.links, table, declared) else { continue }
            guard let parent = tables.position(name, options), let parentColumn = Self.key(of: tables.all[parent]) else {
                throw SourceError(.invalidOption, "'\(table.name).\(declared.name)' is to link to '\(name)', "
                    + "which is no table with a primary key of one column")
            }
            byColumn[column] = SQLiteReference(column: column, parent: parent, parentColumn: parentColumn, onDelete: nil)
        }
        for key in table.foreignKeys { add(key, tables) }
    }

    func reference(of column: Int) -> SQLiteReference? { byColumn[column] }

    private mutating func add(_ key: SQLiteForeignKey, _ tables: SQLiteTableNames) {
        guard key.columns.count == 1, let column = key.columns.first else {
            return complaints.append("the foreign key of several columns to '\(key.parent)' stays values")
        }
        if byColumn[column] != nil { return }
        guard let parent = tables.position(key.parent) else {
            refusals[column] = "refers to '\(key.parent)', which is not a table that is imported, and stays a value"
            return
        }
        let declared = tables.all[parent]
        let position = key.parentColumns.isEmpty ? Self.key(of: declared) : key.parentColumns.first.flatMap(declared.position)
        guard key.parentColumns.count < 2, let position else {
            refusals[column] = "refers to no single column of '\(key.parent)', and stays a value"
            return
        }
        byColumn[column] = SQLiteReference(column: column, parent: parent, parentColumn: position, onDelete: key.onDelete)
    }

    private static func key(of table: SQLiteTable) -> Int? { table.primaryKey.count == 1 ? table.primaryKey[0] : nil }
}

/// The tables of a database, found by name.
struct SQLiteTableNames {
    let all: [SQLiteTable]
    private let positions: TextMap<Int>

    init(_ tables: [SQLiteTable]) {
        all = tables
        positions = TextMap(tables.enumerated().map { (SQLiteName.uppercased($0.element.name), $0.offset) }) { first, _ in first }
    }

    func position(_ name: String) -> Int? { positions[SQLiteName.uppercased(name)] }

    /// The table of this name, or whose class has it.
    func position(_ name: String, _ options: SQLiteStoreOptions) -> Int? {
        position(name) ?? all.firstIndex { SQLiteStoreOptions.find(options.renames, $0).isSame(as: name) }
    }
}

extension SQLiteTable {
    /// The two references of a table that has nothing else, but for a rowid of its own: it joins two tables.
    func joined(_ references: SQLiteReferences) -> (owner: SQLiteReference, element: SQLiteReference)? {
        let others = columns.indices.filter { $0 != rowidColumn }
        guard others.count == 2, let owner = references.reference(of: others[0]) else { return nil }
        return references.reference(of: others[1]).map { (owner, $0) }
    }
}
