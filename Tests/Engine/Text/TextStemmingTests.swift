import Platform
import Testing
@testable import FreeholdEngine

/// Whether the machine has libstemmer, which the library does without.
private let hasStemmers = (try? LinuxSystem.shared.makeStemmer("english")) != nil

@Suite("Stems", .enabled(if: hasStemmers))
struct TextStemmingTests {
    private func analyzer(_ algorithm: String, _ options: TextOptions = [.caseInsensitive, .diacriticInsensitive]) throws -> TextAnalyzer {
        TextAnalyzer(options: options, stemming: try TextStemming(algorithm, LinuxSystem.shared))
    }

    private func terms(_ text: String, _ analyzer: TextAnalyzer) -> [String] {
        Array(text.utf8).withUnsafeBytes { bytes in
            var found: [String] = []
            analyzer.forEachTerm(in: bytes) { found.append(String(decoding: $0.bytes, as: UTF8.self)) }
            return found
        }
    }

    @Test("forms of a word have one stem, and diacritics go after stemming")
    func stems() throws {
        #expect(try terms("Houses house running RUNS", analyzer("english")) == ["hous", "hous", "run", "run"])
        #expect(try terms("Häuser Hause", analyzer("german")) == ["haus", "haus"])
        #expect(try terms("continuité continuité", analyzer("french", .caseInsensitive)) == ["continu", "continu"])
        #expect(try terms("2024 東京 don’t", analyzer("english")) == ["2024", "東京", "京", "don't"])
    }

    @Test("an unknown algorithm is an error")
    func unknown() {
        #expect(throws: SystemError.self) { try TextStemming("klingon", LinuxSystem.shared) }
    }

    @Test("searches find other forms; a beginning finds words that begin so, and those with the stem of what is given")
    func searches() throws {
        let analyzer = try analyzer("english")
        func matches(_ query: String, _ text: String) throws -> Bool {
            var match = TextMatch(TermQuery(try TextQuery(query), analyzer), analyzer)
            Array(text.utf8).withUnsafeBytes { match.add($0) }
            return match.isMatch
        }
        #expect(try matches("\"running house\"", "He runs houses.") && matches("hou*", "houses"))
        #expect(try matches("houses*", "a house") && matches("houses*", "housing") && matches("doing*", "do") && !matches("doing*", "dog"))
        #expect(try matches("happy*", "happiness") && matches("\"green houses\"*", "green house") && !matches("hous~1", "running"))
        #expect(try matches("houzes~", "house") && matches("houses~", "a housing") && !matches("-houses green", "green house"))
    }
}
