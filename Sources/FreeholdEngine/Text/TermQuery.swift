/// A search in terms: a `TextQuery` whose words an analyzer has made terms of.
///
/// Several words in quotation marks, a word that is several terms (`well-known`) and a run of characters are phrases: each
/// of their terms stands at a fixed distance from the first one.
struct TermQuery: Sendable {
    let root: Node
    /// The distinct conditions on terms.
    let matchers: [TermMatcher]
    /// The distinct words and phrases.
    let phrases: [Phrase]

    /// A part of the query. Numbers are those of `phrases`.
    indirect enum Node: Hashable, Sendable {
        case phrase(Int)
        case near([Int], distance: Int)
        case all([Node], excluding: [Node])
        case any([Node])
    }

    /// Terms that follow one another.
    struct Phrase: Hashable, Sendable {
        /// In the order of offsets; at least one.
        var steps: [Step]
        /// The number of positions from the first to the last one.
        var length: Int
    }

    struct Step: Hashable, Sendable {
        /// The distance of the term from the phrase's position.
        var offset: Int
        /// The number of the term's condition in `matchers`.
        var matcher: Int
    }

    /// Analyses the words of a query as an analyzer does those of stored strings.
    init(_ query: TextQuery, _ analyzer: TextAnalyzer) {
        var maker = TermQueryMaker(analyzer)
        root = maker.node(query.root)
        matchers = maker.matchers.values
        phrases = maker.phrases.values
    }
}

/// Makes the phrases of a query, each once.
private struct TermQueryMaker {
    let analyzer: TextAnalyzer
    var matchers = Numbered<TermMatcher>(), phrases = Numbered<TermQuery.Phrase>()

    init(_ analyzer: TextAnalyzer) { self.analyzer = analyzer }

    mutating func node(_ node: TextQuery.Node) -> TermQuery.Node {
        switch node {
        case .words(let words): .phrase(phrase(words))
        case .near(let words, let distance): .near(words.map { phrase($0) }, distance: distance)
        case .all(let nodes, let excluded): .all(nodes.map { self.node($0) }, excluding: excluded.map { self.node($0) })
        case .any(let nodes): .any(nodes.map { self.node($0) })
        }
    }

    private mutating func phrase(_ words: TextQuery.Words) -> Int {
        let terms = terms(words.text, analyzer)
        // A beginning is one of words, not of stems: but the stem of a whole word counts, too.
        let isBegun = words.match == .prefix && analyzer.stemming != nil
        let beginning = isBegun ? self.terms(words.text, analyzer.unstemmed).last?.bytes : nil
        var phrase = TermQuery.Phrase(steps: [], length: terms.count)
        for (offset, term) in terms.enumerated() {
            let isLast = offset == terms.count - 1
            // The last character of several is found by the pair before it, whatever follows in a text.
            if term.kind == .character, offset > 0, terms[offset - 1].kind == .pair { continue }
            let matcher = matchers.number(of: matcher(term, isLast ? words.match : .exact, beginning))
            phrase.steps.append(TermQuery.Step(offset: offset, matcher: matcher))
        }
        return phrases.number(of: phrase)
    }

    /// - Parameter beginning: the beginning of a word whose stem the term is.
    private func matcher(_ term: (kind: TextTerm.Kind, bytes: [UInt8]), _ match: TextQuery.Match, _ beginning: [UInt8]?) -> TermMatcher {
        switch (term.kind, match) {
        case (.character, _): .character(term.bytes)
        case (.pair, _), (.word, .exact): .exact(term.bytes)
        case (.word, .prefix):
            if let beginning, !term.bytes.starts(with: beginning) {
                .prefix(beginning, or: term.bytes)
            } else {
                .prefix(beginning ?? term.bytes, or: nil)
            }
        case (.word, .fuzzy(let distance)): .fuzzy(term.bytes, distance: distance)
        }
    }

    private func terms(_ text: String, _ analyzer: TextAnalyzer) -> [(kind: TextTerm.Kind, bytes: [UInt8])] {
        var text = text, found: [(TextTerm.Kind, [UInt8])] = []
        // Safe: the bytes are used within the call.
        text.withUTF8 { bytes in
            analyzer.forEachTerm(in: UnsafeRawBufferPointer(bytes)) { found.append(($0.kind, Array($0.bytes))) }
        }
        return found
    }
}

/// Distinct values, numbered in the order of their first use.
private struct Numbered<Value: Hashable> {
    private(set) var values: [Value] = []
    private var numbers: [Value: Int] = [:]

    mutating func number(of value: Value) -> Int {
        if let number = numbers[value] { return number }
        numbers[value] = values.count
        values.append(value)
        return values.count - 1
    }
}
