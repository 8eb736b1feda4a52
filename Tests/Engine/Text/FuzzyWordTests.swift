import TestKit
import Testing
@testable import FreeholdEngine

@Suite("Fuzzy words")
struct FuzzyWordTests {
    private func visit(_ word: inout FuzzyWord, _ term: String) -> FuzzyWord.Visit { Array(term.utf8).withUnsafeBytes { word.visit($0) } }

    private func distance(_ word: String, _ term: String, _ limit: Int) -> Int? {
        var fuzzy = FuzzyWord(Array(word.utf8), distance: limit)
        if case .match(let distance) = visit(&fuzzy, term) { return distance }
        return nil
    }

    @Test("an edit inserts, deletes or replaces a character, or exchanges two neighbours")
    func edits() {
        #expect(distance("colour", "colour", 1) == 0 && distance("colour", "color", 1) == 1 && distance("colour", "colours", 1) == 1)
        #expect(distance("colour", "coluor", 1) == 1 && distance("colour", "cloor", 1) == nil && distance("colour", "cloor", 2) == 2)
        #expect(distance("für", "fur", 1) == 1 && distance("жизнь", "жизни", 1) == 1)
        #expect(distance("ca", "abc", 2) == nil)
    }

    @Test("seeks pass over what cannot match")
    func seeks() {
        var word = FuzzyWord(Array("tea".utf8), distance: 1)
        #expect(visit(&word, "aaa") == .seek(Array("aea".utf8)) || visit(&word, "aaa") == .seek(Array("atea".utf8)))
        #expect(visit(&word, "tezz") == .seek(Array("te{".utf8)))
        #expect(visit(&word, "zzz") == .seek(Array("{ea".utf8)))
        #expect(visit(&word, "\u{10FFFF}z") == .end)
    }

    @Test("letters tell nearly all words apart that are far, and none that are near", arguments: Seeds.all)
    func letters(seed: UInt64) {
        var random = SeededRandom(seed: seed)
        let letters = (UInt8(ascii: "a")...UInt8(ascii: "z")).map { String(UnicodeScalar($0)) } + ["é", "ж", "\u{21}", "𐀀"]
        func set(_ word: [String]) -> LetterSet { Array(word.joined().utf8).withUnsafeBytes { LetterSet($0) } }
        func word() -> [String] { (0..<(5 + random.below(5))).map { _ in letters[random.below(letters.count)] } }
        func edit(_ word: inout [String]) {
            let place = random.below(word.count)
            switch random.below(4) {
            case 0: word.insert(letters[random.below(letters.count)], at: place)
            case 1: if word.count > 1 { word.remove(at: place) }
            case 2: word[place] = letters[random.below(letters.count)]
            default: if place > 0 { word.swapAt(place, place - 1) }
            }
        }
        var apart = 0
        let rounds = TestScale.count(2000)
        for _ in 0..<rounds {
            let first = word(), other = set(word()), edits = 1 + random.below(2)
            var near = first
            for _ in 0..<edits { edit(&near) }
            let one = set(first), two = set(near)
            #expect(one.mayBe(within: edits, of: two) && two.mayBe(within: edits, of: one), "\(first) and \(near)")
            if !set(first).mayBe(within: edits, of: other) { apart += 1 }
        }
        #expect(apart > rounds * 9 / 10, "\(apart) of \(rounds)")
    }

    /// Terms in the order of their bytes.
    private func vocabulary(_ random: inout SeededRandom, _ count: Int, letters: [String]) -> [String] {
        let terms = (0..<count).map { _ in (0...random.below(7)).map { _ in letters[random.below(letters.count)] }.joined() }
        return Set(terms.map { Array($0.utf8) }).sorted { $0.lexicographicallyPrecedes($1) }.map { String(decoding: $0, as: UTF8.self) }
    }

    @Test("following a cursor finds what comparing all terms finds, and every seek goes forward", arguments: Seeds.all)
    func intersection(seed: UInt64) {
        var random = SeededRandom(seed: seed)
        for round in 0..<TestScale.count(60) {
            let letters = round % 3 == 0 ? ["a", "b", "ж", "é", "\u{FFFF}", "𐀀", "\u{D7FF}", "\u{10FFFF}"] : ["a", "b", "c"]
            let terms = vocabulary(&random, 400, letters: letters), limit = 1 + random.below(2)
            let wanted = (0...random.below(6)).map { _ in letters[random.below(letters.count)] }.joined()
            var word = FuzzyWord(Array(wanted.utf8), distance: limit), place = 0, found: [String: Int] = [:], visits = 0
            search: while place < terms.count {
                visits += 1
                switch visit(&word, terms[place]) {
                case .match(let distance):
                    found[terms[place]] = distance
                    place += 1
                case .seek(let next):
                    let last = place
                    while place < terms.count, Array(terms[place].utf8).lexicographicallyPrecedes(next) { place += 1 }
                    #expect(place > last, "seed \(seed): \(wanted)~\(limit) seeks back from \(terms[last])")
                    if place == last { break search }
                case .end: break search
                }
            }
            var expected: [String: Int] = [:]
            for term in terms { expected[term] = NaiveDistance.between(wanted, term) <= limit ? NaiveDistance.between(wanted, term) : nil }
            #expect(found == expected, "seed \(seed): \(wanted)~\(limit)")
        }
    }

    @Test("a word may be visited in any order of terms", arguments: Seeds.all)
    func anyOrder(seed: UInt64) {
        var random = SeededRandom(seed: seed)
        var word = FuzzyWord(Array("abcab".utf8), distance: 2)
        for _ in 0..<TestScale.count(500) {
            let term = (0..<random.below(8)).map { _ in ["a", "b", "c"][random.below(3)] }.joined()
            let distance = NaiveDistance.between("abcab", term), visit = visit(&word, term)
            if distance <= 2 { #expect(visit == .match(distance: distance), "seed \(seed): \(term)") }
            if case .match = visit { #expect(distance <= 2, "seed \(seed): \(term)") }
        }
    }
}
