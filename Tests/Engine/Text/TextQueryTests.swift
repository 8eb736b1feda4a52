import TestKit
import Testing
@testable import FreeholdEngine

@Suite("Searches as text")
struct TextQueryTests {
    private func word(_ text: String, _ match: TextQuery.Match = .exact) -> TextQuery.Node {
        .words(TextQuery.Words(text: text, match: match))
    }

    private func error(_ text: String) -> String? {
        do throws(FreeholdError) {
            _ = try TextQuery(text)
            return nil
        } catch {
            return error.message
        }
    }

    @Test("words, phrases, exclusions, prefixes and fuzzy words")
    func operands() throws {
        let query = try TextQuery("tea \"green  leaf\" -milk -\"black tea\" col* colour~ colur~2")
        #expect(query.root == .all(
            [word("tea"), word("green  leaf"), word("col", .prefix), word("colour", .fuzzy(1)), word("colur", .fuzzy(2))],
            excluding: [word("milk"), word("black tea")]))
        #expect(try TextQuery("\"new yor\"*").root == word("new yor", .prefix))
        #expect(try TextQuery("a NOT b").root == .all([word("a")], excluding: [word("b")]))
        #expect(try TextQuery("  tea ").root == word("tea"))
    }

    @Test("OR binds less than AND, AND less than NEAR; groups within groups of the same kind are one")
    func precedence() throws {
        let pairs: [TextQuery.Node] = [.all([word("a"), word("b")], excluding: []), .all([word("c"), word("d")], excluding: [])]
        #expect(try TextQuery("a b OR c AND d").root == .any(pairs))
        #expect(try TextQuery("a (b OR (c OR d))").root == .all([word("a"), .any([word("b"), word("c"), word("d")])], excluding: []))
        #expect(try TextQuery("(a (b -c)) d").root == .all([word("a"), word("b"), word("d")], excluding: [word("c")]))
        let near = [TextQuery.Words(text: "b"), TextQuery.Words(text: "c d"), TextQuery.Words(text: "e", match: .prefix)]
        #expect(try TextQuery("a b NEAR/5 \"c d\" NEAR/5 e*").root == .all([word("a"), .near(near, distance: 5)], excluding: []))
        #expect(try TextQuery("a NEAR b").root == .near([TextQuery.Words(text: "a"), TextQuery.Words(text: "b")], distance: 10))
    }

    @Test("punctuation between words is none of a query, and keywords in lower case are words")
    func punctuation() throws {
        #expect(try TextQuery("black & white - (x)").root == (try TextQuery("black white x")).root)
        #expect(try TextQuery("this or that").root == .all([word("this"), word("or"), word("that")], excluding: []))
        #expect(try TextQuery("well-known --force").root == .all([word("well-known"), word("--force")], excluding: []))
        #expect(try TextQuery("\"OR\"").root == word("OR"))
        #expect(try TextQuery("a NOT --b").description == "a -\"--b\"")
    }

    @Test("errors name the column and what to do", arguments: [
        ("", "search, column 1: there is no word to search for"),
        ("!?", "search, column 1: there is no word to search for"),
        ("-a", "search, column 1: this only excludes; add a word to search for"),
        ("a OR -b", "search, column 6: this only excludes; add a word to search for"),
        ("a (-b -c)", "search, column 4: this only excludes; add a word to search for"),
        ("a OR", "search, column 5: expected a word or phrase, found the end"),
        ("OR a", "search, column 1: expected a word or phrase, found OR"),
        ("a (", "search, column 4: expected a word or phrase, found the end"),
        ("a ()", "search, column 4: expected a word or phrase, found ')'"),
        ("a (b", "search, column 3: this '(' is not closed"),
        ("a) b", "search, column 2: this ')' closes nothing"),
        ("é \"b", "search, column 3: this '\"' is not closed"),
        ("AND a", "search, column 1: AND stands between two words or groups; to search for the word, write \"AND\""),
        ("a AND", "search, column 3: AND stands between two words or groups; to search for the word, write \"AND\""),
        ("NEAR a", "search, column 1: NEAR stands between two words or phrases; to search for the word, write \"NEAR\""),
        ("(a b) NEAR c", "search, column 1: NEAR stands between two words or phrases, not groups"),
        ("a NEAR -b", "search, column 8: expected a word or phrase, found '-'"),
        ("a NEAR/x b", "search, column 3: NEAR/ needs a number of words from 0 to 1000"),
        ("a NEAR/2 b NEAR/3 c", "search, column 12: all NEAR of a chain have the same number"),
        ("a*b", "search, column 2: '*' stands at the end of a word only; put text that contains it in quotation marks"),
        ("abc~3", "search, column 4: '~' is followed by 1 or 2, the number of characters that may differ"),
        ("a~1", "search, column 1: 'a~1' would match every short word; a fuzzy word is longer than its number"),
        ("a-b~1", "search, column 1: '~' follows a single word; 'a-b' is 2 words"),
        ("東京~1", "search, column 1: '~' cannot follow '東京': its script is searched by parts anyway"),
        ("\"a\"*x", "search, column 4: expected '*', '~1' or '~2' after the phrase"),
    ])
    func errors(text: String, message: String) {
        #expect(error(text) == message)
    }

    @Test("depth, length and the number of words are limited")
    func limits() {
        func nested(_ depth: Int) -> String { String(repeating: "(", count: depth) + "a" + String(repeating: ")", count: depth) }
        #expect(error(nested(32)) == nil)
        #expect(error(nested(33)) == "search, column 33: groups are nested more than 32 levels deep")
        #expect(error(String(repeating: "a", count: 10_001))?.contains("too long") == true)
        #expect(error(String(repeating: "a ", count: 1001)) == "search, column 2001: a search has at most 1000 words")
    }

    @Test("a query is printed as text that parses to the same query", arguments: Seeds.all)
    func printing(seed: UInt64) throws {
        var random = SeededRandom(seed: seed)
        for _ in 0..<TestScale.count(1000) {
            let query = TextQuery(Self.node(&random, 3))
            let again = try TextQuery(query.description)
            #expect(again == query, "seed \(seed): \(query)")
        }
    }

    @Test("any text gives a query or an error", arguments: Seeds.all)
    func anyText(seed: UInt64) throws {
        var random = SeededRandom(seed: seed)
        let pieces = [
            "a", "bc", "\"", "(", ")", " ", "-", "*", "~", "1", "2", "OR ", "AND ", "NEAR ", "NEAR/3 ", "NOT ", "\\", "東京", "!", "é",
        ]
        for _ in 0..<TestScale.count(3000) {
            let text = (0..<random.below(12)).map { _ in pieces[random.below(pieces.count)] }.joined()
            do throws(FreeholdError) {
                let query = try TextQuery(text)
                #expect(try TextQuery(query.description) == query, "seed \(seed): \(text) is printed as \(query)")
            } catch {
                #expect(error.message.hasPrefix("search, column "), "seed \(seed): \(text): \(error)")
            }
        }
    }

    /// A random node as the parser makes them: no conjunction within another, no disjunction within another.
    static func node(_ random: inout SeededRandom, _ depth: Int) -> TextQuery.Node {
        switch random.below(depth > 0 ? 6 : 2) {
        case 0, 1: return .words(words(&random))
        case 2: return .near((0...(1 + random.below(2))).map { _ in words(&random) }, distance: [10, 0, 3][random.below(3)])
        case 3, 4:
            return .conjunction(nodes(&random, 1 + random.below(4), depth), excluding: nodes(&random, random.below(2), depth))
        default: return .disjunction(nodes(&random, 1 + random.below(4), depth))
        }
    }

    private static func nodes(_ random: inout SeededRandom, _ count: Int, _ depth: Int) -> [TextQuery.Node] {
        (0..<count).map { _ in node(&random, depth - 1) }
    }

    private static func words(_ random: inout SeededRandom) -> TextQuery.Words {
        let samples = ["tea", "über", "don't", "x--y", "OR", "NEAR/3", "a*b", "-minus", "~tilde~5", "back\\slash", "東京", "猫"]
        let single = samples[random.below(samples.count)]
        switch random.below(5) {
        case 0: return TextQuery.Words(text: "\(single) \"x\" y")
        case 1: return TextQuery.Words(text: single, match: .prefix)
        case 2: return TextQuery.Words(text: ["colour", "NEAR", "überall"][random.below(3)], match: .fuzzy(1 + random.below(2)))
        default: return TextQuery.Words(text: single)
        }
    }
}
