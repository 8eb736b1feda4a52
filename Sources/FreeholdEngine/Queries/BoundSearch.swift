/// A full-text search with resolved names, evaluated on the strings of one object.
final class BoundSearch {
    let paths: [BoundPath]
    /// The search before any string; a copy for each object shares what was prepared for the search's words.
    private let unread: TextMatch
    private let filters: [PhraseFilter]
    /// What was read last of an index, as long as a plan or scores keep it.
    // Safe: a query is answered on one thread, and nothing here re-enters it.
    @exclusivity(unchecked) private weak var indexed: IndexedSearch?
    /// The search as it was written.
    private let source: QueryComparison

    init(_ paths: [BoundPath], _ unread: TextMatch, source: QueryComparison) {
        self.paths = paths
        self.unread = unread
        filters = unread.analyzer.stemming == nil ? unread.query.filters : []
        self.source = source
    }

    /// The search in terms.
    var query: TermQuery { unread.query }

    /// What its strings are analysed by.
    var analyzer: TextAnalyzer { unread.analyzer }

    /// What an index has of the search's words; nil if the index cannot be used. Plan and scores of one query share it.
    func indexed(by declared: SearchDeclaration, of table: Table) throws(FreeholdError) -> IndexedSearch? {
        if let indexed, indexed.state === table.state, indexed.number == declared.index.number { return indexed }
        let found = try IndexedSearch(self, declared, of: table)
        indexed = found
        return found
    }

    /// The search as text, with the language of its stems.
    var text: String { source.description + (analyzer.stemming.map { " in \($0.algorithm)" } ?? "") }

    /// In nanoseconds: the strings of one object are a few hundred bytes long as a rule.
    var cost: Int { 3000 * paths.count }

    /// Whether the strings of the context's object match. Values of other types have no words.
    func holds(_ context: QueryContext) throws(FreeholdError) -> Bool {
        if !filters.isEmpty, try !mayHold(context) { return false }
        return try match(context).match.isMatch
    }

    /// Whether each phrase that must be there may be in one of the strings.
    private func mayHold(_ context: QueryContext) throws(FreeholdError) -> Bool {
        var left = filters
        try forEachText(context) { _, text in left.removeAll { $0.mayHold(in: text) } }
        return left.isEmpty
    }

    /// The evaluation on the strings of the context's object, and for each string that was searched the number of its path.
    func match(_ context: QueryContext) throws(FreeholdError) -> (match: TextMatch, paths: [Int]) {
        var match = unread, numbers: [Int] = []
        try forEachText(context) { path, text in
            match.add(text)
            numbers.append(path)
        }
        return (match, numbers)
    }

    /// The strings that are searched, in the order of their paths.
    func texts(_ context: QueryContext) throws(FreeholdError) -> [String] {
        var found: [String] = []
        for path in paths {
            try path.forEach(context) { value in
                if case .string(let text) = value { found.append(text) }
                return true
            }
        }
        return found
    }

    /// Calls `body` with the bytes of each string that is searched, which are borrowed, and the number of its path.
    func forEachText(_ context: QueryContext, _ body: (_ path: Int, UnsafeRawBufferPointer) -> Void) throws(FreeholdError) {
        for (number, path) in paths.enumerated() {
            try path.forEach(context) { value in
                if case .string(var text) = value {
                    // Safe: the bytes are used within the call.
                    text.withUTF8 { body(number, TextAnalyzer.searched(UnsafeRawBufferPointer($0))) }
                }
                return true
            }
        }
    }
}
