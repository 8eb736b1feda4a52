/// A full-text search as a tree, independent of properties and of how their strings are analysed.
///
/// ```swift
/// let query = try TextQuery("\"exact phrase\" -not pre* colour~1 (tea OR coffee) fast NEAR/5 car")
/// ```
///
/// `TermQuery` makes a query of terms of it. The grammar is in `TextQueryParser`.
struct TextQuery: Hashable, Sendable {
    let root: Node

    /// A part of the query; it matches an object or not.
    indirect enum Node: Hashable, Sendable {
        case words(Words)
        /// All of the words and phrases, with at most `distance` words between the end of the first and the start of the
        /// last one, in any order.
        case near([Words], distance: Int)
        /// All of the first nodes, of which there is at least one, and none of the second ones.
        case all([Node], excluding: [Node])
        /// At least one of the nodes.
        case any([Node])
    }

    /// A word, or several that follow one another.
    struct Words: Hashable, Sendable {
        /// As written, not folded. It has at least one letter or number.
        var text: String
        var match: Match = .exact
    }

    /// How words match those of a text.
    enum Match: Hashable, Sendable {
        case exact
        /// The last word need only be the beginning of one: `pre*`.
        case prefix
        /// At most so many characters differ, 1 or 2: `colour~1`. For a single word.
        case fuzzy(Int)
    }

    /// The distance of NEAR without a number.
    static let usualDistance = 10
    static let longestDistance = 1000
    static let maximumDepth = 32
    /// The maximum length of a query's text, in Unicode scalars.
    static let longestText = 10_000

    /// Parses a search.
    ///
    /// - Throws: `.malformedInput` with the column, in Unicode scalars from 1.
    init(_ text: String) throws(FreeholdError) {
        var parser = try TextQueryParser(text)
        root = try parser.query()
    }

    init(_ root: Node) { self.root = root }
}

extension TextQuery.Node {
    /// The conjunction of nodes, without one in another.
    static func conjunction(_ nodes: [Self], excluding: [Self]) -> Self {
        var wanted: [Self] = [], unwanted: [Self] = []
        for node in nodes {
            if case .all(let inner, let excluded) = node {
                wanted += inner
                unwanted += excluded
            } else {
                wanted.append(node)
            }
        }
        unwanted += excluding
        return wanted.count == 1 && unwanted.isEmpty ? wanted[0] : .all(wanted, excluding: unwanted)
    }

    /// The disjunction of nodes, without one in another.
    static func disjunction(_ nodes: [Self]) -> Self {
        let parts = nodes.flatMap { node in if case .any(let inner) = node { inner } else { [node] } }
        return parts.count == 1 ? parts[0] : .any(parts)
    }
}
