import BrowserData
import Testing

@Suite("JSON")
struct JSONTests {
    @Test("Values read and written are the same")
    func roundTrip() throws {
        for text in [
            "null", "true", "[]", "{}", "0", "-9223372036854775808", "1.50", "1e400", "-0", "18446744073709551616", #""""#,
            #"{"b":1,"a":[{"x":"ä\u0000\n\"\\"},null]}"#,
        ] {
            #expect(try JSON(parsing: text).text == text)
        }
    }

    @Test("Escapes become their characters")
    func escapes() throws {
        #expect(try JSON(parsing: #""\u00e4\ud83d\ude00\/\b\f\n\r\t""#) == .string("ä😀/\u{8}\u{c}\n\r\t"))
    }

    @Test("What is not JSON is refused")
    func refused() {
        for text in [
            "", " ", "nul", "[1,]", "[1 2]", "{\"a\":1,}", "{a:1}", "01", "1.", ".5", "+1", "1e", "-", "\"a", "\"\n\"", "\"\\x\"",
                "\"\\ud83d\"",
            "\"\\ude00\"", "\"\\ud83dx\"", "1 1", "{\"a\":1,\"a\":2}", "NaN", "// \n1", "'a'", "[", "{\"a\"", "\u{feff}1",
        ] {
            #expect(throws: JSONError.self, "\(text)") { try JSON(parsing: text) }
        }
        #expect(throws: JSONError.self) { try JSON(parsing: [0x22, 0xC3, 0x22]) }
        #expect(throws: JSONError.self) { try JSON(parsing: [0x22, 0xED, 0xA0, 0x80, 0x22]) }
    }

    @Test("Limits hold for size and depth")
    func limits() throws {
        #expect(try JSON(parsing: "[[1]]", limits: .init(bytes: 5, depth: 2)) == [[1]])
        #expect(throws: JSONError.self) { try JSON(parsing: "[[1]]", limits: .init(bytes: 4, depth: 2)) }
        #expect(throws: JSONError.self) { try JSON(parsing: "[[1]]", limits: .init(bytes: 5, depth: 1)) }
        #expect(throws: JSONError.self) { try JSON(parsing: String(repeating: "[", count: 1_000_000)) }
    }

    @Test("Strings are compared by bytes, members in any order")
    func equality() {
        #expect(JSON.string("\u{e9}") != .string("e\u{301}"))
        #expect(JSON.object([.init("\u{e9}", 1)]) != .object([.init("e\u{301}", 1)]))
        #expect(["a": 1, "b": 2] as JSON == ["b": 2, "a": 1])
        #expect(["a": 1, "b": 2] as JSON != ["b": 2, "a": 2])
        #expect(["a": 1] as JSON != ["a": 1, "b": 2])
    }

    @Test("Doubles become numbers")
    func doubles() {
        #expect(JSON.double(2) == 2)
        #expect(JSON.double(0.1).text == "0.1")
        #expect(JSON.double(.nan) == .null)
        #expect(JSON.double(-0.0).text == "-0.0")
    }
}
