/// Splits strings into the terms of a full-text index.
///
/// A **word** of the boundaries of UAX #29 with at least one letter or number is a term, folded by the options, without
/// underscores around it.
///
/// Scripts whose words spaces do not separate (Han, kana, Thai, Lao, Khmer, Myanmar), and Hangul, whose particles are
/// written at the end of words, have **characters** instead: letters with their marks. Each character of a run gives one
/// term, of itself and the character after it; the last one a term of itself alone. So a text of `n` characters has `n`
/// terms, a search for several characters is a phrase of pairs, and a search for one character is a search for all terms
/// that begin with it.
///
/// ```swift
/// TextAnalyzer().forEachTerm(in: bytes) { term in index.add(term.bytes, at: term.position) }
/// // "Über 東京都" gives: uber, 東京, 京都, 都
/// ```
struct TextAnalyzer: Sendable {
    /// What words are folded by.
    let options: TextOptions
    /// What makes stems of words; nil for words as they are.
    let stemming: TextStemming?

    /// The maximum number of bytes of one string that are searched and indexed.
    static let maximumBytes = 16 << 20

    /// The bytes of a string that are searched and indexed.
    @inline(__always)
    static func searched(_ text: UnsafeRawBufferPointer) -> UnsafeRawBufferPointer {
        UnsafeRawBufferPointer(rebasing: text.prefix(maximumBytes))
    }

    /// - Parameters:
    ///   - options: what terms ignore; as in queries, `[c]` is case and `[d]` diacritics. Stems are always lower-case.
    ///   - stemming: what makes stems of words, before diacritics go; none is usual.
    init(options: TextOptions = [.caseInsensitive, .diacriticInsensitive], stemming: TextStemming? = nil) {
        self.options = options
        self.stemming = stemming
    }

    /// The analyzer without stemming.
    var unstemmed: TextAnalyzer { TextAnalyzer(options: options) }

    /// Calls `body` with each term of a text in UTF-8, in the order of positions.
    @inline(__always)
    func forEachTerm(in text: UnsafeRawBufferPointer, _ body: (TextTerm) -> Void) {
        // Safe: the buffer has room for a word, or for two characters of half a term each.
        withUnsafeTemporaryAllocation(of: UInt8.self, capacity: TermFolder.capacity * 2) { buffer in
            guard let target = buffer.baseAddress else { return }
            var pass = TermPass(text, TermFolder(options, stemming?.makeStemmer()), target)
            pass.run(body)
        }
    }
}
