/// A term of a text: what the index keeps of a word, or of a character and the one after it.
///
/// The bytes are valid during the call that receives the term.
struct TextTerm {
    let kind: Kind
    /// The folded bytes, at most `TextTerm.longest`.
    let bytes: UnsafeRawBufferPointer
    /// The number of the term's word or first character in the text, from 0. Phrases and NEAR compare these.
    let position: Int
    /// Where the term stands in the text, in bytes.
    let range: Range<Int>
    /// The end of the term's first character if it is a pair of characters; else the end of the range.
    let characterEnd: Int

    /// What a term is made of.
    enum Kind {
        case word
        /// A character and the one after it.
        case pair
        /// The last character of a run.
        case character
    }

    /// The maximum length of a term in bytes. A longer word is cut before the scalar that does not fit, in stored strings and
    /// in queries alike, so that one with the same first bytes matches it.
    static let longest = 64
}
