/// Walks the clusters of a tree in key order, from any key on.
///
/// Clusters lie one after the other in the file only as long as nobody changes them, so the processor cannot know which
/// bytes come next; the node above does. While one cluster is read, others that follow are on their way.
struct ClusterCursor {
    private let access: BlockAccess
    /// The column whose leaves will be read, or -1.
    private let column: Int
    /// How many cache lines of a leaf are asked for ahead.
    private let lines: Int
    /// All of most leaves, and the head of any.
    static let wholeLeaf = 40, headOfLeaf = 2
    /// Nodes above `node`, from the root, each with the place of the child that is on the way.
    private var path: [(node: ClusterInner, index: Int)] = []
    /// The node above the clusters, and the place of the present one in it.
    private var node: ClusterInner?
    private var index = 0
    private var leaf: ClusterView?
    /// The first key of the cluster before: clusters in order lie at different places, so the walk ends.
    private var lastFirstKey: Int64?

    /// How many clusters ahead of the reader one is asked for, and then a leaf of one: what memory takes to answer.
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

    /// Safe: places among at most 64 children.
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
