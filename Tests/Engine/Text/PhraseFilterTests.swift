@testable import FreeholdEngine
import TestKit
import Testing

/// The filter that passes objects without a phrase, against the search itself.
@Suite("Filters of phrases") struct PhraseFilterTests {
    private static let pieces = [
        "tea", "Tea", "TEA", "leaf", "te", "teas", "a", "b2", "2b", "o'clock", "wi-fi", "x_y", "_", "é", "茶", "3.14", "tea.com", "ab",
    ]
    private static let between = [" ", "  ", ", ", ".", "-", "_", "'", "\n", "", ":", "; ", "\u{AD}", "…"]

    private static func text(_ random: inout SeededRandom) -> String {
        (0..<1 + random.below(8)).map { _ in pieces[random.below(pieces.count)] + between[random.below(between.count)] }.joined()
    }

    private static func holds(_ filters: [PhraseFilter], _ text: String) -> Bool {
        // Safe: the bytes are used within the call.
        Array(text.utf8).withUnsafeBytes { bytes in filters.allSatisfy { $0.mayHold(in: bytes) } }
    }

    @Test("what has a phrase passes, and much of the rest does not", arguments: Seeds.all)
    func phrases(seed: UInt64) throws {
        var random = SeededRandom(seed: seed), passed = 0, matched = 0, filtered = 0
        let analyzer = TextAnalyzer(), count = TestScale.count(4000)
        for _ in 0..<count {
            let words = (0..<2 + random.below(2)).map { _ in Self.pieces[random.below(Self.pieces.count)] }
            let search = "\"\(words.joined(separator: " "))\"", isMeant = random.below(3) == 0
            let text = Self.text(&random) + (isMeant ? words.joined(separator: Self.between[random.below(8)]) : "")
            guard let query = try? TermQuery(TextQuery(search), analyzer) else { continue }
            let filters = query.filters
            if filters.isEmpty { continue }
            var match = TextMatch(query, analyzer)
            // Safe: the bytes are used within the call.
            Array(text.utf8).withUnsafeBytes { match.add($0) }
            let passes = Self.holds(filters, text)
            // Any other string may have the phrase.
            if text.utf8.allSatisfy({ $0 < 128 }) {
                filtered += 1
                passed += passes ? 1 : 0
            }
            matched += match.isMatch ? 1 : 0
            #expect(passes || !match.isMatch, "seed \(seed): \(search) in '\(text)'")
        }
        let sums = "seed \(seed): \(matched) matched, \(passed) passed of \(filtered)"
        #expect(matched > count / 20 && passed < filtered * 3 / 4 && filtered > count / 20, "\(sums)")
    }

    @Test("only phrases that every match has are looked for")
    func required() throws {
        func count(_ search: String) throws -> Int { try TermQuery(TextQuery(search), TextAnalyzer()).filters.count }
        #expect(try count("\"green tea\"") == 1 && count("\"green tea\" milk \"a b\"") == 2 && count("wi-fi") == 1)
        #expect(try count("\"green tea\" OR milk") == 0 && count("milk -\"green tea\"") == 0 && count("green tea") == 0)
        #expect(try count("\"grünes tea\"") == 1 && count("\"茶 tea\"") == 0)
        #expect(try count("\"green tea\" NEAR milk") == 1)
    }
}
