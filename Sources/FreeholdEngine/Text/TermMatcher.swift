/// What a term of an index or of a text must be like.
enum TermMatcher: Hashable, Sendable {
    case exact([UInt8])
    /// The term begins so.
    case prefix([UInt8])
    /// The term begins with this character of a script without spaces; only the character counts as found.
    case character([UInt8])
    /// The term differs from this one in at most so many characters.
    case fuzzy([UInt8], distance: Int)

    /// What all terms that match begin with; empty if that is unknown.
    var commonPrefix: [UInt8] {
        switch self {
        case .exact(let bytes), .prefix(let bytes), .character(let bytes): bytes
        case .fuzzy: []
        }
    }
}
