import Glibc
import TestKit
import Testing

@testable import FreeholdImport

/// Databases written by SQLite itself read as SQLite reads them.
///
/// `FREEHOLD_LONG=20` makes 6,000 of them. A failure names its seed: `make_databases.py FOLDER SEED 1` writes it again.
@Suite struct SQLiteDatabaseTests {
    private static let shard = 30
    private static let shards: [Range<Int>] = stride(from: 0, to: TestScale.count(300), by: shard).map { $0..<$0 + shard }

    @Test("random databases of every page size, encoding and journal mode read as SQLite reads them", arguments: shards)
    func random(seeds: Range<Int>) throws {
        let folder = try TemporaryFolder()
        try SQLiteMaking.databases(seeds, in: folder)
        for seed in seeds {
            let expected = try linesOfFile(folder.file("\(seed).dump"))
            do {
                let file = try SQLiteFile(path: folder.file("\(seed).sqlite"))
                let found = try SQLiteDump.lines(of: file)
                try file.checkUnchanged()
                #expect(found.count == expected.count, "seed \(seed)")
                if let place = zip(found, expected).enumerated().first(where: { $1.0 != $1.1 })?.offset {
                    Issue.record("seed \(seed), line \(place): \(found[place].prefix(400)) instead of \(expected[place].prefix(400))")
                }
            } catch {
                Issue.record("seed \(seed): \(error)")
            }
        }
    }

    @Test("rows from before a column was added have its default, also if it is an expression")
    func addedColumns() throws {
        let folder = try TemporaryFolder(), path = folder.file("added.sqlite")
        let defaults = [
            "(cast('5' as integer))", "(-(-5))", "TEXT DEFAULT (cast(5 as int))", "(cast(1.50 as text))", "(- - '5')", "((+'x'))",
            "REAL DEFAULT (-(-5))", "(-cast('1e3' as real))", "INT DEFAULT (-'5.5')", "(cast(1.9 as int))", "(cast(true as text))",
            "(-true)", "(cast(5 as real))", "(cast(cast(5 as real) as int))", "TEXT DEFAULT (-(-7))", "(cast('5.0' as numeric))",
            "(cast(null as int))", "(-(null))", "INT DEFAULT (cast('12' as varchar(10)))", "(x'4142')", "DECIMAL DEFAULT (+(-(+3.25)))",
        ]
        let columns = defaults.enumerated().map { "c\($0) " + ($1.contains("DEFAULT") ? $1 : "DEFAULT \($1)") }
        try SQLiteMaking.database(path, """
            connection.execute("CREATE TABLE t(a)")
            connection.execute("INSERT INTO t VALUES(1)")
            for column in \(columns): connection.execute("ALTER TABLE t ADD COLUMN " + column)
            connection.execute("CREATE TABLE stored(" + ", ".join("a" + str(i) for i in range(\(columns.count + 1))) + ")")
            connection.execute("INSERT INTO stored SELECT * FROM t")
            """)
        let file = try SQLiteFile(path: path)
        let lines = try SQLiteDump.lines(of: file).filter { $0.hasPrefix("1 ") }
        #expect(lines.count == 2 && lines[0] == lines[1], "\(lines)")
    }

    @Test("a default that is not computed is refused only if a row needs it, with the statement that stores it")
    func unknownDefaults() throws {
        let folder = try TemporaryFolder(), path = folder.file("unknown.sqlite")
        try SQLiteMaking.database(path, """
            connection.executescript('''
                CREATE TABLE t(a); INSERT INTO t VALUES(1); ALTER TABLE t ADD COLUMN "q" DEFAULT (cast('7x' as int));
                CREATE TABLE n(a, b DEFAULT (abs(1)), c DEFAULT current_timestamp); INSERT INTO n VALUES(1, 2, 3)''')
            """)
        do throws(SourceError) {
            _ = try SQLiteStore(path: path)
            Issue.record("the default is not known")
        } catch {
            #expect(error.kind == .unsupported && error.message.hasSuffix(#"UPDATE "t" SET "q" = "q""#), "\(error)")
        }
        try SQLiteMaking.database(path, #"connection.execute('UPDATE "t" SET "q" = "q"')"#)
        #expect(try SQLiteDump.lines(of: SQLiteFile(path: path)).filter { $0.hasPrefix("1 ") } == ["1 i1 i7", "1 i1 i2 i3"])
        for part in ["(", "-", "cast("] {
            #expect(SQLiteConstant.value(of: String(repeating: part, count: 100_000) + "1", .blob) == nil)
        }
    }
}
