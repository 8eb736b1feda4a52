/// A full-text index as a search reads it: which of its fields are searched, and what it has of the search's words.
///
/// Of each condition on terms the documents are read once, however often they are needed: for candidates and for scores.
final class IndexedSearch {
    let search: BoundSearch
    let state: TableState
    /// The index's number.
    let number: UInt32
    let root: TextIndexRoot
    let entries: TermEntries
    /// The index's field of each path of the search.
    let fields: [Int]
    // Safe (all exclusivity below): a query is answered on one thread, and nothing here re-enters it.
    /// The terms of each condition on terms, once they are known.
    @exclusivity(unchecked) private var terms: [Int: [[UInt8]]] = [:]
    /// The documents of each condition on terms that were read, by path.
    @exclusivity(unchecked) private var documents: [Int: [TermDocuments?]] = [:]

    var query: TermQuery { search.query }

    /// Nil if the index is not complete, or not as this program makes it.
    init?(_ search: BoundSearch, _ declared: SearchDeclaration, of table: Table) throws(FreeholdError) {
        guard let root = try Self.root(of: declared.index, table) else { return nil }
        self.search = search
        state = table.state
        number = declared.index.number
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

    /// The sealed documents with a term that meets a condition, in the field of a path.
    func documents(_ matcher: Int, _ path: Int) throws(FreeholdError) -> TermDocuments {
        if let known = documents[matcher]?[path] { return known }
        if case .prefix(let bytes) = query.matchers[matcher] { return try read(matcher, prefix: bytes)[path] }
        if case .character(let bytes) = query.matchers[matcher] { return try read(matcher, prefix: bytes)[path] }
        let terms = try terms(matcher), field = fields[path]
        var expected = 0
        for term in terms { expected = min(expected + max(0, try entries.count(of: term, field: field)), state.root.sealedCount) }
        var gatherer = TermDocuments.Gatherer(keys: state.root.nextKey, expected: expected)
        for term in terms {
            gatherer.begin()
            // Each class of occurrences is one list, which is read faster than the union of all.
            for number in 0..<OccurrenceClass.count {
                let level = OccurrenceLevel(OccurrenceClass(number: UInt8(number)))
                var cursor = try entries.cursor(of: term, field: field, classes: number..<number + 1)
                while try cursor.next() { gatherer.add(cursor.object.rawValue, level) }
            }
        }
        let found = gatherer.documents()
        documents[matcher, default: Array(repeating: nil, count: fields.count)][path] = found
        return found
    }

    /// Walks over the entries of all terms that begin so.
    private func read(_ matcher: Int, prefix: [UInt8]) throws(FreeholdError) -> [TermDocuments] {
        let expected = min(max(0, try entries.entries(prefix: prefix)), state.root.sealedCount)
        var gatherers = fields.map { _ in TermDocuments.Gatherer(keys: state.root.nextKey, expected: expected) }
        let start = MergePosition(term: prefix, tag: EntryTag(byte: 0), object: .min)
        let walk = try RunWalk(entries.parts.map(\.index), from: entries.parts.map { part in
            part.position.map { $0.term.lexicographicallyPrecedes(prefix) ? start : $0 } ?? start
        })
        var term: [UInt8] = []
        while try walk.nextEntry() {
            // Safe: the bytes are those of the walk's term, which stays until its next entry.
            let bytes = UnsafeRawBufferPointer(start: walk.term.start, count: walk.term.count)
            guard bytes.starts(with: prefix) else { break }
            // The classes of one term and field are neighbours.
            if term.count != bytes.count || !term.elementsEqual(bytes) {
                term = Array(bytes)
                for path in gatherers.indices { gatherers[path].begin() }
            }
            guard let path = fields.firstIndex(of: walk.tag.field) else { continue }
            let level = OccurrenceLevel(walk.tag.occurrences)
            while try walk.union.next() {
                if walk.union.sum == 1 { gatherers[path].add(walk.union.object, level) }
            }
        }
        let found = gatherers.map { $0.documents() }
        documents[matcher] = found
        return found
    }

    /// The number of documents of that of the terms which most have in the field of a path.
    func containing(_ matcher: Int, _ path: Int) throws(FreeholdError) -> Int {
        if case .exact(let term) = query.matchers[matcher] { return try entries.count(of: term, field: fields[path]) }
        return try documents(matcher, path).containing
    }

    /// How often each of some documents, ascending, has the terms that meet a condition, in the field of a path.
    func levels(_ matcher: Int, _ path: Int, of keys: [ObjectKey]) throws(FreeholdError) -> [OccurrenceLevel] {
        if documents[matcher]?[path] == nil, case .exact(let term) = query.matchers[matcher] {
            let field = fields[path]
            if try entries.count(of: term, field: field) > Self.fewer * keys.count { return try levels(of: keys, term, field) }
        }
        return try documents(matcher, path).levels(of: keys)
    }

    /// How many documents are read in the time of one search for an object.
    private static let fewer = 128

    /// Those of some documents, ascending, that have the terms which meet a condition, in the field of a path.
    func common(_ matcher: Int, _ path: Int, _ keys: [ObjectKey]) throws(FreeholdError) -> [ObjectKey] {
        if documents[matcher]?[path] == nil, case .exact(let term) = query.matchers[matcher],
           try entries.count(of: term, field: fields[path]) > Self.fewer * keys.count {
            return zip(keys, try levels(of: keys, term, fields[path])).filter { $1 != .none }.map(\.0)
        }
        return try documents(matcher, path).common(keys)
    }

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
    var weights: [Double] { fields.map { Double(index.fields[$0].fullTextWeight ?? 256) / 256 } }

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
