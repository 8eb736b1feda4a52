import FreeholdEngine
import Testing

@testable import FreeholdImport

@Suite struct InferenceTests {
    private func schemas(
        _ text: String, _ format: RecordFormat, links: [String: String] = [:], types: [String: String] = [:],
        key: String? = nil, isComplete: Bool = true
    ) throws -> [ClassSchema] {
        let declared = types.compactMapValues { DeclaredType($0) }
        var inference = SchemaInference(
            className: "C", isAllText: format != .json, links: TextMap(links), declared: TextMap(declared))
        let reader = format.reader(ByteInput(text))
        while let record = try reader.next() { inference.note(record.object) }
        return inference.schemas(primaryKey: key, isComplete: isComplete)
    }

    @Test(arguments: [
        ("1|-2", PropertyType.int), ("1|2.5", .double), ("1e3|2", .double), ("true|FALSE", .bool), ("2024-05-01|2024-05-01T10:00Z", .date),
        ("01234567-89ab-cdef-fedc-ba9876543210", .uuid), ("007|1", .string), ("+49|1", .string), ("1|x", .string), ("true|1", .string),
        ("2024-05-01|7", .string), ("9223372036854775808", .string), ("1,5", .string), ("", .string), ("0x10", .string),
        ("true story", .string), ("NaN", .string), ("-", .string), ("0|-0", .int),
    ])
    func aColumnOfTextTakesTheTypeThatHoldsItAll(values: String, type: PropertyType) throws {
        let text = "v\tw\n" + values.split(separator: "|", omittingEmptySubsequences: false).map { "\($0)\tx\n" }.joined()
        #expect(try schemas(text, .tsv)[0].properties[0].type == type)
    }

    @Test func inJSONATextStaysATextUnlessItIsADateOrUUID() throws {
        let text = #"[{"a":"1","b":"true","c":"2024-05-01","d":1,"e":[1],"f":null,"g":1.0}]"#
        #expect(try schemas(text, .json)[0].properties.map(\.type) == [.string, .string, .date, .int, .int, .string, .double])
    }

    @Test func onlyWhatWasAlwaysThereIsRequired() throws {
        let text = #"[{"a":1,"b":1,"c":null},{"a":2,"d":1}]"#
        #expect(try schemas(text, .json)[0].properties.map(\.isNullable) == [false, true, true, true])
        #expect(try schemas(text, .json, isComplete: false)[0].properties.map(\.isNullable) == [true, true, true, true])
        #expect(try schemas(text, .json, key: "a", isComplete: false)[0].properties.map(\.isNullable) == [false, true, true, true])
    }

    @Test func objectsWithinObjectsMakeClasses() throws {
        let text = #"[{"a":{"x":1,"b":{"y":"2024-05-01"}},"b":{"y":null,"z":1}},{"a":null,"b":7}]"#
        let found = try schemas(text, .json, links: ["a": "A"])
        #expect(found.map(\.name) == ["C", "A", "b"])
        #expect(found[0].properties.map(\.linkTarget) == ["A", nil])
        #expect(found[0].properties[1].type == .string)
        #expect(found[1].properties.map(\.linkTarget) == [nil, "b"])
        #expect(found[2].properties.map(\.name) == ["y", "z"])
    }

    @Test func arraysOfOneKindOfValuesAreLists() throws {
        let text = #"[{"a":[1,2.5],"b":[],"c":[[1],[]],"d":[1,[2]],"e":[null,"x"],"f":[{"x":1},{"x":2}],"g":[{"x":1},2],"h":[1]},{"h":7}]"#
        let found = try schemas(text, .json)
        #expect(found[0].properties.map(\.collections) == [[.list], [.list], [.list, .list], [], [.list], [.list], [], []])
        #expect(found[0].properties.map(\.type) == [.double, .string, .int, .string, .string, .link, .string, .string])
        #expect(found[0].properties[4].isNullable && found[0].properties[5].linkTarget == "f")
        #expect(found.map(\.name) == ["C", "f"])
    }

    @Test func collectionsAreReadFromArraysObjectsAndTheJSONOfATextAndNothingElse() throws {
        let number = { (value: ImportedValue) in try value.converted(to: .int) }
        #expect(try ImportedValue.array([.int(1), .text("2")]).collection([.list], element: number) == .list([.int(1), .int(2)]))
        #expect(try ImportedValue.text(#"{"a":[1],"b":null}"#).collection([.map, .list], element: number)
            == .map(["a": .list([.int(1)]), "b": .list([])]))
        #expect(try ImportedValue.null.collection([.set], element: number) == .set([]))
        let bad: [(ImportedValue, [CollectionKind])] = [
            (.text("[1] x"), [.list]), (.text("7"), [.list]), (.int(1), [.set]), (.array([]), [.map]), (.array([.text("x")]), [.list]),
        ]
        for (value, kinds) in bad { #expect(throws: ConversionError.self, "\(value)") { try value.collection(kinds[...], element: number) } }
    }

    @Test func aClassThatNoPropertyLinksToIsNotMade() throws {
        #expect(try schemas(#"[{"a":{"x":1}},{"a":7}]"#, .json).map(\.name) == ["C"])
    }

    @Test func declaredTypesStandWhateverIsSeen() throws {
        let found = try schemas("a,b\n1,2\nx,3\n", .csv, types: ["a": "string?", "b": "Double", "C.c": "int"])
        #expect(found[0].properties == [
            PropertySchema("a", .string, isNullable: true), PropertySchema("b", .double),
        ])
        #expect(DeclaredType("link") == nil && DeclaredType("number") == nil && DeclaredType("objectid?")?.isNullable == true)
    }

    @Test func whatDoesNotFitATypeIsRefused() {
        let bad: [(ImportedValue, PropertyType)] = [
            (.text("x"), .int), (.double(1.5), .int), (.int(2), .bool), (.text("yes"), .bool), (.text("x"), .double), (.bool(true), .double),
            (.text("2024-13-01"), .date), (.text("abc"), .data), (.text("0123"), .uuid), (.text("0123"), .objectId), (.array([]), .int),
            (.double(.infinity), .date), (.double(1e300), .int),
        ]
        for (value, type) in bad { #expect(throws: ConversionError.self, "\(value) as \(type)") { try value.converted(to: type) } }
    }

    @Test func whatFitsATypeIsConverted() throws {
        #expect(try ImportedValue.text("12").converted(to: .int) == .int(12))
        #expect(try ImportedValue.text("007").converted(to: .int) == .int(7))
        #expect(try ImportedValue.double(3).converted(to: .int) == .int(3))
        #expect(try ImportedValue.text("-Infinity").converted(to: .double) == .double(-.infinity))
        #expect(try ImportedValue.int(7).converted(to: .string) == .string("7"))
        #expect(try ImportedValue.array([.int(1), .text("a\"")]).converted(to: .string) == .string(#"[1,"a\""]"#))
        #expect(try ImportedValue.int(-1).converted(to: .date) == .date(Timestamp(seconds: -1)))
        #expect(try ImportedValue.double(-0.5).converted(to: .date) == .date(Timestamp(seconds: -1, nanoseconds: 500_000_000)))
        #expect(try ImportedValue.null.converted(to: .uuid) == .null)
    }
}
