/// Counts the words of a search in the strings of one object: what its score depends on, and what it adds to the counts of
/// all objects.
///
/// ```swift
/// let strings = SearchedStrings(search)
/// try strings.read(context)
/// let score = scoring.score(level: strings.level, length: strings.length)
/// ```
final class SearchedStrings {
    /// A term that meets a condition.
    struct FoundTerm: Hashable {
        let path: Int
        let matcher: Int
        /// Empty for a condition that only one term meets.
        let bytes: [UInt8]
    }

    private let search: BoundSearch
    private let isExact: [Bool]
    // Safe (all exclusivity below): one thread uses it, and nothing here re-enters it.
    @exclusivity(unchecked) private var finder: TermFinder
    /// The number of words of each path.
    @exclusivity(unchecked) private(set) var words: [Int]
    /// How often each term that was found occurs.
    @exclusivity(unchecked) private(set) var terms: [FoundTerm: Int] = [:]
    /// The places of each phrase that is no single term, by path and phrase.
    @exclusivity(unchecked) private var places: [Int]

    init(_ search: BoundSearch) {
        self.search = search
        finder = TermFinder(search.query.matchers)
        isExact = search.query.matchers.indices.map(search.query.isExact)
        words = Array(repeating: 0, count: search.paths.count)
        places = Array(repeating: 0, count: search.paths.count * search.query.phrases.count)
    }

    /// Reads the strings of the context's object.
    func read(_ context: QueryContext) throws(FreeholdError) {
        for path in words.indices { words[path] = 0 }
        terms.removeAll(keepingCapacity: true)
        let isExact = isExact
        try search.forEachText(context) { path, text in
            search.analyzer.forEachTerm(in: text) { term in
                words[path] += 1
                finder.find(term.bytes) { number, _ in
                    terms[FoundTerm(path: path, matcher: number, bytes: isExact[number] ? [] : Array(term.bytes)), default: 0] += 1
                }
            }
        }
        if search.query.phrases.contains(where: { search.query.term(of: $0) == nil }) { try findPhrases(context) }
    }

    private func findPhrases(_ context: QueryContext) throws(FreeholdError) {
        for place in places.indices { places[place] = 0 }
        let (match, paths) = try search.match(context)
        for (number, phrase) in search.query.phrases.enumerated() where search.query.term(of: phrase) == nil {
            for (text, path) in paths.enumerated() {
                places[path * search.query.phrases.count + number] += match.frequency(ofPhrase: number, inText: text)
            }
        }
    }

    /// How often a phrase stands in the strings of a path: a term, of several that which is most often there.
    func level(phrase number: Int, path: Int) -> OccurrenceLevel {
        guard let matcher = search.query.term(of: search.query.phrases[number]) else {
            return OccurrenceLevel(occurrences: places[path * search.query.phrases.count + number])
        }
        var most = 0
        for (term, count) in terms where term.path == path && term.matcher == matcher { most = max(most, count) }
        return OccurrenceLevel(occurrences: most)
    }

    /// The length of a path's strings as the file stores it.
    func length(path: Int) -> UInt8 { TextLength.code(words: words[path]) }
}

extension TermQuery {
    /// Whether only one term meets a condition.
    func isExact(_ matcher: Int) -> Bool { if case .exact = matchers[matcher] { true } else { false } }

    /// The condition of a phrase that is one term, whose documents an index knows; nil for what the strings decide.
    func term(of phrase: Phrase) -> Int? {
        guard phrase.steps.count == 1 else { return nil }
        if case .character = matchers[phrase.steps[0].matcher] { return nil }
        return phrase.steps[0].matcher
    }
}
