import FreeholdEngine
import Testing

@testable import BrowserData

@Suite("Editing values")
struct ValueTests {
    @Test("Text of every type is read exactly")
    func types() throws {
        let fixture = try EditingFixture()
        let key = try fixture.database.write { try $0.insert(into: "Kinds", []) }
        let values: [(String, JSON, Value)] = [
            ("bool", ["text": "TRUE"], .bool(true)), ("bool", ["bool": false], .bool(false)),
                ("int", ["text": " -9223372036854775808 "], .int(.min)),
            ("float", ["text": "0.1"], .float(0.1)), ("double", ["text": "-0"], .double(-0.0)),
                ("double", ["text": "1.7976931348623157e308"], .double(.greatestFiniteMagnitude)),
            ("decimal", ["text": "19.90"], .decimal(Decimal128("19.90")!)), ("string", ["text": ""], .string("")),
                ("string", ["text": " ä\0 "], .string(" ä\0 ")),
            ("data", ["text": "SGVsbG8="], .data(Array("Hello".utf8))),
                ("date", ["text": "2024-05-01T09:30:00.25+02:00"], .date(Timestamp(seconds: 1_714_548_600, nanoseconds: 250_000_000))),
            ("uuid", ["text": "123e4567-e89b-12d3-a456-426614174000"],
                .uuid(UniqueIdentifier(high: 0x123e_4567_e89b_12d3, low: 0xa456_4266_1417_4000))),
            ("objectId", ["text": "507f1f77bcf86cd799439011"],
                .objectId(ObjectIdentifier12(high: 0x507f_1f77_bcf8_6cd7, low: 0x9943_9011))),
            ("maybe", ["text": "3"], .int(3)), ("maybe", ["null": true], .null), ("mixed", ["mixed": "int", "text": "3"], .int(3)),
                ("mixed", ["null": true], .null),
            ("mixed", ["mixed": "string", "text": "3"], .string("3")), ("mixed", ["bool": true], .bool(true)),
            ("mixed", ["list": [["mixed": "int", "text": "1"], ["map": ["a": ["null": true]]]]], .list([.int(1), .map(["a": .null])])),
            ("mixeds", ["list": [["mixed": "date", "text": "1970-01-01"], ["bool": true]]],
                .list([.date(Timestamp(seconds: 0)), .bool(true)])),
        ]
        for (property, value, expected) in values {
            let outcome = try fixture.commit([
                "do": "set", "class": "Kinds", "key": .string(key.description), "property": .string(property), "value": value,
                    "was": try fixture.cell("Kinds", key, property),
            ])
            #expect(outcome.status == .committed, "\(property) \(value.text): \(outcome.json.text)")
            #expect(try fixture.value("Kinds", key, property).isExactly(expected), "\(property) \(value.text)")
            guard let undo = outcome.undo else { continue }
            #expect(try fixture.editor.undo(undo).status == .committed)
        }
    }

    @Test("What a type cannot hold is refused, with an example of what it can")
    func refused() throws {
        for (type, texts) in [
            (PropertyType.bool, ["1", "yes", ""]), (.int, ["", "1.0", "9223372036854775808", "1e3", "0x10", "1 000", "١"]),
            (.float, ["1e39", "x", "", "0x1p3", "1e-60", "1,5"]), (.double, ["1e309", "1e-400", "--1", ".", "e5", "nanx"]),
            (.decimal, ["12345678901234567890123456789012345", "1e7000", "0.12345678901234567890123456789012345", "1e-7000", ""]),
            (.date, ["2024-02-30", "yesterday", "1714548600"]), (.uuid, ["123e4567e89b12d3a456426614174000"]),
                (.objectId, ["507f1f77bcf86cd79943901"]),
            (.data, ["SGVsbG8", "ä", "*"]),
        ] {
            for text in texts {
                let error = #expect(throws: OperationMistake.self, "\(type) \(text)") { try TypedText.value(text, as: type) }
                #expect(error?.message.contains("is not \(TypedText.expectation(of: type))") == true)
            }
        }
    }

    @Test("Numbers that are exact or words are read")
    func accepted() throws {
        for (type, text, expected) in [
            (PropertyType.decimal, "1234567890123456789012345678901234000",
                Value.decimal(Decimal128("1234567890123456789012345678901234000")!)),
            (.decimal, "0.000", .decimal(Decimal128("0.000")!)), (.double, "inf", .double(.infinity)), (.double, "NaN", .double(.nan)),
                (.float, "-Infinity", .float(-.infinity)),
            (.double, "0e5", .double(0)), (.int, "+5", .int(5)), (.date, "0001-01-01", .date(Timestamp(seconds: -62_135_596_800))),
        ] {
            #expect(try TypedText.value(text, as: type).isExactly(expected), "\(text)")
        }
    }

    @Test("An upload becomes a long value; its limits hold, and idle ones go")
    func uploads() throws {
        var time = ContinuousClock.now
        let fixture = try EditingFixture(uploads: UploadLimits(bytes: 3_000_000, number: 2, idle: .seconds(10))) { time }
        let editor = fixture.editor
        let long = [UInt8](repeating: 0xC3, count: 1) + [0xA4] + [UInt8](repeating: 0x41, count: 2_000_000)
        let upload = try editor.beginUpload(expecting: nil)
        // A character is cut in two.
        try editor.write(Array(long[..<1]), to: upload)
        try editor.write(Array(long[1...]), to: upload)
        let early = try fixture.preview(["do": "add", "class": "Kinds", "values": ["data": ["upload": .string(upload)]]])
        #expect(early.errors.first?.message.contains("is not complete") == true)
        #expect(try editor.finishUpload(upload) == long.count)
        for (property, expected) in [("data", Value.data(long)),
            ("string", .string(String(decoding: long, as: UTF8.self)))] where property == "data" {
            let operation: JSON = ["do": "add", "class": "Kinds", "values": .object([.init(property, ["upload": .string(upload)])])]
            #expect(try fixture.preview(operation).status == .previewed)
            // An upload that only a preview has used stays, whatever is committed in between.
            #expect(try fixture.commit(["do": "add", "class": "Kinds"]).status == .committed)
            let outcome = try fixture.commit(operation)
            #expect(outcome.status == .committed, "\(outcome.json.text)")
            #expect(try fixture.value("Kinds", outcome.created[0].key, property) == expected)
            #expect(try fixture.commit(operation).errors.first?.message.contains("no upload") == true)
        }
        // Not UTF-8.
        let broken = try editor.beginUpload(expecting: 1)
        try editor.write([0xC3], to: broken)
        _ = try editor.finishUpload(broken)
        #expect(try fixture.preview(["do": "add", "class": "Kinds",
            "values": ["string": ["upload": .string(broken)]]]).errors.first?.message.contains("UTF-8") == true)
        #expect(throws: FreeholdError.self) { try editor.beginUpload(expecting: 3_000_000) }
        let second = try editor.beginUpload(expecting: 2_000_000)
        #expect(throws: FreeholdError.self) { try editor.beginUpload(expecting: nil) }
        try editor.write(long, to: second)
        #expect(throws: FreeholdError.self) { try editor.write(long, to: second) }
        #expect(throws: FreeholdError.self) { try editor.finishUpload(second) }
        time += .seconds(11)
        editor.dropIdleUploads()
        #expect(throws: FreeholdError.self) { try editor.write([1], to: broken) }
    }

    @Test("A text is checked however it is cut")
    func textCheck() {
        let text = Array("aä€😀z".utf8)
        for one in 0...text.count {
            for other in one...text.count {
                var check = TextCheck()
                for part in [text[..<one], text[one..<other], text[other...]] { Array(part).withUnsafeBytes { check.add($0) } }
                #expect(check.isComplete, "\(one) \(other)")
            }
        }
        for bad: [UInt8] in [[0x80], [0xC3, 0x41], [0xED, 0xA0, 0x80], [0xF5, 0x80, 0x80, 0x80], [0xC0, 0x80], [0xE2, 0x82],
            [0xF0, 0x80, 0x80, 0x80], [0xFF]] {
            for cut in 0...bad.count {
                var check = TextCheck()
                for part in [bad[..<cut], bad[cut...]] { Array(part).withUnsafeBytes { check.add($0) } }
                #expect(!check.isComplete, "\(bad) \(cut)")
            }
        }
    }
}
