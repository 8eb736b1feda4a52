/// What scores need to know about all documents of a class.
struct SearchStatistics: Equatable {
    /// The documents with a word in each path, and the words of these.
    var documents: [Int]
    var words: [Int]
    /// By condition on terms: the documents of that of its terms which most have, in the path where that is most.
    var containing: [Int]
}

/// The scores of a search: `Relevance` with the counts and lengths that a full-text index stores, so that a score is the same
/// with an index and without, on every machine.
///
/// A part of the score has one phrase of the search that is not excluded. A phrase of several terms is as rare as its terms
/// together.
struct SearchScoring {
    /// A phrase of the search, and how rare it is.
    struct Item {
        let phrase: Int
        let rarity: Double
    }

    let items: [Item]
    private let relevance = Relevance()
    /// The frequency by path, length and level.
    private let shares: [[Double]]

    init(_ query: TermQuery, _ statistics: SearchStatistics, weights: [Double]) {
        let count = statistics.documents.max() ?? 0
        let rarities = statistics.containing.map { Relevance.rarity(documentCount: count, containing: $0) }
        items = query.wantedPhrases.map { phrase in
            Item(phrase: phrase, rarity: query.phrases[phrase].steps.reduce(0) { $0 + rarities[$1.matcher] })
        }
        let relevance = relevance
        shares = weights.indices.map { path in
            let documents = statistics.documents[path]
            let average = documents > 0 ? Double(statistics.words[path]) / Double(documents) : 0
            return (0...255).flatMap { code in
                OccurrenceLevel.all.map { level in
                    relevance.frequency(level.counted, length: TextLength.words(UInt8(code)), averageLength: average, weight: weights[path])
                }
            }
        }
    }

    /// The frequency of a phrase in a path, for `part`.
    @inline(__always)
    func frequency(_ level: OccurrenceLevel, path: Int, length: UInt8) -> Double {
        shares[path][Int(length) * OccurrenceLevel.count + Int(level.number)]
    }

    /// The part of an item in the score, from the sum of its frequencies in all paths.
    @inline(__always)
    func part(_ item: Int, frequency: Double) -> Double { relevance.score(frequency, rarity: items[item].rarity) }

    /// The parts of an item in scores by length and level, in the only path of a search.
    func parts(_ item: Int) -> [Double] { shares[0].map { part(item, frequency: $0) } }

    /// Adds the parts of an item, as `parts` gives them, to the scores of documents.
    static func add(_ parts: [Double], _ levels: [OccurrenceLevel], lengths: [UInt8], to scores: inout [Double]) {
        for place in scores.indices {
            scores[place] += parts[Int(lengths[place]) * OccurrenceLevel.count + Int(levels[place].number)]
        }
    }

    /// The score of a document.
    ///
    /// - Parameters:
    ///   - level: how often it has a phrase in a path.
    ///   - length: the code of a path's length.
    func score(level: (_ phrase: Int, _ path: Int) -> OccurrenceLevel, length: (_ path: Int) -> UInt8) -> Double {
        var sum = 0.0
        for (number, item) in items.enumerated() {
            var frequency = 0.0
            for path in shares.indices { frequency += self.frequency(level(item.phrase, path), path: path, length: length(path)) }
            sum += part(number, frequency: frequency)
        }
        return sum
    }
}

extension TermQuery {
    /// The phrases that an object may have in order to match, in ascending order: what only excludes is left out.
    var wantedPhrases: [Int] {
        var wanted: Set<Int> = []
        func collect(_ node: Node) {
            switch node {
            case .phrase(let number): wanted.insert(number)
            case .near(let numbers, _): wanted.formUnion(numbers)
            case .all(let nodes, _): nodes.forEach(collect)
            case .any(let nodes): nodes.forEach(collect)
            }
        }
        collect(root)
        return wanted.sorted()
    }
}
