/// Searches the objects that may be among the first of an order, without reading most others.
///
/// ```
/// 1  of each cluster, where its first object stands at most: the bounds of one leaf
/// 2  clusters, the most promising first; from each the rows that stand before the last one wanted so far
/// 3  until no cluster can have such a row
/// ```
/// 1. With one term whose words distinguish all values, objects with equal words are ordered by key; otherwise all of
///    them are candidates.
/// 2. Texts have no known bounds: a sample of clusters gives a first estimate, then all are read.
final class TopObjects {
    private let table: Table
    private let column: TopColumn
    private let limit: Int
    private let isOnly: Bool
    private let filter: SortFilter?
    // Safe (all exclusivity below): one thread uses this, and nothing here re-enters it.
    @exclusivity(unchecked) private var found: [Candidate] = []
    /// The last wanted word so far; nil until there are enough candidates.
    @exclusivity(unchecked) private var last: Candidate?
    /// Number of candidates to gather before the last ones are dropped.
    @exclusivity(unchecked) private var room: Int

    private struct Candidate: Comparable {
        let word: TopWord
        let key: Int64

        static func < (left: Candidate, right: Candidate) -> Bool { left.word == right.word ? left.key < right.key : left.word < right.word }
    }

    /// Nil if the type of the first term is not supported.
    init?(_ table: Table, _ terms: [CheckedTerm], limit: Int, _ filter: SortFilter? = nil) {
        guard let first = terms.first, let column = TopColumn(first, of: table) else { return nil }
        self.table = table
        self.column = column
        self.limit = limit
        self.filter = filter
        isOnly = terms.count == 1
        room = limit
    }

    /// The candidates, ascending by key; nil if there are too many for this to be useful.
    func candidates() throws(FreeholdError) -> [ObjectKey]? {
        try table.writer?.noteQuestion()
        let most = max(4096, table.state.count / 8)
        var pass = BlockPass(table)
        defer { pass.end() }
        for place in try clusters() {
            if let last, column.hasBounds, isOnly ? last < place : last.word < place.word { break }
            guard let cluster = try ClusterTree.cluster(for: place.key, root: pass.state.root.clusters, in: pass.state.access) else { continue }
            try gather(cluster, in: pass.state)
            if found.count > most { return nil }
            if pass.isFull { _ = pass.rest() }
        }
        let keys = found.map { ObjectKey($0.key) } + (try table.tailKeys(filter))
        return keys.sorted { $0.rawValue < $1.rawValue }
    }

    /// The clusters, by the bound of their first object, as far as that is known.
    private func clusters() throws(FreeholdError) -> [Candidate] {
        var clusters: [Candidate] = []
        try table.forEachCluster(reading: column.hasBounds ? column.index : -1, lines: ClusterCursor.headOfLeaf) { cluster, state throws(FreeholdError) in
            clusters.append(Candidate(word: try column.bound(cluster, in: state), key: cluster.firstKey))
            return true
        }
        if column.hasBounds { return clusters.sorted() }
        let step = clusters.count / Self.samples
        if step < 2 { return clusters }
        return clusters.indices.filter { $0 % step == 0 }.map { clusters[$0] } + clusters.indices.filter { $0 % step != 0 }.map { clusters[$0] }
    }

    private static let samples = 32

    private func gather(_ cluster: ClusterView, in state: TableState) throws(FreeholdError) {
        var rows = try table.rowsMeant(of: cluster, in: state)
        if let last { rows &= try column.rows(cluster, upTo: last.word, in: state) }
        if rows.isEmpty { return }
        if let filter { rows = try filter.rows(cluster, rows, state) }
        let before = found.count
        try rows.forEach { row throws(FreeholdError) in
            let candidate = Candidate(word: try column.word(cluster, row, in: state), key: cluster.key(row))
            if let last, isStrict(last) ? last < candidate : last.word < candidate.word { return true }
            found.append(candidate)
            return true
        }
        // For few objects the last one is updated at once.
        let isCheap = limit <= 64 && found.count < 4 * limit + 64
        if found.count > before, found.count >= (isCheap ? limit : room) { dropLast() }
    }

    private func isStrict(_ last: Candidate) -> Bool { isOnly && column.isExact(last.word) }

    /// Finds the last wanted word, and drops the candidates after it.
    private func dropLast() {
        found.sort()
        let last = found[limit - 1]
        self.last = last
        let end = isStrict(last) ? limit : found.firstIndex { $0.word > last.word } ?? found.count
        found.removeSubrange(end...)
        room = 2 * found.count + 256
    }
}
