/// The index of links of a long list or map of links or mixed values: finds the leaves that link to an object without
/// reading every leaf.
///
/// The nodes of such a list's tree have numbers, which parents store with their references. An `OrderedIndex` beside
/// the tree has
/// ```
/// a target as indexes file it: its key (8 bytes); of mixed values its
///   class's number and key (12 bytes)          →  the number of every leaf that links to it
/// 0xFF and a node's number, big-endian          →  the number of the node above it
/// ```
/// So a leaf is found by going up by numbers and down again by positions. Positions of elements are never stored,
/// because every insertion moves the later ones; a node keeps its number wherever it moves.
struct Occurrences {
    let root: BlockReference
    let access: BlockAccess

    /// Whether any element links to the target.
    func contains(_ target: LinkTarget) throws(FreeholdError) -> Bool { try leaf(of: target) != nil }

    /// The number of one of the leaves that link to the target.
    private func leaf(of target: LinkTarget) throws(FreeholdError) -> UInt64? {
        let key = ByteBuffer(capacity: 16)
        Self.setKey(key, target: target)
        return try OrderedIndex(root: root, access: access).first(key.bytes).map { UInt64(bitPattern: $0.rawValue) }
    }

    /// The numbers of a node and of its ancestors.
    private func path(from number: UInt64) throws(FreeholdError) -> [UInt64] {
        let key = ByteBuffer(capacity: 16)
        var path = [number]
        while path.count <= ListInner.maximumLevel + 1 {
            Self.setKey(key, child: path[path.count - 1])
            guard let parent = try OrderedIndex(root: root, access: access).first(key.bytes) else { return path }
            path.append(UInt64(bitPattern: parent.rawValue))
        }
        throw ListTree.damaged("the parents of its nodes form a cycle")
    }

    /// A position in the tree that links to the target; nil if there is none.
    func position(linkingTo target: LinkTarget, in tree: ListTree) throws(FreeholdError) -> Int? {
        guard let number = try leaf(of: target) else { return nil }
        var path = try path(from: number)
        _ = path.popLast()
        var view = try access.view(tree.root), position = 0, level = ListInner.maximumLevel + 1
        while ListInner.isInner(view) {
            let inner = ListInner(view: view)
            guard inner.level < level, let next = path.popLast(), let place = (0..<inner.count).first(where: { inner.number($0) == next }) else { break }
            level = inner.level
            for before in 0..<place { position += inner.elements(before) }
            view = try access.view(inner.child(place))
        }
        guard path.isEmpty, !ListInner.isInner(view), let row = try ListLeaf(view, tree.shape).row(linkingTo: target, in: access) else {
            throw ListTree.damaged("its index of links does not lead to a leaf")
        }
        return position + row
    }

    static func setKey(_ key: ByteBuffer, target: LinkTarget) { key.setIndexKey(target.value, of: .link) }

    static func setKey(_ key: ByteBuffer, child number: UInt64) {
        key.removeAll()
        key.append(0xFF as UInt8)
        key.append(big: number)
    }
}

extension CollectionShape {
    /// Whether long collections of this shape have an index of links. Sets find their elements without one.
    var keepsOccurrences: Bool { isPlain && (type == .link || type == .mixed) && kind != .set }
}
