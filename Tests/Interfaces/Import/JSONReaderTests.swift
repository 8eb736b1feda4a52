import Testing

@testable import FreeholdImport

@Suite struct JSONReaderTests {
    @Test func anArrayOfObjectsIsReadWithItsLines() {
        let reading = Reading("[{\"a\":1},\n {\"a\":-2.5e3, \"b\":null}\n, {} ] \n", as: .json)
        #expect(reading.records == [#"{"a":1}"#, #"{"a":-2500.0,"b":null}"#, "{}"])
        #expect(reading.lines == [1, 2, 3])
        #expect(reading.errors.isEmpty)
    }

    @Test func objectsOneAfterAnotherAreRead() {
        let reading = Reading("{\"a\":true}\n\n{\"a\":[1,\"x\",{\"b\":false}]}\r\n{\n\"c\":\n{}}", as: .jsonl)
        #expect(reading.records == [#"{"a":true}"#, #"{"a":[1,"x",{"b":false}]}"#, #"{"c":{}}"#])
        #expect(reading.lines == [1, 3, 4])
    }

    @Test(arguments: 1...40)
    func nothingDependsOnWhereBlocksEnd(blockLength: Int) {
        let text = "\u{FEFF}[{\"näme\\u00e9\\ud83d\\ude00\": \"a\\\\b\\\"c\\nd\\/\u{1F600}\", \"number\": -12345678901234567890},\n"
            + "{\"long\": \"\(String(repeating: "0123456789", count: 20))\\t\", \"true\": true, \"x\": 1.25e-2}]"
        let whole = Reading(text, as: .json)
        #expect(whole.errors.isEmpty && whole.records.count == 2)
        #expect(Reading(Array(text.utf8), as: .json, blockLength: blockLength) == whole)
    }

    @Test func escapesBecomeTheirCharacters() {
        let reading = Reading(#"{"a":"\"\\\/\b\f\n\r\t\u0041\u00fc\u20ac\ud834\udd1e"}"#, as: .json)
        let reader = JSONReader(ByteInput(#"{"a":"\"\\\/\b\f\n\r\t\u0041\u00fc\u20ac\ud834\udd1e"}"#))
        let record = try? reader.next()
        #expect(record?.object["a"] == .text("\"\\/\u{8}\u{C}\n\r\tAü€𝄞"))
        #expect(reading.errors.isEmpty)
    }

    @Test(arguments: [
        ("0", ImportedValue.int(0)), ("-0", .int(0)), ("9223372036854775807", .int(.max)),
        ("-9223372036854775808", .int(.min)), ("9223372036854775808", .longInt("9223372036854775808")),
        ("1.0", .double(1)), ("1e2", .double(100)), ("0.1", .double(0.1)), ("123456789.123456789", .double(123456789.123456789)),
        ("1.7976931348623157e308", .double(.greatestFiniteMagnitude)), ("5e-324", .double(.leastNonzeroMagnitude)), ("1E+2", .double(100)),
        ("0.000000000000000000000000001", .double(1e-27)), ("2.2250738585072014e-308", .double(.leastNormalMagnitude)),
    ])
    func numbersAreExact(text: String, value: ImportedValue) throws {
        let reader = JSONReader(ByteInput("{\"a\":\(text)}"))
        #expect(try reader.next()?.object["a"] == value)
    }

    @Test(arguments: [
        "01", "-", "+1", "1.", ".5", "1e", "1e+", "0x10", "NaN", "Infinity", "1-2", "--1", "tru", "nul", "True", "'a'", "",
        "\"a", "\"\u{1}\"", #""\x""#, #""\u12g4""#, #""\u12"#, "[1,]", "[1", "{\"a\"}", "{\"a\":}", "{\"a\":1,}", "{a:1}", "1 2",
    ])
    func whatIsNoValueIsAnError(text: String) {
        let reading = Reading("[{\"a\":\(text)}]", as: .json)
        #expect(reading.records.isEmpty)
        #expect(reading.errors.count == 1)
    }

    @Test func anErrorNamesItsLineAndByte() {
        #expect(Reading("[{\"a\":1},\n {\"b\" 2}]", as: .json).errors == ["line 2, column 7: expected ':', found '2'"])
        #expect(Reading("[{\"a\":1}\n", as: .json).errors == ["line 2, column 1: expected ',' or ']', found the end of the text"])
        #expect(Reading("[1]x", as: .json).errors.count == 2)
    }

    @Test func afterABadLineTheNextOneIsRead() {
        let text = "{\"a\":1}\n{\"a\":\n{\"a\":2}\n{\"a\":x}\n[3]\n{\"a\":\"\\ud800\"}\n{\"a\":\"cut\n{\"a\":4}"
        let reading = Reading(text, as: .jsonl)
        #expect(reading.records == [#"{"a":1}"#, #"{"a":4}"#])
        #expect(reading.errors.count == 5, "\(reading.errors)")
    }

    @Test func aLineCutShortDoesNotTakeTheNextOneWithIt() {
        let reading = Reading("{\"a\":1\n{\"a\":2}\n{\"b\":\n{\"a\":3}}\n{\"c\":4}", as: .jsonl)
        #expect(reading.records == [#"{"a":2}"#, #"{"b":{"a":3}}"#, #"{"c":4}"#])
        #expect(reading.errors == ["line 2, column 1: expected ',' or '}', found '{'"])
    }

    @Test func aFaultThatLeavesTheWayClearCostsOneRecordOfAnArray() {
        let text = Array("[{\"a\":\"".utf8) + [0xFF] + Array("\"},{\"a\":1e999},{\"a\":\"\\udc00\"},7,{\"a\":1}]".utf8)
        let reading = Reading(text, as: .json, blockLength: 7)
        #expect(reading.records == [#"{"a":1}"#])
        #expect(reading.errors.count == 4, "\(reading.errors)")
    }

    @Test func deepNestingIsRefusedNotFollowed() {
        let deep = "{\"a\":" + String(repeating: "[", count: 100_000)
        #expect(Reading(deep, as: .json).errors.first?.contains("nested deeper than 256 levels") == true)
        let legal = "{\"a\":" + String(repeating: "[", count: 255) + String(repeating: "]", count: 255) + "}"
        #expect(Reading(legal, as: .json).records == [legal])
    }

    @Test func anotherEncodingIsNamed() {
        #expect(Reading([0xFF, 0xFE, 0x7B, 0], as: .json, blockLength: 9).errors.first?.contains("iconv") == true)
    }

    @Test func namesThatNeverRepeatAreReadAll() {
        let text = (0..<10_000).map { "{\"k\($0)\":\($0)}" }.joined(separator: "\n")
        let reading = Reading(text, as: .jsonl)
        #expect(reading.records.count == 10_000)
        #expect(reading.records.last == #"{"k9999":9999}"#)
    }
}
