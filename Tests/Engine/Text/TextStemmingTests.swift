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

    @Test("a letter and its marks have one stem, however they are written", arguments: [
        ("italian", "perché", "perche\u{301}"), ("french", "MANGÉ", "mange\u{301}"), ("spanish", "habló", "HABLO\u{301}"),
        ("portuguese", "cançó", "canc\u{327}o\u{301}"), ("hungarian", "könyvekről", "ko\u{308}nyvekro\u{30B}l"),
        ("finnish", "pöydällä", "po\u{308}yda\u{308}lla\u{308}"), ("lithuanian", "žmonės", "z\u{30C}mone\u{307}s"),
        ("romanian", "fetiță", "fetit\u{326}a\u{306}"),
        ("english", "rúnning", "ru\u{301}nning"), ("swedish", "Ångström", "\u{212B}ngström"),
        ("russian", "ёлка", "е\u{308}лка"),
        ("greek", "άνθρωπος", "α\u{301}νθρωπος"), ("tamil", "கொள்ளை", "க\u{BC6}\u{BBE}ள்ளை"),
    ])
    func composed(language: String, one: String, other: String) throws {
        #expect(!one.utf8.elementsEqual(other.utf8))
        let analyzer = try analyzer(language), kept = try self.analyzer(language, .caseInsensitive)
        #expect(terms(one, analyzer) == terms(other, analyzer) && terms(one, kept) == terms(other, kept))
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
