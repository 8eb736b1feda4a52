import FreeholdEngine

/// Checks that options name tables and columns that there are.
enum SQLiteOptionCheck {
    static func run(_ options: SQLiteStoreOptions, _ tables: [SQLiteTable]) throws(SourceError) {
        for name in (options.renames.keys + options.joins.keys).sorted(by: { $0.precedes($1) }) {
            guard tables.contains(where: { SQLiteName.isSame($0.name, name) }) else {
                throw SourceError(.invalidOption, "there is no table '\(name)'")
            }
        }
        for name in (options.types.keys + options.links.keys).sorted(by: { $0.precedes($1) }) {
            let isKnown = tables.contains { table in table.columns.contains { SQLiteName.isSame("\(table.name).\($0.name)", name) } }
            guard isKnown else { throw SourceError(.invalidOption, "there is no column '\(name)'; write Table.column") }
        }
    }
}
