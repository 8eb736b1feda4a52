import FreeholdEngine
import TestKit
import Testing

@testable import FreeholdImport

@Suite struct DigitTextTests {
    private func text(_ number: Double) -> String {
        var output: [UInt8] = []
        DigitText.append(number, to: &output)
        return String(decoding: output, as: UTF8.self)
    }

    @Test func `doubles are written as Swift describes them`() {
        var numbers = [0, -0.0, 0.1, 0.01, -0.01, 0.001, 1.15, 0.07, 1, -1, 100, 1e11, 1e12, 1e13, 1e15, 1e16, 1e300, .leastNonzeroMagnitude, .infinity, -.infinity, .nan,
                       999_999_999_999.99, -999_999_999_999.99, 1_000_000_000_000.01, 0.995, 1.005, 123.45, 2.5, .pi]
        var random = SeededRandom(seed: 20)
        for _ in 0..<20_000 {
            let word = random.next()
            numbers.append(Double(Int64(bitPattern: word) >> (word & 63)) / 100)
            numbers.append(Double(Int64(bitPattern: word) >> (word & 63)) / 1000)
            numbers.append(Double(bitPattern: random.next()))
        }
        for number in numbers { #expect(text(number) == number.description) }
    }

    @Test func `integers are written with all their digits`() {
        var random = SeededRandom(seed: 21)
        for number in [Int64.min, .max, 0, -1, 9, 10, -10] + (0..<1000).map({ _ in let word = random.next(); return Int64(bitPattern: word) >> (word & 63) }) {
            var output: [UInt8] = []
            DigitText.append(number, to: &output)
            #expect(String(decoding: output, as: UTF8.self) == "\(number)")
        }
    }

    @Test func `every date is read as it is written`() {
        let moments: [Timestamp] = [
            Timestamp(seconds: .min), Timestamp(seconds: .max), Timestamp(seconds: .min, nanoseconds: 1), Timestamp(seconds: .max, nanoseconds: 999_999_999),
            Timestamp(seconds: 253_402_300_800), Timestamp(seconds: -62_167_219_201, nanoseconds: 500_000_000), Timestamp(seconds: 1 << 57, nanoseconds: 120),
        ]
        for moment in moments { #expect(DateText.parse(DateText.format(moment)) == moment, "\(DateText.format(moment))") }
        #expect(DateText.parse("+292277026596-12-04T15:30:08Z") == nil)
        #expect(DateText.parse("-999999999999-01-01") == nil)
    }
}
