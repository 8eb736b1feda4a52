import Testing

@Suite struct ImportVerbTests {
    @Test func aTableOfTextBecomesAClass() throws {
        let place = try Workplace()
        try place.file("people.csv", "id,name,age,score,member,born,note\n1,Ann,31,1.5,true,1990-02-03,x\n2,\"B, o\",,2,false,1991-12-31T23:00:00Z,\n")
        let imported = try place.run("import", "d.freehold", "people.csv", "--into", "Person", "--primary-key", "id")
        #expect(imported.status == 0, "\(imported.errors)")
        #expect(imported.output == "")
        #expect(imported.errors.hasPrefix("freehold: 2 records imported into Person in "))
        let classes = try place.run("classes", "d.freehold")
        #expect(classes.lines == [
            "Person: 2 objects", "  id      int      primary key", "  name    string", "  age     int?", "  score   double",
            "  member  bool", "  born    date", "  note    string?",
        ], "\(classes.output)")
        #expect(try place.run("count", "d.freehold", "Person").output == "2\n")
        #expect(try place.run("get", "d.freehold", "Person", "2", "--json").output
            == "{\"id\":2,\"name\":\"B, o\",\"age\":null,\"score\":2.0,\"member\":false,\"born\":\"1991-12-31T23:00:00Z\",\"note\":null}\n")
    }

    @Test func objectsWithinObjectsBecomeLinkedObjects() throws {
        let place = try Workplace()
        try place.file("p.json", #"[{"id":1,"home":{"city":"Rome","geo":{"x":1.5}},"tags":["a",2]},{"id":2,"home":null,"tags":null}]"#)
        #expect(try place.run("import", "d", "p.json", "--into", "Person", "--primary-key", "id", "--link", "home=Address").status == 0)
        #expect(try place.run("count", "d", "Address").output == "1\n")
        #expect(try place.run("count", "d", "geo").output == "1\n")
        let first = try place.run("get", "d", "Person", "1", "--json").output
        #expect(first.contains(#""tags":["a",2]"#), "\(first)")
        #expect(!first.contains(#""home":null"#))
        #expect(try place.run("get", "d", "Person", "2", "--json").output.contains(#""home":null"#))
    }

    @Test func aColumnOfKeysBecomesLinks() throws {
        let place = try Workplace()
        try place.file("cities.csv", "code,name\nrm,Rome\nto,Turin\n")
        try place.file("people.csv", "id,city\n1,to\n2,rm\n3,\n4,xx\n")
        try place.run("import", "d", "cities.csv", "--into", "City", "--primary-key", "code")
        let stopped = try place.run("import", "d", "people.csv", "--into", "Person", "--link", "city=City")
        #expect(stopped.status == 1)
        #expect(stopped.errors.contains("people.csv, line 5: property 'city': class 'City' has no object xx"), "\(stopped.errors)")
        #expect(try place.run("classes", "d").output.contains("Person") == false)
        let skipped = try place.run("import", "d", "people.csv", "--into", "Person", "--link", "city=City", "--on-error", "skip")
        #expect(skipped.status == 0)
        #expect(skipped.errors.contains("1 bad record skipped"))
        #expect(try place.run("list", "d", "Person", "--columns", "id,city").output == "id  city\n--  ----\n 1  to\n 2  rm\n 3\n")
    }

    @Test func aLinkMayLeadToAnObjectThatComesLater() throws {
        let place = try Workplace()
        try place.file("p.csv", "id,boss\na,b\nb,\nc,a\nd,zz\n")
        let run = try place.run("import", "d", "p.csv", "--into", "P", "--primary-key", "id", "--link", "boss=P", "--on-error", "skip")
        #expect(run.errors.contains("p.csv, line 5: property 'boss': class 'P' has no object zz; skipped"), "\(run.errors)")
        #expect(try place.run("export", "d", "P", "--format", "csv").output == "id,boss\na,b\nb,\nc,a\nd,\n")
    }

    @Test func badRowsStopTheImportWithNothingWritten() throws {
        let place = try Workplace()
        let rows = (1...15_000).map { $0 == 14_000 ? "\($0),1,2" : "\($0),x" }
        try place.file("p.csv", "id,v\n" + rows.joined(separator: "\n") + "\n")
        let run = try place.run("import", "d", "p.csv", "--into", "P", "--primary-key", "id")
        #expect(run.status == 1)
        #expect(run.errors.contains("freehold: error: p.csv, line 14001: the row has 3 fields, the header has 2. Nothing was imported"), "\(run.errors)")
        #expect(try place.names().filter { $0.hasPrefix("d") } == [])
        try place.file("q.csv", "k\n1\n")
        try place.run("import", "d", "q.csv", "--into", "Q")
        #expect(try place.run("import", "d", "p.csv", "--into", "P").status == 1)
        #expect(try place.run("classes", "d").lines.first == "Q: 1 object")
        #expect(try place.run("classes", "d").output.contains("P:") == false)
    }

    @Test func badRowsAreToldWithTheirLineSkippedAndCounted() throws {
        let place = try Workplace()
        let rows = (1...15_000).map { row in
            switch row {
            case 5: "5"
            case 12_000: "twelve,x"
            case 12_001: "4,again"
            default: "\(row),x"
            }
        }
        try place.file("p.csv", "id,v\n" + rows.joined(separator: "\n") + "\n")
        let run = try place.run("import", "d", "p.csv", "--into", "P", "--primary-key", "id", "--on-error", "skip", "--batch", "700")
        #expect(run.status == 0, "\(run.errors)")
        #expect(run.errors.contains("p.csv, line 6: the row has 1 field, the header has 2; skipped"))
        #expect(run.errors.contains("p.csv, line 12001: property 'id': 'twelve' is not a valid int; skipped"), "\(run.errors)")
        #expect(run.errors.contains("p.csv, line 12002:"))
        #expect(run.errors.contains("14,997 records imported into P"))
        #expect(run.errors.contains("3 bad records skipped"))
        #expect(try place.run("count", "d", "P").output == "14997\n")
        #expect(try place.run("check", "d").status == 0)
    }

    @Test func aRecordThatFailsLeavesNoNestedObjectBehind() throws {
        let place = try Workplace()
        try place.file("p.jsonl", "{\"id\":1,\"at\":{\"x\":1}}\n{\"id\":1,\"at\":{\"x\":2}}\n{\"id\":3,\"at\":{\"x\":3}}\n")
        #expect(try place.run("import", "d", "p.jsonl", "--into", "P", "--primary-key", "id", "--on-error", "skip").status == 0)
        #expect(try place.run("export", "d", "at", "--format", "csv").output == "x\n1\n3\n")
    }

    @Test func declaredTypesOverrideWhatIsSeen() throws {
        let place = try Workplace()
        try place.file("p.csv", "zip,n,b\n12345,1,AAEC\n01234,2,\n")
        let run = try place.run("import", "d", "p.csv", "--into", "P", "--type", "zip=string", "--type", "n=double?", "--type", "b=data?")
        #expect(run.status == 0, "\(run.errors)")
        #expect(try place.run("export", "d", "P", "--format", "jsonl").output
            == "{\"zip\":\"12345\",\"n\":1.0,\"b\":\"AAEC\"}\n{\"zip\":\"01234\",\"n\":2.0,\"b\":null}\n")
    }

    /// A property's name is its bytes: "é" as one scalar and as two are two properties, also where options name them.
    @Test func optionsTellTwoSpellingsOfANameApart() throws {
        let place = try Workplace(), composed = "caf\u{E9}", decomposed = "cafe\u{301}"
        try place.file("p.csv", "\(composed),\(decomposed),boss\u{E9},bosse\u{301}\n1,2,3,4\n")
        try place.run("import", "d", try place.file("k.csv", "id\n3\n"), "--into", "K", "--primary-key", "id")
        let run = try place.run("import", "d", "p.csv", "--into", "P", "--type", "\(composed)=string", "--type", "\(decomposed)=double", "--link", "boss\u{E9}=K")
        #expect(run.status == 0, "\(run.errors)")
        let written = try place.run("export", "d", "P", "--format", "jsonl").output
        #expect(Array(written.utf8) == Array("{\"\(composed)\":\"1\",\"\(decomposed)\":2.0,\"boss\u{E9}\":3,\"bosse\u{301}\":4}\n".utf8), "\(written)")
        let unused = try place.run("import", "e", try place.file("u.csv", "\(composed)\n1\n"), "--into", "P", "--type", "\(decomposed)=string")
        #expect(unused.status == 1 && unused.errors.contains("no record has a property"), "\(unused.errors)")
        // A class that is there has its own.
        let again = try place.run("import", "d", "p.csv", "--into", "P", "--type", "\(decomposed)=double", "--link", "boss\u{E9}=K")
        #expect(again.status == 0, "\(again.errors)")
        try place.file("n.json", "[{\"\(composed)\":{\"k\":1},\"\(decomposed)\":{\"k\":1}},{\"\(composed)\":{\"k\":1},\"\(decomposed)\":{\"k\":1}}]")
        let nested = try place.run("import", "n", "n.json", "--into", "N", "--primary-key", "\(decomposed).k")
        #expect(nested.status == 0, "\(nested.errors)")
        #expect(try place.run("count", "n", composed).output == "2\n" && place.run("count", "n", decomposed).output == "1\n")
    }

    @Test func anImportIntoAClassThatIsThereAddsToIt() throws {
        let place = try Workplace()
        try place.run("import", "d", try place.file("a.csv", "id,v\n1,a\n"), "--into", "P", "--primary-key", "id")
        // The class requires a text for v, which this row does not give; CSV's empty text stands in for it.
        #expect(try place.run("import", "d", try place.file("b.csv", "id,w\n3,8\n"), "--into", "P").status == 0)
        try place.file("c.csv", "id,v,w\n2,b,7\n")
        let added = try place.run("import", "d", "c.csv", "--into", "P")
        #expect(added.status == 0, "\(added.errors)")
        #expect(try place.run("export", "d", "P", "--format", "csv").output == "id,v,w\n1,a,\n2,b,7\n3,\"\",8\n")
    }

    @Test func `standard input may be given a format`() throws {
        let place = try Workplace()
        #expect(try place.run("import", "d", "-", "--into", "P", "--format", "json", input: "a\n1\n").status == 1)
        #expect(try place.run("import", "d", "-", "--into", "P", "--format", "csv", input: "a\n1\n").status == 0)
        #expect(try place.run("count", "d", "P").output == "1\n")
    }

    @Test func theFirstByteTellsTheFormatOfAFileWithoutATellingName() throws {
        let place = try Workplace()
        let texts = ["j": "[{\"a\":1}]", "t": "a\tb\n1\t2\n", "c": "a,b\n1,2\n", "status": "Package: x\nVersion: 1\n\nPackage: y\n"]
        for (name, text) in texts {
            let run = try place.run("import", "d", try place.file(name, text), "--into", "C\(name)")
            #expect(run.status == 0, "\(name): \(run.errors)")
        }
        #expect(try place.run("count", "d", "Cstatus").output == "2\n")
    }

    @Test func anOptionThatNamesAMissingPropertyIsRefused() throws {
        let place = try Workplace()
        let run = try place.run("import", "d", try place.file("a.csv", "id,v\n1,a\n"), "--into", "P", "--primary-key", "ident")
        #expect(run.status == 1)
        #expect(run.errors.contains("no record has a property 'ident'; known are id, v"))
        #expect(!place.exists("d"))
        #expect(try place.run("import", "d", "a.csv", "--into", "P", "--type", "v=number").status == 64)
        #expect(try place.run("import", "d", "none.csv", "--into", "P").errors == "freehold: error: none.csv cannot be read: No such file or directory\n")
    }

    @Test func whatWasReadBeforeABrokenEndIsKeptWhenSkipping() throws {
        let place = try Workplace()
        try place.file("p.csv", "id,v\n1,a\n2,b\n3,\"open\n")
        let run = try place.run("import", "d", "p.csv", "--into", "P", "--primary-key", "id", "--on-error", "skip")
        #expect(run.status == 1)
        #expect(run.errors.contains("line 4, column 4: the quote opened here is not closed"), "\(run.errors)")
        #expect(try place.run("count", "d", "P").output == "2\n")
        #expect(try place.run("import", "e", "p.csv", "--into", "P").status == 1)
        #expect(!place.exists("e"))
    }

    @Test func aClassThatIsThereIsNotBentToNewWishes() throws {
        let place = try Workplace()
        try place.run("import", "d", try place.file("a.csv", "id,v\n1,a\n"), "--into", "P", "--primary-key", "id")
        let key = try place.run("import", "d", try place.file("b.csv", "id,v\n2,b\n"), "--into", "P", "--primary-key", "v")
        #expect(key.status == 1 && key.errors.contains("with 'id' as its primary key, not 'v'"), "\(key.errors)")
        let link = try place.run("import", "d", "b.csv", "--into", "P", "--link", "v=P")
        #expect(link.status == 1 && link.errors.contains("is a string"), "\(link.errors)")
        #expect(try place.run("import", "d", try place.file("c.csv", "id,v\n"), "--into", "P").errors.contains("0 records imported"))
        #expect(try place.run("count", "d", "P").output == "1\n")
    }

    @Test func severalImportsAtOnceLoseNothing() throws {
        let place = try Workplace()
        for part in 0..<4 {
            try place.file("\(part).csv", "id,v\n" + (0..<3000).map { "\(part * 3000 + $0),x\n" }.joined())
        }
        try place.run("import", "d", try place.file("z.csv", "id,v\n-1,x\n"), "--into", "P", "--primary-key", "id")
        let runs = try (0..<4).map { try place.start("import", "d", "\($0).csv", "--into", "P", "--on-error", "skip", "--batch", "100") }
        for run in runs {
            let outcome = try run.wait()
            #expect(outcome.status == 0, "\(outcome.errors)")
        }
        #expect(try place.run("count", "d", "P").output == "12001\n")
        #expect(try place.run("check", "d").output.hasPrefix("clean: "))
    }

    @Test func `a table of SQLite comes by way of JSON`() throws {
        let place = try Workplace()
        try place.file("books.py", """
            import json, sqlite3
            books = sqlite3.connect("books.db")
            books.execute("CREATE TABLE book (id INTEGER PRIMARY KEY, name TEXT, year INTEGER)")
            books.executemany("INSERT INTO book VALUES (?, ?, ?)", [(100, "Swift", 2014), (200, "dbQueueInsert", 2013), (300, None, None)])
            books.row_factory = sqlite3.Row
            for row in books.execute("SELECT * FROM book"):
                print(json.dumps(dict(row)))
            """)
        let imported = try place.shell("python3 -B books.py | freehold import d - --format jsonl --into Book --primary-key id")
        #expect(imported.status == 0, "\(imported.errors)")
        #expect(try place.run("get", "d", "Book", "200", "--json").output == "{\"id\":200,\"name\":\"dbQueueInsert\",\"year\":2013}\n")
        #expect(try place.run("get", "d", "Book", "300", "--json").output == "{\"id\":300,\"name\":null,\"year\":null}\n")
    }
}
