/// Walks the keys of a class's objects in descending order: those in clusters and those of the tail.
///
/// A cluster has no reference to the one before it. The walk descends from the root for each: the previous cluster is
/// the one that holds the key just below the range of the following cluster.
///
/// Safe: places within a cluster of at most 256 rows.
struct BackwardWalk {
    private let table: Table
    private var pass: BlockPass
    /// Ascending.
    private var waiting: [Int64] = []
    private var cluster: ClusterView?
    private var rows = RowMask.none
    /// The number of rows of the cluster still to be read: its first ones.
    private var count = 0
    /// The maximum key of the range whose clusters were not read yet; nil after the first cluster of the class.
    private var rest: Int64?

    /// Starts a walk from `key` down. Reads no cluster yet. The caller ends the walk, also if reading fails.
    init(_ table: Table, from key: Int64) throws(FreeholdError) {
        self.table = table
        pass = BlockPass(table)
        let state = pass.state, scope = table.scope, family = state.stored.family
        rest = state.root.clusters.isNull ? nil : key
        var waiting: [Int64] = []
        try state.forEachTailRow { row throws(FreeholdError) in
            if row.key > key { return }
            if let scope, let family, !scope.contains(state.tag(of: row, family)) { return }
            waiting.append(row.key)
        }
        self.waiting = waiting.sorted()
    }

    /// The next key, or nil at the end.
    mutating func next() throws(FreeholdError) -> ObjectKey? {
        while true {
            guard let cluster, count > 0 else {
                if rest == nil { break }
                try previousCluster()
                continue
            }
            guard rows.contains(count - 1) else {
                count -= 1
                continue
            }
            let key = cluster.key(count - 1)
            if let tail = waiting.last, tail > key { return ObjectKey(waiting.removeLast()) }
            count -= 1
            return ObjectKey(key)
        }
        return waiting.popLast().map { ObjectKey($0) }
    }

    private mutating func previousCluster() throws(FreeholdError) {
        cluster = nil
        if pass.isFull { _ = pass.rest() }
        guard let key = rest else { return }
        let (found, least) = try ClusterTree.clusterRange(for: key, root: pass.state.root.clusters, in: pass.state.access)
        rest = least == .min ? nil : least.map { $0 - 1 }
        rows = try table.rowsMeant(of: found, in: pass.state)
        count = key == .max ? found.count : found.lowerBound(key + 1)
        cluster = found
    }

    mutating func end() { pass.end() }
}
