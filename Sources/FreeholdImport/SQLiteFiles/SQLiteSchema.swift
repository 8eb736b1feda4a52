import FreeholdEngine

/// What the schema has besides tables with rows.
struct SQLiteOther: Sendable {
    enum Kind: Sendable {
        case view
        /// A virtual table, with the name of its module.
        case virtual(module: String)
        /// A table in which a virtual table keeps its content.
        case shadow(of: String)
        case trigger(on: String)
        /// A table whose text could not be read.
        case unreadable
    }

    let kind: Kind
    let name: String
}

/// Reads the schema table, whose first page is page 1.
enum SQLiteSchema {
    /// A row of the schema table.
    private struct Entry {
        let type: String
        let name: String
        let table: String
        let root: UInt32
        let sql: String
    }

    private static let layout = SQLiteTable(
        name: "sqlite_schema", sql: "CREATE TABLE sqlite_schema(type TEXT, name TEXT, tbl_name TEXT, rootpage INT, sql TEXT)", rootPage: 1)

    static func read(_ pages: SQLitePages) throws(SourceError) -> (tables: [SQLiteTable], others: [SQLiteOther]) {
        let entries = try self.entries(pages)
        let shadows = self.shadows(entries)
        var tables: [SQLiteTable] = [], others: [SQLiteOther] = [], places: TextMap<Int> = [:]
        for entry in entries where !SQLiteName.uppercased(entry.name).hasPrefix("SQLITE_") {
            if entry.type.isSame(as: "view") { others.append(SQLiteOther(kind: .view, name: entry.name)) }
            if entry.type.isSame(as: "trigger") { others.append(SQLiteOther(kind: .trigger(on: entry.table), name: entry.name)) }
            guard entry.type.isSame(as: "table") else { continue }
            if entry.root == 0 {
                others.append(SQLiteOther(kind: .virtual(module: SQLiteModule(sql: entry.sql).name), name: entry.name))
            } else if let table = SQLiteTable(name: entry.name, sql: entry.sql, rootPage: entry.root) {
                if let shadow = shadows[SQLiteName.uppercased(entry.name)], shadow.has(table) {
                    others.append(SQLiteOther(kind: .shadow(of: shadow.owner), name: entry.name))
                    continue
                }
                places[SQLiteName.uppercased(entry.name)] = tables.count
                tables.append(table)
            } else {
                others.append(SQLiteOther(kind: .unreadable, name: entry.name))
            }
        }
        var indexes: [Int: [SQLiteIndex]] = [:]
        for entry in entries where entry.type.isSame(as: "index") && !entry.sql.isEmpty {
            guard let place = places[SQLiteName.uppercased(entry.table)] else { continue }
            if let index = SQLiteIndex(name: entry.name, sql: entry.sql, on: tables[place]) { indexes[place, default: []].append(index) }
        }
        for (place, more) in indexes { tables[place] = tables[place].adding(more) }
        return (tables, others)
    }

    /// The tables in which virtual ones keep their content, by name in upper case.
    private static func shadows(_ entries: [Entry]) -> TextMap<SQLiteShadow> {
        var shadows: TextMap<SQLiteShadow> = [:]
        for entry in entries where entry.type.isSame(as: "table") && entry.root == 0 {
            for (ending, columns) in SQLiteModule(sql: entry.sql).shadows {
                shadows[SQLiteName.uppercased("\(entry.name)_\(ending)")] = SQLiteShadow(owner: entry.name, columns: columns)
            }
        }
        return shadows
    }

    private static func entries(_ pages: SQLitePages) throws(SourceError) -> [Entry] {
        guard let layout, pages.count > 0 else { return [] }
        let rows = SQLiteRows(try SQLiteRowReader(pages, layout, after: nil))
        var entries: [Entry] = []
        while try rows.next() {
            var root: UInt32 = 0
            if case .int(let page) = try rows.cell(3) { root = UInt32(clamping: page) }
            let (type, name, table, sql) = (try text(rows, 0), try text(rows, 1), try text(rows, 2), try text(rows, 4))
            entries.append(Entry(type: type, name: name, table: table, root: root, sql: sql))
        }
        return entries
    }

    private static func text(_ rows: SQLiteRows, _ column: Int) throws(SourceError) -> String {
        switch try rows.cell(column) {
        case .text(let bytes): return String(decoding: bytes, as: UTF8.self)
        case .long: throw SourceError(.unsupported, "the schema has a text of more than \(SourceLimits.shortBytes) bytes")
        default: return ""
        }
    }
}
