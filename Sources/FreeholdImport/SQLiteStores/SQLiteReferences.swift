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
    private(set) var all: [SQLiteReference] = []
    /// Foreign keys that become no links, with the reason.
    private(set) var complaints: [(columns: [Int], text: String)] = []

    /// Finds the references of a table: those of the options, then those that it declares.
    init(_ table: SQLiteTable, among tables: [SQLiteTable], _ options: SQLiteStoreOptions) throws(SourceError) {
        for (column, declared) in table.columns.enumerated() {
            guard let name = SQLiteStoreOptions.find(options.links, table, declared) else { continue }
            guard let parent = Self.parent(name, tables, options), let parentColumn = Self.key(of: tables[parent]) else {
                throw SourceError(.invalidOption, "'\(table.name).\(declared.name)' is to link to '\(name)', which is no table with a primary key of one column")
            }
            all.append(SQLiteReference(column: column, parent: parent, parentColumn: parentColumn, onDelete: nil))
        }
        for key in table.foreignKeys where !all.contains(where: { key.columns == [$0.column] }) { add(key, table, tables) }
    }

    func reference(of column: Int) -> SQLiteReference? { all.first { $0.column == column } }

    private mutating func add(_ key: SQLiteForeignKey, _ table: SQLiteTable, _ tables: [SQLiteTable]) {
        guard key.columns.count == 1, let column = key.columns.first else {
            return complaints.append((key.columns, "the foreign key of several columns to '\(key.parent)' stays values"))
        }
        guard let parent = tables.firstIndex(where: { SQLiteName.isSame($0.name, key.parent) }) else {
            return complaints.append(([column], "refers to '\(key.parent)', which is not a table that is imported, and stays a value"))
        }
        let position = key.parentColumns.isEmpty ? Self.key(of: tables[parent]) : key.parentColumns.first.flatMap(tables[parent].position)
        guard key.parentColumns.count < 2, let position else {
            return complaints.append(([column], "refers to no single column of '\(key.parent)', and stays a value"))
        }
        all.append(SQLiteReference(column: column, parent: parent, parentColumn: position, onDelete: key.onDelete))
    }

    private static func parent(_ name: String, _ tables: [SQLiteTable], _ options: SQLiteStoreOptions) -> Int? {
        tables.firstIndex { SQLiteName.isSame($0.name, name) }
            ?? tables.firstIndex { SQLiteStoreOptions.find(options.renames, $0).isSame(as: name) }
    }

    private static func key(of table: SQLiteTable) -> Int? { table.primaryKey.count == 1 ? table.primaryKey[0] : nil }
}

extension SQLiteTable {
    /// Whether no two rows have the same value in a column.
    func isUnique(_ column: Int) -> Bool {
        primaryKey == [column] || indexes.contains { $0.isUnique && !$0.isPartial && $0.columns == [column] }
    }

    /// The two references of a table that has nothing else, but for a rowid of its own: it joins two tables.
    func joined(_ references: SQLiteReferences) -> (owner: SQLiteReference, element: SQLiteReference)? {
        let others = columns.indices.filter { $0 != rowidColumn }
        let all = others.compactMap(references.reference)
        return others.count == 2 && all.count == 2 ? (all[0], all[1]) : nil
    }
}
