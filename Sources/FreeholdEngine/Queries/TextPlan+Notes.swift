/// Indexes that have all that is searched, and cannot be used.
extension TextPlan {
    /// Why a search is answered object by object although there is an index for it, a sentence each; empty if there is none, or
    /// one that can be used.
    static func notes(on search: BoundSearch, of table: Table) throws(FreeholdError) -> [String] {
        let stored = table.state.stored, schema = table.schemaOf
        var notes: [String] = []
        for index in SearchDeclaration.all(for: search, of: table).map(\.index) {
            let entry = try DerivedEntry(index, of: stored, table.state.root, in: table.state.access)
            let name = "the full-text index of '\(schema.declaration(of: index, in: Int(index.owner ?? stored.number)).paths)'"
            switch entry.state {
            case .complete:
                if table.writer == nil { return [] }
                return ["\(name) is not used within a write transaction"]
            case .building: notes.append("\(name) is not used yet: it is being built, \(entry.percent) %")
            case .older:
                notes.append("\(name) is not used: an older Freehold, or another stemmer, made it in another way; build the indexes anew")
            // Binding the search has failed.
            case .unavailable: break
            case .newer: notes.append("\(name) is not used: a newer Freehold made it in another way")
            }
        }
        return notes
    }
}

extension BoundCondition {
    /// The searches in the condition.
    var searches: [BoundSearch] {
        switch self {
        case .search(let search): [search]
        case .not(let part): part.searches
        case .all(let parts), .any(let parts): parts.flatMap(\.searches)
        case .constant, .test, .comparison, .within: []
        }
    }
}
