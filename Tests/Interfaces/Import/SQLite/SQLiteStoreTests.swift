import FreeholdEngine
import TestKit
import Testing

@testable import FreeholdImport

/// What becomes of tables.
@Suite struct SQLiteStoreTests {
    private let folder: TemporaryFolder

    init() throws { folder = try TemporaryFolder() }

    private func store(_ script: String, _ options: SQLiteStoreOptions = SQLiteStoreOptions()) throws -> SQLiteStore {
        let path = folder.file("a.sqlite")
        try SQLiteMaking.database(path, "connection.executescript('''\(script)''')")
        let store = try SQLiteStore(path: path, options: options)
        try SQLiteObjects.expectCreatable(store)
        return store
    }

    @Test("the type of a property is that which holds every value")
    func types() throws {
        let store = try store("""
            CREATE TABLE t(id INTEGER PRIMARY KEY, yes BOOLEAN, many BOOLEAN, i INT, r REAL, mix, n NUMERIC, d DECIMAL(5,2), u UUID, v UUID,
              at DATETIME, ms TIMESTAMP, day DATE, jd JULIANDAY, bad TEXT, b BLOB, s VARCHAR(3) NOT NULL, none);
            INSERT INTO t VALUES(7, 0, 5, -9223372036854775808, 3, 'x', 1.5, '1.10', x'00112233445566778899aabbccddeeff',
              '00112233-4455-6677-8899-aabbccddeeff', 1.25, 1700000000123, '2024-05-01', 2440587.5, CAST(x'ff' AS TEXT), x'', '', NULL);
            INSERT INTO t VALUES(-2, 1, 1, NULL, -0.0, 5, 2, 3, NULL, NULL, -1, 0, '2024-05-01T10:00:00Z', NULL, 'ok', NULL, 'a', NULL);
            """)
        let types = store.classes[0].schema.properties.map { $0.type.name + ($0.isNullable ? "?" : "") }
        #expect(types == [
            "int", "bool?", "int?", "int?", "double?", "mixed?", "double?", "decimal?", "uuid?", "uuid?", "date?", "date?", "date?",
            "date?", "data?", "data?", "string", "mixed?",
        ])
        #expect(store.classes[0].schema.primaryKey == "id")
        let first = [
            "-2", "true", "1", "null", "0.0", "5", "2.0", "3", "null", "null", "1969-12-31T23:59:59Z", "1970-01-01T00:00:00Z",
            "2024-05-01T10:00:00Z", "null", "data 6f6b", "null", "'a'", "null",
        ]
        let second = [
            "7", "false", "5", "-9223372036854775808", "3.0", "'x'", "1.5", "1.1", "00112233-4455-6677-8899-aabbccddeeff",
            "00112233-4455-6677-8899-aabbccddeeff", "1970-01-01T00:00:01.25Z", "2023-11-14T22:13:20.123Z", "2024-05-01T00:00:00Z",
            "1970-01-01T00:00:00Z", "data ff", "data ", "''", "null",
        ]
        let found = try SQLiteObjects.texts(of: store, 0)
        try #require(found.count == 2)
        for (place, values) in [first, second].enumerated() {
            for (column, value) in values.enumerated() { #expect(found[place][column] == value, "column \(column)") }
        }
        let converted = Set(store.remarks.filter { $0.kind == .converted }.map(\.place))
        #expect(converted == ["t.yes", "t.mix", "t.d", "t.u", "t.v", "t.at", "t.ms", "t.day", "t.jd", "t.bad", "t.n"])
    }

    @Test("foreign keys become links by rowid, or by the value of a unique column")
    func links() throws {
        let store = try store("""
            CREATE TABLE company(id INTEGER PRIMARY KEY, name TEXT);
            CREATE TABLE country(code TEXT PRIMARY KEY, name TEXT) WITHOUT ROWID;
            CREATE TABLE person(id INTEGER PRIMARY KEY, employer INTEGER REFERENCES company ON DELETE CASCADE,
              home TEXT REFERENCES country(code), boss INT REFERENCES person(id), odd INT REFERENCES company, a INT, b INT,
              FOREIGN KEY (a, b) REFERENCES other(a, b));
            INSERT INTO company VALUES(10, 'x'), (20, 'y');
            INSERT INTO country VALUES('de', 'D'), ('fr', 'F');
            INSERT INTO person VALUES(1, 20, 'fr', NULL, 'text', 1, 2), (2, NULL, NULL, 1, NULL, 3, 4);
            """)
        #expect(store.classes.map(\.schema.name) == ["company", "country", "person"])
        let person = store.classes[2].schema
        #expect(person.properties.map(\.linkTarget) == [nil, "company", "country", "person", nil, nil, nil])
        #expect(store.classes[1].schema.primaryKeys == ["code"])
        #expect(try SQLiteObjects.texts(of: store, 2) == [
            ["1", "→20", "→1.0='fr'", "null", "'text'", "1", "2"], ["2", "null", "null", "→1", "null", "3", "4"],
        ])
        #expect(store.remarks.contains { $0.kind == .lost && $0.place == "person.employer" && $0.text.contains("CASCADE") })
        #expect(store.remarks.contains { $0.place == "person.odd" && $0.text.contains("company") })
        #expect(store.remarks.contains { $0.place == "person" && $0.text.contains("several columns") })
    }

    @Test("a reference to strings that SQLite finds by a collation stays a value")
    func collations() throws {
        let store = try store("""
            CREATE TABLE a(n TEXT PRIMARY KEY COLLATE nocase); CREATE TABLE b(n TEXT UNIQUE COLLATE "RTRIM");
            CREATE TABLE c(n TEXT, PRIMARY KEY(n COLLATE NOCASE)); CREATE TABLE d(n INTEGER UNIQUE COLLATE NOCASE);
            CREATE TABLE e(n UUID PRIMARY KEY COLLATE NOCASE); CREATE TABLE f(n TEXT PRIMARY KEY COLLATE BINARY);
            CREATE TABLE q(a TEXT REFERENCES a, b TEXT REFERENCES b(n), c TEXT REFERENCES c, d INT REFERENCES d(n),
              e UUID REFERENCES e, f TEXT REFERENCES f);
            INSERT INTO a VALUES('Ab'), ('c'); INSERT INTO b VALUES('x'); INSERT INTO c VALUES('Z'); INSERT INTO d VALUES(7);
            INSERT INTO e VALUES('00112233-4455-6677-8899-aabbccddeeff'); INSERT INTO f VALUES('ok');
            INSERT INTO q VALUES('aB', 'x  ', 'z', 7, '00112233-4455-6677-8899-AABBCCDDEEFF', 'ok'), ('C', 'x', 'Z', 7, NULL, NULL);
            """)
        #expect(store.classes[6].schema.properties.map(\.linkTarget) == [nil, nil, nil, "d", "e", "f"])
        #expect(try SQLiteObjects.texts(of: store, 6) == [
            ["'aB'", "'x  '", "'z'", "→3.0=7", "→4.0=00112233-4455-6677-8899-aabbccddeeff", "→5.0='ok'"],
            ["'C'", "'x'", "'Z'", "→3.0=7", "null", "null"],
        ])
        let said = store.remarks.filter { $0.text.contains("stays a value") && $0.text.contains("collation") }.map(\.place)
        #expect(said == ["q.a", "q.b", "q.c"])
    }

    @Test("keys and indexes are kept, and what they can no longer do is remarked")
    func keys() throws {
        let store = try store("""
            CREATE TABLE pair(a INT, b TEXT, c REAL UNIQUE, d INT, PRIMARY KEY(b, a)) WITHOUT ROWID;
            CREATE TABLE loose(k TEXT PRIMARY KEY, e INT UNIQUE CHECK (e > 0), f TEXT COLLATE NOCASE DEFAULT 'x');
            CREATE INDEX i1 ON pair(d); CREATE UNIQUE INDEX i2 ON pair(d, c); CREATE INDEX i3 ON pair(d + 1);
            CREATE UNIQUE INDEX i4 ON loose(f) WHERE e > 1;
            INSERT INTO pair VALUES(1, 'x', 1.5, 3);
            INSERT INTO loose VALUES(NULL, 1, 'a'), (NULL, 2, 'b');
            CREATE VIEW v AS SELECT 1; CREATE TRIGGER g AFTER DELETE ON pair BEGIN SELECT 1; END;
            CREATE VIRTUAL TABLE box USING rtree(id, x, y);
            """)
        let pair = store.classes[0].schema, loose = store.classes[1].schema
        #expect(store.classes.count == 2)
        #expect(pair.primaryKeys == ["b", "a"])
        #expect(pair.properties.map(\.isUnique) == [false, false, true, false])
        #expect(pair.properties.map(\.isIndexed) == [false, false, false, true])
        #expect(pair.indexes == [IndexSchema(["d", "c"], isUnique: true)])
        #expect(loose.primaryKeys.isEmpty)
        #expect(loose.properties.map(\.isUnique) == [true, true, false])
        #expect(loose.properties[2].isIndexed)
        let lost = Set(store.remarks.filter { $0.kind == .lost }.map(\.place))
        #expect(lost == ["pair", "loose", "v", "g", "box", "box_node", "box_rowid", "box_parent"])
    }

    @Test("a table of the program that has the name of a shadow table is imported")
    func shadows() throws {
        let store = try store("""
            CREATE VIRTUAL TABLE a USING fts5(x, content='a_content'); CREATE TABLE a_content(id INTEGER PRIMARY KEY, c0);
            CREATE VIRTUAL TABLE b USING fts5(content, x, content = ""); CREATE TABLE b_content(id INTEGER PRIMARY KEY, c0);
            CREATE VIRTUAL TABLE c USING fts4(x, content="c_content"); CREATE TABLE c_content(docid INTEGER PRIMARY KEY, x);
            CREATE VIRTUAL TABLE d USING fts3(x); CREATE TABLE d_docsize(x); CREATE TABLE d_stat(x);
            CREATE VIRTUAL TABLE e USING fts5(content); CREATE VIRTUAL TABLE f USING fts4(x); CREATE VIRTUAL TABLE g USING rtree(id, x, y);
            CREATE TABLE f_data(id INTEGER PRIMARY KEY, block BLOB); CREATE VIRTUAL TABLE h USING fts5(x, cont=docs);
            CREATE TABLE h_content(x); CREATE TABLE docs(x);
            """)
        #expect(store.classes.map(\.schema.name) == [
            "a_content", "b_content", "c_content", "d_docsize", "d_stat", "f_data", "h_content", "docs",
        ])
        let shadows = store.remarks.filter { $0.text.contains("holds the content") }.map(\.place)
        #expect(shadows.count == 4 + 4 + 4 + 3 + 5 + 5 + 3 + 4 && shadows.contains("e_content") && shadows.contains("f_content"))
    }

    @Test("a join table is a class, or a list if that is asked for")
    func joins() throws {
        let script = """
            CREATE TABLE article(id INTEGER PRIMARY KEY, title TEXT);
            CREATE TABLE tag(id INTEGER PRIMARY KEY, name TEXT);
            CREATE TABLE article_tag(article INT REFERENCES article, tag INT REFERENCES tag, PRIMARY KEY(article, tag));
            INSERT INTO article VALUES(1, 'a'), (2, 'b'), (3, 'c');
            INSERT INTO tag VALUES(5, 'x'), (6, 'y');
            INSERT INTO article_tag VALUES(3, 6), (1, 6), (3, 5);
            """
        let plain = try store(script)
        #expect(plain.classes[2].schema.properties.map(\.linkTarget) == ["article", "tag"])
        #expect(plain.classes[2].schema.indexes == [IndexSchema(["article", "tag"], isUnique: true)])
        #expect(plain.remarks.contains { $0.place == "article_tag" && $0.text.contains("list") })
        var options = SQLiteStoreOptions()
        options.joins["Article_Tag"] = "tags"
        options.renames["article"] = "Article"
        let listed = try SQLiteStore(path: folder.file("a.sqlite"), options: options)
        try SQLiteObjects.expectCreatable(listed)
        #expect(listed.classes.map(\.schema.name) == ["Article", "tag"])
        #expect(try SQLiteObjects.texts(of: listed, 0) == [["1", "'a'", "[→6]"], ["2", "'b'", "[]"], ["3", "'c'", "[→6, →5]"]])
        #expect(listed.identity != plain.identity)
        try listed.checkUnchanged()
    }

    @Test("rows of a join table that are in no list are counted")
    func ownerless() throws {
        var options = SQLiteStoreOptions()
        options.joins["article_tag"] = "tags"
        let store = try store("""
            CREATE TABLE article(id INTEGER PRIMARY KEY); CREATE TABLE tag(id INTEGER PRIMARY KEY);
            CREATE TABLE article_tag(article INT REFERENCES article, tag INT REFERENCES tag);
            INSERT INTO article VALUES(1), (3), (5); INSERT INTO tag VALUES(6);
            INSERT INTO article_tag VALUES(3, 6), (2, 6), (1, 6), (9, 6), (9, 7), (-4, 6), (5, 7), (NULL, 6), (NULL, NULL), (1, NULL);
            """, options)
        #expect(try SQLiteObjects.texts(of: store, 0) == [["1", "[→6]"], ["3", "[→6]"], ["5", "[→7]"]])
        #expect(store.ownerlessLinks == 4)
        let lost = store.remarks.filter { $0.kind == .lost && $0.place == "article.tags" }.map(\.text)
        #expect(lost.count == 2 && lost[0].hasSuffix("with a null are left out (3)") && lost[1].hasSuffix("left out (4)"), "\(lost)")
        let database = try Database.open(folder.file("a.freehold"))
        defer { database.close() }
        // The list of article 5 has an element that does not exist.
        #expect(try StoreImporter(store, name: "a", into: database).run().missingLinks == 5)
    }

    @Test("tables beyond the classes of a file are refused at once, columns beyond the properties of a class are counted")
    func limits() throws {
        let path = folder.file("many.sqlite")
        try SQLiteMaking.database(path, """
            connection.execute("BEGIN")
            for i in range(1998): connection.execute(f"CREATE TABLE t{i}(a)")
            connection.execute("CREATE TABLE wide(" + ", ".join(f"c{i}" for i in range(950)) + ")")
            connection.execute("COMMIT")
            """)
        do {
            let store = try SQLiteStore(path: path), lost = store.remarks.filter { $0.kind == .lost }
            #expect(store.classes.count == 1999)
            #expect(lost.map(\.place) == ["wide"] && lost.first?.text.contains("'c900' and after (50 in all)") == true, "\(lost)")
        }
        try SQLiteMaking.database(path, "connection.execute('CREATE TABLE pair(a INTEGER REFERENCES one, b INTEGER REFERENCES one)')")
        do throws(SourceError) {
            _ = try SQLiteStore(path: path)
            Issue.record("no file holds so many classes")
        } catch {
            #expect(error.kind == .unsupported && error.message.contains("has 2000 tables"), "\(error)")
        }
    }

    @Test("a file of no bytes, or a database without tables, is a source without classes whatever the rules say")
    func empty() throws {
        let path = folder.file("empty.sqlite"), database = try Database.open(folder.file("empty.freehold"))
        defer { database.close() }
        try SQLiteDamage.save([], path)
        var source = SourceFile(path: path)
        #expect(source.isEmpty && !source.isRecognized)
        source.rules.classNames["people"] = "Person"
        let opening = FirstOpenImport(source)
        #expect(try opening.run(on: database)?.classes.isEmpty == true)
        try SQLiteMaking.database(path, "connection.execute('PRAGMA user_version = 1')")
        #expect(try opening.run(on: database)?.classes.isEmpty == true)
        try SQLiteMaking.database(path, "connection.executescript('CREATE TABLE people(a); INSERT INTO people VALUES(1)')")
        #expect(try opening.run(on: database)?.classes.map(\.name) == ["Person"])
        #expect(try opening.run(on: database) == nil)
    }

    @Test("options state types, links and names, and are checked")
    func options() throws {
        let script = """
            CREATE TABLE a(id INTEGER PRIMARY KEY, b INT, at INT, zip INT, key TEXT);
            INSERT INTO a VALUES(1, 2, 1000000000, 12345, '507f1f77bcf86cd799439011'), (2, 1, 0, NULL, NULL);
            """
        var options = SQLiteStoreOptions()
        options.links["a.B"] = "Thing"
        options.renames["A"] = "Thing"
        options.types = ["a.at": DeclaredType("date")!, "a.zip": DeclaredType("string?")!, "a.key": DeclaredType("objectId?")!]
        let store = try store(script, options)
        #expect(store.classes[0].sourceName == "a")
        #expect(try SQLiteObjects.texts(of: store, 0) == [
            ["1", "→2", "2001-09-09T01:46:40Z", "'12345'", "507f1f77bcf86cd799439011"],
            ["2", "→1", "1970-01-01T00:00:00Z", "null", "null"],
        ])
        func failure(_ change: (inout SQLiteStoreOptions) -> Void) -> SourceError.Kind? {
            var options = SQLiteStoreOptions()
            change(&options)
            do throws(SourceError) { _ = try SQLiteStore(path: folder.file("a.sqlite"), options: options) } catch { return error.kind }
            return nil
        }
        #expect(failure { $0.types["a.key"] = DeclaredType("uuid?") } == .invalidOption)
        #expect(failure { $0.types["a.zip"] = DeclaredType("int") } == .invalidOption)
        #expect(failure { $0.types["a.nothing"] = DeclaredType("int") } == .invalidOption)
        #expect(failure { $0.links["a.b"] = "nothing" } == .invalidOption)
        #expect(failure { $0.joins["a"] = "" } == .invalidOption)
        #expect(failure { $0.renames["nothing"] = "x" } == .invalidOption)
        #expect(failure { _ in } == nil)
    }

    @Test("names that a class cannot have get others")
    func names() throws {
        let store = try store("""
            CREATE TABLE [$import:x]("" INT, [é] TEXT, "a.b" INT); CREATE TABLE "table"(a INT);
            INSERT INTO [$import:x] VALUES(1, 'x', 2);
            """)
        #expect(store.classes.map(\.schema.name) == ["tableimport:x", "table"])
        #expect(store.classes.map(\.sourceName) == ["$import:x", "table"])
        #expect(store.classes[0].schema.properties.map(\.name) == ["column", "é", "a.b"])
        #expect(store.remarks.map(\.kind) == [.renamed, .renamed])
        #expect(try SQLiteObjects.texts(of: store, 0) == [["1", "'x'", "2"]])
    }

    @Test("reading begins anywhere, and long values come in parts")
    func batches() throws {
        let path = folder.file("long.sqlite")
        try SQLiteMaking.database(path, """
            connection.execute("PRAGMA encoding = 'UTF-16le'")
            connection.execute("CREATE TABLE t(id INTEGER PRIMARY KEY, s TEXT, b BLOB, after INT)")
            connection.execute("BEGIN")
            for i in range(3000): connection.execute("INSERT INTO t VALUES(?, ?, ?, ?)", (i * 3, str(i), None, i))
            connection.execute("UPDATE t SET s = ?, b = zeroblob(1100000) WHERE id = 6000", ("é€𝄞" * 150000,))
            connection.execute("COMMIT")
            """)
        let store = try SQLiteStore(path: path)
        let all = try SQLiteObjects.texts(of: store, 0)
        #expect(all.count == 3000 && store.classes[0].count == 3000)
        let text = Array(repeating: Array("é€𝄞".utf8), count: 150_000).flatMap { $0 }
        #expect(all[2000][1] == "long text \(text.count) \(SQLiteObjects.hash(text))")
        #expect(all[2000][2] == "long data 1100000 \(SQLiteObjects.hash([UInt8](repeating: 0, count: 1_100_000)))")
        #expect(all[2000][3] == "2000" && all[1999][1] == "'1999'")
        for key in [-5, 5999, 8997] as [Int64] {
            #expect(try SQLiteObjects.texts(of: store, 0, after: key) == Array(all.drop { Int64($0[0]) ?? 0 <= key }))
        }
        let file = try SQLiteFile(path: path), table = try #require(file.table("T"))
        #expect(try file.row(of: table, rowid: 6000) != nil)
        #expect(try file.row(of: table, rowid: 6001) == nil)
        #expect(try file.row(of: table, rowid: Int64.min) == nil)
    }
}
