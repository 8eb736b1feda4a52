/// What a term of an index or of a text must be like.
enum TermMatcher: Hashable, Sendable {
    case exact([UInt8])
    /// The term begins so, or is the other one, which does not: the stem of the word that was begun.
    case prefix([UInt8], or: [UInt8]?)
    /// The term begins with this character of a script without spaces; only the character counts as found.
    case character([UInt8])
    /// The term differs from this one in at most so many characters.
    case fuzzy([UInt8], distance: Int)

    /// A term that matches as a whole; nil if only others do.
    var whole: [UInt8]? {
        switch self {
        case .exact(let bytes): bytes
        case .prefix(_, let other): other
        case .character, .fuzzy: nil
        }
    }
}
