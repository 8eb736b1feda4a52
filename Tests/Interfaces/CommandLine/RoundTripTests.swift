import Testing

/// What `export` writes, `import` reads back as it was.
@Suite struct RoundTripTests {
    private static let text = #"""
        [
        {"id":1,"flag":true,"whole":9223372036854775807,"real":0.1,"small":1.5,"text":"quote \" comma , tab \t line\nbreak \\ ü 😀 \u0001","bytes":"AAEC/w==","day":"2024-02-29T12:00:00.000000001Z","uuid":"01234567-89ab-cdef-fedc-ba9876543210","oid":"0123456789abcdef01234567"},
        {"id":2,"flag":null,"whole":null,"real":null,"small":null,"text":null,"bytes":null,"day":null,"uuid":null,"oid":null},
        {"id":3,"flag":false,"whole":-9223372036854775808,"real":-1e-300,"small":-0.25,"text":"","bytes":"AA==","day":"-0044-03-15T00:00:00Z","uuid":"ffffffff-ffff-ffff-ffff-ffffffffffff","oid":"ffffffffffffffffffffffff"}
        ]

        """#
    private static let types = ["small=float?", "bytes=data?", "oid=objectId?", "day=date?", "text=string?"].flatMap { ["--type", $0] }

    @Test(arguments: ["json", "jsonl", "csv", "tsv"])
    func everyTypeComesBackAsItWas(format: String) throws {
        let place = try Workplace()
        try place.file("a.json", Self.text)
        let types = Self.types.map { "'\($0)'" }.joined(separator: " ")
        let first = try place.shell("freehold import a a.json --into T --primary-key id \(types)")
        #expect(first.status == 0, "\(first.errors)")
        #expect(try place.run("export", "a", "T", "--output", "b.\(format)").status == 0)
        let second = try place.shell("freehold import b b.\(format) --into T --primary-key id \(types)")
        #expect(second.status == 0, "\(second.errors)")
        #expect(try place.run("export", "b", "T").output == place.run("export", "a", "T").output)
        #expect(try place.run("classes", "b").output == place.run("classes", "a").output)
        #expect(try place.run("export", "b", "T").output == Self.text)
    }

    private static let nested = #"""
        [
        {"id":1,"numbers":[1,2,3],"words":["a","quote \"",""],"rows":[[1.5],[]],"friends":[2,3]},
        {"id":2,"numbers":[],"words":[],"rows":[],"friends":[]},
        {"id":3,"numbers":[9223372036854775807],"words":["x"],"rows":[[0.25,-1.0]],"friends":[1]}
        ]

        """#

    @Test(arguments: ["json", "jsonl"])
    func listsComeBackAsTheyWere(format: String) throws {
        let place = try Workplace()
        try place.file("a.json", Self.nested)
        let first = try place.run("import", "a", "a.json", "--into", "T", "--primary-key", "id", "--link", "friends=T")
        #expect(first.status == 0, "\(first.errors)")
        #expect(try place.run("export", "a", "T", "--output", "b.\(format)").status == 0)
        let second = try place.run("import", "b", "b.\(format)", "--into", "T", "--primary-key", "id", "--link", "friends=T")
        #expect(second.status == 0, "\(second.errors)")
        #expect(try place.run("export", "b", "T").output == Self.nested)
        #expect(try place.run("classes", "a").output.contains("list of list of double"))
        #expect(try place.run("check", "b").status == 0)
    }

    @Test func collectionsAreShownAndSetAsJSON() throws {
        let place = try Workplace()
        try place.run("import", "a", try place.file("a.json", Self.nested), "--into", "T", "--primary-key", "id", "--link", "friends=T")
        #expect(try place.run("set", "a", "T", "2", "numbers=[4,5]", #"words=["new"]"#, "friends=[1,2]").status == 0)
        let shown = try place.run("get", "a", "T", "2").output
        #expect(shown.contains("[4,5]") && shown.contains(#"["new"]"#) && shown.contains("[1,2]"))
        #expect(try place.run("get", "a", "T", "2", "--json").output == #"{"id":2,"numbers":[4,5],"words":["new"],"rows":[],"friends":[1,2]}"# + "\n")
        #expect(try place.run("set", "a", "T", "2", "numbers=").status == 0)
        #expect(try place.run("set", "a", "T", "2", "numbers=[x]").errors == "freehold: error: property 'numbers': '[x]' is not a list\n")
        #expect(try place.run("set", "a", "T", "2", "friends=[9]").errors.contains("class 'T' has no object '9'"))
        #expect(try place.run("get", "a", "T", "2", "--json").output.contains(#""numbers":[],"#))
    }

    @Test func objectsInArraysBecomeObjectsOfTheirOwn() throws {
        let place = try Workplace()
        try place.file("a.json", #"[{"id":1,"parts":[{"name":"x"},{"name":"y"}]},{"id":2,"parts":[]}]"#)
        let run = try place.run("import", "a", "a.json", "--into", "T", "--primary-key", "id")
        #expect(run.status == 0, "\(run.errors)")
        #expect(try place.run("count", "a", "parts").output == "2\n")
        #expect(try place.run("get", "a", "T", "1", "--json").output == #"{"id":1,"parts":[0,1]}"# + "\n")
        #expect(try place.run("check", "a").status == 0)
    }

    private static let mixed = #"""
        [
        {"id":1,"any":null,"price":"1.00"},
        {"id":2,"any":true,"price":"-0.5"},
        {"id":3,"any":7,"price":null},
        {"id":4,"any":7.0,"price":"1E+400"},
        {"id":5,"any":{"$float":0.5},"price":"NaN"},
        {"id":6,"any":{"$double":"Infinity"},"price":"12345678901234567890.12345678901234"},
        {"id":7,"any":"7","price":"0"},
        {"id":8,"any":{"$data":"AAEC/w=="},"price":"0"},
        {"id":9,"any":{"$date":"2024-02-29T12:00:00.000000001Z"},"price":"0"},
        {"id":10,"any":{"$uuid":"01234567-89ab-cdef-fedc-ba9876543210"},"price":"0"},
        {"id":11,"any":{"$objectId":"0123456789abcdef01234567"},"price":"0"},
        {"id":12,"any":{"$decimal":"1.50"},"price":"0"},
        {"id":13,"any":{"$link":{"class":"T","key":14}},"price":"0"},
        {"id":14,"any":{"$link":{"class":"T","key":1}},"price":"0"}
        ]

        """#

    @Test func valuesOfEveryTypeInOnePropertyComeBackAsTheyWere() throws {
        let place = try Workplace()
        try place.file("a.json", Self.mixed)
        let first = try place.shell("freehold import a a.json --into T --primary-key id --type 'price=decimal?'")
        #expect(first.status == 0, "\(first.errors)")
        #expect(try place.run("classes", "a").output.contains("mixed"))
        #expect(try place.run("export", "a", "T").output == Self.mixed)
        #expect(try place.run("get", "a", "T", "12").output.contains("1.50"))
        #expect(try place.run("check", "a").status == 0)
    }

    private static let mixedLists = #"""
        [
        {"id":1,"any":[1,"one",null,{"$date":"2024-02-29T12:00:00Z"}]},
        {"id":2,"any":[{"$link":{"class":"T","key":3}},1.0,[1,{"deep":{"$uuid":"01234567-89ab-cdef-fedc-ba9876543210"}}],{"$map":{"$date":"no date"}},true]},
        {"id":3,"any":[]}
        ]

        """#

    @Test func listsOfValuesOfEveryTypeComeBackAsTheyWere() throws {
        let place = try Workplace()
        let first = try place.run("import", "a", try place.file("first.json", #"[{"id":0,"any":[1,"a"]}]"#), "--into", "T", "--primary-key", "id")
        #expect(first.status == 0, "\(first.errors)")
        #expect(try place.run("classes", "a").output.contains("list of mixed"))
        #expect(try place.run("delete", "a", "T", "0").status == 0)
        let second = try place.run("import", "a", try place.file("a.json", Self.mixedLists), "--into", "T")
        #expect(second.status == 0, "\(second.errors)")
        #expect(try place.run("export", "a", "T").output == Self.mixedLists)
        #expect(try place.run("check", "a").status == 0)
        #expect(try place.run("schema", "a").output.contains("list of mixed"))
    }

    @Test func aCopyHoldsTheSameAndNothingIsOverwritten() throws {
        let place = try Workplace()
        try place.file("a.json", Self.text)
        try place.run("import", "a", "a.json", "--into", "T", "--primary-key", "id")
        #expect(try place.run("copy", "a", "c").status == 0)
        #expect(try place.run("export", "c", "T").output == place.run("export", "a", "T").output)
        #expect(try place.run("check", "c").status == 0)
        let again = try place.run("copy", "a", "c")
        #expect(again.status == 1)
        #expect(again.errors.contains("does not overwrite an existing file"))
    }

    @Test func aFailedExportLeavesNoFile() throws {
        let place = try Workplace()
        try place.run("import", "a", try place.file("a.csv", "id\n1\n"), "--into", "T")
        #expect(try place.run("export", "a", "T", "--output", "none/x.csv").status == 1)
        #expect(try place.run("export", "a", "U", "--output", "x.csv").status == 1)
        #expect(try place.names().filter { $0.hasPrefix("x") } == [])
    }
}
