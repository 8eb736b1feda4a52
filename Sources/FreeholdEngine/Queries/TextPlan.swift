/// The objects that a full-text search may find, by an index.
///
/// ```
/// runs ─► documents of each term ─► of each phrase, by field ─► of the search ─┐
/// tail ─► its objects that match, tested one by one ─────────────────────────┴─► keys
/// ```
/// 1. Every object that matches is found. If `isExact`, no other is: phrases of several terms, NEAR and single characters
/// are for the caller to verify on the strings.
/// 2. Of sealed objects the strings are not read.
final class TextPlan {
    private let table: Table
    private let indexed: IndexedSearch
    // Safe: a query is answered on one thread, and nothing here re-enters it.
    /// The maximum number of sealed documents of each phrase, once it is known.
    @exclusivity(unchecked) private var estimates: [Int: Int] = [:]
    let isExact: Bool
    /// The maximum number of objects.
    private(set) var estimate = 0

    private var search: BoundSearch { indexed.search }
    private var query: TermQuery { indexed.query }
    private var entries: TermEntries { indexed.entries }
    private var fields: [Int] { indexed.fields }

    /// Nil if no index of the table has what is searched, complete and as this program makes it. A transaction has not
    /// filed what it has changed, so it searches object by object.
    init?(_ search: BoundSearch, _ table: Table) throws(FreeholdError) {
        guard table.writer == nil, let indexed = try Self.index(for: search, table) else { return nil }
        self.table = table
        self.indexed = indexed
        isExact = Self.isExact(search.query.root, search.query)
        estimate = min(try estimate(query.root), table.state.root.sealedCount) + table.state.tailCount
    }

    private static func index(for search: BoundSearch, _ table: Table) throws(FreeholdError) -> IndexedSearch? {
        for declared in SearchDeclaration.all(for: search, of: table) {
            if let indexed = try search.indexed(by: declared, of: table) { return indexed }
        }
        return nil
    }

    // MARK: exactness and estimates

    private static func isExact(_ node: TermQuery.Node, _ query: TermQuery) -> Bool {
        switch node {
        case .phrase(let number):
            let steps = query.phrases[number].steps
            guard steps.count == 1 else { return false }
            return switch query.matchers[steps[0].matcher] {
            case .exact, .prefix: true
            case .character: false
            // A pair of characters is like a word only if all of the word may be replaced.
            case .fuzzy(let bytes, let distance): String(decoding: bytes, as: UTF8.self).unicodeScalars.count > distance
            }
        case .near: return false
        case .all(let nodes, let excluded): return (nodes + excluded).allSatisfy { isExact($0, query) }
        case .any(let nodes): return nodes.allSatisfy { isExact($0, query) }
        }
    }

    /// The maximum number of sealed documents.
    private func estimate(_ node: TermQuery.Node) throws(FreeholdError) -> Int {
        switch node {
        case .phrase(let number): return try estimate(phrase: number)
        case .near(let phrases, _):
            var least = Int.max
            for phrase in phrases { least = min(least, try estimate(phrase: phrase)) }
            return least
        case .all(let nodes, _):
            var least = Int.max
            for node in nodes { least = min(least, try estimate(node)) }
            return least
        case .any(let nodes):
            var sum = 0
            for node in nodes { sum += try estimate(node) }
            return sum
        }
    }

    private func estimate(phrase number: Int) throws(FreeholdError) -> Int {
        if let known = estimates[number] { return known }
        var sum = 0
        for path in fields.indices {
            var least = Int.max
            for step in query.phrases[number].steps { least = min(least, try estimate(matcher: step.matcher, path)) }
            sum += least
        }
        estimates[number] = sum
        return sum
    }

    private func estimate(matcher: Int, _ path: Int) throws(FreeholdError) -> Int {
        switch query.matchers[matcher] {
        case .exact, .fuzzy: return try indexed.counts(matcher, path).reduce(0) { bounded($0 + bounded($1)) }
        // The entries of all fields, of which those are counted twice that cancel one another.
        case .prefix(let bytes, nil), .character(let bytes): return bounded(try entries.entries(prefix: bytes))
        case .prefix(let bytes, .some):
            let whole = try indexed.counts(matcher, path).last ?? 0
            return bounded(try bounded(entries.entries(prefix: bytes)) + bounded(whole))
        }
    }

    /// A number of documents that there can be: counts of a damaged index may be any.
    private func bounded(_ count: Int) -> Int { min(max(0, count), table.state.root.sealedCount) }

    // MARK: asking

    /// The keys of the objects, ascending, of those in a range; of others some may be there, too.
    func keys(in keys: ClosedRange<Int64> = .min ... .max) throws(FreeholdError) -> [ObjectKey] {
        var found = try documents(query.root, keys)
        if table.scope != nil {
            var kept: [ObjectKey] = []
            for key in found where try table.contains(key) { kept.append(key) }
            found = kept
        }
        let waiting = try matchesInTail()
        return .union([found, waiting])
    }

    /// The objects of the tail that match, ascending.
    private func matchesInTail() throws(FreeholdError) -> [ObjectKey] {
        guard table.state.hasRowsInTail else { return [] }
        var keys: [Int64] = [], found: [ObjectKey] = []
        try table.state.forEachTailRow { keys.append($0.key) }
        let context = QueryContext()
        for key in keys.sorted() {
            guard let row = try table.row(ObjectKey(key)) else { continue }
            context.look(at: row)
            if try search.holds(context) { found.append(ObjectKey(key)) }
        }
        return found
    }

    /// The number of objects, if it takes no list of them: of those with one word in one property; nil otherwise.
    func countAtOnce() throws(FreeholdError) -> Int? {
        guard table.scope == nil, fields.count == 1, case .phrase(let number) = query.root,
              let matcher = query.term(of: query.phrases[number]), case .exact = query.matchers[matcher] else { return nil }
        return bounded(try indexed.containing(matcher, 0)) + (try matchesInTail()).count
    }

    /// The sealed documents, in a range of keys, of a part of the search.
    private func documents(_ node: TermQuery.Node, _ keys: ClosedRange<Int64>) throws(FreeholdError) -> [ObjectKey] {
        switch node {
        case .phrase(let number): return try documents(phrase: number, keys)
        case .near(let phrases, _): return try common(phrases.map { .phrase($0) }, keys)
        case .all(let nodes, let excluded):
            var found = try common(nodes, keys)
            for node in excluded where !found.isEmpty && Self.isExact(node, query) {
                found = found.without(try documents(node, keys))
            }
            return found
        case .any(let nodes):
            var all: [[ObjectKey]] = []
            for node in Set(nodes) { all.append(try documents(node, keys)) }
            return .union(all)
        }
    }

    /// The documents of all parts: those of the rarest part, of which the others leave some.
    private func common(_ nodes: [TermQuery.Node], _ keys: ClosedRange<Int64>) throws(FreeholdError) -> [ObjectKey] {
        var ordered: [(node: TermQuery.Node, estimate: Int)] = []
        // A word that is repeated is read once.
        for node in Set(nodes) { ordered.append((node, try estimate(node))) }
        ordered.sort { $0.estimate < $1.estimate }
        var found: [ObjectKey]?
        for (node, _) in ordered {
            guard let known = found else {
                found = try documents(node, keys)
                continue
            }
            if known.isEmpty { break }
            if case .phrase(let number) = node, query.phrases[number].steps.count == 1 {
                let matcher = query.phrases[number].steps[0].matcher
                found = .union(try fields.indices.map { path throws(FreeholdError) in try indexed.common(matcher, path, known) })
            } else {
                found = known.common(try documents(node, keys))
            }
        }
        return found ?? []
    }

    /// The documents that have all terms of a phrase in one field, of a range of keys.
    private func documents(phrase number: Int, _ keys: ClosedRange<Int64>) throws(FreeholdError) -> [ObjectKey] {
        var all: [[ObjectKey]] = []
        for path in fields.indices {
            var steps: [(matcher: Int, estimate: Int)] = []
            for step in query.phrases[number].steps { steps.append((step.matcher, try estimate(matcher: step.matcher, path))) }
            steps.sort { $0.estimate < $1.estimate }
            var found = try indexed.keys(steps[0].matcher, path, in: keys)
            for (matcher, _) in steps.dropFirst() where !found.isEmpty { found = try indexed.common(matcher, path, found) }
            all.append(found)
        }
        return .union(all)
    }
}
