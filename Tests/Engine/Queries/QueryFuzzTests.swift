import DatabaseKit
@testable import FreeholdEngine
import TestKit
import Testing

/// Texts made of the corpus by cutting, doubling, joining and strewing in: whatever comes of it, it is answered or refused, and soon.
@Suite struct QueryFuzzTests {
    private static let words = [
        "(", ")", "[", "]", "{", "}", ".", ",", "==", "!=", "<=", ">", "+", "-", "*", "/", "!", "&&", "||", "AND", "OR", "NOT", "ANY", "ALL", "NONE", "IN", "BETWEEN", "LIKE", "CONTAINS[cd]", "SUBQUERY(",
        "$d", "%@", "%K", "$0", "$K0", "'", "\"", "\\", "\\u{", "`", "#", "@", "@count", "@links.", "@sum.", "@size", "SORT(",
        " COLLATE ", "'de'", "DISTINCT(", "LIMIT(", "OFFSET(",
        "FUSE(", " WEIGHT 2", "NEAREST(image, [1, 2], 3)", ", 3)", "GROUP(", "SELECT(", "9223372036854775808", "1e400",
        "0x1", "0xff", "5.", "ANY {", "ALL {1, 2} ==", "NONE {'a'} <", "@links.@count", "a\\ b", "B64\"AQID\"", "-0044-03-15", "+12345-02-03T04:05:06Z", "nan", "infinity", "-0.0", "uuid(", "date('", "2024-02-30", "T1:2", "\u{0}", "\u{301}", "𝔘", "é", "\t", "name", "age", "boss.", "dogs[", "any", "null", "true", "",
    ]
    private static let corpus = Corpus.queries.map(\.0) + Corpus.groups.map(\.0) + Corpus.mistakes.map(\.0)

    private func text(_ random: inout SeededRandom) -> String {
        var scalars = Array(Self.corpus.randomElement(using: &random)!.unicodeScalars)
        for _ in 0..<Int.random(in: 1...4, using: &random) {
            let place = Int.random(in: 0...scalars.count, using: &random), end = Int.random(in: place...scalars.count, using: &random)
            switch Int.random(in: 0..<6, using: &random) {
            case 0: scalars.removeSubrange(place..<min(end, place + 3))
            case 1: scalars.insert(contentsOf: Array(scalars[place..<end]), at: place)
            case 2: scalars.insert(contentsOf: Array(Self.words.randomElement(using: &random)!.unicodeScalars), at: place)
            case 3: scalars = Array(scalars[..<place]) + Array([" ", " AND ", " OR ", ""].randomElement(using: &random)!.unicodeScalars) + Array(Self.corpus.randomElement(using: &random)!.unicodeScalars)
            case 4: for _ in 0..<Int.random(in: 1...100, using: &random) { scalars.insert(contentsOf: Array(Self.words.randomElement(using: &random)!.unicodeScalars), at: place) }
            default: if place < scalars.count { scalars[place] = Unicode.Scalar(UInt32.random(in: 0...0x2FF, using: &random)) ?? " " }
            }
        }
        return String(String.UnicodeScalarView(scalars))
    }

    @Test(arguments: TestScale.seeds(4, long: 40))
    func mutatedTextsAreAnsweredOrRefused(seed: UInt64) throws {
        let machine = SimulatedSystem(seed: seed)
        defer { machine.discard() }
        let kennel = try Kennel(fixedOn: machine)
        defer { kennel.close() }
        let table = try kennel.database.snapshot().table("Person")
        var random = SeededRandom(seed: seed)
        for number in 0..<500 {
            let text = text(&random), place = "seed \(seed), text \(number): \(text)"
            do {
                try answer(text, from: table, place)
            } catch let error as FreeholdError {
                #expect([.malformedInput, .unknownProperty, .unknownClass, .typeMismatch].contains(error.code), "\(place): \(error)")
                #expect(!error.message.isEmpty, "\(place)")
            }
        }
    }

    private func answer(_ text: String, from table: Table, _ place: String) throws {
        let arguments: [Value] = text.contains("%") || text.contains("$") ? [.int(5), .string("name"), .null] : []
        let query = try ObjectQuery(text, arguments)
        readsBack(query, place)
        let prepared = try table.prepare(query), isGrouped = query.steps.contains { if case .group = $0 { true } else { false } }
        if isGrouped {
            _ = try prepared.groups()
        } else {
            let keys = try prepared.keys(), count = try prepared.count()
            #expect(keys.count == count, "\(place)")
        }
        _ = try prepared.explanation(running: true)
    }

    /// The canonical text is that of the same query, unless it has so many parentheses more that they are too deep.
    private func readsBack(_ query: ObjectQuery, _ place: String) {
        let text = query.description
        do {
            let again = try ObjectQuery(text)
            #expect(again.description == text, "\(place): \(text)")
        } catch {
            #expect(error.message.contains("deep"), "\(place): \(text): \(error)")
        }
    }

    /// What goes on for ever is refused where it becomes too long, and its column is told.
    @Test(arguments: [
        ("age == 1", " + 1", "age"), ("boss", ".boss", "boss.name == 'x'"), ("age == ", "-", "1"), ("", "(", "age == 1"), ("", "NOT ", "flag"), ("", "SUBQUERY(dogs, $x, ", ""), ("age IN ", "{", "}"),
        ("ANY any", "[*]", " == 1"), ("age == 1 * 2", " * 3", ""), ("age > 1 SORT(boss", ".boss", ".age)"),
    ])
    func whatHasNoEndIsRefused(start: String, repeated: String, end: String) {
        for count in [100, 5000, 100_000] {
            do {
                _ = try ObjectQuery(start + String(repeating: repeated, count: count) + end)
                Issue.record("\(count) of '\(repeated)' were read")
            } catch {
                #expect(error.code == .malformedInput && (error.message.contains("column") || error.message.contains("characters")), "\(count) of '\(repeated)': \(error)")
            }
        }
    }

    @Test func textsAreNotTooLong() throws {
        #expect(throws: FreeholdError.self) { try ObjectQuery(String(repeating: " ", count: 2 << 20)) }
        #expect(throws: FreeholdError.self) { try ObjectQuery("name == '" + String(repeating: "x", count: 2 << 20) + "'") }
        #expect(try ObjectQuery("name == %@", [.string(String(repeating: "x", count: 2 << 20))]).steps.isEmpty)
        let many = (0..<20_000).map { "age == \($0)" }.joined(separator: " OR ")
        #expect(try ObjectQuery(many).description.count > 100_000)
    }

    /// Patterns with many stars take time by the product of both lengths, not by their powers.
    @Test func patternsOfManyStarsEnd() throws {
        let pattern = LikePattern(Array((String(repeating: "*a", count: 200) + "*b").utf8)), text = Array(String(repeating: "a", count: 20_000).utf8)
        #expect(!text.withUnsafeBytes(pattern.matches))
    }
}
