import TestKit
import Testing
@testable import FreeholdEngine

@Suite("Terms of a text")
struct TextAnalyzerTests {
    /// The terms with their positions and what they stand for: `0 uber=Über`.
    private func terms(_ text: String, _ options: TextOptions = [.caseInsensitive, .diacriticInsensitive]) -> [String] {
        Array(text.utf8).withUnsafeBytes { bytes in
            var found: [String] = []
            TextAnalyzer(options: options).forEachTerm(in: bytes) { term in
                let original = String(decoding: bytes[term.range], as: UTF8.self)
                found.append("\(term.position) \(String(decoding: term.bytes, as: UTF8.self))=\(original)")
            }
            return found
        }
    }

    private func words(_ text: String) -> [String] {
        terms(text).map { String($0.drop { $0 != " " }.dropFirst().prefix { $0 != "=" }) }
    }

    @Test("words are folded and numbered, and their places are those of the original")
    func positions() {
        #expect(terms("Über den Café!") == ["0 uber=Über", "1 den=den", "2 cafe=Café"])
        #expect(terms("Über", .caseInsensitive) == ["0 über=Über"])
        #expect(terms("Über", []) == ["0 Über=Über"])
        #expect(terms(" -- ") == [] && terms("") == [])
    }

    @Test("numbers, contractions and names with points are one term; underscores around a word are none of it")
    func punctuation() {
        #expect(words("3.14 don't don’t example.com a-b") == ["3.14", "don't", "don't", "example.com", "a", "b"])
        #expect(words("_emph_ __init__ foo_bar") == ["emph", "init", "foo_bar"])
        #expect(words("Do\u{AD}nau") == ["donau"])
        #expect(words("½ ① m²") == ["½", "①", "m", "²"])
        #expect(words("😀 👩‍🚀 ©") == [])
    }

    private static let letters: Set<Unicode.GeneralCategory> = [.uppercaseLetter, .lowercaseLetter, .titlecaseLetter, .otherLetter]

    @Test("letters of all scripts are folded as the query language folds them", arguments: Seeds.all)
    func folding(seed: UInt64) {
        var random = SeededRandom(seed: seed)
        let ranges: [ClosedRange<UInt32>] = [0x41...0x17F, 0x370...0x52F, 0x5D0...0x6FF, 0x1E00...0x1FFF, 0x10A0...0x10FF, 0x2C00...0x2C5F]
        for _ in 0..<TestScale.count(500) {
            var word = ""
            for _ in 0...random.below(6) {
                let range = ranges[random.below(ranges.count)]
                guard let scalar = Unicode.Scalar(range.lowerBound + UInt32(random.below(range.count))) else { continue }
                guard Self.letters.contains(scalar.properties.generalCategory) else { continue }
                word.unicodeScalars.append(scalar)
                if random.oneIn(3) { word += "\u{301}" }
            }
            let kinds = NaiveWordBreaks(Array(word.unicodeScalars))
            guard kinds.boundaries.count == 1 else { continue }
            for options: TextOptions in [.caseInsensitive, .diacriticInsensitive, [.caseInsensitive, .diacriticInsensitive]] {
                let wanted = String(decoding: FoldedText.bytes(word, options), as: UTF8.self)
                #expect(wanted.isEmpty || terms(word, options) == ["0 \(wanted)=\(word)"], "seed \(seed): \(word), \(options)")
            }
        }
    }

    @Test("folding by the table gives what folding by the standard library gives")
    func foldedScalars() {
        for options: TextOptions in [.caseInsensitive, .diacriticInsensitive, [.caseInsensitive, .diacriticInsensitive]] {
            for number in UInt32(0x80)...0x2FFF {
                guard let scalar = Unicode.Scalar(number) else { continue }
                let text = "x\(scalar)Y\u{301}"
                let folded = Array(text.utf8).withUnsafeBytes { FoldedText.bytes($0, options) }
                #expect(folded == FoldedText.bytes(text, options), "\(String(number, radix: 16))")
            }
        }
    }

    @Test("a text of all kinds of scalars is folded as the standard library folds it as a whole", arguments: Seeds.all)
    func foldedTexts(seed: UInt64) {
        var random = SeededRandom(seed: seed)
        let pieces: [Unicode.Scalar] = [
            "a", "É", "\u{301}", "\u{323}", "\u{302E}", "\u{1D165}", "漢", "が", "\u{3099}", "한", "İ", "ß", "“", "𝒳", " ", "Ꭰ", "\u{20DD}",
        ]
        for _ in 0..<TestScale.count(2000) {
            var text = ""
            for _ in 0..<random.below(8) { text.unicodeScalars.append(pieces[random.below(pieces.count)]) }
            for options: TextOptions in [.caseInsensitive, .diacriticInsensitive, [.caseInsensitive, .diacriticInsensitive]] {
                let folded = Array(text.utf8).withUnsafeBytes { FoldedText.bytes($0, options) }
                #expect(folded == FoldedText.bytes(text, options), "seed \(seed): \(text.unicodeScalars.map(\.value))")
            }
        }
    }

    @Test("scripts without spaces give pairs of characters, and the last character alone")
    func pairs() {
        #expect(terms("東京都 x") == ["0 東京=東京", "1 京都=京都", "2 都=都", "3 x=x"])
        #expect(words("東京タワーへ") == ["東京", "京タ", "タワ", "ワー", "ーへ", "へ"])
        #expect(words("猫。犬") == ["猫", "犬"])
        #expect(words("한국어 물") == ["한국", "국어", "어", "물"])
        #expect(words("2024년 LG전자 IT기업") == ["2024", "년", "lg", "전자", "자", "it", "기업", "업"])
        #expect(words("ที่นี่") == ["ที่นี่", "นี่"])
    }

    @Test("kana of both widths, composed or not, are one; their marks of voice stay")
    func kana() {
        #expect(words("ﾊﾟﾊﾟ") == words("パパ") && words("パパ") == words("ハ\u{309A}ハ\u{309A}"))
        #expect(words("パパ") != words("ハハ"))
        #expect(words("ＡＢＣ１２") == ["abc12"])
    }

    @Test("vowel signs stay where a script writes vowels with them, and points of Hebrew and Arabic go")
    func vowelSigns() {
        #expect(words("कुल") != words("कल"))
        #expect(words("שָׁלוֹם") == words("שלום") && words("مُحَمَّد") == words("محمد"))
    }

    @Test("a long word is cut between scalars")
    func longWords() {
        #expect(words(String(repeating: "ab", count: 500_000)) == [String(repeating: "ab", count: 32)])
        let long = words("x" + String(repeating: "ж", count: 5000))
        #expect(long == ["x" + String(repeating: "ж", count: 31)])
        #expect(words(String(repeating: "中", count: 3)).count == 3)
        #expect(words("e" + String(repeating: "\u{302}", count: 100_000)) == ["e"])
        #expect(words("か" + String(repeating: "\u{3099}", count: 100)).first?.utf8.count ?? 99 <= 32)
    }

    @Test("any bytes are analysed: ranges ascend within the text, and terms have 1 to 64 bytes", arguments: Seeds.all)
    func anyBytes(seed: UInt64) {
        var random = SeededRandom(seed: seed)
        let pieces = ["a", "É", "_", " ", "東", "ก", "ี", "่", "한", "ｶ", "ﾞ", "\u{301}", "\u{200D}", "'", "9", "𠀀", "\u{AD}", "क", "ु"]
        for _ in 0..<TestScale.count(1000) {
            var bytes = (0..<random.below(30)).flatMap { _ in Array(pieces[random.below(pieces.count)].utf8) }
            if random.oneIn(4) { bytes.insert(UInt8(random.below(256)), at: random.below(bytes.count + 1)) }
            let exact = UnsafeMutableRawBufferPointer.allocate(byteCount: bytes.count, alignment: 1)
            defer { exact.deallocate() }
            exact.copyBytes(from: bytes)
            #expect(isSound(UnsafeRawBufferPointer(exact)), "seed \(seed): \(bytes)")
        }
    }

    private func isSound(_ text: UnsafeRawBufferPointer) -> Bool {
        var ranges: [Range<Int>] = [], isSound = true
        TextAnalyzer().forEachTerm(in: text) { term in
            let isInOrder = term.position == ranges.count && term.range.lowerBound > ranges.last?.lowerBound ?? -1
            let isWithin = term.range.upperBound <= text.count && term.range.contains(term.characterEnd - 1)
            let isTerm = 1...TextTerm.longest ~= term.bytes.count && String(validating: term.bytes, as: UTF8.self) != nil
            isSound = isSound && isInOrder && isWithin && isTerm
            ranges.append(term.range)
        }
        return isSound
    }
}
