/// The evaluation of a search on the stored strings of one object.
///
/// ```swift
/// var match = TextMatch(query, analyzer)
/// match.add(title)
/// match.add(body)
/// if match.isMatch { show(match.highlights(inText: 1), match.snippet(of: body, inText: 1, length: .words(30))) }
/// ```
///
/// Words of a query may stand in different strings; the words of one phrase or one NEAR stand in one string.
struct TextMatch {
    let query: TermQuery
    let analyzer: TextAnalyzer
    private var finder: TermFinder
    /// Where each condition of the query is met, in ascending order.
    private var occurrences: [[Occurrence]]
    /// The number of terms of each text added so far.
    private(set) var lengths: [Int] = []

    /// A term that meets a condition.
    private struct Occurrence {
        let position: Int
        let range: Range<Int>
    }

    /// Where a word or phrase of the query stands.
    struct Hit: Equatable {
        /// The number of the text, in the order of `add`.
        let text: Int
        /// The number of the word or phrase in the query.
        let phrase: Int
        /// The positions from the first word to the one after the last.
        let positions: Range<Int>
        /// The bytes from the first word to the end of the last one.
        let range: Range<Int>
    }

    /// Positions of different strings are so far apart that no phrase and no NEAR spans two.
    private static let gap = 1 << 40

    /// - Parameter analyzer: the one that the query was made with.
    init(_ query: TermQuery, _ analyzer: TextAnalyzer) {
        self.query = query
        self.analyzer = analyzer
        finder = TermFinder(query.matchers)
        occurrences = Array(repeating: [], count: query.matchers.count)
    }

    /// Analyses one more text of the object. The cost is proportional to its length.
    mutating func add(_ text: UnsafeRawBufferPointer) {
        let base = lengths.count * Self.gap
        var count = 0
        analyzer.forEachTerm(in: text) { term in
            count += 1
            finder.find(term.bytes) { number, isOfCharacter in
                let end = isOfCharacter ? term.characterEnd : term.range.upperBound
                occurrences[number].append(Occurrence(position: base + term.position, range: term.range.lowerBound..<end))
            }
        }
        lengths.append(count)
    }

    // MARK: results

    /// Whether the object matches by the strings added so far.
    // Allowed: full-text searches test candidates with it.
    var isMatch: Bool { evaluate(query.root) != nil }

    /// The words and phrases that made the object match, in the order of the query; nil if it does not match. Of what is
    /// near one another only that is included, and nothing of what is excluded.
    var hits: [Hit]? { evaluate(query.root) }

    /// How often a word or phrase of the query stands in a text.
    func frequency(ofPhrase phrase: Int, inText text: Int) -> Int { find(phrase).count { $0.text == text } }

    private func evaluate(_ node: TermQuery.Node) -> [Hit]? {
        switch node {
        case .phrase(let number):
            let hits = find(number)
            return hits.isEmpty ? nil : hits
        case .near(let numbers, let distance): return near(numbers.map(find), distance)
        case .all(let nodes, let excluded):
            var hits: [Hit] = []
            for node in nodes {
                guard let found = evaluate(node) else { return nil }
                hits += found
            }
            return excluded.contains { evaluate($0) != nil } ? nil : hits
        case .any(let nodes):
            let found = nodes.compactMap(evaluate)
            return found.isEmpty ? nil : found.flatMap { $0 }
        }
    }

    // MARK: phrases

    /// All places of a word or phrase, in ascending order.
    private func find(_ number: Int) -> [Hit] {
        let phrase = query.phrases[number]
        guard let rarest = phrase.steps.min(by: { occurrences[$0.matcher].count < occurrences[$1.matcher].count }) else { return [] }
        return occurrences[rarest.matcher].compactMap { hit(number, phrase, at: $0.position - rarest.offset) }
    }

    private func hit(_ number: Int, _ phrase: TermQuery.Phrase, at position: Int) -> Hit? {
        var start = Int.max, end = 0
        for step in phrase.steps {
            guard let found = occurrence(of: step.matcher, at: position + step.offset) else { return nil }
            start = min(start, found.range.lowerBound)
            end = max(end, found.range.upperBound)
        }
        let text = position / Self.gap, first = position % Self.gap
        return Hit(text: text, phrase: number, positions: first..<(first + phrase.length), range: start..<end)
    }

    private func occurrence(of matcher: Int, at position: Int) -> Occurrence? {
        let all = occurrences[matcher]
        var low = 0, high = all.count
        while low < high {
            let middle = (low + high) / 2
            if all[middle].position < position { low = middle + 1 } else { high = middle }
        }
        return low < all.count && all[low].position == position ? all[low] : nil
    }

    // MARK: nearness

    /// The hits that have one of each other list near them; nil if there are none.
    private func near(_ lists: [[Hit]], _ distance: Int) -> [Hit]? {
        guard !lists.contains(where: \.isEmpty) else { return nil }
        var isNear = lists.map { [Bool](repeating: false, count: $0.count) }
        for (own, list) in lists.enumerated() {
            // The ends of what is marked: groups overlap, and both ends of their ranges ascend.
            var ends = [Int](repeating: 0, count: lists.count)
            for (place, first) in list.enumerated() {
                // The first of a group: the others begin at or after it, and not too far from its end.
                let starts = first.positions.lowerBound...max(first.positions.lowerBound, first.positions.upperBound + distance)
                let others = lists.enumerated().map { $0 == own ? place..<(place + 1) : Self.places($1, first.text, starts) }
                guard !others.contains(where: \.isEmpty) else { continue }
                for (other, places) in others.enumerated() {
                    let end = max(places.upperBound, ends[other])
                    for place in max(places.lowerBound, ends[other])..<end { isNear[other][place] = true }
                    ends[other] = end
                }
            }
        }
        let hits = zip(lists, isNear).flatMap { hits, isNear in zip(hits, isNear).filter(\.1).map(\.0) }
        return hits.isEmpty ? nil : hits
    }

    /// The places in an ascending list of the hits that begin within a range of positions of a text.
    private static func places(_ hits: [Hit], _ text: Int, _ starts: ClosedRange<Int>) -> Range<Int> {
        func place(_ text: Int, _ position: Int) -> Int {
            var low = 0, high = hits.count
            while low < high {
                let middle = (low + high) / 2
                if (hits[middle].text, hits[middle].positions.lowerBound) < (text, position) { low = middle + 1 } else { high = middle }
            }
            return low
        }
        return place(text, starts.lowerBound)..<place(text, starts.upperBound + 1)
    }
}
