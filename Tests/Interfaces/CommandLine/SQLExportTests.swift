import DatabaseKit
import Foundation
import FreeholdEngine
import TestKit
import Testing

/// `freehold export --format sql`, read by SQLite.
@Suite struct SQLExportTests {
    private func make(_ body: (Database) throws -> Void) throws -> Workplace {
        let place = try Workplace(), database = try Database.open(place.folder.appending(path: "d").path)
        defer { database.close() }
        try body(database)
        return place
    }

    private func read<Result>(_ place: Workplace, _ body: (Snapshot) throws -> Result) throws -> Result {
        let database = try Database.open(place.folder.appending(path: "d").path)
        defer { database.close() }
        return try body(try database.snapshot())
    }

    @Test("a random database is in SQLite what it was, and its foreign keys hold", arguments: TestScale.seeds(6))
    func aRandomDatabaseIsIn(seed: UInt64) throws {
        let place = try make { database in
            var history = History(seed: seed)
            history.bulk = 60
            history.extraClasses = history.randomClasses()
            for _ in 0..<14 { try history.transact(on: database, durability: .processCrash) }
        }
        #expect(try place.run("export", "d", "--format", "sql", "-o", "out.sql").status == 0)
        let contents = try SQLiteContents(place, "out.sql", "seed \(seed)")
        try read(place) { try SQLiteExpectation($0).expect(contents, "seed \(seed)") }
    }

    // MARK: Values

    private static let texts = [
        "", "'", "''", "\"", "\u{0}", "a\u{0}b", "\r\n", "one\r\ntwo\r", "\n.quit\n", ";\n/\ngo\n", "--", "/*", "\\", "%s", "?1", "NaN",
        "12", "1e3", "0x10",
        "\u{FEFF}", "gr\u{F6}\u{DF}e", "\u{1F3E1}", "e\u{301}", String(repeating: "long'", count: 10_000),
    ]
    private static let numbers: [Double] = [
        0, -0.0, 1, -1, 0.1, 0.3, 1 / 3, 2 / 3, 1e15, 1e16, 1e22, 1e23, 123456789012345680, 9007199254740992, .leastNonzeroMagnitude,
        .leastNormalMagnitude, .greatestFiniteMagnitude,
        -.greatestFiniteMagnitude, .infinity, -.infinity, .nan, .pi, 0.1 + 0.2, 8.41, 2.675, 4503599627370497.5,
    ]

    /// A class for each type that holds every value of it, alone and in a mixed property and in collections.
    private func filled(_ numbers: [Double], _ texts: [String]) throws -> Workplace {
        try make { database in
            try database.write { transaction in
                try transaction.createClass(ClassSchema("V", [
                    PropertySchema("value", .double), PropertySchema("any", .mixed), PropertySchema("list", .double, collections: [.list]),
                ]))
                try transaction.createClass(ClassSchema("T", primaryKey: "text", [
                    PropertySchema("text", .string), PropertySchema("any", .mixed), PropertySchema("map", .string, collections: [.map]),
                    PropertySchema("set", .string, collections: [.set]),
                ]))
                try transaction.createClass(ClassSchema("I", primaryKey: "id",
                    [PropertySchema("id", .int), PropertySchema("date", .date), PropertySchema("f", .float, isNullable: true)]))
                for number in numbers { try transaction.insert(into: "V",
                    [("value", .double(number)), ("any", .double(number)), ("list", .list([.double(number)]))]) }
                for text in texts {
                    try transaction.insert(into: "T", [
                        ("text", .string(text)), ("any", .string(text)), ("map", .map([text: .string(text)])),
                        ("set", .set([.string(text)])),
                    ])
                }
                for (number, float) in [(Int64.min, Float.greatestFiniteMagnitude), (.max, .leastNonzeroMagnitude), (0, 0.1),
                    (-62_135_596_801, .nan), (253_402_300_800, -.infinity)] {
                    try transaction.insert(into: "I", [("id", .int(number)), ("date", .date(Timestamp(seconds: number, nanoseconds: 1))),
                        ("f", .float(float))])
                }
            }
        }
    }

    @Test("values that text could change come through Python's SQLite and the program sqlite3")
    func valuesThatTextCouldChange() throws {
        let place = try filled(Self.numbers, Self.texts)
        #expect(try place.run("export", "d", "-o", "out.sql").status == 0)
        let expected = try read(place) { try SQLiteExpectation($0) }
        expected.expect(try SQLiteContents(place, "out.sql", "Python"), "Python")
        guard FileManager.default.isExecutableFile(atPath: "/usr/bin/sqlite3") else { return }
        let run = try place.shell("rm new.db; freehold export d --format sql | sqlite3 -bail new.db")
        #expect(run.status == 0 && run.errors == "", "\(run)")
        expected.expect(try SQLiteContents(place, nil, "sqlite3"), "sqlite3")
    }

    @Test("random doubles come through to the last bit")
    func randomDoublesComeThroughTo() throws {
        var random = SeededRandom(seed: 7)
        // Below 1e-290 and above 1e290 old versions of SQLite round twice.
        let numbers = (0..<20_000).map { number -> Double in
            switch number % 3 {
            case 0: return Double(Int64.random(in: -1_000_000_000...1_000_000_000, using: &random)) / [10, 100, 1000, 1e6,
                1e12][random.below(5)]
            case 1: return Double(sign: random.oneIn(2) ? .plus : .minus, exponent: random.below(1800) - 900,
                significand: Double.random(in: 1..<2, using: &random))
            default: return Double.random(in: 0..<1, using: &random)
            }
        }
        let place = try filled(numbers, [])
        #expect(try place.run("export", "d", "-o", "out.sql").status == 0)
        let contents = try SQLiteContents(place, "out.sql", "doubles")
        try read(place) { try SQLiteExpectation($0).expect(contents, "doubles") }
    }

    // MARK: Names

    @Test("names that SQLite cannot tell apart, or keeps for itself, are replaced")
    func namesThatSQLiteCannotTell() throws {
        let place = try make { database in
            try database.write { transaction in
                try transaction.createClass(ClassSchema("a \"b\"",
                    [PropertySchema("x\"", .int, isIndexed: true), PropertySchema("X\"", .int), PropertySchema("object_key", .mixed)]))
                try transaction.createClass(ClassSchema("A \"B\"", primaryKey: "select",
                    [PropertySchema("select", .string), PropertySchema("l;", linkTo: "a \"b\"", collections: [.list])]))
                try transaction.createClass(ClassSchema("sqlite_master", [PropertySchema("nul\u{0}\r\n", .int)]))
                let key = try transaction.insert(into: "a \"b\"", [("x\"", .int(1)), ("X\"", .int(2)), ("object_key", .int(3))])
                try transaction.insert(into: "A \"B\"", [("select", .string("s")), ("l;", .list([.link(key)]))])
                try transaction.insert(into: "sqlite_master", [("nul\u{0}\r\n", .int(4))])
                try transaction.setSchemaVersion(5)
            }
        }
        #expect(try place.run("export", "d", "-o", "out.sql").status == 0)
        let contents = try SQLiteContents(place, "out.sql", "names")
        #expect(contents.version == 5)
        #expect(contents.tables.keys.sorted() == ["A \"B\"_2", "A \"B\"_2.l;", "_sqlite_master", "a \"b\""])
        #expect(contents.tables["a \"b\""]?.columns == ["object_key_2", "x\"", "X\"_2", "object_key", "object_key.type"])
        #expect(contents.tables["a \"b\""]?.rows == [["i:0", "i:1", "i:2", "i:3", "t:696e74"]])
        #expect(contents.tables["_sqlite_master"]?.columns == ["object_key", "nul\\u{0}\\r\\n"])
        #expect(contents.indexes.sorted() == ["A \"B\"_2.l;.index", "a \"b\".x\".index"])
    }

    // MARK: Constraints

    private static let shop = [
        ClassSchema("Place", isEmbedded: true, [PropertySchema("city", .string), PropertySchema("inner", linkTo: "Place")]),
        ClassSchema("Party", primaryKey: "name", indexes: [IndexSchema(["name", "rank"], isUnique: true)], [
            PropertySchema("name", .string), PropertySchema("rank", .int, isIndexed: true), PropertySchema("home", linkTo: "Place"),
        ]),
        ClassSchema("Firm", superclass: "Party", indexes: [IndexSchema(["rank", "number"])], [
            PropertySchema("number", .uuid, isUnique: true), PropertySchema("places", linkTo: "Place", collections: [.list]),
            PropertySchema("boss", linkTo: "Party"),
        ]),
        ClassSchema("Note", [PropertySchema("about", linkTo: "Party"), PropertySchema("place", linkTo: "Place")]),
    ]

    private func shop() throws -> Workplace {
        try make { database in
            try database.write { transaction in
                for schema in Self.shop { try transaction.createClass(schema) }
                let ann = try transaction.insert(into: "Party", [("name", .string("Ann"))])
                let acme = try transaction.insert(into: "Firm", [("name", .string("Acme")), ("boss", .link(ann))])
                let note = try transaction.insert(into: "Note", [("about", .link(acme))])
                func embed(_ city: String, in name: String, _ key: ObjectKey, _ property: String) throws -> ObjectKey {
                    let table = try transaction.table(name)
                    return try transaction.embed([("city", .string(city))], in: key, of: table, table.column(property))
                }
                _ = try embed("Rome", in: "Party", ann, "home")
                let oslo = try embed("Oslo", in: "Party", acme, "home")
                _ = try embed("Inner", in: "Place", oslo, "inner")
                _ = try embed("Note", in: "Note", note, "place")
                let table = try transaction.table("Firm")
                _ = try transaction.list(of: acme, in: table, table.column("places")).embed([("city", .string("Bonn"))])
            }
        }
    }

    @Test("keys, uniqueness, indexes and references are constraints in SQLite")
    func keysUniquenessIndexesAndReferences() throws {
        let place = try shop()
        #expect(try place.run("export", "d", "-o", "out.sql").status == 0)
        let contents = try SQLiteContents(place, "out.sql", "shop")
        try read(place) { try SQLiteExpectation($0).expect(contents, "shop") }
        #expect(contents.indexes.sorted() == [
            "Firm.boss.index", "Firm.places.index", "Note.about.index", "Note.place.index", "Party.home.index", "Party.name.rank.index",
            "Party.rank.index", "Place.inner.index",
        ])
        let text = try place.text("out.sql")
        #expect(text.contains("-- Firm: index (rank, number) spans two tables and is left out\n"))
        for refused in [
            "INSERT INTO Party(object_key, class, name, rank) VALUES(9, 'Party', 'Ann', 1)",
            "INSERT INTO Party(object_key, class, rank) VALUES(9, 'Party', NULL)",
            "INSERT INTO Firm(object_key, number) VALUES(77, '1')", "INSERT INTO Note(about) VALUES(99)",
            "INSERT INTO Firm(object_key, number) SELECT 1, number FROM Firm",
        ] {
            let run = try python(place, "d.execute(\"\"\"\(refused)\"\"\")")
            #expect(run.errors.contains("sqlite3.IntegrityError"), "\(refused): \(run)")
        }
        let run = try python(place, """
            d.execute("DELETE FROM Party")
            d.commit()
            print(d.execute("SELECT (SELECT count(*) FROM Firm), (SELECT about FROM Note)").fetchone())
            """)
        #expect(run.output == "(0, None)\n", "\(run)")
    }

    /// Runs lines of Python on the database `d` with its foreign keys enforced.
    private func python(_ place: Workplace, _ lines: String) throws -> Outcome {
        let first = "import sqlite3\nd = sqlite3.connect('new.db')\nd.execute('PRAGMA foreign_keys=ON')\n"
        try place.file("run.py", "\(first)\(lines)\nd.commit()\n")
        return try place.shell("python3 run.py")
    }

    @Test("one class comes with what its objects consist of, and without references to what is not written")
    func oneClassComesWithWhat() throws {
        let place = try shop()
        func contents(_ name: String) throws -> [String: Int] {
            #expect(try place.shell("rm -f new.db; freehold export d \(name) --format sql > out.sql").status == 0)
            return try SQLiteContents(place, "out.sql", name).tables.mapValues { $0.rows.count }
        }
        #expect(try contents("Firm") == ["Party": 1, "Firm": 1, "Firm.places": 1, "Place": 3])
        #expect(try contents("Party") == ["Party": 2, "Firm": 1, "Firm.places": 1, "Place": 4])
        #expect(try contents("Note") == ["Note": 1, "Place": 1])
        #expect(try contents("Place") == ["Place": 5])
        #expect(try contents("") == ["Party": 2, "Firm": 1, "Firm.places": 1, "Note": 1, "Place": 5])
    }

    @Test("an export is of the version at its beginning, whatever is committed before its end")
    func anExportIsOfOneVersion() throws {
        let place = try Workplace()
        try place.file("p.csv", "id,v\n" + (1...20_000).map { "\($0),text \($0)\n" }.joined())
        #expect(try place.run("import", "d", "p.csv", "--into", "P", "--primary-key", "id").status == 0)
        // The pipe is full long before the end, so that the commit falls within the export.
        let run = try place.shell("""
            mkfifo p; freehold export d --format sql -o p & exec 3<p; head -c 100 <&3 > out.sql
            freehold add d P id=20001 v=late && cat <&3 >> out.sql && wait $! && freehold count d P
            """)
        #expect(run.status == 0 && run.lines.last == "20001", "\(run)")
        #expect(try SQLiteContents(place, "out.sql", "pipe").tables["P"]?.rows.count == 20_000)
    }

    // MARK: Arguments

    @Test("the arguments of SQL are checked")
    func theArgumentsOfSQLAre() throws {
        let place = try shop()
        #expect(try place.run("export", "d").status == 64)
        #expect(try place.run("export", "d", "--format", "csv").errors.contains("only --format sql writes a whole database"))
        #expect(try place.run("export", "d", "--format", "sql", "--columns", "name").status == 64)
        #expect(try place.run("export", "d", "--format", "sql", "--delimiter", ";").status == 64)
        #expect(try place.run("export", "d", "Parti", "--format", "sql").errors.contains("'Party'"))
        #expect(try place.run("export", "d", "-o", "x.sql").status == 0)
        #expect(try place.text("x.sql").hasPrefix("PRAGMA foreign_keys=OFF;\nBEGIN;\n") && place.text("x.sql").hasSuffix("COMMIT;\n"))
        #expect(try make { _ in }.run("export", "d", "--format", "sql").output == "PRAGMA foreign_keys=OFF;\nBEGIN;\nCOMMIT;\n")
    }
}
