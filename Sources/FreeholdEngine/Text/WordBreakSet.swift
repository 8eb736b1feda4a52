/// A set of word-break classes.
struct WordBreakSet: Equatable {
    private(set) var bits: UInt32 = 0

    @inline(__always)
    func contains(_ one: WordBreakClass) -> Bool { bits & one.bit != 0 }

    @inline(__always)
    mutating func insert(_ one: WordBreakClass) { bits |= one.bit }

    @inline(__always)
    func intersects(_ other: Self) -> Bool { bits & other.bits != 0 }

    @inline(__always)
    func isSubset(of other: Self) -> Bool { bits & ~other.bits == 0 }

    @inline(__always)
    func union(_ other: Self) -> Self { Self(bits: bits | other.bits) }

    @inline(__always)
    static func | (left: Self, right: WordBreakClass) -> Self { Self(bits: left.bits | right.bit) }

    /// The set of one class.
    @inline(__always)
    init(_ one: WordBreakClass) { bits = one.bit }

    private init(bits: UInt32) { self.bits = bits }

    static var empty: Self { Self(bits: 0) }
}

/// The sets that the rules of UAX #29 and the analysis name.
extension WordBreakSet {
    static var lineEnds: Self { Self(.carriageReturn) | .lineFeed | .newline }
    /// What rule WB4 skips.
    static var ignorable: Self { Self(.extend) | .vowelSign | .joiner | .format }
    /// AHLetter.
    static var letters: Self { Self(.letter) | .hangul | .hebrewLetter | .pictographLetter }
    static var pictographs: Self { Self(.pictograph) | .pictographLetter }
    /// What may stand between letters: MidLetter and MidNumLetQ.
    static var betweenLetters: Self { Self(.midLetter) | .midNumberLetter | .singleQuote }
    /// What may stand between digits: MidNum and MidNumLetQ.
    static var betweenDigits: Self { Self(.midNumber) | .midNumberLetter | .singleQuote }
    /// What continues a word of ASCII bytes without a condition.
    static var plain: Self { Self(.letter) | .numeric | .connector }
    /// What makes a segment a word to search for: letters and numbers.
    static var words: Self { letters.union(characters) | .numeric | .otherWord }
    /// Scripts whose words are not, or not only, separated by spaces: terms are made of pairs of their characters.
    static var characters: Self { Self(.ideograph) | .hiragana | .katakana | .hangul | .southEastAsian }

    /// The classes that never break from a preceding one, whatever follows: rules WB5, WB7a, WB8 to WB10, WB13 to WB13b.
    @inline(__always)
    static func joining(_ previous: WordBreakClass) -> Self {
        switch previous {
        case .letter, .hangul, .pictographLetter, .numeric: letters | .numeric | .connector
        case .hebrewLetter: letters | .numeric | .connector | .singleQuote
        case .katakana: Self(.katakana) | .connector
        case .connector: letters | .numeric | .connector | .katakana
        default: empty
        }
    }
}
