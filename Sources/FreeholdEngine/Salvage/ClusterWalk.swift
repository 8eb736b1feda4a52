/// Walks the readable rest of a tree of clusters in key order, and reports holes. Decrypted memory may be released
/// between two blocks: views obtained before a walk are invalid after it.
struct ClusterWalk {
    let access: BlockAccess
    let onCluster: (ClusterView, BlockReference) throws -> Void
    let onHole: (Hole) -> Void

    func run(_ root: BlockReference, objects: Int) throws {
        if !root.isNull { try visit(root, level: nil, Hole(part: .clusters, low: .min, high: nil, birth: root.birth, objects: objects)) }
    }

    /// - Parameter range: the hole to report if the block cannot be read.
    private func visit(_ reference: BlockReference, level: Int?, _ range: Hole) throws {
        _ = access.shadow?.rest()
        guard let view = try? access.view(reference) else { return onHole(range) }
        if view.kind == .clusterInner {
            let inner = ClusterInner(view: view)
            guard inner.level > 0, inner.level <= ClusterTree.maximumDepth, level == nil || level == inner.level,
                  let parts = parts(of: inner, range) else { return onHole(range) }
            let children = parts.indices.map { inner.child($0) }, below = inner.level - 1
            for (child, part) in zip(children, parts) { try visit(child, level: below, part) }
        } else if view.kind == .cluster, level == nil || level == 0 {
            let cluster = ClusterView(view: view)
            guard range.contains(cluster.firstKey), range.contains(cluster.key(cluster.count - 1)) else { return onHole(range) }
            try onCluster(cluster, reference)
        } else {
            onHole(range)
        }
    }

    /// The range of each child; nil if separators do not ascend.
    private func parts(of inner: ClusterInner, _ range: Hole) -> [Hole]? {
        var parts: [Hole] = [], low = range.low
        for index in 0..<inner.count {
            let high = index + 1 < inner.count ? inner.firstKey(index + 1) : range.high
            if let high, high <= low || range.high.map({ high > $0 }) ?? false { return nil }
            parts.append(Hole(part: .clusters, low: low, high: high, birth: inner.child(index).birth, objects: inner.objects(index)))
            low = high ?? low
        }
        return parts
    }
}
