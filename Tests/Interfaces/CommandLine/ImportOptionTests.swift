import Testing

@Suite struct ImportOptionTests {
    @Test func `a type for a property that is not there is refused`() throws {
        let place = try Workplace()
        try place.file("p.csv", "id,name\n1,Ann\n")
        let run = try place.run("import", "d", "p.csv", "--into", "P", "--type", "nmae=string")
        #expect(run.status == 1 && run.errors.contains("no record has a property 'nmae'; known are id, name"), "\(run)")
        #expect(!place.exists("d"))
        try place.file("p.json", #"[{"id":1,"home":{"zip":1}}]"#)
        #expect(try place.run("import", "d", "p.json", "--into", "P", "--type", "home.zpi=string").status == 1)
        #expect(try place.run("import", "d", "p.json", "--into", "P", "--type", "home.zip=string", "--type", "P.id=double").status == 0)
        #expect(try place.run("export", "d", "home", "--format", "jsonl").output == #"{"zip":"1"}"# + "\n")
    }

    @Test func `a type that a class contradicts is refused`() throws {
        let place = try Workplace()
        try place.run("import", "d", try place.file("a.csv", "id,v\n1,a\n"), "--into", "P", "--primary-key", "id")
        let run = try place.run("import", "d", try place.file("b.csv", "id,v\n2,7\n"), "--into", "P", "--type", "v=int")
        #expect(run.status == 1 && run.errors.contains("'v' of class 'P' already exists and is a string, so it cannot be a int"), "\(run)")
        #expect(try place.run("import", "d", "b.csv", "--into", "P", "--type", "v=string", "--type", "id=int").status == 0)
    }

    @Test func `fields are separated as asked`() throws {
        let place = try Workplace()
        try place.file("p.csv", "id;name;price\n1;\"a;b\";1,5\n2;c,d;\n")
        let run = try place.run("import", "d", "p.csv", "--into", "P", "--primary-key", "id", "--delimiter", ";")
        #expect(run.status == 0, "\(run)")
        #expect(try place.run("export", "d", "P", "--format", "csv", "--delimiter", ";").output == "id;name;price\n1;\"a;b\";1,5\n2;c,d;\n")
        #expect(try place.run("export", "d", "P", "--delimiter", "|").output == "id|name|price\n1|a;b|1,5\n2|c,d|\n")
        #expect(try place.shell(#"freehold export d P --format csv --delimiter tab | freehold import e - --delimiter tab --into P"#).status == 0)
        #expect(try place.run("export", "e", "P", "--format", "tsv").output == "id\tname\tprice\n1\ta;b\t1,5\n2\tc,d\t\n")
        // Numbers that hold the delimiter are quoted.
        try place.run("import", "f", try place.file("n.csv", "a,b\n1.5,2024-05-01\n"), "--into", "N")
        #expect(try place.run("export", "f", "N", "--delimiter", ".").output == "a.b\n\"1.5\".2024-05-01T00:00:00Z\n")
        for bad in [["--delimiter", "ab"], ["--delimiter", "\""], ["--delimiter", "é"], ["--delimiter", ";", "--format", "json"]] {
            #expect(try place.shell("freehold import g p.csv --into P \(bad.map { "'\($0)'" }.joined(separator: " "))").status == 64, "\(bad)")
        }
        #expect(try place.run("export", "d", "P", "--format", "json", "--delimiter", ";").status == 64)
    }

    @Test func `records within other objects are found by their path`() throws {
        let place = try Workplace()
        try place.file("p.json", #"{"status":"ok","data":{"items":[{"id":1,"v":"x"},{"id":2,"v":"y"}],"next":null}}"#)
        let run = try place.run("import", "d", "p.json", "--into", "P", "--primary-key", "id", "--path", "data.items")
        #expect(run.status == 0, "\(run)")
        #expect(try place.run("export", "d", "P", "--format", "csv").output == "id,v\n1,x\n2,y\n")
        let missing = try place.run("import", "e", "p.json", "--into", "P", "--path", "data.entries")
        #expect(missing.status == 1 && missing.errors.contains("the text has no 'data.entries'"), "\(missing)")
        #expect(!place.exists("e"))
        for bad in ["--path a..b", "--path a --format csv", "--path a --delimiter ';'"] {
            #expect(try place.shell("freehold import e p.json --into P \(bad)").status == 64, "\(bad)")
        }
        #expect(try place.shell("freehold import e <(cat p.json) --into P --path /data/items").status == 0)
    }

    @Test func `objects within records that have one key are one object`() throws {
        let place = try Workplace()
        try place.file("p.json", #"[{"id":1,"city":{"code":"rm","name":"Rome"}},{"id":2,"city":{"code":"to","name":"Turin"}},{"id":3,"city":{"code":"rm"}},{"id":4,"city":null}]"#)
        let run = try place.run("import", "d", "p.json", "--into", "P", "--primary-key", "id", "--link", "city=City", "--primary-key", "City.code")
        #expect(run.status == 0, "\(run)")
        #expect(try place.run("export", "d", "City", "--format", "csv").output == "code,name\nrm,Rome\nto,Turin\n")
        #expect(try place.run("export", "d", "P", "--format", "csv").output == "id,city\n1,rm\n2,to\n3,rm\n4,\n")
        #expect(try place.run("check", "d").status == 0)
        let wrong = try place.run("import", "e", "p.json", "--into", "P", "--primary-key", "Town.code")
        #expect(wrong.status == 1 && wrong.errors.contains("no nested object is of class 'Town'; known are P, city"), "\(wrong)")
        #expect(try place.run("import", "e", "p.json", "--into", "P", "--primary-key", "city.nr").errors.contains("'nr' of class 'city'"))
        #expect(try place.run("import", "e", "p.json", "--into", "P", "--primary-key", "id", "--primary-key", "x").status == 64)
        // A class that is there keeps its key.
        let other = try place.run("import", "d", "p.json", "--into", "O", "--link", "city=City", "--primary-key", "City.name")
        #expect(other.status == 1 && other.errors.contains("with 'code' as its primary key, not 'name'"), "\(other)")
    }

    @Test func `an integer beyond 64 bits is a bad record and no other number`() throws {
        let place = try Workplace()
        try place.file("p.json", "[{\"id\":1,\"n\":7},\n{\"id\":2,\"n\":18446744073709551617}]")
        let run = try place.run("import", "d", "p.json", "--into", "P")
        #expect(run.status == 1, "\(run)")
        #expect(run.errors.contains("p.json, line 2: property 'n': '18446744073709551617' is an integer beyond 64 bits"), "\(run)")
        #expect(try place.run("import", "d", "p.json", "--into", "P", "--type", "n=decimal").status == 0)
        #expect(try place.run("export", "d", "P", "--format", "csv").output == "id,n\n1,7\n2,18446744073709551617\n")
        // In a text without types it is a string, as other digits that would be lost are.
        try place.run("import", "e", try place.file("p.csv", "n\n7\n18446744073709551617\n"), "--into", "P")
        #expect(try place.run("export", "e", "P", "--format", "jsonl").output == "{\"n\":\"7\"}\n{\"n\":\"18446744073709551617\"}\n")
    }

    @Test func `an integer beyond 64 bits is no number among others with fractions either`() throws {
        let place = try Workplace()
        try place.file("p.json", "[{\"n\":1.5},\n{\"n\":18446744073709551617}]")
        let run = try place.run("import", "d", "p.json", "--into", "P")
        #expect(run.status == 1 && run.errors.contains("p.json, line 2: property 'n': '18446744073709551617' is an integer beyond 64 bits"), "\(run)")
        #expect(try place.run("import", "d", "p.json", "--into", "P", "--type", "n=decimal").status == 0)
        #expect(try place.run("export", "d", "P", "--format", "csv").output == "n\n1.5\n18446744073709551617\n")
        // Who asks for a double gets one, and so does who has a class with one.
        #expect(try place.run("import", "e", "p.json", "--into", "P", "--type", "n=double").status == 0)
        #expect(try place.run("import", "e", "p.json", "--into", "P").status == 0)
        #expect(try place.run("query", "e", "P", "n > 2", "--count").output == "2\n")
        // What a program wrote that prints doubles without an exponent is what it was.
        #expect(try place.run("import", "h", try place.file("r.json", "[{\"n\":1.5},{\"n\":18446744073709552000}]"), "--into", "P").status == 0)
    }

    @Test func `a long integer is reported within lists, other objects and texts without types`() throws {
        let place = try Workplace()
        for text in ["[{\"n\":[1.5,18446744073709551617]}]", "[{\"o\":{\"n\":1.5}},{\"o\":{\"n\":18446744073709551617}}]"] {
            let run = try place.run("import", "d", try place.file("p.json", text), "--into", "P")
            #expect(run.status == 1 && run.errors.contains("is an integer beyond 64 bits, which a double would round"), "\(text): \(run)")
        }
        #expect(try place.run("import", "d", "p.json", "--into", "P", "--type", "o.n=double").status == 0)
        try place.file("p.csv", "n\n" + String(repeating: "1.5\n", count: 10_000) + "18446744073709551617\n")
        #expect(try place.run("import", "e", "p.csv", "--into", "P").errors.contains("p.csv, line 10002: property 'n': '18446744073709551617' is an integer"))
    }

    @Test func `the help tells of long integers where they are bad records`() throws {
        let help = try Workplace().run("import", "--help").output.split(whereSeparator: \.isWhitespace).joined(separator: " ")
        #expect(help.contains("In JSON, a record with an integer beyond 64 bits is bad, unless --type declares its property as decimal, double or string."))
        #expect(help.contains("float, double, decimal, string, data (Base64), date, uuid, objectId or mixed"))
    }

    @Test func `dates come back as they are listed`() throws {
        let place = try Workplace()
        try place.file("p.csv", "id,at\n1,-292277022657-01-27T08:29:52Z\n2,+12345678901-02-03T04:05:06.5Z\n3,2024-05-01\n")
        #expect(try place.run("import", "d", "p.csv", "--into", "P", "--type", "at=date").status == 0)
        let listed = try place.run("list", "d", "P", "--columns", "at").lines.dropFirst(2)
        #expect(Array(listed) == ["-292277022657-01-27T08:29:52Z", "+12345678901-02-03T04:05:06.5Z", "2024-05-01T00:00:00Z"])
        try place.file("q.csv", "at\n" + listed.joined(separator: "\n") + "\n")
        try place.run("import", "e", "q.csv", "--into", "P")
        #expect(Array(try place.run("list", "e", "P", "--columns", "at").lines.dropFirst(2)) == Array(listed))
        #expect(try place.run("classes", "e").output.contains("date"))
    }

    @Test func `the line of bytes that are not UTF-8 is told`() throws {
        let place = try Workplace()
        let run = try place.shell(#"printf 'id,v\n1,a\n2,\xff\n3,c\n' > p.csv; freehold import d p.csv --into P"#)
        #expect(run.errors.contains("p.csv, line 3: a field is not UTF-8"), "\(run)")
    }
}
