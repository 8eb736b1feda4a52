import Testing

@testable import FreeholdImport

/// Records that stand within objects of a JSON text.
@Suite struct PathTests {
    private func read(_ text: String, _ path: String, blockLength: Int = 4096) -> (records: [String], errors: [String]) {
        let reader = JSONReader(ByteInput(text, blockLength: blockLength), path: JSONReader.path(path) ?? [])
        var records: [String] = [], errors: [String] = []
        while true {
            do throws(ImportError) {
                guard let record = try reader.next() else { break }
                records.append(ImportedValue.object(record.object).jsonText + "@\(record.line)")
            } catch {
                errors.append(error.description)
                if error.kind != .record { break }
            }
        }
        return (records, errors)
    }

    private static let text = """
        {"meta": {"data": [{"wrong": 1}], "n": -1.5e3, "t": [true, null, "\\u00e4 ]}"]}, "data": {"x": 1,
         "items": [{"a": 1},
         {"a": {"items": []}}], "next": null, "more": {"items": [{"b": 1}]}}, "end": []}
        """

    @Test(arguments: 1...40)
    func `the path is followed wherever blocks end`(blockLength: Int) {
        let found = read(Self.text, "data.items", blockLength: blockLength)
        #expect(found.records == [#"{"a":1}@2"#, #"{"a":{"items":[]}}@3"#])
        #expect(found.errors.isEmpty)
    }

    @Test func `a path ends at an array or at one object, and an empty array is one`() {
        #expect(read(Self.text, "data.more.items").records == [#"{"b":1}@3"#])
        #expect(read(#"{"a":{"b":{"c":1}},"d":2}"#, "a.b").records == [#"{"c":1}@1"#])
        #expect(read(Self.text, "end") == ([], []))
        #expect(read(#"{"a.b":{"c/d":[{"e":1}]}}"#, "/a.b/c~1d").records == [#"{"e":1}@1"#])
    }

    @Test func `a path that leads nowhere is an error with its place`() {
        #expect(read(Self.text, "data.entries").errors == ["line 3, column 69: the text has no 'data.entries'"])
        #expect(read("{}", "a").errors.first?.hasSuffix("the text has no 'a'") == true)
        #expect(read(#"[{"a":1}]"#, "a").errors == ["line 1, column 1: expected an object with a member 'a', found '['"])
        #expect(read(#"{"a":7}"#, "a").errors == ["line 1, column 6: expected an object or an array of objects at 'a', found '7'"])
        #expect(read(#"{"a":7}"#, "a.b").errors == ["line 1, column 6: expected an object at 'a' with a member 'b', found '7'"])
        #expect(JSONReader.path("a..b") == nil && JSONReader.path("") == nil && JSONReader.path("/") == [""])
    }

    @Test func `what stands around the records is checked and cut text is told`() {
        #expect(read(#"{"a":[{"x":1}]"#, "a").errors.count == 1)
        #expect(read(#"{"a":[{"x":1}]} {"#, "a").errors.first?.contains("expected the end of the text after the object") == true)
        #expect(read(#"{"z":[1,2,],"a":[{"x":1}]}"#, "a").errors.count == 1)
        #expect(read(#"{"a":[{"x":1}],"z":{"y" 1}}"#, "a").errors.count == 1)
        let deep = #"{"z":"# + String(repeating: "[", count: 100_000)
        #expect(read(deep, "a").errors.first?.contains("nested deeper") == true)
    }
}
