/// The word-break property of a scalar (UAX #29), refined by what a search needs to know about scripts.
///
/// The numbers are those that `tools/unicode/word_breaks.py` writes into the table.
struct WordBreakClass: Equatable {
    let number: UInt8

    /// The class as the only member of a set.
    @inline(__always)
    var bit: UInt32 {
        // Safe: a class is below 32.
        1 &<< UInt32(number)
    }

    static var other: Self { Self(number: 0) }
    static var carriageReturn: Self { Self(number: 1) }
    static var lineFeed: Self { Self(number: 2) }
    static var newline: Self { Self(number: 3) }
    /// A mark that the option `[d]` may remove, or another scalar that extends the one before it.
    static var extend: Self { Self(number: 4) }
    /// A nonspacing mark of a script that writes vowels or parts of consonants with marks. UAX #29 calls it Extend too.
    static var vowelSign: Self { Self(number: 5) }
    static var joiner: Self { Self(number: 6) }
    static var format: Self { Self(number: 7) }
    static var regionalIndicator: Self { Self(number: 8) }
    static var katakana: Self { Self(number: 9) }
    static var hebrewLetter: Self { Self(number: 10) }
    static var letter: Self { Self(number: 11) }
    /// ALetter of the script Hangul.
    static var hangul: Self { Self(number: 12) }
    /// ALetter that is also Extended_Pictographic, such as `Ⓜ`.
    static var pictographLetter: Self { Self(number: 13) }
    static var singleQuote: Self { Self(number: 14) }
    static var doubleQuote: Self { Self(number: 15) }
    static var midNumberLetter: Self { Self(number: 16) }
    static var midLetter: Self { Self(number: 17) }
    static var midNumber: Self { Self(number: 18) }
    static var numeric: Self { Self(number: 19) }
    /// ExtendNumLet: the underscore and its like.
    static var connector: Self { Self(number: 20) }
    static var space: Self { Self(number: 21) }
    static var pictograph: Self { Self(number: 22) }
    /// Without a property of its own in UAX #29, as are the classes after it.
    static var ideograph: Self { Self(number: 23) }
    static var hiragana: Self { Self(number: 24) }
    /// A letter of a script written without spaces: Thai, Lao, Khmer, Myanmar and others (Line_Break SA).
    static var southEastAsian: Self { Self(number: 25) }
    /// Any other letter or number, such as `½` and `①`.
    static var otherWord: Self { Self(number: 26) }
}
