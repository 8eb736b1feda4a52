/// A full-text index as a search reads it: which of its fields are searched, and what it has of the search's words.
///
/// Of each condition on terms the documents are read once, however often they are needed: for candidates and for scores.
final class IndexedSearch {
    let search: BoundSearch
    let root: TextIndexRoot
    let entries: TermEntries
    /// The index's field of each path of the search.
    let fields: [Int]
    // Safe (all exclusivity below): a query is answered on one thread, and nothing here re-enters it.
    /// The terms of each condition on terms, once they are known.
    @exclusivity(unchecked) private var terms: [Int: [[UInt8]]] = [:]
    /// The documents of each condition on terms that were read, by path.
    @exclusivity(unchecked) private var documents: [Int: [TermDocuments]] = [:]

    var query: TermQuery { search.query }

    /// Nil if the index is not complete, or not as this program makes it.
    init?(_ search: BoundSearch, _ declared: SearchDeclaration, of table: Table) throws(FreeholdError) {
        guard let root = try Self.root(of: declared.index, table) else { return nil }
        self.search = search
        self.root = root
        fields = declared.fields
        entries = TermEntries(root, table.state.access)
    }

    private static func root(of index: StoredDerived, _ table: Table) throws(FreeholdError) -> TextIndexRoot? {
        let reference = table.state.root.auxiliary(.derived, index.column)
        if reference.isNull {
            // Without sealed objects there is no root yet.
            return table.state.root.sealedCount == 0 ? TextIndexRoot(fields: index.fields.count) : nil
        }
        guard let kind = DerivedKinds.kind(of: index) else { return nil }
        let root = try DerivedRoot(reference, of: index, in: table.state.access)
        guard root.state == .complete, root.versions == kind.versions else { return nil }
        return try FullTextKind.root(root.contents, of: index)
    }

    /// The terms of the index that meet a condition.
    func terms(_ matcher: Int) throws(FreeholdError) -> [[UInt8]] {
        if let known = terms[matcher] { return known }
        let found: [[UInt8]] = switch query.matchers[matcher] {
        case .exact(let term): [term]
        case .prefix(let bytes), .character(let bytes): try entries.terms(prefix: bytes)
        case .fuzzy(let bytes, let distance): try entries.terms(FuzzyWord(bytes, distance: distance))
        }
        terms[matcher] = found
        return found
    }

    // MARK: documents

    /// The sealed documents with a term that meets a condition, in the field of each path.
    func documents(_ matcher: Int) throws(FreeholdError) -> [TermDocuments] {
        if let known = documents[matcher] { return known }
        let found: [TermDocuments]
        switch query.matchers[matcher] {
        case .exact(let term): found = try documents(of: term)
        case .prefix(let bytes), .character(let bytes): found = try documents(prefix: bytes)
        case .fuzzy:
            var gatherer = TermDocuments.Gatherer(paths: fields.count)
            for term in try terms(matcher) {
                for (path, found) in try documents(of: term).enumerated() { gatherer.add(found, path) }
            }
            found = gatherer.documents()
        }
        documents[matcher] = found
        return found
    }

    /// The number of documents of that of the terms which most have in the field of a path.
    func containing(_ matcher: Int, _ path: Int) throws(FreeholdError) -> Int {
        if documents[matcher] == nil, case .exact(let term) = query.matchers[matcher] {
            return try entries.count(of: term, field: fields[path])
        }
        return try documents(matcher)[path].containing
    }

    /// How often each of some documents, ascending, has the terms that meet a condition, in the field of a path.
    func levels(_ matcher: Int, _ path: Int, of keys: [ObjectKey]) throws(FreeholdError) -> [OccurrenceLevel] {
        if documents[matcher] == nil, case .exact(let term) = query.matchers[matcher] {
            let field = fields[path]
            if try entries.count(of: term, field: field) > Self.fewer * keys.count { return try levels(of: keys, term, field) }
        }
        return try documents(matcher)[path].levels(of: keys)
    }

    /// How many documents are read in the time of one search for an object.
    private static let fewer = 128

    /// Seeks each of the keys.
    private func levels(of keys: [ObjectKey], _ term: [UInt8], _ field: Int) throws(FreeholdError) -> [OccurrenceLevel] {
        var found = [OccurrenceLevel](repeating: .none, count: keys.count), at: ObjectKey?
        var cursor = try entries.cursor(of: term, field: field)
        for (place, key) in keys.enumerated() {
            if at.map({ $0.rawValue < key.rawValue }) ?? true {
                guard try cursor.next(from: key) else { break }
                at = cursor.object
            }
            if at == key { found[place] = OccurrenceLevel(cursor.occurrences) }
        }
        return found
    }

    private func documents(of term: [UInt8]) throws(FreeholdError) -> [TermDocuments] {
        var found: [TermDocuments] = []
        for field in fields {
            var cursor = try entries.cursor(of: term, field: field), documents = TermDocuments()
            while try cursor.next() { documents.append(cursor.object, OccurrenceLevel(cursor.occurrences)) }
            documents.containing = documents.keys.count
            found.append(documents)
        }
        return found
    }

    /// Walks over the entries of all terms that begin so.
    private func documents(prefix: [UInt8]) throws(FreeholdError) -> [TermDocuments] {
        var gatherer = TermDocuments.Gatherer(paths: fields.count)
        let start = MergePosition(term: prefix, tag: EntryTag(byte: 0), object: .min)
        let walk = try RunWalk(entries.parts.map(\.index), from: entries.parts.map { part in
            part.position.map { $0.term.lexicographicallyPrecedes(prefix) ? start : $0 } ?? start
        })
        // Safe: the term is that of the walk, which stays at its entry.
        while try walk.nextEntry(), UnsafeRawBufferPointer(start: walk.term.start, count: walk.term.count).starts(with: prefix) {
            guard let path = fields.firstIndex(of: walk.tag.field) else { continue }
            // The classes of one term and field are neighbours.
            gatherer.begin(walk.term, path)
            let level = OccurrenceLevel(walk.tag.occurrences)
            while try walk.union.next() {
                if walk.union.sum == 1 { gatherer.add(walk.union.object, level, path) }
            }
        }
        return gatherer.documents()
    }
}

/// The full-text index that is declared for what a search searches.
struct SearchDeclaration {
    let index: StoredDerived
    /// The index's field of each path of the search.
    let fields: [Int]

    /// The indexes of a table that have all that is searched, whether they can be used or not.
    static func all(for search: BoundSearch, of table: Table) -> [SearchDeclaration] {
        let stored = table.state.stored
        return stored.derived.compactMap { index in
            guard index.kind == FullTextKind.number, index.flags == 0 else { return nil }
            if let owner = index.owner, !table.schemaOf.lineage(of: Int(table.number)).contains(Int(owner)) { return nil }
            let fields = search.paths.compactMap { path in index.fields.firstIndex { Self.is(path, $0, stored) } }
            return fields.count == search.paths.count ? SearchDeclaration(index: index, fields: fields) : nil
        }
    }

    /// The weight of each path.
    var weights: [Double] { fields.map { Double(FullTextKind.weight(index.fields[$0]) ?? 256) / 256 } }

    /// Whether a path leads to a field.
    private static func `is`(_ path: BoundPath, _ field: DerivedField, _ stored: StoredClass) -> Bool {
        guard path.origin == 0 else { return false }
        switch (path.steps.first, path.steps.count) {
        case (.value(let column), 1):
            return field.link == nil && stored.properties[column.index].number == field.property
        case (.link(let link, let target), 2):
            guard case .value(let column) = path.steps[1] else { return false }
            return field.link == stored.properties[link.index].number && field.table == target.state.stored.number
                && target.state.stored.properties[column.index].number == field.property
        default: return false
        }
    }
}
