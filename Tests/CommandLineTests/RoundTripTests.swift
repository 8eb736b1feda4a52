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
        #expect(try place.run("set", "a", "T", "2", "numbers=[x]").errors == "freehold: error: property 'numbers': '[x]' is no list\n")
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

    @Test func aCopyHoldsTheSameAndNothingIsOverwritten() throws {
        let place = try Workplace()
        try place.file("a.json", Self.text)
        try place.run("import", "a", "a.json", "--into", "T", "--primary-key", "id")
        #expect(try place.run("copy", "a", "c").status == 0)
        #expect(try place.run("export", "c", "T").output == place.run("export", "a", "T").output)
        #expect(try place.run("check", "c").status == 0)
        let again = try place.run("copy", "a", "c")
        #expect(again.status == 1)
        #expect(again.errors.contains("does not replace a file"))
    }

    @Test func aFailedExportLeavesNoFile() throws {
        let place = try Workplace()
        try place.run("import", "a", try place.file("a.csv", "id\n1\n"), "--into", "T")
        #expect(try place.run("export", "a", "T", "--output", "none/x.csv").status == 1)
        #expect(try place.run("export", "a", "U", "--output", "x.csv").status == 1)
        #expect(try place.names().filter { $0.hasPrefix("x") } == [])
    }
}
