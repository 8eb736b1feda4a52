/// Walks the clusters of a tree in key order, starting at any key.
///
/// Clusters are contiguous in the file only until they are changed, so the processor cannot predict which bytes come
/// next; the node above can. While one cluster is read, the following ones are prefetched.
struct ClusterCursor {
    private let access: BlockAccess
    /// The column whose leaves will be read, or -1.
    private let column: Int
    /// The number of cache lines of a leaf that are prefetched.
    private let lines: Int
    /// Cache lines that cover most leaves entirely, and those that cover the head of any leaf.
    static let wholeLeaf = 40, headOfLeaf = 2
    /// Nodes above `node`, from the root, each with the position of the child on the path.
    private var path: [(node: ClusterInner, index: Int)] = []
    /// The node above the clusters, and the position of the current cluster in it.
    private var node: ClusterInner?
    private var index = 0
    private var leaf: ClusterView?
    /// The first key of the previous cluster. First keys must ascend, so the walk ends even in a damaged tree.
    private var lastFirstKey: Int64?

    /// The prefetch distance in clusters, then that of a cluster's leaf: chosen by the latency of memory.
    private static let clusterDistance = 6
    private static let leafDistance = 2

    init(
        _ root: BlockReference, from key: Int64 = .min, reading column: Int = -1, lines: Int = wholeLeaf, in access: BlockAccess
    ) throws(FreeholdError) {
        self.access = access
        self.column = column
        self.lines = lines
        if !root.isNull { try descend(root, to: key) }
    }

    /// The next cluster, or nil at the end.
    @inline(__always)
    mutating func next() throws(FreeholdError) -> ClusterView? {
        if let leaf {
            self.leaf = nil
            return leaf
        }
        guard let node, index + 1 < node.count else { return try nextNode() }
        index += 1
        lookAhead(node)
        let view = try access.view(node.child(index))
        guard view.kindByte == BlockKind.cluster.rawValue else { throw ClusterTree.wrongKind(view) }
        return ClusterView(view: view)
    }

    /// Safe: positions among at most 64 children.
    @inline(__always)
    private func lookAhead(_ node: ClusterInner) {
        let far = index &+ Self.clusterDistance
        if far < node.count { access.prefetch(node.child(far), lines: 5) }
        let near = index &+ Self.leafDistance
        if column >= 0, near < node.count, let view = access.verified(node.child(near)) {
            let leaf = ClusterView(view: view).leaf(column)
            access.prefetch(leaf, lines: min(leaf.granuleCount, lines))
        }
    }

    @inline(never)
    private mutating func nextNode() throws(FreeholdError) -> ClusterView? {
        node = nil
        while let (above, index) = path.popLast() {
            guard index + 1 < above.count else { continue }
            path.append((above, index + 1))
            try descend(above.child(index + 1), to: .min)
            defer { leaf = nil }
            return leaf
        }
        return nil
    }

    private mutating func descend(_ reference: BlockReference, to key: Int64) throws(FreeholdError) {
        var view = try access.view(reference)
        while view.kindByte == BlockKind.clusterInner.rawValue, path.count <= ClusterTree.maximumDepth {
            let inner = ClusterInner(view: view)
            if let node { path.append((node, index)) }
            node = inner
            index = inner.index(of: key)
            view = try access.view(inner.child(index))
        }
        guard view.kindByte == BlockKind.cluster.rawValue else { throw ClusterTree.wrongKind(view) }
        if let lastFirstKey, view.firstKey <= lastFirstKey { throw ClusterTree.outOfOrder(view) }
        lastFirstKey = view.firstKey
        leaf = ClusterView(view: view)
    }
}
