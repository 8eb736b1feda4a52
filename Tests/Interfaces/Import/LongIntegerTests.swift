import FreeholdEngine
import Testing

@testable import FreeholdImport

/// Integers beyond 64 bits are kept as they are or refused, and never rounded without a word.
@Suite struct LongIntegerTests {
    @Test(arguments: ["9223372036854775808", "-9223372036854775809", "18446744073709551616", "123456789012345678901234567890", "1\(String(repeating: "0", count: 400))"])
    func `JSON keeps their digits`(digits: String) throws {
        let reader = JSONReader(ByteInput("{\"a\":\(digits),\"b\":[\(digits)]}", blockLength: 5))
        let record = try #require(try reader.next())
        #expect(record.object["a"] == .longInt(digits))
        #expect(ImportedValue.object(record.object).jsonText == "{\"a\":\(digits),\"b\":[\(digits)]}")
    }

    @Test(arguments: [ImportedValue.longInt("9223372036854775808"), .text("9223372036854775808")])
    func `the types that hold them take them, and int does not`(value: ImportedValue) throws {
        #expect(try value.converted(to: .double) == .double(9_223_372_036_854_775_808))
        #expect(try value.converted(to: .decimal) == .decimal(try #require(Decimal128("9223372036854775808"))))
        #expect(try value.converted(to: .string) == .string("9223372036854775808"))
        let error = #expect(throws: ConversionError.self) { try value.converted(to: .int) }
        #expect(error?.message == "'9223372036854775808' is an integer beyond 64 bits; the types decimal, double and string can hold it")
        #expect(throws: ConversionError.self) { try value.converted(to: .date) }
        #expect(throws: ConversionError.self) { try ImportedValue.longInt("9223372036854775808").converted(to: .mixed) }
    }

    @Test(arguments: [("18446744073709551617", false), ("18446744073709551616", false), ("18446744073709552000", true), ("-100000000000000000000", true),
                      (String(repeating: "9", count: 40), false), ("1\(String(repeating: "0", count: 40))", true)])
    func `a double that may not round takes those that it is shown as`(digits: String, isTaken: Bool) throws {
        for value in [ImportedValue.longInt(digits), .text(digits)] {
            let found = try? value.converted(to: .double, rounding: false), number = try #require(Double(digits))
            #expect(found == (isTaken ? .double(number) : nil))
            if isTaken { continue }
            let error = #expect(throws: ConversionError.self) { try value.converted(to: .double, rounding: false) }
            #expect(error?.message.contains("is an integer beyond 64 bits, which a double would round") == true)
        }
        #expect(try ImportedValue.text("1.5").converted(to: .double, rounding: false) == .double(1.5))
    }

    @Test(arguments: [("9007199254740993", false), ("-9007199254740993", false), ("9007199254740992", true), ("12345678901234567000", true),
                      ("1234567890123456800", true), ("1234567890123456700", false), ("1234567890123456789", false), ("9223372036854775807", false), ("-9223372036854775808", true)])
    func `an integer of 64 bits is not rounded either`(digits: String, isTaken: Bool) throws {
        let number = try #require(Double(digits))
        for value in [Int64(digits).map(ImportedValue.int) ?? .longInt(digits), .text(digits)] {
            #expect((try? value.converted(to: .double, rounding: false)) == (isTaken ? .double(number) : nil))
            #expect(try value.converted(to: .double) == .double(number))
            if isTaken { continue }
            let error = #expect(throws: ConversionError.self) { try value.converted(to: .double, rounding: false) }
            #expect(error?.message == "'\(digits)' is an integer that a double would round; declare the property as decimal or string to keep it, or as double to round it")
        }
    }

    @Test func `a decimal takes 34 digits and no more`() throws {
        let most = String(repeating: "9", count: 34)
        #expect(try ImportedValue.longInt("-\(most)").converted(to: .decimal) == .decimal(try #require(Decimal128("-\(most)"))))
        #expect(try ImportedValue.longInt("\(most)00000").converted(to: .decimal) == .decimal(try #require(Decimal128("\(most)00000"))))
        for value in [ImportedValue.longInt("\(most)1"), .text("\(most)1")] {
            let error = #expect(throws: ConversionError.self) { try value.converted(to: .decimal) }
            #expect(error?.message.contains("more than 34 digits") == true)
        }
        #expect(throws: ConversionError.self) { try ImportedValue.longInt(String(repeating: "9", count: 400)).converted(to: .double) }
    }
}
