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
