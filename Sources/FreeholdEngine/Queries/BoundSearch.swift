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

    /// The search as text.
    var text: String { source.description }

    /// In nanoseconds: the strings of one object are a few hundred bytes long as a rule.
    var cost: Int { 3000 * paths.count }

    /// Whether the strings of the context's object match. Values of other types have no words.
    func holds(_ context: QueryContext) throws(FreeholdError) -> Bool {
        var match = unread
        for path in paths {
            try path.forEach(context) { value in
                if case .string(var text) = value {
                    // Safe: the bytes are used within the call.
                    text.withUTF8 { match.add(TextAnalyzer.searched(UnsafeRawBufferPointer($0))) }
                }
                return true
            }
        }
        return match.isMatch
    }
}
