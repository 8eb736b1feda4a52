import TestKit
import Testing

@testable import FreeholdImport

/// The text that creates a table.
@Suite struct SQLiteDeclarationTests {
    private func table(_ sql: String) throws -> SQLiteTable { try #require(SQLiteTable(name: "t", sql: sql, rootPage: 2)) }

    @Test("names, types and constraints are found in any spelling")
    func spellings() throws {
        let table = try table(#"""
            create Table If Not Exists main."a ""t"""(-- (a, b
              [x y] unsigned big int(1, 2) not null unique default -5, `z``z` /* ) */ text collate nocase check (length('),') > 0),
              'q' decimal(10,2) constraint fk references "other"(id) on update no action on delete set null match full not deferrable,
              "select" default ('a' || 'b'), w as (x + (1)) stored, v text generated always as (lower(q)) virtual,
              constraint pk primary key ("x y" desc, q) on conflict ignore constraint u unique (`z``z`, "select")
              foreign key (q, "select") references p (a, b) on delete cascade, check (1))
            """#)
        #expect(table.columns.map(\.name) == ["x y", "z`z", "q", "select", "w", "v"])
        #expect(table.columns.map(\.declaredType) == ["unsigned big int(1, 2)", "text", "decimal(10,2)", "", "", "text"])
        #expect(table.columns.map(\.isNotNull) == [true, false, false, false, false, false])
        #expect(table.columns.map(\.place) == [0, 1, 2, 3, 4, nil])
        #expect(table.columns.map(\.generation) == [.none, .none, .none, .none, .stored, .virtual])
        #expect(table.columns.map(\.hasDefault) == [true, false, false, true, false, false])
        #expect(table.primaryKey == [0, 2] && table.rowidColumn == nil && table.hasChecks)
        #expect(table.indexes.map(\.columns) == [[0], [1, 3]])
        #expect(table.foreignKeys.map(\.columns) == [[2], [2, 3]])
        #expect(table.foreignKeys.map(\.onDelete) == ["SET NULL", "CASCADE"])
        #expect(table.foreignKeys.map(\.parentColumns) == [["id"], ["a", "b"]])
        #expect(table.position(of: "SELECT") == 3)
    }

    @Test("another name of the rowid is told from other integer keys", arguments: [
        ("(a INTEGER PRIMARY KEY)", true), ("(a integer primary key autoincrement)", true), ("(a INT PRIMARY KEY)", false),
        ("(a INTEGER PRIMARY KEY DESC)", false), ("(a INTEGER, PRIMARY KEY(a DESC))", true), ("(a INTEGER, b, PRIMARY KEY(a, b))", false),
        ("(a INTEGER PRIMARY KEY) WITHOUT ROWID", false), ("(a INTEGER PRIMARY KEY) STRICT, WITHOUT ROWID", false),
        ("(a INTEGER PRIMARY KEY ASC ON CONFLICT FAIL NOT NULL)", true),
    ])
    func rowids(sql: String, isRowid: Bool) throws { #expect(try (table("CREATE TABLE t\(sql)").rowidColumn == 0) == isRowid) }

    @Test("the record of a table without rowid begins with its primary key")
    func places() throws {
        #expect(try table("CREATE TABLE t(a, b, c, d, PRIMARY KEY(c, a)) WITHOUT ROWID").columns.map(\.place) == [1, 2, 0, 3])
        #expect(try table("CREATE TABLE t(a, b, c, PRIMARY KEY(c, c)) WITHOUT ROWID").columns.map(\.place) == [1, 2, 0])
        let twice = try table("CREATE TABLE t(a, b, c, PRIMARY KEY(c, b, c COLLATE NOCASE)) WITHOUT ROWID")
        #expect(twice.columns.map(\.place) == [3, 1, 0] && twice.storedCount == 4)
    }

    @Test("any text is a table or none, and is read in time that grows with it")
    func anyText() {
        let parts = [
            "CREATE", " TABLE", " t", "(", ")", ",", " a", " INTEGER", " PRIMARY", " KEY", " DEFAULT", " -", "'", "\"", "[", "]", "`",
            "/*", "*/", "--", "\n", " x'0", " 0x", "1e+", ".5", " REFERENCES", " ON", " DELETE", " SET",
            " CHECK", " AS", " CONSTRAINT", " UNIQUE", " FOREIGN",
            " COLLATE", " WITHOUT", " ROWID", " STRICT", "é", "\0", " NOT", " NULL", " GENERATED", ";",
        ]
        var tables = 0
        for seed in TestScale.seeds(2000) {
            var random = SeededRandom(seed: seed)
            var sql = random.oneIn(5) ? "" : "CREATE TABLE t(a"
            for _ in 0..<random.below(40) { sql += parts[random.below(parts.count)] }
            if let table = SQLiteTable(name: "t", sql: sql, rootPage: 2) {
                tables += 1
                #expect(table.columns.allSatisfy { ($0.place ?? 0) < table.storedCount || table.storedCount == 0 }, "seed \(seed)")
                #expect(table.primaryKey.allSatisfy(table.columns.indices.contains), "seed \(seed)")
                _ = SQLiteIndex(name: "i", sql: "CREATE INDEX i ON t(\(sql)", on: table)
            }
        }
        #expect(tables > 100)
        let long = "CREATE TABLE t(a" + String(repeating: ",b CHECK((((1)))) UNIQUE", count: 5000) + ")"
        #expect(SQLiteTable(name: "t", sql: long, rootPage: 2)?.columns.count == 5001)
        #expect(SQLiteTable(name: "t", sql: "CREATE TABLE t(a " + String(repeating: "(", count: 200_000), rootPage: 2)?.columns.count == 1)
    }
}
