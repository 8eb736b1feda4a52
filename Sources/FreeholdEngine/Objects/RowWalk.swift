/// Walks the objects of a class in ascending key order: those in clusters and those of the tail.
///
/// Safe: places within a cluster of at most 256 rows.
struct RowWalk {
    private let state: TableState
    private var waiting: ArraySlice<RowView>
    private var cursor: ClusterCursor
    private var cluster: ClusterView?
    private var row = 0

    /// Walks the objects from `key` on; `column` is the one that will be read, or -1.
    init(_ state: TableState, from key: Int64 = .min, reading column: Int = -1) throws(FreeholdError) {
        self.state = state
        var rows: [RowView] = []
        try state.forEachTailRow { row throws(FreeholdError) in
            if row.key >= key { rows.append(row) }
        }
        waiting = rows.sorted { $0.key < $1.key }[...]
        cursor = try ClusterCursor(state.root.clusters, from: key, reading: column, in: state.access)
        cluster = try cursor.next()
        row = cluster?.lowerBound(key) ?? 0
    }

    /// The next object, or nil at the end.
    @inline(__always)
    mutating func next() throws(FreeholdError) -> Row? {
        while let cluster {
            guard row < cluster.count else {
                self.cluster = try cursor.next()
                row = 0
                continue
            }
            guard !cluster.isDeleted(row) else {
                row &+= 1
                continue
            }
            let key = cluster.key(row)
            if let tail = waiting.first, tail.key < key { return nextInTail() }
            defer { row &+= 1 }
            return Row(state: state, place: .cluster(cluster, row), key: ObjectKey(key))
        }
        return nextInTail()
    }

    /// The number of objects after the last one within its cluster whose keys are consecutive.
    var neighbours: Int {
        guard let cluster, cluster.keyWidth == 0, !cluster.isTombstoned, row > 0, row < cluster.count else { return 0 }
        if let tail = waiting.first, tail.key < cluster.key(cluster.count - 1) { return 0 }
        return cluster.count - row
    }

    mutating func skip(_ count: Int) {
        assert(count <= neighbours, "rows of this cluster")
        row += count
    }

    @inline(never)
    private mutating func nextInTail() -> Row? {
        waiting.popFirst().map { Row(state: state, place: .tail($0), key: ObjectKey($0.key)) }
    }
}
