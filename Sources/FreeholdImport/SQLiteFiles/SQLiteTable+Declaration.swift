import FreeholdEngine

extension SQLiteTable {
    /// The table that a text creates; nil if it creates none.
    init?(name: String, sql: String, rootPage: UInt32) {
        guard let declared = SQLiteDeclaration(sql) else { return nil }
        let named = declared.columns.enumerated().map { (SQLiteName.uppercased($0.element.name), $0.offset) }
        let positions = TextMap(named) { first, _ in first }
        func position(_ name: String) -> Int? { positions[SQLiteName.uppercased(name)] }
        let key = declared.primaryKey.compactMap { position($0.name) }
        let keyColumns = Set(key), places = Self.places(declared, position)
        columns = declared.columns.enumerated().map { index, column in
            let affinity = SQLiteAffinity(declared: column.type, isStrict: declared.isStrict)
            let isNotNull = column.isNotNull || declared.isWithoutRowid && keyColumns.contains(index)
            return SQLiteColumn(
                name: column.name, declaredType: column.type, affinity: affinity, isNotNull: isNotNull,
                isUnique: column.isUnique || key == [index], generation: column.generation, collation: column.collation,
                keyCollation: Self.keyCollation(column, key == [index] ? declared.primaryKey.first?.collation : nil),
                fallback: SQLiteDefault(column.fallback, affinity), hasDefault: column.hasDefault, place: places.places[index])
        }
        let uniques = declared.uniques.map { terms in
            SQLiteIndex(name: "", columns: terms.map { position($0.name) }, isUnique: true, isPartial: false)
        }
        foreignKeys = declared.foreignKeys.compactMap { key in
            let positions = key.columns.compactMap(position)
            if positions.isEmpty || positions.count < key.columns.count { return nil }
            return SQLiteForeignKey(columns: positions, parent: key.parent, parentColumns: key.parentColumns, onDelete: key.onDelete)
        }
        let isRowid = !declared.isWithoutRowid && declared.isPlainKey && key.count == 1 && declared.primaryKey.count == 1
            && SQLiteName.isSame(declared.columns[key[0]].type, "INTEGER")
        self.positions = positions
        (self.name, self.sql, self.rootPage) = (name, sql, rootPage)
        (isWithoutRowid, isStrict, primaryKey, indexes) = (declared.isWithoutRowid, declared.isStrict, key, uniques)
        uniqueColumns = Self.uniqueColumns(key, uniques)
        rowidColumn = isRowid ? key[0] : nil
        (storedCount, hasChecks) = (places.count, declared.hasChecks)
    }

    /// The table with more indexes, which other statements create.
    func adding(_ more: [SQLiteIndex]) -> SQLiteTable { SQLiteTable(self, indexes: indexes + more) }

    private init(_ other: SQLiteTable, indexes: [SQLiteIndex]) {
        (name, columns, sql, rootPage) = (other.name, other.columns, other.sql, other.rootPage)
        (isWithoutRowid, isStrict, primaryKey, rowidColumn) = (other.isWithoutRowid, other.isStrict, other.primaryKey, other.rowidColumn)
        (foreignKeys, storedCount, hasChecks) = (other.foreignKeys, other.storedCount, other.hasChecks)
        self.indexes = indexes
        positions = other.positions
        uniqueColumns = Self.uniqueColumns(other.primaryKey, indexes)
    }

    private static func uniqueColumns(_ key: [Int], _ indexes: [SQLiteIndex]) -> Set<Int> {
        let singles = indexes.filter { $0.isUnique && !$0.isPartial && $0.columns.count == 1 }.compactMap { $0.columns[0] }
        return Set(key.count == 1 ? singles + key : singles)
    }

    /// Of a column and its primary key, the collation that is not BINARY: which one SQLite uses depends on the reference.
    private static func keyCollation(_ column: SQLiteDeclaration.Column, _ ofKey: String?) -> String {
        guard let ofKey, !SQLiteName.isSame(ofKey, "BINARY") else { return column.collation }
        return ofKey
    }

    /// The positions of the columns' values in a record. The record of a table WITHOUT ROWID begins with the primary key,
    /// in which a column is repeated only under another collation.
    private static func places(_ declared: SQLiteDeclaration, _ position: (String) -> Int?) -> (places: [Int?], count: Int) {
        var places = [Int?](repeating: nil, count: declared.columns.count), count = 0
        if declared.isWithoutRowid {
            var seen: Set<ExactText> = []
            for term in declared.primaryKey {
                guard let column = position(term.name) else { continue }
                let collation = SQLiteName.uppercased(term.collation ?? declared.columns[column].collation)
                guard seen.insert("\(column) \(collation)").inserted else { continue }
                if places[column] == nil { places[column] = count }
                count += 1
            }
        }
        for (column, declared) in declared.columns.enumerated() where places[column] == nil && declared.generation != .virtual {
            places[column] = count
            count += 1
        }
        return (places, count)
    }
}

extension SQLiteIndex {
    /// The index that a text creates on a table; nil if the text creates none.
    init?(name: String, sql: String, on table: SQLiteTable) {
        var tokens = SQLiteTokenReader(sql)
        guard tokens.take("CREATE") else { return nil }
        let isUnique = tokens.take("UNIQUE")
        guard tokens.take("INDEX") else { return nil }
        if tokens.take("IF") { _ = tokens.take("NOT") && tokens.take("EXISTS") }
        guard tokens.qualifiedName() != nil, tokens.take("ON"), tokens.name() != nil else { return nil }
        let terms = tokens.indexTerms()
        self.init(name: name, columns: terms.map { $0.flatMap(table.position) }, isUnique: isUnique, isPartial: tokens.take("WHERE"))
    }
}

extension SQLiteTokenReader {
    /// Takes what an index is over, in parentheses: columns, and nil for each expression.
    fileprivate mutating func indexTerms() -> [String?] {
        var terms: [String?] = []
        guard take(symbol: "(") else { return terms }
        while !isAtEnd, !take(symbol: ")") {
            var term = name()
            while !isAtEnd, !isAt(symbol: ","), !isAt(symbol: ")") {
                if take("COLLATE") { _ = name() } else if !(take("ASC") || take("DESC")) {
                    term = nil
                    skip()
                }
            }
            terms.append(term)
            _ = take(symbol: ",")
        }
        return terms
    }
}
