/// Finds many objects by key, in any order: while the processor waits for one object's memory, it prefetches the
/// others'.
///
/// A single look-up is a chain of cache misses, each of which yields the address of the next. So the keys of a group
/// advance together: all descend to their clusters, then all find their rows, then the caller reads all of them.
///
/// ```
/// step 1   nodes above the clusters: few, and near ─► ask for the cluster
/// step 2   head of the cluster: the row's place    ─► ask for the leaf of the column that will be read
/// step 3   the caller reads
/// ```
/// Safe throughout: positions within one group of at most `groupSize`, which `append` checks.
struct RowFinder: ~Copyable {
    /// The number of objects in a group: a few times the cache misses that a processor can have in flight.
    static let groupSize = 64

    private let state: TableState
    /// The column that will be read, or -1.
    private let column: Int
    private let group: UnsafeMutablePointer<Wanted>
    private var count = 0
    /// Whether the next `append` starts another group.
    private var isFound = false

    /// One object that is being looked up.
    private struct Wanted {
        let key: Int64?
        var child = BlockReference.null
        var place: RowPlace?
    }

    init(_ state: TableState, reading column: Int = -1) {
        self.state = state
        self.column = column
        group = .allocate(capacity: Self.groupSize)
    }

    deinit { group.deallocate() }

    /// Adds an object to the group that `find` looks up next; nil adds an empty entry.
    mutating func append(_ key: Int64?) {
        if isFound { (count, isFound) = (0, false) }
        precondition(count < Self.groupSize, "a group is found before it overflows")
        (group + count).initialize(to: Wanted(key: key))
        count += 1
    }

    /// The location of the object that was appended as the `index`th of the group; nil if there is none.
    func place(_ index: Int) -> RowPlace? {
        precondition(index < count, "only what was appended has a place")
        return group[index].place
    }

    /// Looks up the objects of the group.
    mutating func find() throws(FreeholdError) {
        if isFound { count = 0 }
        isFound = true
        state.noteGivenRows()
        let root = state.root.clusters
        if !root.isNull {
            for index in 0..<count {
                guard let key = group[index].key else { continue }
                let child = try ClusterTree.clusterReference(for: key, root: root, in: state.access)
                state.access.approach(child, lines: Self.headOfCluster)
                group[index].child = child
            }
        }
        for index in 0..<count {
            guard let key = group[index].key else { continue }
            group[index].place = try place(of: key, in: group[index].child)
        }
    }

    @inline(__always)
    private func place(of key: Int64, in child: BlockReference) throws(FreeholdError) -> RowPlace? {
        if state.hasTail, let place = try state.findInTail(key) { return place }
        if child.isNull { return nil }
        let cluster = try ClusterTree.cluster(child, in: state.access)
        guard let row = cluster.position(key), !cluster.isDeleted(row) else { return nil }
        if column >= 0 {
            let leaf = cluster.leaf(column)
            state.access.approach(leaf, lines: min(leaf.granuleCount, Self.linesOfLeaf))
        }
        return .cluster(cluster, row)
    }

    /// The number of cache lines that hold a cluster's head and its references to the first dozen columns.
    private static let headOfCluster = 4
    /// The number of cache lines of a leaf to prefetch: all of a leaf of small integers.
    private static let linesOfLeaf = 6
}
