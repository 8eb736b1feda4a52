/// The module of a virtual table, and the tables that it creates for it.
struct SQLiteModule {
    let name: String
    /// The names of the options that its declaration has (`content=…`), in upper case.
    private let options: [String]

    init(sql: String) {
        let tokens = SQLiteToken.all(of: sql)
        guard let using = tokens.firstIndex(where: { $0.isWord("USING") }), using + 1 < tokens.count else {
            (name, options) = ("", [])
            return
        }
        name = tokens[using + 1].text
        options = tokens.indices.dropFirst(using + 3).filter { index in
            let isFirst = tokens[index - 1].isSymbol("(") || tokens[index - 1].isSymbol(",")
            return isFirst && index + 1 < tokens.count && tokens[index + 1].isSymbol("=")
        }.map { SQLiteName.uppercased(tokens[$0].text) }
    }

    /// The tables in which it keeps its content: the ending after the name of the virtual table, and the first columns.
    ///
    /// A full-text table with the option `content` has no table `_content` of its own: one of this name is the program's.
    var shadows: [(ending: String, columns: [String])] {
        let fullText = [
            ("segments", ["blockid", "block"]), ("segdir", ["level", "idx", "start_block"]), ("docsize", ["docid", "size"]),
            ("stat", ["id", "value"]),
        ]
        switch SQLiteName.uppercased(name) {
        case "FTS3": return fullText + [("content", ["docid"])]
        case "FTS4":
            let hasContent = !options.contains { $0.isSame(as: "CONTENT") }
            return fullText + (hasContent ? [("content", ["docid"])] : [])
        case "FTS5":
            // It takes the start of an option's name for the name.
            let hasContent = !options.contains { "CONTENT".utf8.starts(with: $0.utf8) }
            return [("data", ["id", "block"]), ("idx", ["segid", "term", "pgno"]), ("docsize", ["id", "sz"]), ("config", ["k", "v"])]
                + (hasContent ? [("content", ["id", "c0"])] : [])
        case "RTREE", "RTREE_I32", "GEOPOLY":
            return [("node", ["nodeno", "data"]), ("rowid", ["rowid", "nodeno"]), ("parent", ["nodeno", "parentnode"])]
        default: return []
        }
    }
}

/// What a table has in which a virtual table keeps its content.
struct SQLiteShadow {
    /// The virtual table.
    let owner: String
    /// Its first columns.
    let columns: [String]

    /// Whether a table of the name has these columns: one that has not is the program's, and is imported.
    func has(_ table: SQLiteTable) -> Bool {
        table.columns.count >= columns.count && zip(table.columns, columns).allSatisfy { SQLiteName.isSame($0.name, $1) }
    }
}
