import FreeholdEngine

/// What becomes of a SQLite database's tables, where it is not to be what `SQLiteStore` chooses.
///
/// Names of tables and columns are those of the database; ASCII letters of either case are the same.
///
/// ```swift
/// var options = SQLiteStoreOptions()
/// options.renames["people"] = "Person"
/// options.types["people.born"] = DeclaredType("date?")
/// options.links["people.employer"] = "companies"
/// options.joins["people_tags"] = "tags"
/// ```
public struct SQLiteStoreOptions: Sendable {
    /// By table, the name of its class.
    public var renames: TextMap<String> = [:]
    /// By `Table.column`, the type of the property.
    public var types: TextMap<DeclaredType> = [:]
    /// By `Table.column`, the table, or its class, to whose primary key the column refers.
    public var links: TextMap<String> = [:]
    /// By join table, the list property that it becomes, in the class to which its first foreign key refers; an empty name
    /// stands for that of the table.
    public var joins: TextMap<String> = [:]

    /// Creates options that change nothing.
    public init() {}

    /// The value under `Table.column`.
    static func find<Value>(_ map: TextMap<Value>, _ table: SQLiteTable, _ column: SQLiteColumn? = nil) -> Value? {
        let name = column.map { "\(table.name).\($0.name)" } ?? table.name
        return map[name] ?? map.first { SQLiteName.isSame($0.key, name) }?.value
    }
}
