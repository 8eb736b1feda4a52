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
    /// The numbers of documents of each of these terms, by path.
    @exclusivity(unchecked) private var counts: [Int: [[Int]?]] = [:]
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
        guard let kind = DerivedKinds.kind(of: index, in: table.state.access) else { return nil }
        do throws(FreeholdError) {
            let root = try DerivedRoot(reference, of: index, in: table.state.access)
            guard root.state == .complete, root.versions == kind.versions else { return nil }
            return try FullTextKind.root(root.contents, of: index)
        } catch { throw DerivedKinds.explained(error, table.state.stored, "read") }
    }

    /// The terms of the index that meet a condition.
    func terms(_ matcher: Int) throws(FreeholdError) -> [[UInt8]] {
        if let known = terms[matcher] { return known }
        let found: [[UInt8]] = switch query.matchers[matcher] {
        case .exact(let term): [term]
        case .prefix(let bytes, let whole): try entries.terms(prefix: bytes) + (whole.map { [$0] } ?? [])
        case .character(let bytes): try entries.terms(prefix: bytes)
        case .fuzzy(let bytes, let distance): try entries.terms(FuzzyWord(bytes, distance: distance))
        }
        terms[matcher] = found
        return found
    }

    /// The number of sealed documents of each term that meets a condition, in the field of a path. A damaged index may count any.
    func counts(_ matcher: Int, _ path: Int) throws(FreeholdError) -> [Int] {
        if let known = counts[matcher]?[path] { return known }
        let found = try terms(matcher).map { term throws(FreeholdError) in try entries.count(of: term, field: fields[path]) }
        counts[matcher, default: Array(repeating: nil, count: fields.count)][path] = found
        return found
    }

    // MARK: documents

    /// The sealed documents with a term that meets a condition, in the field of a path.
    func documents(_ matcher: Int, _ path: Int) throws(FreeholdError) -> TermDocuments {
        if let known = documents[matcher]?[path] { return known }
        if case .prefix(let bytes, nil) = query.matchers[matcher] { return try read(matcher, prefix: bytes)[path] }
        if case .character(let bytes) = query.matchers[matcher] { return try read(matcher, prefix: bytes)[path] }
        let found = try read(matcher, path, in: .min ... .max)
        documents[matcher, default: Array(repeating: nil, count: fields.count)][path] = found
        return found
    }

    /// The documents with keys in a range, term by term.
    private func read(_ matcher: Int, _ path: Int, in keys: ClosedRange<Int64>) throws(FreeholdError) -> TermDocuments {
        let expected = try counts(matcher, path).reduce(0) { min($0 + min(max(0, $1), state.root.sealedCount), state.root.sealedCount) }
        var gatherer = TermDocuments.Gatherer(keys: usual(keys), expected: expected)
        for term in try terms(matcher) {
            gatherer.begin()
            for (number, start) in try entries.cursors(of: term, field: fields[path]).enumerated() {
                let level = OccurrenceLevel(OccurrenceClass(number: UInt8(number)))
                var cursor = start
                try gatherer.add(level) { add throws(FreeholdError) in try cursor.forEach(in: keys, add) }
            }
        }
        return gatherer.documents()
    }

    /// Those of a range of keys that objects have as a rule: keys count from 0.
    private func usual(_ keys: ClosedRange<Int64>) -> Range<Int64> {
        let end = max(0, state.root.nextKey), first = min(max(0, keys.lowerBound), end)
        return first..<max(first, keys.upperBound < end ? keys.upperBound + 1 : end)
    }

    /// Whether a range is so much smaller than that of all objects that it is read alone, though that is not kept.
    private func isNarrow(_ keys: ClosedRange<Int64>) -> Bool {
        usual(keys).count < usual(.min ... .max).count / 2
    }

    /// The keys, in a range, of the documents with a term that meets a condition, in the field of a path; ascending.
    func keys(_ matcher: Int, _ path: Int, in keys: ClosedRange<Int64>) throws(FreeholdError) -> [ObjectKey] {
        if documents[matcher]?[path] == nil, case .exact = query.matchers[matcher], isNarrow(keys) {
            return try read(matcher, path, in: keys).keys
        }
        let all = try documents(matcher, path).keys
        return keys == .min ... .max ? all : all.within([keys])
    }

    /// Walks over the entries of all terms that begin so.
    private func read(_ matcher: Int, prefix: [UInt8]) throws(FreeholdError) -> [TermDocuments] {
        let expected = min(max(0, try entries.entries(prefix: prefix)), state.root.sealedCount)
        var gatherers = fields.map { _ in TermDocuments.Gatherer(keys: usual(.min ... .max), expected: expected) }
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
            try gatherers[path].add(level) { add throws(FreeholdError) in try walk.union.forEach(through: .max) { if $1 == 1 { add($0) } } }
        }
        let found = gatherers.map { $0.documents() }
        documents[matcher] = found
        return found
    }

    /// The number of documents of that of the terms which most have in the field of a path.
    func containing(_ matcher: Int, _ path: Int) throws(FreeholdError) -> Int {
        if case .exact = query.matchers[matcher] { return try counts(matcher, path).first ?? 0 }
        return try documents(matcher, path).containing
    }

    /// How often each of some documents, ascending, has the terms that meet a condition, in the field of a path.
    func levels(_ matcher: Int, _ path: Int, of keys: [ObjectKey]) throws(FreeholdError) -> [OccurrenceLevel] {
        if let found = try levels(of: keys, fromPart: matcher, path) { return found }
        return try documents(matcher, path).levels(of: keys)
    }

    /// Those of some documents, ascending, that have the terms which meet a condition, in the field of a path.
    func common(_ matcher: Int, _ path: Int, _ keys: [ObjectKey]) throws(FreeholdError) -> [ObjectKey] {
        if let levels = try levels(of: keys, fromPart: matcher, path) { return zip(keys, levels).filter { $1 != .none }.map(\.0) }
        return try documents(matcher, path).common(keys)
    }

    /// The levels of documents by a part of those that a word has; nil if all of them are better read.
    private func levels(of keys: [ObjectKey], fromPart matcher: Int, _ path: Int) throws(FreeholdError) -> [OccurrenceLevel]? {
        guard documents[matcher]?[path] == nil, case .exact(let term) = query.matchers[matcher] else { return nil }
        guard let first = keys.first?.rawValue, let last = keys.last?.rawValue, first <= last else { return [] }
        if try containing(matcher, path) > Self.fewer * keys.count { return try levels(of: keys, term, fields[path]) }
        return isNarrow(first...last) ? try read(matcher, path, in: first...last).levels(of: keys) : nil
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
}

/// The full-text index that is declared for what a search searches.
struct SearchDeclaration {
    let index: StoredDerived
    /// The index's field of each path of the search.
    let fields: [Int]

    /// The indexes of a table that can answer a search, whether they can be used yet or not: those that have all that is searched,
    /// in its language.
    static func all(for search: BoundSearch, of table: Table) -> [SearchDeclaration] {
        guard search.paths.allSatisfy({ $0.origin == 0 }) else { return [] }
        return all(for: search.paths, of: table).filter { $0.language == search.analyzer.stemming?.algorithm }
    }

    /// The indexes of a table that have all that is searched: those with the fewest other fields first, so that weights and language
    /// are those of the index that was declared for the search.
    static func all(for paths: [BoundPath], of table: Table) -> [SearchDeclaration] {
        let stored = table.state.stored, origin = paths.first?.origin
        guard paths.allSatisfy({ $0.origin == origin }) else { return [] }
        let found = stored.derived.compactMap { index -> SearchDeclaration? in
            guard index.isFullText else { return nil }
            if let owner = index.owner, !table.schemaOf.lineage(of: Int(table.number)).contains(Int(owner)) { return nil }
            let fields = paths.compactMap { path in index.fields.firstIndex { Self.is(path, $0, stored) } }
            return fields.count == paths.count ? SearchDeclaration(index: index, fields: fields) : nil
        }
        return found.sorted { ($0.index.fields.count, $0.index.number) < ($1.index.fields.count, $1.index.number) }
    }

    /// The language of the index; nil for words as they are.
    var language: String? { index.fullTextOptions?.language }

    /// The weight of each path.
    var weights: [Double] { fields.map { Double(index.fields[$0].fullTextWeight ?? 256) / 256 } }

    /// Whether a path leads to a field.
    private static func `is`(_ path: BoundPath, _ field: DerivedField, _ stored: StoredClass) -> Bool {
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
