/// The scores of the objects of a table for one search.
///
/// With a complete index the counts and occurrences are those of the index, and the tail's objects are read; without one, and
/// in a transaction, all objects of the class are read once for the counts.
final class TextRanking {
    private let search: BoundSearch
    private let table: Table
    /// The documents that are counted: those of the class that declares the index.
    private let documents: Table
    private let weights: [Double]
    /// Nil without an index that can be used.
    private let indexed: IndexedSearch?
    private let strings: SearchedStrings
    private let context = QueryContext()
    // Safe (all exclusivity below): a query is answered on one thread, and nothing here re-enters it.
    @exclusivity(unchecked) private var known: SearchScoring?
    /// The keys of the tail's objects, ascending, if there is an index.
    @exclusivity(unchecked) private var tail: [ObjectKey] = []
    @exclusivity(unchecked) private var lengths: [LengthReader] = []
    /// The parts of items in scores by length and level, once they are known.
    @exclusivity(unchecked) private var parts: [Int: [Double]] = [:]

    init(_ search: BoundSearch, _ table: Table) throws(FreeholdError) {
        self.search = search
        self.table = table
        let declared = SearchDeclaration.all(for: search, of: table).first
        weights = declared?.weights ?? Array(repeating: 1, count: search.paths.count)
        strings = SearchedStrings(search)
        guard let declared else {
            (documents, indexed) = (table, nil)
            return
        }
        let number = declared.index.owner.map { Int($0) } ?? Int(table.state.stored.number)
        documents = try table.sibling(table.schemaOf.name(ofClass: number))
        indexed = table.writer == nil ? try search.indexed(by: declared, of: table) : nil
    }

    // MARK: counts

    func scoring() throws(FreeholdError) -> SearchScoring {
        if let known { return known }
        let scoring = SearchScoring(search.query, try statistics(), weights: weights)
        known = scoring
        return scoring
    }

    private func statistics() throws(FreeholdError) -> SearchStatistics {
        var sums = Sums(search)
        guard let indexed else {
            try each(documents) { row throws(FreeholdError) in try add(row, to: &sums) }
            return sums.statistics(search.query)
        }
        tail = try waiting(documents)
        for key in tail {
            if let row = try documents.row(key) { try add(row, to: &sums) }
        }
        for (path, field) in indexed.fields.enumerated() {
            // What a damaged root counts may be any number.
            sums.documents[path] += min(max(0, indexed.root.fields[field].documents), 1 << 40)
            sums.words[path] += min(max(0, indexed.root.fields[field].words), 1 << 56)
            lengths.append(try LengthReader(indexed.root.lengths, field: field, table.state.access))
        }
        return try sums.statistics(search.query, with: indexed)
    }

    private func add(_ row: Row, to sums: inout Sums) throws(FreeholdError) {
        context.look(at: row)
        try strings.read(context)
        sums.add(strings)
    }

    private func each(_ table: Table, _ body: (Row) throws(FreeholdError) -> Void) throws(FreeholdError) {
        for key in try table.keys() {
            if let row = try table.row(key) { try body(row) }
        }
    }

    /// The objects of a table that are in its tail, ascending.
    private func waiting(_ table: Table) throws(FreeholdError) -> [ObjectKey] {
        guard table.state.hasRowsInTail else { return [] }
        var keys: [Int64] = []
        try table.state.forEachTailRow { keys.append($0.key) }
        var found: [ObjectKey] = []
        for key in keys.sorted() where try table.contains(ObjectKey(key)) { found.append(ObjectKey(key)) }
        return found
    }

    // MARK: scores

    /// The scores of objects, whose keys ascend; 0 for keys without an object.
    func scores(of keys: [ObjectKey]) throws(FreeholdError) -> [Double] {
        if boundsAreScores, let bounds = try bounds(of: keys) { return bounds }
        let scoring = try scoring()
        return try keys.map { key throws(FreeholdError) in try scoreOfStrings(key, scoring) }
    }

    /// Whether `bounds` are the scores themselves: no phrase needs the strings.
    var boundsAreScores: Bool { search.query.wantedPhrases.allSatisfy { search.query.term(of: search.query.phrases[$0]) != nil } }

    /// What the scores of objects, whose keys ascend, do not exceed, from an index; nil without one. A phrase counts as often as
    /// that of its terms which is there least often.
    func bounds(of keys: [ObjectKey]) throws(FreeholdError) -> [Double]? {
        let scoring = try scoring()
        guard let indexed else { return nil }
        let paths = indexed.fields.indices
        var codes: [[UInt8]] = []
        for path in paths { codes.append(try lengths[path].codes(of: keys)) }
        var scores = [Double](repeating: 0, count: keys.count), frequencies = scores
        for (number, item) in scoring.items.enumerated() {
            if paths.count == 1, keys.count >= Self.many {
                let levels = try levels(ofPhrase: item.phrase, 0, keys, indexed)
                SearchScoring.add(parts(number, scoring), levels, lengths: codes[0], to: &scores)
                continue
            }
            for path in paths {
                let levels = try levels(ofPhrase: item.phrase, path, keys, indexed), codes = codes[path]
                for place in keys.indices where levels[place] != .none {
                    frequencies[place] += scoring.frequency(levels[place], path: path, length: codes[place])
                }
            }
            for place in keys.indices where frequencies[place] > 0 {
                scores[place] += scoring.part(number, frequency: frequencies[place])
                frequencies[place] = 0
            }
        }
        if !tail.isEmpty {
            var place = 0
            for key in tail {
                while place < keys.count, keys[place].rawValue < key.rawValue { place += 1 }
                if place < keys.count, keys[place] == key { scores[place] = try scoreOfStrings(key, scoring) }
            }
        }
        return scores
    }

    /// For how many documents a table of all parts pays, which has as many entries as 256 lengths have levels.
    private static let many = 1024

    private func parts(_ item: Int, _ scoring: SearchScoring) -> [Double] {
        if let known = parts[item] { return known }
        let found = scoring.parts(item)
        parts[item] = found
        return found
    }

    /// The best objects of a search for one word in one property, without reading all of the word's documents; nil for other
    /// searches.
    ///
    /// The documents of a class of occurrences are read only if the shortest of them could be among the best.
    func best(_ limit: Int) throws(FreeholdError) -> BestObjects? {
        guard let indexed, weights.count == 1, table.scope == nil, documents.tableNumber == table.tableNumber, documents.scope == nil,
              case .phrase(let number) = search.query.root, let matcher = search.query.term(of: search.query.phrases[number]),
              case .exact(let term) = search.query.matchers[matcher] else { return nil }
        let scoring = try scoring()
        var best = BestObjects(limit: limit)
        for key in tail {
            let score = try scoreOfStrings(key, scoring)
            if score > 0 { best.add(key, score) }
        }
        for (number, start) in try indexed.entries.cursors(of: term, field: indexed.fields[0]).enumerated() {
            let occurrences = OccurrenceClass(number: UInt8(number)), level = OccurrenceLevel(occurrences)
            let parts = (0...255).map { scoring.part(0, frequency: scoring.frequency(level, path: 0, length: UInt8($0))) }
            if parts[Int(TextLength.code(words: occurrences.minimum))] < best.least { continue }
            var keys: [ObjectKey] = [], cursor = start
            try cursor.forEach(in: .min ... .max) { keys.append(ObjectKey($0)) }
            for (key, code) in zip(keys, try lengths[0].codes(of: keys)) {
                let score = parts[Int(code)]
                if score >= best.least { best.add(key, score) }
            }
        }
        return best
    }

    /// The levels of a phrase in a path: of several terms the lowest of theirs.
    private func levels(
        ofPhrase number: Int, _ path: Int, _ keys: [ObjectKey], _ indexed: IndexedSearch
    ) throws(FreeholdError) -> [OccurrenceLevel] {
        var found: [OccurrenceLevel]?
        for step in search.query.phrases[number].steps {
            var levels = try indexed.levels(step.matcher, path, of: keys)
            if !search.query.isExact(step.matcher), search.query.term(of: search.query.phrases[number]) == nil {
                // The phrase may stand with each of several terms, so with more places than any of them has.
                levels = levels.map { $0 == .none ? .none : .highest }
            }
            found = found.map { zip($0, levels).map { min($0, $1) } } ?? levels
        }
        return found ?? []
    }

    /// The score of an object from its strings.
    private func scoreOfStrings(_ key: ObjectKey, _ scoring: SearchScoring) throws(FreeholdError) -> Double {
        guard let row = try table.row(key) else { return 0 }
        context.look(at: row)
        try strings.read(context)
        return scoring.score(level: strings.level, length: strings.length)
    }
}

extension TextRanking {
    /// The counts of all documents while they are read.
    private struct Sums {
        var documents: [Int]
        var words: [Int]
        private var containing: [SearchedStrings.FoundTerm: Int] = [:]

        init(_ search: BoundSearch) {
            documents = Array(repeating: 0, count: search.paths.count)
            words = documents
        }

        mutating func add(_ strings: SearchedStrings) {
            for (path, count) in strings.words.enumerated() where count > 0 {
                documents[path] += 1
                words[path] += count
            }
            for term in strings.terms.keys { containing[term, default: 0] += 1 }
        }

        func statistics(_ query: TermQuery) -> SearchStatistics {
            var most = [Int](repeating: 0, count: query.matchers.count)
            for (term, count) in containing { most[term.matcher] = max(most[term.matcher], count) }
            return SearchStatistics(documents: documents, words: words, containing: most)
        }

        /// Adds the counts of an index. A term of the tail is counted in the index, whether a search finds it there or not.
        func statistics(_ query: TermQuery, with indexed: IndexedSearch) throws(FreeholdError) -> SearchStatistics {
            var found = SearchStatistics(documents: documents, words: words, containing: Array(repeating: 0, count: query.matchers.count))
            for matcher in query.matchers.indices {
                for path in indexed.fields.indices {
                    found.containing[matcher] = max(found.containing[matcher], try indexed.containing(matcher, path))
                }
            }
            for (term, count) in containing {
                let bytes = if case .exact(let bytes) = query.matchers[term.matcher] { bytes } else { term.bytes }
                let sealed = try indexed.entries.count(of: bytes, field: indexed.fields[term.path])
                found.containing[term.matcher] = max(found.containing[term.matcher], sealed + count)
            }
            return found
        }
    }
}
