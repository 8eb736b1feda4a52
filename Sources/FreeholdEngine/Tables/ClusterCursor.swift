/// Walks the clusters of a tree in key order, from any key on.
struct ClusterCursor {
    private let access: BlockAccess
    private var path: [(node: ClusterInner, index: Int)] = []
    private var leaf: ClusterView?

    init(_ root: BlockReference, from key: Int64 = .min, in access: BlockAccess) throws(FreeholdError) {
        self.access = access
        if !root.isNull { try descend(root, to: key) }
    }

    /// The next cluster, or nil at the end.
    mutating func next() throws(FreeholdError) -> ClusterView? {
        if let leaf {
            self.leaf = nil
            return leaf
        }
        while let (node, index) = path.popLast() {
            guard index + 1 < node.count else { continue }
            path.append((node, index + 1))
            try descend(node.child(index + 1), to: .min)
            defer { leaf = nil }
            return leaf
        }
        return nil
    }

    private mutating func descend(_ reference: BlockReference, to key: Int64) throws(FreeholdError) {
        var view = try access.view(reference)
        while view.kindByte == BlockKind.clusterInner.rawValue, path.count <= ClusterTree.maximumDepth {
            let inner = ClusterInner(view: view)
            let index = inner.index(of: key)
            path.append((inner, index))
            view = try access.view(inner.child(index))
        }
        guard view.kindByte == BlockKind.cluster.rawValue else { throw ClusterTree.wrongKind(view) }
        leaf = ClusterView(view: view)
    }
}
