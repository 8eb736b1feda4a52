import FreeholdEngine
import Glibc
import TestKit
import Testing

@testable import FreeholdImport

/// Files that are refused, and files that change.
@Suite struct SQLiteFileTests {
    private let folder: TemporaryFolder

    init() throws { folder = try TemporaryFolder() }

    private func failure(_ path: String) -> SourceError.Kind? {
        do throws(SourceError) { _ = try SQLiteFile(path: path) } catch { return error.kind }
        return nil
    }

    @Test("what is not a database, or is encrypted, is told apart")
    func others() throws {
        let path = folder.file("a")
        #expect(failure(path) == .system)
        #expect(failure(folder.path) == .notThisFormat)
        try SQLiteDamage.save([], path)
        #expect(failure(path) == .notThisFormat)
        try SQLiteDamage.save(Array(String(repeating: "not a database ", count: 1000).utf8), path)
        #expect(failure(path) == .notThisFormat)
        for seed in 1...200 as ClosedRange<UInt64> {
            var random = SeededRandom(seed: seed)
            var bytes = (0..<(seed % 2 == 0 ? 4096 : 1024)).map { _ in UInt8(truncatingIfNeeded: random.next()) }
            try SQLiteDamage.save(bytes, path)
            #expect(failure(path) == .unsupported, "seed \(seed)")
            try SQLiteDamage.save(bytes + [1], path)
            #expect(failure(path) == .notThisFormat, "seed \(seed)")
            // The header stays readable, and the pages are encrypted.
            bytes.replaceSubrange(0..<SQLiteHeader.count, with: SQLiteMaking.header())
            bytes[100] = 77
            try SQLiteDamage.save(bytes, path)
            #expect(failure(path) == .unsupported, "seed \(seed)")
        }
        #expect(SQLiteFile.recognizes(Array("SQLite format 3\0…".utf8)) && !SQLiteFile.recognizes(Array("SQLite format 4\0".utf8)))
    }

    @Test("a database that a program left within a transaction is refused until SQLite has opened it")
    func hotJournal() throws {
        let path = folder.file("hot.sqlite")
        try SQLiteMaking.database(path, """
            connection.execute("CREATE TABLE t(a)")
            connection.execute("INSERT INTO t VALUES(1)")
            connection.execute("PRAGMA cache_size = 1")
            connection.execute("BEGIN")
            for i in range(2000): connection.execute("INSERT INTO t VALUES(zeroblob(500))")
            os.kill(os.getpid(), 9)
            """, isKilled: true)
        #expect(failure(path) == .unsupported)
        try SQLiteMaking.database(path, "connection.execute('SELECT * FROM t').fetchall()")
        let file = try SQLiteFile(path: path)
        #expect(try SQLiteDump.lines(of: file).last == "1 i1")
    }

    @Test("a writer at work is waited for by the caller, and a reader keeps writers out")
    func locks() throws {
        let path = folder.file("locked.sqlite")
        try SQLiteMaking.database(path, "connection.execute('CREATE TABLE t(a)')")
        let writer = try SpawnedProcess("/usr/bin/env", ["python3", "-uc", """
            import sqlite3, sys
            connection = sqlite3.connect(sys.argv[1], isolation_level=None, timeout=0)
            for line in sys.stdin:
                try:
                    connection.execute(line)
                    print("done")
                except sqlite3.OperationalError:
                    print("busy")
            """, path])
        func run(_ statement: String) throws -> String? {
            writer.send(statement)
            return try writer.readLine(timeoutMilliseconds: 60_000)
        }
        #expect(try run("BEGIN EXCLUSIVE") == "done")
        #expect(failure(path) == .changed)
        #expect(try run("INSERT INTO t VALUES(1)") == "done")
        #expect(try run("COMMIT") == "done")
        do {
            let file = try SQLiteFile(path: path)
            #expect(try run("INSERT INTO t VALUES(2)") == "busy")
            #expect(try run("ROLLBACK") == "busy")
            try file.checkUnchanged()
        }
        #expect(try run("INSERT INTO t VALUES(3)") == "done")
        #expect(try SQLiteDump.lines(of: SQLiteFile(path: path)).suffix(2) == ["1 i1", "2 i3"])
    }

    @Test("what another program writes is noticed, in the file and in its log")
    func changes() throws {
        for journal in ["DELETE", "WAL"] {
            let path = folder.file("\(journal).sqlite")
            try SQLiteMaking.database(path, "connection.executescript('PRAGMA journal_mode = \(journal); CREATE TABLE t(a)')")
            let identity = try SQLiteFile(path: path).identity
            #expect(try SQLiteFile(path: path).identity == identity)
            let file = try SQLiteFile(path: path)
            try file.checkUnchanged()
            // The lock keeps SQLite out of the file in rollback mode: a program that does not ask for locks writes it.
            let isLocked = journal == "DELETE"
            let other = isLocked ? "open(path, 'r+b').write(b'SQLite format 3')" : "connection.execute('INSERT INTO t VALUES(1)')"
            try SQLiteMaking.database(path, other)
            #expect(throws: SourceError.self) { try file.checkUnchanged() }
            #expect(try SQLiteFile(path: path).identity != identity)
        }
    }

    @Test("half of a surrogate pair is data, and bytes that are not UTF-8 stay as they are")
    func surrogates() throws {
        let path = folder.file("halves.sqlite")
        try SQLiteMaking.database(path, """
            connection.execute("PRAGMA encoding = 'UTF-16le'")
            connection.execute("CREATE TABLE t(a TEXT)")
            connection.execute("INSERT INTO t VALUES(CAST(x'610000d8' AS TEXT)), (CAST(x'3dd800de' AS TEXT)), (CAST(x'00dc6100' AS TEXT))")
            """)
        let file = try SQLiteFile(path: path)
        #expect(try SQLiteDump.lines(of: file).suffix(3) == ["1 t61eda080", "2 tf09f9880", "3 tedb08061"])
        let store = try SQLiteStore(file)
        #expect(store.classes[0].schema.properties[0].type == .data)
        #expect(try SQLiteObjects.texts(of: store, 0) == [["data 61eda080"], ["data f09f9880"], ["data edb08061"]])
    }
}
