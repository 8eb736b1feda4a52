/// A full-text search with resolved names, evaluated on the strings of one object.
final class BoundSearch {
    let paths: [BoundPath]
    /// The search before any string; a copy for each object shares what was prepared for the search's words.
    private let unread: TextMatch
    /// The search as it was written.
    private let source: QueryComparison

    init(_ paths: [BoundPath], _ unread: TextMatch, source: QueryComparison) {
        self.paths = paths
        self.unread = unread
        self.source = source
    }

    /// The search in terms.
    var query: TermQuery { unread.query }

    /// What its strings are analysed by.
    var analyzer: TextAnalyzer { unread.analyzer }

    /// The search as text.
    var text: String { source.description }

    /// In nanoseconds: the strings of one object are a few hundred bytes long as a rule.
    var cost: Int { 3000 * paths.count }

    /// Whether the strings of the context's object match. Values of other types have no words.
    func holds(_ context: QueryContext) throws(FreeholdError) -> Bool { try match(context).match.isMatch }

    /// The evaluation on the strings of the context's object, and for each string that was searched the number of its path.
    func match(_ context: QueryContext) throws(FreeholdError) -> (match: TextMatch, paths: [Int]) {
        var match = unread, numbers: [Int] = []
        try forEachText(context) { path, text in
            match.add(text)
            numbers.append(path)
        }
        return (match, numbers)
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
