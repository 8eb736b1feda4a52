/// The documents of the search workloads: words of made-up syllables, frequent ones as in a language.
///
/// A document has 20 to 120 words. A word has a rank below 2^17: first the number of its bits is drawn, 1 to 17, then the rank.
struct Documents {
    static let ranks = 1 << 17
    private static let consonants = Array("bdfgklmnprstvzjh".utf8), vowels = Array("aeiou".utf8)

    /// The draws of all documents.
    private var stream = SplitMix64(seed: 77)

    /// The word of a rank: its digits to base 80 as syllables, two of them at least.
    static func word(_ rank: Int) -> String {
        var rest = rank + 80, syllables: [[UInt8]] = []
        while rest > 0 {
            let syllable = rest % 80
            syllables.insert([consonants[syllable / 5], vowels[syllable % 5]], at: 0)
            rest /= 80
        }
        return String(decoding: syllables.joined(), as: UTF8.self)
    }

    /// The text of the next document.
    mutating func next(_ words: [String]) -> String {
        let count = 20 + stream.next(below: 101)
        var text = ""
        for place in 0..<count {
            let bits = 1 + stream.next(below: 17), rank = stream.next(below: 1 << bits)
            if place > 0 { text += " " }
            text += words[rank]
        }
        return text
    }

    static var words: [String] { (0..<ranks).map(word) }
}
