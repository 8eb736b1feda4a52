/// A string of an object in which full-text searches found something, and where.
///
/// ```swift
/// let query = try articles.prepare(ObjectQuery("title, body TEXT $0 SORT(@score DESC) LIMIT(10)", [.string("green tea")]))
/// for key in try query.keys() {
///     for found in try query.foundTexts(in: key) {
///         let snippet = found.snippet(.words(12))
///         print(found.path, snippet.text, snippet.highlights)
///     }
/// }
/// ```
public struct FoundText: Sendable {
    /// The maximum length of a snippet.
    public enum Length: Hashable, Sendable {
        /// In words; each character of a script without spaces counts as one.
        case words(Int)
        /// In Unicode scalars.
        case characters(Int)
    }

    /// A part of a string to show: whole words around the places where most is found.
    public struct Snippet: Hashable, Sendable {
        /// The part.
        public let text: String
        /// What was found, in bytes of the part's UTF-8: ascending, disjoint and not adjacent.
        public let highlights: [Range<Int>]
        /// Whether words of the string are before the part; where it is shown, an ellipsis tells so.
        public let isCutBefore: Bool
        /// Whether words of the string are after the part.
        public let isCutAfter: Bool
    }

    /// The property, as the query names it.
    public let path: PropertyPath
    /// The whole string.
    public let text: String
    /// What was found, in bytes of the string's UTF-8: ascending, disjoint and not adjacent. They begin and end at characters.
    public let highlights: [Range<Int>]
    private let match: TextMatch
    private let number: Int

    fileprivate init?(_ path: PropertyPath, _ text: String, _ match: TextMatch, _ number: Int) {
        self.path = path
        self.text = text
        self.match = match
        self.number = number
        highlights = match.highlights(inText: number)
        if highlights.isEmpty { return nil }
    }

    /// The part of the string that shows best what was found: the one with the most different words, of these with the most
    /// places, of these the first. A length of 0 or less counts as 1.
    public func snippet(_ length: Length = .words(30)) -> Snippet {
        let limit: SnippetLength = switch length {
        case .words(let count): .words(max(1, count))
        case .characters(let count): .characters(max(1, count))
        }
        var text = text
        return text.withUTF8 { bytes in
            // Safe: the bytes are used within the call.
            let found = match.snippet(of: TextAnalyzer.searched(UnsafeRawBufferPointer(bytes)), inText: number, length: limit)
            let highlights = found.highlights.map { $0.lowerBound - found.range.lowerBound..<$0.upperBound - found.range.lowerBound }
            return Snippet(text: String(decoding: bytes[found.range], as: UTF8.self), highlights: highlights,
                           isCutBefore: found.isCutBefore, isCutAfter: found.isCutAfter)
        }
    }
}

extension PreparedQuery {
    /// The strings of an object in which the query's full-text searches found something, in the order of the searches and of their
    /// properties; a search in `NOT` finds nothing. Empty if the object does not match, and if there is none with this key.
    public func foundTexts(in key: ObjectKey) throws(FreeholdError) -> [FoundText] {
        guard let row = try table.row(key), try matches(key) else { return [] }
        let context = QueryContext()
        context.look(at: row)
        var found: [FoundText] = []
        for search in scoredSearches {
            let (match, paths) = try search.match(context)
            for (number, text) in try search.texts(context).enumerated() {
                if let text = FoundText(search.paths[paths[number]].source, text, match, number) { found.append(text) }
            }
        }
        return found
    }
}
