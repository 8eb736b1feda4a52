/// The block at the top of a collection that has outgrown its owner's leaf.
///
/// ```
/// header:     variant = kind (1 list, 2 set, 3 map)
/// references: 0 the elements, a tree; of a map its values in the order of their keys · 1 a map's keys, a tree; else null
/// body:       elements u64
/// ```
/// Safe throughout: `complaint` has checked references and body on first touch.
struct CollectionRoot {
    static let elements = 0
    static let keys = 1
    static let references = 2

    let view: BlockView

    /// The root at `reference`, which has to be of this kind.
    init(_ reference: BlockReference, _ kind: CollectionKind, in access: BlockAccess) throws(FreeholdError) {
        view = try access.view(reference)
        guard view.kindByte == BlockKind.collectionRoot.rawValue, view.variant == kind.rawValue else {
            throw ListTree.damaged("a \(kind.name) begins with a block of kind \(view.kindByte), variant \(view.variant)")
        }
        if count > Self.plainCount { try requirePlausible(in: access) }
    }

    /// Counts up to this are believed without a look at the file's length.
    private static let plainCount = 1 << 20

    /// Nodes that share children could hold elements without end; blocks that do not hold at most 256 each.
    private func requirePlausible(in access: BlockAccess) throws(FreeholdError) {
        let blocks = access.fileLength / UInt64(BlockLayout.granule) + (access.pending?.pointee.count ?? 0)
        guard UInt64(count) / UInt64(ListEditor.leafElements) <= blocks else {
            throw ListTree.damaged("it counts \(count) elements, more than the file can hold")
        }
    }

    var count: Int { Int(truncatingIfNeeded: view.body.load(as: UInt64.self)) }

    /// Its elements, or a map's values.
    func elements(_ shape: CollectionShape, in access: BlockAccess) -> ListTree {
        ListTree(root: view.reference(Self.elements), count: count, shape: shape, access: access)
    }

    /// A map's keys.
    func keys(in access: BlockAccess) -> ListTree {
        ListTree(root: view.reference(Self.keys), count: count, shape: .keys, access: access)
    }

    static func make(_ kind: CollectionKind, count: Int, elements: BlockReference, keys: BlockReference, table: UInt32,
                     in pending: PendingBlocks) -> BlockReference {
        let (reference, block) = pending.make(.collectionRoot, variant: kind.rawValue, table: table, references: references, body: 8)
        store(count: count, elements: elements, keys: keys, in: block)
        return reference
    }

    static func store(count: Int, elements: BlockReference, keys: BlockReference, in block: MutableBlock) {
        block.setReference(Self.elements, elements)
        block.setReference(Self.keys, keys)
        block.body.storeBytes(of: UInt64(count), as: UInt64.self)
    }

    /// What is wrong with a root's bytes, or nil.
    static func complaint(about view: BlockView) -> String? {
        guard view.referenceCount >= references, view.bodyLength >= 8 else { return "its parts do not fit" }
        guard let kind = CollectionKind(rawValue: view.variant) else { return "its kind \(view.variant) is unknown" }
        let count = view.body.load(as: UInt64.self)
        guard count > 0, count < ListInner.maximumElements else { return "it counts \(count) elements" }
        guard !view.reference(elements).isNull, view.reference(keys).isNull == (kind != .map) else { return "it lacks its elements" }
        return nil
    }
}
