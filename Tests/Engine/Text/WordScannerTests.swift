import TestKit
import Testing
@testable import FreeholdEngine

@Suite("Word boundaries")
struct WordScannerTests {
    private func boundaries(_ bytes: [UInt8]) -> [Int] {
        // Memory of exactly so many bytes, so that an address sanitizer sees every step outside.
        let exact = UnsafeMutableRawBufferPointer.allocate(byteCount: bytes.count, alignment: 1)
        defer { exact.deallocate() }
        exact.copyBytes(from: bytes)
        var scanner = WordScanner(UnsafeRawBufferPointer(exact)), found: [Int] = []
        while let segment = scanner.next() {
            #expect(segment.range.lowerBound == found.last ?? 0)
            #expect(segment.isASCII == bytes[segment.range].allSatisfy { $0 < 0x80 })
            found.append(segment.range.upperBound)
        }
        return found
    }

    @Test("all of Unicode's test cases hold")
    func unicodeCases() {
        let letters = Array(WordBreakCases.letters)
        var count = 0
        for text in WordBreakCases.text.split(separator: " ") {
            var bytes: [UInt8] = [], wanted: [Int] = []
            for letter in text {
                if letter == "|" { wanted.append(bytes.count); continue }
                guard let place = letters.firstIndex(of: letter) else { continue }
                guard let scalar = Unicode.Scalar(WordBreakCases.scalars[place]) else { continue }
                bytes += Array(String(scalar).utf8)
            }
            #expect(boundaries(bytes) == wanted + [bytes.count], "\(text)")
            count += 1
        }
        #expect(count == 1823)
    }

    /// A scalar of each class, and some more of those with several ways to be encoded.
    private static let samples: [Unicode.Scalar] = [
        "a", "Z", "5", "_", "'", "\"", ".", ":", ",", " ", "-", "\r", "\n", "\u{B}", "\u{85}", "é", "б", "\u{301}", "\u{200D}", "\u{AD}",
        "🇩", "カ", "א", "한", "Ⓜ", "·", "’", "٣", "\u{203F}", "\u{3000}", "😀", "漢", "𠀀", "か", "ก", "\u{E35}", "½", "\u{E0020}",
        "\u{2028}", "\u{10A}",
    ]

    @Test("boundaries are those of the rules as they are written", arguments: Seeds.all)
    func randomTexts(seed: UInt64) {
        var random = SeededRandom(seed: seed)
        for _ in 0..<TestScale.count(3000) {
            let narrow = random.below(Self.samples.count), isNarrow = random.oneIn(2)
            let text = (0..<random.below(14)).map { _ in
                Self.samples[isNarrow ? (narrow + random.below(8)) % Self.samples.count : random.below(Self.samples.count)]
            }
            let bytes = text.flatMap { Array(String($0).utf8) }
            #expect(boundaries(bytes) == NaiveWordBreaks(text).boundaries, "seed \(seed): \(text.map { String($0.value, radix: 16) })")
        }
    }

    @Test("bytes that are not UTF-8 are segments too, and nothing is read beyond the end", arguments: Seeds.all)
    func damagedBytes(seed: UInt64) {
        var random = SeededRandom(seed: seed)
        for _ in 0..<TestScale.count(2000) {
            var bytes = (0..<random.below(6)).flatMap { _ in Array(String(Self.samples[random.below(Self.samples.count)]).utf8) }
            if !bytes.isEmpty { bytes.removeLast(random.below(2)) }
            for _ in 0..<random.below(3) { bytes.insert(UInt8(random.below(256)), at: random.below(bytes.count + 1)) }
            #expect(boundaries(bytes).last ?? 0 == bytes.count, "seed \(seed): \(bytes)")
        }
    }

    @Test("candidates are the words, without what stands before them")
    func candidates() {
        let text = Array("  (well-known) 3.14; don't über -- 東京!".utf8)
        let words = text.withUnsafeBytes { bytes in
            var scanner = WordScanner(bytes), found: [String] = []
            while let segment = scanner.nextCandidate() {
                if segment.isWord { found.append(String(decoding: bytes[segment.range], as: UTF8.self)) }
            }
            return found
        }
        #expect(words == ["well", "known", "3.14", "don't", "über", "東", "京"])
    }
}
