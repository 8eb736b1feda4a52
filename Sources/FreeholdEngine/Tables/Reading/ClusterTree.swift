/// The tree of a class's sealed objects, by object key.
enum ClusterTree {
    /// The maximum depth of a tree that fits a file; a deeper one is a loop.
    static let maximumDepth = 12

    /// The cluster whose key range holds `key`.
    @inline(__always)
    static func cluster(for key: Int64, root: BlockReference, in access: BlockAccess) throws(FreeholdError) -> ClusterView? {
        if root.isNull { return nil }
        var view = try access.view(root)
        var depth = 0
        while view.kindByte == BlockKind.clusterInner.rawValue {
            let inner = ClusterInner(view: view)
            view = try access.view(inner.child(inner.index(of: key)))
            depth += 1
            if depth > maximumDepth { throw wrongKind(view) }
        }
        guard view.kindByte == BlockKind.cluster.rawValue else { throw wrongKind(view) }
        return ClusterView(view: view)
    }

    /// The cluster whose key range holds `key` in a tree that is not empty, and the minimum key of the range; nil for
    /// the first cluster, whose range has no minimum.
    static func clusterRange(for key: Int64, root: BlockReference, in access: BlockAccess) throws(FreeholdError) -> (ClusterView, least: Int64?) {
        var view = try access.view(root)
        var least: Int64?
        for _ in 0..<maximumDepth where view.kindByte == BlockKind.clusterInner.rawValue {
            let inner = ClusterInner(view: view), place = inner.index(of: key)
            if place > 0 { least = inner.firstKey(place) }
            view = try access.view(inner.child(place))
        }
        guard view.kindByte == BlockKind.cluster.rawValue else { throw wrongKind(view) }
        return (ClusterView(view: view), least)
    }

    /// The reference of the cluster whose range holds `key`. Does not read the cluster unless it is the whole tree.
    @inline(__always)
    static func clusterReference(for key: Int64, root: BlockReference, in access: BlockAccess) throws(FreeholdError) -> BlockReference {
        var reference = root
        for _ in 0...maximumDepth {
            let view = try access.view(reference)
            guard view.kindByte == BlockKind.clusterInner.rawValue else { return reference }
            let inner = ClusterInner(view: view)
            reference = inner.child(inner.index(of: key))
            if inner.level == 1 { break }
        }
        return reference
    }

    /// The cluster at a reference.
    @inline(__always)
    static func cluster(_ reference: BlockReference, in access: BlockAccess) throws(FreeholdError) -> ClusterView {
        let view = try access.view(reference)
        guard view.kindByte == BlockKind.cluster.rawValue else { throw wrongKind(view) }
        return ClusterView(view: view)
    }

    /// The cluster for `key`; the cluster and all nodes above it are made editable in place.
    static func edit(for key: Int64, root: inout BlockReference, in pending: PendingBlocks) throws(FreeholdError) -> MutableBlock {
        var block = try pending.edit(&root)
        var depth = 0
        while block.view.kindByte == BlockKind.clusterInner.rawValue {
            depth += 1
            if depth > maximumDepth { throw wrongKind(block.view) }
            let index = ClusterInner(view: block.view).index(of: key)
            var child = block.view.reference(index)
            let below = try pending.edit(&child)
            block.setReference(index, child)
            block = below
        }
        guard block.view.kindByte == BlockKind.cluster.rawValue else { throw wrongKind(block.view) }
        return block
    }

    /// Points the parent of `key`'s cluster, which is already pending, to another block.
    static func replace(clusterOf key: Int64, by reference: BlockReference, root: inout BlockReference,
                        in pending: PendingBlocks) throws(FreeholdError) {
        var block = try pending.edit(&root)
        var place: (parent: MutableBlock, index: Int)?
        while block.view.kindByte == BlockKind.clusterInner.rawValue {
            let inner = ClusterInner(view: block.view)
            let index = inner.index(of: key)
            var child = inner.child(index)
            place = (block, index)
            block = try pending.edit(&child)
        }
        if let place { place.parent.setReference(place.index, reference) } else { root = reference }
    }

    /// The number of objects below a node.
    static func objects(_ root: BlockReference, in access: BlockAccess) throws(FreeholdError) -> Int {
        if root.isNull { return 0 }
        let view = try access.view(root)
        guard view.kind == .clusterInner else { return ClusterView(view: view).count }
        let inner = ClusterInner(view: view)
        return (0..<inner.count).reduce(0) { $0 + inner.objects($1) }
    }

    static func outOfOrder(_ view: BlockView) -> FreeholdError {
        FreeholdError(.corrupt, "the objects from \(view.firstKey) on stand out of order in the object tree of table "
            + "\(view.table); run `freehold check`")
    }

    static func wrongKind(_ view: BlockView) -> FreeholdError {
        FreeholdError(.corrupt, "a block of kind \(view.kindByte) stands in the object tree of table \(view.table); "
            + "run `freehold check`")
    }
}
