import FreeholdEngine

/// Checks that options name tables and columns that there are.
enum SQLiteOptionCheck {
    static func run(_ options: SQLiteStoreOptions, _ tables: [SQLiteTable]) throws(SourceError) {
        // A program may have created the database and not yet its tables.
        if tables.isEmpty { return }
        for name in (options.renames.keys + options.joins.keys).sorted(by: { $0.precedes($1) }) {
            guard tables.contains(where: { SQLiteName.isSame($0.name, name) }) else {
                throw SourceError(.invalidOption, "there is no table '\(name)'")
            }
        }
        try requireDifferentNames(options, tables)
        for name in (options.types.keys + options.links.keys).sorted(by: { $0.precedes($1) }) {
            let isKnown = tables.contains { table in table.columns.contains { SQLiteName.isSame("\(table.name).\($0.name)", name) } }
            guard isKnown else { throw SourceError(.invalidOption, "there is no column '\(name)'; write Table.column") }
        }
    }

    /// Throws if a table is renamed to what another one is called.
    private static func requireDifferentNames(_ options: SQLiteStoreOptions, _ tables: [SQLiteTable]) throws(SourceError) {
        let classes = tables.filter { SQLiteStoreOptions.find(options.joins, $0) == nil }
        for table in classes {
            guard let name = SQLiteStoreOptions.find(options.renames, table) else { continue }
            let others = classes.filter { !$0.name.isSame(as: table.name) }
            if let other = others.first(where: { (SQLiteStoreOptions.find(options.renames, $0) ?? $0.name).isSame(as: name) }) {
                throw SourceError(.invalidOption, "the tables '\(table.name)' and '\(other.name)' would both become the class '\(name)'; "
                    + "give one of them another name")
            }
        }
    }
}
