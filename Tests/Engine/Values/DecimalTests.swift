import TestKit
import Testing
@testable import FreeholdEngine

@Suite("Decimal numbers")
struct DecimalTests {
    private func number(_ text: String) throws -> Decimal128 { try #require(Decimal128(text), "\(text)") }

    /// From the standard, and as other implementations of it encode them.
    @Test("bits are those of IEEE 754-2008", arguments: [
        ("1", 0x3040_0000_0000_0000, 1), ("-1", 0xB040_0000_0000_0000, 1), ("0.1", 0x303E_0000_0000_0000, 1),
        ("0", 0x3040_0000_0000_0000, 0), ("1E+6144", 0x5FFE_314D_C644_8D93, 0x38C1_5B0A_0000_0000),
        ("9.999999999999999999999999999999999E+6144", 0x5FFF_ED09_BEAD_87C0, 0x378D_8E63_FFFF_FFFF),
        ("1E-6176", 0, 1), ("Infinity", 0x7800_0000_0000_0000, 0), ("-Infinity", 0xF800_0000_0000_0000, 0),
        ("NaN", 0x7C00_0000_0000_0000, 0),
    ] as [(String, UInt64, UInt64)])
    func encoding(text: String, high: UInt64, low: UInt64) throws {
        let number = try number(text)
        #expect(number.high == high && number.low == low, "\(String(number.high, radix: 16)) \(String(number.low, radix: 16))")
    }

    @Test("texts come back with every digit", arguments: [
        "0", "-0", "1", "1.00", "-1.50", "0.001", "0.000001", "1E-7", "1.20E+5", "0E+3", "0.00", "12345678901234567890.12345678901234",
        "9.999999999999999999999999999999999E+6144", "1E-6176", "NaN", "Infinity", "-Infinity", "1E+6111", "123E-6176",
    ])
    func texts(text: String) throws {
        let number = try number(text)
        #expect(number.description == (text == "123E-6176" ? "1.23E-6174" : text))
        let again = try self.number(number.description)
        #expect(again.high == number.high && again.low == number.low)
    }

    @Test("what is no number is refused", arguments: ["", "-", ".", "1e", "1e+", "x", "1.2.3", "1 ", " 1", "--1", "0x10", "1e5x", "+nanx", "٣"])
    func noNumbers(text: String) { #expect(Decimal128(text) == nil) }

    @Test("more than 34 digits are rounded, ties to the even one", arguments: [
        ("12345678901234567890123456789012345", "1.234567890123456789012345678901234E+34"),
        ("12345678901234567890123456789012355", "1.234567890123456789012345678901236E+34"),
        ("123456789012345678901234567890123450000000000000000001", "1.234567890123456789012345678901235E+53"),
        ("99999999999999999999999999999999995", "1.000000000000000000000000000000000E+35"),
        ("1E+6145", "Infinity"), ("9.9999999999999999999999999999999995E+6144", "Infinity"), ("-1E+99999999", "-Infinity"),
        ("5E-6177", "0E-6176"), ("15E-6177", "2E-6176"), ("1E-99999999", "0E-6176"), ("1E+6120", "1.000000000E+6120"),
    ])
    func rounding(text: String, expected: String) throws { #expect(try number(text).description == expected) }

    @Test("arithmetic", arguments: [
        ("1", "+", "1", "2"), ("0.1", "+", "0.2", "0.3"), ("1.00", "+", "1", "2.00"), ("1", "-", "1.0", "0.0"), ("1E+40", "+", "1", "1.000000000000000000000000000000000E+40"),
        ("1E+34", "-", "1", "9999999999999999999999999999999999"), ("1E+50", "-", "1", "1.000000000000000000000000000000000E+50"),
        ("1000000000000000000000000000000000", "-", "0.05", "1000000000000000000000000000000000"),
        ("1000000000000000000000000000000000", "-", "0.06", "999999999999999999999999999999999.9"),
        ("1000000000000000000000000000000000", "-", "0.04", "1000000000000000000000000000000000"),
        ("19.90", "*", "3", "59.70"), ("9999999999999999999999999999999999", "*", "9999999999999999999999999999999999", "9.999999999999999999999999999999998E+67"),
        ("1E+6000", "*", "1E+6000", "Infinity"), ("1E-6000", "*", "1E-6000", "0E-6176"), ("-0", "*", "5", "-0"), ("0", "*", "Infinity", "NaN"),
        ("1", "/", "3", "0.3333333333333333333333333333333333"), ("2", "/", "3", "0.6666666666666666666666666666666667"), ("1", "/", "4", "0.25"),
        ("2.40", "/", "2", "1.20"), ("10", "/", "2", "5"), ("100", "/", "0.1", "1.00E+3"), ("1", "/", "0", "Infinity"), ("-1", "/", "0", "-Infinity"), ("0", "/", "0", "NaN"),
        ("5", "/", "Infinity", "0E-6176"), ("Infinity", "-", "Infinity", "NaN"), ("Infinity", "+", "1", "Infinity"), ("NaN", "+", "1", "NaN"),
        ("0", "+", "-0", "0"), ("-0", "+", "-0", "-0"), ("0E+10", "+", "1", "1"), ("1", "-", "0E-3", "1.000"),
    ])
    func arithmetic(left: String, sign: String, right: String, expected: String) throws {
        let one = try number(left), other = try number(right)
        let result = switch sign {
        case "+": one + other
        case "-": one - other
        case "*": one * other
        default: one / other
        }
        #expect(result.description == expected)
    }

    /// In ascending order; those of one line are equal.
    private static let ladder = [
        ["NaN", "-NaN"], ["-Infinity"], ["-1E+6144"], ["-10.1"], ["-10", "-1E+1", "-10.00"], ["-9.99"], ["-0.1"], ["-1E-6176"], ["0", "-0", "0E+10"],
        ["1E-6176"], ["0.0999"], ["0.1", "0.10"], ["0.12"], ["1", "1.0", "1.000"], ["1.5"], ["1.52", "1.520"], ["9"], ["10"], ["1E+6144"], ["Infinity"],
    ]

    @Test("order, equality, hash and index keys agree")
    func order() throws {
        func key(_ number: Decimal128) -> [UInt8] {
            let bytes = ByteBuffer()
            bytes.setIndexKey(.decimal(number), of: .decimal)
            return bytes.array
        }
        let numbers = try Self.ladder.enumerated().flatMap { step, texts in try texts.map { (step, try number($0)) } }
        for (left, one) in numbers {
            for (right, other) in numbers {
                #expect((one == other) == (left == right) && (one < other) == (left < right), "\(one) and \(other)")
                #expect((key(one) == key(other)) == (left == right) && key(one).lexicographicallyPrecedes(key(other)) == (left < right))
                if left == right { #expect(one.hashValue == other.hashValue) }
                #expect(left == right || !key(other).starts(with: key(one)))
            }
        }
    }

    @Test("the total order tells equal numbers apart")
    func totalOrder() throws {
        let ascending = try ["-NaN", "-Infinity", "-1.0", "-1.00", "-0", "0.00", "0", "1.00", "1.0", "1", "Infinity", "NaN"].map(number)
        for (left, one) in ascending.enumerated() {
            for (right, other) in ascending.enumerated() {
                #expect(one.isTotallyOrdered(belowOrEqualTo: other) == (left <= right), "\(one) and \(other)")
            }
        }
    }

    @Test("whole and binary numbers come and go")
    func conversions() throws {
        for whole in [0, 1, -1, .max, .min, 1_000_000] as [Int64] { #expect(Int64(exactly: Decimal128(whole)) == whole) }
        let whole = try number("12E+2"), padded = try number("1200.00"), huge = try number("1E+6000")
        #expect(Int64(exactly: whole) == 1200 && Int64(exactly: padded) == 1200)
        for text in ["1.5", "9223372036854775808", "-9223372036854775809", "1E+30", "NaN", "Infinity"] {
            let number = try number(text)
            #expect(Int64(exactly: number) == nil)
        }
        #expect(Decimal128(0.1).description == "0.1" && Decimal128(Float(0.1)).description == "0.1" && Decimal128(1e300) == Decimal128("1E300"))
        #expect(Double(Decimal128(0.1)) == 0.1 && Double(Decimal128.nan).isNaN)
        #expect(Double(huge) == .infinity)
    }

    @Test("small numbers add, multiply and divide as fractions do", arguments: 0..<4)
    func fractions(seed: UInt64) throws {
        var random = SeededRandom(seed: seed)
        for _ in 0..<2000 {
            let one = Int64.random(in: -1_000_000...1_000_000, using: &random), other = Int64.random(in: 1...100_000, using: &random)
            #expect(Decimal128(one) + Decimal128(other) == Decimal128(one + other))
            #expect(Decimal128(one) * Decimal128(other) == Decimal128(one * other))
            #expect(Decimal128(one * other) / Decimal128(other) == Decimal128(one))
            let quotient = Decimal128(one) / Decimal128(other), rest = quotient * Decimal128(other) - Decimal128(one)
            #expect(rest.isZero || rest.rank.firstDigit < Decimal128(one).rank.firstDigit - 31, "\(one) / \(other)")
        }
    }

    @Test("bits that no number has count as zero, never as a stop")
    func forged() {
        for high in [0x6000_0000_0000_0000, 0x1FFF_FFFF_FFFF_FFFF, 0x5FFF_FFFF_FFFF_FFFF, 0xFFFF_FFFF_FFFF_FFFF, 0x77FF_FFFF_FFFF_FFFF] as [UInt64] {
            let number = Decimal128(high: high, low: .max)
            #expect(number.isZero || number.isNaN)
            #expect((number + 1) * 2 == 2 || number.isNaN)
            _ = number.description
        }
    }
}
