/// Walks the objects of some of the classes that share a table, in ascending key order. Skips clusters that have none
/// of them.
///
/// Safe: places within a cluster of at most 256 rows.
struct ScopeWalk {
    private let scope: ClassScope
    private let family: Family
    private var pass: BlockPass
    private var waiting: ArraySlice<RowView>
    private var cursor: ClusterCursor
    private var cluster: ClusterView?
    /// The classes of the cluster's rows; nil if all rows are in the scope.
    private var tags: PackedIntegers?
    private var row = 0

    /// Walks the objects from `key` on.
    init(_ pass: BlockPass, _ scope: ClassScope, _ family: Family, from key: Int64) throws(FreeholdError) {
        let state = pass.state
        self.pass = pass
        self.scope = scope
        self.family = family
        var rows: [RowView] = []
        try state.forEachTailRow { row throws(FreeholdError) in
            if row.key >= key, scope.contains(state.tag(of: row, family)) { rows.append(row) }
        }
        waiting = rows.sorted { $0.key < $1.key }[...]
        cursor = try Self.cursor(state, family, from: key)
        try nextCluster(from: key)
    }

    private static func cursor(_ state: TableState, _ family: Family, from key: Int64) throws(FreeholdError) -> ClusterCursor {
        try ClusterCursor(state.root.clusters, from: key, reading: family.classColumn, lines: ClusterCursor.headOfLeaf, in: state.access)
    }

    /// The next object, or nil at the end.
    @inline(__always)
    mutating func next() throws(FreeholdError) -> Row? {
        while let cluster {
            guard row < cluster.count else {
                try nextCluster(from: .min)
                continue
            }
            guard !cluster.isDeleted(row), tags.map({ scope.contains($0.isNull(row) ? 0 : $0[row]) }) ?? true else {
                row &+= 1
                continue
            }
            let key = cluster.key(row)
            if let tail = waiting.first, tail.key < key { return nextInTail() }
            defer { row &+= 1 }
            return Row(state: pass.state, place: .cluster(cluster, row), key: ObjectKey(key))
        }
        return nextInTail()
    }

    @inline(never)
    private mutating func nextInTail() -> Row? {
        waiting.popFirst().map { Row(state: pass.state, place: .tail($0), key: ObjectKey($0.key)) }
    }

    /// Moves to the next cluster with objects in the scope.
    @inline(never)
    private mutating func nextCluster(from key: Int64) throws(FreeholdError) {
        var low = key
        cluster = nil
        while let next = try cursor.next() {
            let last = next.key(next.count - 1)
            if last >= low, try isMeant(next) {
                cluster = next
                row = next.lowerBound(low)
                return
            }
            // Many clusters may be skipped without an object in between.
            guard pass.isFull, last < .max, pass.rest() else { continue }
            low = max(low, last + 1)
            cursor = try Self.cursor(pass.state, family, from: low)
        }
    }

    /// Whether a cluster has objects in the scope; notes which, if not all of them are.
    private mutating func isMeant(_ cluster: ClusterView) throws(FreeholdError) -> Bool {
        tags = nil
        guard let body = try pass.state.leaf(cluster, cluster.count - 1, family.classColumn) else { return scope.contains(0) }
        let leaf = PackedIntegers(body)
        guard scope.mayMeet(leaf) else { return false }
        if !scope.holdsAll(of: leaf) { tags = leaf }
        return true
    }

    /// Gives back what was decrypted if it is too much, after the object that `next` returned last.
    @inline(__always)
    mutating func rest(behind key: Int64) throws(FreeholdError) {
        guard pass.isFull, key < .max, pass.rest() else { return }
        cursor = try Self.cursor(pass.state, family, from: key + 1)
        try nextCluster(from: key + 1)
    }

    func end() { pass.end() }
}
