import FreeholdEngine
import TestKit
import Testing

/// Imports of databases of other kinds, by the program.
@Suite struct StoreImportTests {
    /// The folder of files written by Realm.
    private var samples: String {
        #filePath.split(separator: "/", omittingEmptySubsequences: false).dropLast(2).joined(separator: "/") + "/Import/RealmSamples"
    }

    /// Makes a SQLite database.
    private func database(_ place: Workplace, _ name: String = "shop.sqlite", rows: Int = 3) throws {
        try place.file("make.py", """
            import sqlite3, sys
            db = sqlite3.connect(sys.argv[1])
            db.executescript('''
                CREATE TABLE maker (id INTEGER PRIMARY KEY, name TEXT NOT NULL);
                CREATE TABLE item (id INTEGER PRIMARY KEY, title TEXT, price REAL, maker INTEGER REFERENCES maker,
                                   next INTEGER REFERENCES item, made DATETIME);
                CREATE TABLE tag (id INTEGER PRIMARY KEY, name TEXT UNIQUE);
                CREATE TABLE item_tag (item INTEGER REFERENCES item, tag INTEGER REFERENCES tag);
                CREATE VIEW cheap AS SELECT * FROM item WHERE price < 2;
            ''')
            rows = int(sys.argv[2])
            db.executemany('INSERT INTO maker VALUES (?, ?)', [(i, f'maker {i}') for i in range(rows)])
            db.executemany('INSERT INTO item VALUES (?, ?, ?, ?, ?, ?)',
                           [(i, f'item {i}', i / 4, i * 7 % rows, (i + 1) % rows, 1e9 + i) for i in range(rows)])
            db.executemany('INSERT INTO tag VALUES (?, ?)', [(i, f't{i}') for i in range(rows)])
            db.executemany('INSERT INTO item_tag VALUES (?, ?)', [(i, i * 3 % rows) for i in range(rows)])
            db.commit()
            """)
        let made = try place.shell("python3 make.py \(name) \(rows)")
        try #require(made.status == 0, "\(made.errors)")
    }

    @Test("a SQLite database brings its classes, links and types")
    func whole() throws {
        let place = try Workplace()
        try database(place)
        let run = try place.run("import", "d.freehold", "shop.sqlite", "--map", "item=Item", "--map", "maker=Maker")
        #expect(run.status == 0, "\(run.errors)")
        #expect(run.errors.contains("12 objects of 4 classes imported from shop.sqlite in"), "\(run.errors)")
        #expect(run.errors.contains("cheap"), "\(run.errors)")
        let first = try place.run("get", "d.freehold", "Item", "1", "--json").output
        #expect(first.contains(#""title":"item 1""#) && first.contains(#""maker":1"#) && first.contains("2001-09-09T01:46:41Z"), "\(first)")
        #expect(try place.run("check", "d.freehold").status == 0)
        let again = try place.run("import", "d.freehold", "shop.sqlite")
        #expect(again.status == 0 && again.errors.contains("was imported before"), "\(again.errors)")
        #expect(try place.shell("rm shop.sqlite").status == 0)
        let gone = try place.run("import", "d.freehold", "shop.sqlite")
        #expect(gone.status == 0 && gone.errors.contains("was imported before"), "\(gone.errors)")
    }

    @Test("an import that was killed is named until it is continued")
    func unfinished() throws {
        let place = try Workplace()
        try database(place, rows: 100)
        let killed = try place.shell("FREEHOLD_KILL_AT=commit.rootWritten:6 freehold import d.freehold shop.sqlite --batch 10; echo $?")
        #expect(killed.lines.last == "137", "\(killed.lines)")
        let information = try place.run("info", "d.freehold"), classes = try place.run("classes", "d.freehold")
        #expect(information.output.contains("of shop.sqlite is not complete: "), "\(information.output)")
        #expect(classes.output == "" && classes.errors.contains("the import of shop.sqlite is not complete"), "\(classes.errors)")
        #expect(try place.run("import", "d.freehold", "shop.sqlite").status == 0)
        #expect(try !place.run("info", "d.freehold").output.contains("not complete"))
        #expect(try place.run("classes", "d.freehold").output.contains("item: 100 objects"))
    }

    @Test("two tables are not mapped to one class, and a database without tables is imported when it has some")
    func names() throws {
        let place = try Workplace()
        try database(place)
        for name in ["tag", "Thing"] {
            let run = try place.run("import", "d.freehold", "shop.sqlite", "--map", "item=\(name)", "--map", "maker=Thing")
            #expect(run.status == 1 && run.errors.contains("would both become the class '\(name)'"), "\(run.errors)")
        }
        #expect(try place.shell("python3 -c 'import sqlite3; c = sqlite3.connect(\"e.sqlite\"); c.execute(\"VACUUM\")'").status == 0)
        let empty = try place.run("import", "e.freehold", "e.sqlite")
        #expect(empty.status == 0 && empty.errors.contains("has no classes"), "\(empty.errors)")
        try database(place, "e.sqlite")
        #expect(try place.run("import", "e.freehold", "e.sqlite").errors.contains("12 objects of 4 classes"))
        let own = try place.run("import", "f.freehold", "e.freehold")
        #expect(own.status != 0 && own.errors.contains("is a Freehold database already"), "\(own.errors)")
    }

    @Test("links without a target are counted by their columns")
    func lost() throws {
        let place = try Workplace()
        try database(place)
        let change = "UPDATE item SET maker = 77, next = 88 WHERE id > 0"
        let script = "import sqlite3; c = sqlite3.connect('shop.sqlite'); c.execute('\(change)'); c.commit()"
        #expect(try place.shell("python3 -c \"\(script)\"").status == 0)
        let run = try place.run("import", "d.freehold", "shop.sqlite")
        #expect(run.errors.contains("4 links without a target set to null"), "\(run.errors)")
        #expect(run.errors.contains("item.maker") && run.errors.contains("2 links have no target in the source"), "\(run.errors)")
    }

    @Test("a file of no bytes has nothing to import if its name or the options say that it is a database")
    func empty() throws {
        let place = try Workplace()
        for name in ["e.sqlite", "e.REALM", "e.txt", "e.jsonl"] { try place.file(name, "") }
        for run in [
            try place.run("import", "d.freehold", "e.sqlite"), try place.run("import", "d.freehold", "e.REALM"),
            try place.run("import", "d.freehold", "e.txt", "--name", "old"),
        ] {
            #expect(run.status == 0 && run.errors.contains("has no classes (empty file); nothing was imported"), "\(run.errors)")
        }
        #expect(try place.run("import", "d.freehold", "e.txt").errors.contains("--into names the class"))
        let text = try place.run("import", "d.freehold", "e.jsonl", "--into", "A")
        #expect(text.status == 0 && text.errors.contains("0 records imported into A"), "\(text.errors)")
    }

    @Test("a dry run shows the classes and what would be lost, and writes nothing")
    func dry() throws {
        let place = try Workplace()
        try database(place)
        let run = try place.run("import", "d.freehold", "shop.sqlite", "--dry-run", "--join", "item_tag=tags")
        #expect(run.status == 0, "\(run.errors)")
        #expect(run.output.contains("class item: 3 objects") && run.output.contains("list of link to tag"), "\(run.output)")
        #expect(run.output.contains("lost") && run.output.contains("cheap"), "\(run.output)")
        #expect(try place.names().filter { $0.hasPrefix("d.") } == [])
    }

    @Test("options of text are refused for a database, and the other way round")
    func options() throws {
        let place = try Workplace()
        try database(place)
        try place.file("a.csv", "id\n1\n")
        #expect(try place.run("import", "d", "shop.sqlite", "--into", "A").errors.contains("--into is for text"))
        #expect(try place.run("import", "d", "a.csv").errors.contains("--into names the class"))
        #expect(try place.run("import", "d", "a.csv", "--into", "A", "--dry-run").errors.contains("--dry-run is for databases"))
        let wrong = try place.run("import", "d", "shop.sqlite", "--type", "item.price=colour")
        #expect(wrong.status == 64 && wrong.errors.contains("unknown type 'colour'; types are bool"), "\(wrong.errors)")
        #expect(try place.names().filter { $0.hasPrefix("d") } == [])
    }

    @Test("a damaged database is refused with the place, and nothing is left of it")
    func damaged() throws {
        let place = try Workplace()
        try database(place, rows: 3000)
        let cut = try place.shell("head -c $(($(stat -c %s shop.sqlite) * 6 / 10)) shop.sqlite > cut.sqlite")
        #expect(cut.status == 0)
        let run = try place.run("import", "d.freehold", "cut.sqlite")
        #expect(run.status == 1 && run.errors.contains("cannot import 'cut.sqlite'"), "\(run.errors)")
        #expect(run.errors.contains("; what can still be read: "), "\(run.errors)")
        #expect(run.errors.contains("all 3000 objects of 'maker'") && run.errors.contains("of 'item_tag'"), "\(run.errors)")
        #expect(run.errors.contains("Nothing was imported"), "\(run.errors)")
        #expect(try place.names().filter { $0.hasPrefix("d.") } == [])
    }

    @Test("what cannot be imported is named, with what to do")
    func refused() throws {
        let place = try Workplace()
        try database(place)
        let missing = try place.run("import", "d.freehold", "nothing.sqlite")
        #expect(missing.status == 1 && missing.errors.contains("cannot import 'nothing.sqlite': No such file"), "\(missing.errors)")
        let text = try place.shell("printf hello > a.sqlite; freehold import d.freehold a.sqlite")
        #expect(text.status == 64 && text.errors.contains("a.sqlite is not a .realm file, a SQLite database"), "\(text.errors)")
        let encrypted = try place.shell("head -c 8192 /dev/urandom > c.sqlite; freehold import d.freehold c.sqlite")
        #expect(encrypted.status == 1 && encrypted.errors.contains("seems to be encrypted"), "\(encrypted.errors)")
        let key = try place.run("import", "d.freehold", "\(samples)/encrypted.realm")
        #expect(key.status == 1 && key.errors.contains("(--key-file FILE)"), "\(key.errors)")
        #expect(try place.names().filter { $0.hasPrefix("d.") } == [])
    }

    @Test("damage that is found after some batches leaves no file that the import created")
    func damagedLate() throws {
        let place = try Workplace()
        try place.file("spoil.py", """
            import sys
            content = open(sys.argv[1], "rb").read()
            open("late.realm", "wb").write(content.replace(b"Alice", bytes([255] * 5)))
            """)
        let made = try place.shell("python3 spoil.py \(samples)/plain.realm")
        try #require(made.status == 0, "\(made.errors)")
        #expect(try place.run("import", "d.freehold", "late.realm", "--dry-run").status == 0)
        let run = try place.run("import", "d.freehold", "late.realm")
        #expect(run.status == 1 && run.errors.contains("is not UTF-8 (byte "), "\(run.errors)")
        #expect(try place.names().filter { $0.hasPrefix("d.") } == [])
    }

    @Test("importers that are killed while others wait leave an import that is completed once", arguments: TestScale.seeds(10, long: 200))
    func killed(seed: UInt64) throws {
        let place = try Workplace(), points = [
            "begin.locked", "begin.ownerSet", "commit.segmentsWritten", "commit.rootHalfWritten", "commit.rootWritten",
            "publish.ringWritten",
            "publish.newestSet", "publish.visibleSet", "commit.ownerCleared", "commit.unlocked", "open.ready", "grow.extended",
        ]
        var random = SeededRandom(seed: seed)
        try database(place, rows: 120)
        try #require(try place.run("import", "whole.freehold", "shop.sqlite").status == 0)
        let lines = (0..<4).map { member in
            let order = member == 3 ? "" : "FREEHOLD_KILL_AT=\(points[random.below(points.count)]):\(1 + random.below(40)) "
            return "\(order)freehold import d.freehold shop.sqlite --batch \(1 + random.below(40)) & p\(member)=$!"
        }
        let run = try place.shell(lines.joined(separator: "\n") + "\nfor p in $p0 $p1 $p2; do wait $p; echo $?; done\nwait $p3")
        #expect(run.status == 0, "seed \(seed): \(run.errors)")
        #expect(run.lines.allSatisfy { $0 == "0" || $0 == "137" }, "seed \(seed): \(run.lines) \(run.errors)")
        #expect(try place.run("check", "d.freehold").status == 0)
        for name in ["maker", "item", "tag", "item_tag"] {
            let wanted = try place.run("export", "whole.freehold", name, "--format", "jsonl").output
            #expect(try place.run("export", "d.freehold", name, "--format", "jsonl").output == wanted, "seed \(seed), \(name)")
        }
    }
}
