import TestKit
import Testing
@testable import FreeholdEngine

@Suite("Searches on texts")
struct TextMatchTests {
    private func match(_ query: String, _ texts: [String]) throws -> TextMatch {
        let analyzer = TextAnalyzer()
        return match(try TextQuery(query), texts, analyzer)
    }

    private func match(_ query: TextQuery, _ texts: [String], _ analyzer: TextAnalyzer) -> TextMatch {
        var match = TextMatch(TermQuery(query, analyzer), analyzer)
        for text in texts { Array(text.utf8).withUnsafeBytes { match.add($0) } }
        return match
    }

    private func matches(_ query: String, _ texts: String...) throws -> Bool { try match(query, texts).isMatch }

    private func marked(_ text: String, _ ranges: [Range<Int>], from start: Int = 0, to end: Int? = nil) -> String {
        var bytes = Array(text.utf8)
        bytes.removeLast(bytes.count - (end ?? bytes.count))
        for range in ranges.reversed() {
            bytes.insert(UInt8(ascii: "]"), at: range.upperBound)
            bytes.insert(UInt8(ascii: "["), at: range.lowerBound)
        }
        return String(decoding: bytes[start...], as: UTF8.self)
    }

    private func highlighted(_ query: String, _ text: String) throws -> String {
        marked(text, try match(query, [text]).highlights(inText: 0))
    }

    @Test("words match in any order and case, phrases only as they are")
    func words() throws {
        #expect(try matches("leaf GREEN", "A green leaf.") && matches("\"green leaf\"", "A green, leaf."))
        #expect(try !matches("\"leaf green\"", "A green leaf."))
        #expect(try matches("tea -milk", "tea") && !matches("tea -milk", "tea, milk") && matches("coffee OR tea", "tea"))
        #expect(try matches("über", "Uber") && matches("well-known", "well known") && !matches("well-known", "known well"))
        #expect(try matches("col* colour~1 colour~2", "color colours") && !matches("colour~1", "colr"))
    }

    @Test("words may stand in different texts, phrases and NEAR in one")
    func severalTexts() throws {
        #expect(try matches("green leaf", "green", "leaf") && !matches("\"green leaf\"", "green", "leaf"))
        #expect(try !matches("green NEAR/1000 leaf", "green", "leaf"))
        #expect(try match("tea", ["tea", "tea tea"]).frequency(ofPhrase: 0, inText: 1) == 2)
        #expect(try match("tea", ["tea", "tea tea 東京"]).lengths == [1, 4])
    }

    @Test("NEAR counts the words between, in both directions")
    func nearness() throws {
        #expect(try matches("a NEAR/2 d", "a b c d") && matches("d NEAR/2 a", "a b c d") && !matches("a NEAR/1 d", "a b c d"))
        #expect(try matches("\"a b\" NEAR/0 c", "a b c") && matches("a NEAR/1 d NEAR/1 c", "c a d"))
        let many = try match("a NEAR/1000 a NEAR/1000 b", [String(repeating: "a ", count: 20_000) + "b"])
        #expect(many.hits?.count == 2 * 1001 + 1)
        #expect(try highlighted("a NEAR/1 b", "a x b y y y a y y b") == "[a] x [b] y y y a y y b")
    }

    @Test("a word of a script without spaces is found within a run, and one character too")
    func characters() throws {
        #expect(try matches("京都", "東京都") && matches("東京都", "東京都庁") && !matches("東都", "東京都") && !matches("東京", "東 京"))
        #expect(try matches("都", "東京都") && matches("京", "東京都") && matches("학교", "학교에서") && matches("เทศ", "ประเทศไทย"))
        #expect(try highlighted("京 東京", "東京都の京") == "[東京]都の[京]")
        #expect(try matches("京*", "東京都") && matches("京都*", "東京都"))
    }

    @Test("highlights are places of the original, whole phrases, and nothing excluded")
    func highlights() throws {
        #expect(try highlighted("\"green leaf\" ÉTÉ -milk", "Green -- leaf; green, été") == "[Green -- leaf]; green, [été]")
        #expect(try highlighted("(a b) OR c", "a c") == "a [c]")
        #expect(try highlighted("x", "a c") == "a c")
    }

    @Test("a snippet has the most different words, and says where it is cut")
    func snippets() throws {
        let text = "tea one two tea three four five six tea green leaf seven eight nine ten tea"
        func snippet(_ query: String, _ length: SnippetLength) throws -> String {
            let found = try Array(text.utf8).withUnsafeBytes { try match(query, [text]).snippet(of: $0, inText: 0, length: length) }
            let body = marked(text, found.highlights, from: found.range.lowerBound, to: found.range.upperBound)
            return (found.isCutBefore ? "…" : "") + body + (found.isCutAfter ? "…" : "")
        }
        #expect(try snippet("tea leaf", .words(5)) == "…six [tea] green [leaf] seven…")
        #expect(try snippet("tea", .words(4)) == "[tea] one two [tea]…")
        #expect(try snippet("tea leaf", .characters(25)) == "…six [tea] green [leaf] seven…")
        #expect(try snippet("nothing", .words(3)) == "tea one two…")
        #expect(try snippet("\"two tea three four\"", .words(2)) == "…[two tea three four]…")
        let whole = text.split(separator: " ").map { $0 == "tea" ? "[tea]" : "\($0)" }.joined(separator: " ")
        #expect(try snippet("tea", .words(100)) == whole)
        let empty = try Array("".utf8).withUnsafeBytes { try match("a", [""]).snippet(of: $0, inText: 0, length: .words(3)) }
        #expect(empty == TextSnippet(range: 0..<0, highlights: [], isCutBefore: false, isCutAfter: false))
    }

    @Test("matches and highlights are those of a naive evaluation", arguments: Seeds.all)
    func randomSearches(seed: UInt64) {
        var random = SeededRandom(seed: seed)
        var found = 0
        for _ in 0..<TestScale.count(1500) {
            let texts = (0...random.below(2)).map { _ in Self.text(&random) }
            let query = TextQuery(Self.node(&random, 2))
            let match = match(query, texts, TextAnalyzer()), wanted = NaiveSearch(texts).places(query.root)
            #expect(match.isMatch == (wanted != nil), "seed \(seed): \(query) in \(texts)")
            for text in texts.indices {
                let ranges = TextMatch.merged((wanted ?? []).filter { $0.text == text }.map(\.range))
                #expect(match.highlights(inText: text) == ranges, "seed \(seed): \(query) in \(texts), text \(text)")
            }
            if wanted != nil { found += 1 }
        }
        #expect(found > TestScale.count(1500) / 15)
    }

    @Test("a snippet keeps to its length, begins and ends with words, and has all highlights within", arguments: Seeds.all)
    func randomSnippets(seed: UInt64) {
        var random = SeededRandom(seed: seed)
        for _ in 0..<TestScale.count(500) {
            let text = (0...random.below(6)).map { _ in Self.text(&random) }.joined(separator: " "), limit = 3 + random.below(10)
            let match = match(TextQuery(Self.node(&random, 1)), [text], TextAnalyzer())
            let snippet = Array(text.utf8).withUnsafeBytes { match.snippet(of: $0, inText: 0, length: .words(limit)) }
            let part = String(decoding: Array(text.utf8)[snippet.range], as: UTF8.self), units = NaiveSearch.units(text)
            #expect(NaiveSearch.units(part).count <= max(limit, 6), "seed \(seed): \(part) of \(text)")
            let overlapping = match.highlights(inText: 0).filter { $0.overlaps(snippet.range) }
            #expect(snippet.highlights == overlapping.map { $0.clamped(to: snippet.range) })
            #expect(snippet.highlights.isEmpty == match.highlights(inText: 0).isEmpty)
            #expect(snippet.isCutBefore == (units.first.map { $0.range.lowerBound < snippet.range.lowerBound } ?? false))
            #expect(snippet.isCutAfter == (units.last.map { $0.range.upperBound > snippet.range.upperBound } ?? false))
        }
    }

    private static let vocabulary = ["a", "b", "c", "ab", "ba", "abc", "acb", "東", "京", "東京", "京東都", "LG전", "전자", "d-e"]

    private static func text(_ random: inout SeededRandom) -> String {
        (0..<random.below(12)).map { _ in vocabulary[random.below(vocabulary.count)] + [" ", ", ", " ", ""][random.below(4)] }.joined()
    }

    private static func node(_ random: inout SeededRandom, _ depth: Int) -> TextQuery.Node {
        switch random.below(depth > 0 ? 7 : 3) {
        case 0...2: .words(words(&random))
        case 3: .near((0...(1 + random.below(2))).map { _ in words(&random) }, distance: random.below(4))
        case 4, 5: .conjunction(nodes(&random, 1 + random.below(3), depth), excluding: nodes(&random, random.below(2), depth))
        default: .disjunction(nodes(&random, 1 + random.below(3), depth))
        }
    }

    private static func nodes(_ random: inout SeededRandom, _ count: Int, _ depth: Int) -> [TextQuery.Node] {
        (0..<count).map { _ in node(&random, depth - 1) }
    }

    private static func words(_ random: inout SeededRandom) -> TextQuery.Words {
        let parts = (0...random.below(2)).map { _ in vocabulary[random.below(vocabulary.count)] }
        let text = parts.joined(separator: [" ", ""][random.below(2)])
        // As the parser has it: a fuzzy word is longer than its distance.
        let isSingle = NaiveSearch.units(text).count == 1 && !NaiveSearch.units(text)[0].isCharacter && text.count > 1
        switch random.below(4) {
        case 0: return TextQuery.Words(text: text, match: .prefix)
        case 1 where isSingle: return TextQuery.Words(text: text, match: .fuzzy(1 + random.below(min(2, text.count - 1))))
        default: return TextQuery.Words(text: text)
        }
    }
}
