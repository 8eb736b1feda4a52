import FreeholdEngine

/// A string of an object in which a full-text search found something, and where.
///
/// ```swift
/// let found = realm.objects(Article.self).search("green tea").sortedByScore()
/// for article in found.prefix(10) {
///     for hit in found.hits(in: article) { print(hit.keyPath, hit.snippet(words: 12).text) }
/// }
/// ```
public struct SearchHit: Sendable {
    /// A part of the string to show: whole words around the places where most is found.
    public struct Snippet: Hashable, Sendable {
        /// The part.
        public let text: String
        /// What was found in it: ascending, disjoint and not adjacent.
        public let ranges: [Range<String.Index>]
        /// Whether words of the string are before the part; where it is shown, an ellipsis tells so.
        public let isCutBefore: Bool
        /// Whether words of the string are after the part.
        public let isCutAfter: Bool
    }

    /// The property, as a path of names: `"author.name"`.
    public let keyPath: String
    /// The whole string.
    public var text: String { found.text }
    /// What was found: ascending, disjoint and not adjacent.
    public var ranges: [Range<String.Index>] { Self.ranges(found.highlights, of: found.text) }
    private let found: FoundText

    init(_ found: FoundText, of model: ModelClass) {
        self.found = found
        var names: [String] = [], here: ModelClass? = model
        for step in found.path.steps {
            guard case .property(let stored) = step else {
                names.append(step.description)
                continue
            }
            let property = here?.properties.first { $0.storedName == stored }
            names.append(property?.name ?? stored)
            here = property?.kind.objectType.flatMap { try? ModelClass.of($0) }
        }
        keyPath = names.joined(separator: ".")
    }

    /// The part of the string that shows best what was found: the one with the most different words, of these with the most
    /// places, of these the first.
    ///
    /// - Parameter words: the maximum number of words; each character of a script without spaces counts as one.
    public func snippet(words: Int = 30) -> Snippet {
        let snippet = found.snippet(.words(words))
        return Snippet(text: snippet.text, ranges: Self.ranges(snippet.highlights, of: snippet.text),
                       isCutBefore: snippet.isCutBefore, isCutAfter: snippet.isCutAfter)
    }

    private static func ranges(_ bytes: [Range<Int>], of text: String) -> [Range<String.Index>] {
        func index(_ offset: Int) -> String.Index { text.utf8.index(text.startIndex, offsetBy: offset) }
        return bytes.map { index($0.lowerBound)..<index($0.upperBound) }
    }
}

extension Results where Element: ObjectBase {
    /// The objects by relevance to the full-text searches of these results, the best first; of equal ones those that were created
    /// first.
    ///
    /// ```swift
    /// let best = realm.objects(Article.self).search("green tea").sortedByScore().prefix(10)
    /// ```
    /// It is `SORT(@score DESC)` of the query language: an object scores higher if it has the words more often, if few objects
    /// have them, and if its strings are short, by the weights of the class's full-text index.
    public func sortedByScore() -> Results<Element> {
        refined { _ in ObjectQuery(.constant(true), [.sort([QuerySort(PropertyPath([.score]), isAscending: false)])]) }
    }

    /// How well an object fits the full-text searches of these results: a number that orders the objects of one query at one
    /// time. 0 for an object in which nothing is found.
    public func score(of object: Element) -> Double {
        told(0) { try asked().score(of: object) }
    }

    /// The strings of an object in which the full-text searches of these results find something, in the order of the searches and
    /// of their properties; empty for an object that does not match.
    public func hits(in object: Element) -> [SearchHit] {
        told([]) { () throws -> [SearchHit] in
            let subject = try querySubject()
            return try asked().foundTexts(in: object).map { SearchHit($0, of: subject.live.model) }
        }
    }

    /// The query of these results.
    func asked() throws -> QuerySource { try source as? QuerySource ?? QuerySource(querySubject()) }
}
