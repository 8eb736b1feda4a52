import CShims

/// One side of a comparison of versions: the rest of the tree, the current cluster, and the tail rows.
struct ChangeSide {
    let state: TableState
    var walk: TreeWalk
    private(set) var cluster: ClusterView?
    private(set) var row = 0
    /// The key of that row.
    private(set) var clusterKey: Int64?
    /// Rows of tail blocks that the other version does not have, by key.
    private var tail: [(row: RowView, incarnation: UInt64)] = []
    private var tailPlace = 0
    /// The key of the next tail row.
    private(set) var tailKey: Int64?

    init(_ state: TableState, against other: TableState) throws(FreeholdError) {
        self.state = state
        walk = try TreeWalk(state.root.clusters, in: state.access)
        try state.needTails()
        for (place, block) in state.tails.enumerated() {
            let reference = state.root.tails[place]
            if other.root.tails.contains(where: { $0.isSameBlock(as: reference) }) { continue }
            tail.reserveCapacity(tail.count + block.count)
            for index in 0..<block.count { tail.append((try state.checked(block.row(index)), block.incarnation(index))) }
        }
        tail.sort { $0.row.key < $1.row.key }
        tailKey = tail.first?.row.key
    }

    /// The smallest key among the loaded rows; rows below the walk's head do not count.
    var key: Int64? {
        guard let clusterKey else { return tailKey }
        return tailKey.map { min($0, clusterKey) } ?? clusterKey
    }

    var isAtEnd: Bool { cluster == nil && tailKey == nil && walk.head == nil }

    /// The row of the object with the smallest key.
    var place: RowPlace? {
        if let cluster, let clusterKey, tailKey.map({ clusterKey < $0 }) ?? true { return .cluster(cluster, row) }
        return tailPlace < tail.count ? .tail(tail[tailPlace].row) : nil
    }

    /// The incarnation of the object with the smallest key, 0 for none.
    var incarnation: UInt64 {
        if isInCluster, let cluster { return cluster.incarnation(row) }
        return tailPlace < tail.count ? tail[tailPlace].incarnation : 0
    }

    /// Whether the smallest key is in the cluster.
    var isInCluster: Bool { clusterKey.map { key in tailKey.map { key < $0 } ?? true } ?? false }

    /// Leaves out rows of tails that are the same bytes on both sides, of one object: most rows of a tail block are those of the block
    /// before it. The classes have the same columns.
    ///
    /// Safe: both rows were compared with their class's layout when they were loaded.
    static func skipSameTailRows(_ one: inout ChangeSide, _ other: inout ChangeSide, since: UInt64) {
        if one.tail.isEmpty || other.tail.isEmpty { return }
        var left: [(row: RowView, incarnation: UInt64)] = [], right = left
        var i = 0, j = 0
        while i < one.tail.count, j < other.tail.count {
            let (row, incarnation) = one.tail[i], (after, newIncarnation) = other.tail[j]
            let isBoth = row.key == after.key
            let isSame = isBoth && max(incarnation, newIncarnation) <= since && row.length == after.length
                && freehold_shim_compare(row.start, after.start, row.length) == 0
            if !isSame, row.key <= after.key { left.append((row, incarnation)) }
            if !isSame, after.key <= row.key { right.append((after, newIncarnation)) }
            if row.key <= after.key { i += 1 }
            if isBoth || after.key < row.key { j += 1 }
        }
        one.replaceTail(by: left + one.tail[i...])
        other.replaceTail(by: right + other.tail[j...])
    }

    private mutating func replaceTail(by rows: [(row: RowView, incarnation: UInt64)]) {
        tail = rows
        tailKey = tail.first?.row.key
    }

    /// Loads the cluster that is the walk's head.
    mutating func load(_ head: TreeWalk.Head) throws(FreeholdError) {
        let view = try walk.take(head)
        // In an intact tree, the head begins after every loaded row.
        if cluster != nil { throw ClusterTree.outOfOrder(view.view) }
        cluster = view
        row = 0
        clusterKey = view.key(0)
    }

    /// Advances past the object with the smallest key.
    mutating func advance() {
        if isInCluster { return advance(rows: 1) }
        tailPlace += 1
        tailKey = tailPlace < tail.count ? tail[tailPlace].row.key : nil
    }

    /// Advances by this number of rows of the cluster.
    mutating func advance(rows: Int) {
        guard let cluster else { return }
        row += rows
        if row < cluster.count {
            clusterKey = cluster.key(row)
        } else {
            self.cluster = nil
            clusterKey = nil
        }
    }

    /// The number of objects not compared yet.
    mutating func countRest() throws(FreeholdError) -> Int {
        var count = (cluster.map { $0.count - row } ?? 0) + tail.count - tailPlace
        while walk.head != nil {
            count += try walk.objectsOfHead()
            walk.skip()
        }
        return count
    }
}
