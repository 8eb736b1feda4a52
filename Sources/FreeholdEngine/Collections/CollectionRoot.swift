/// The top block of a collection that has outgrown its owner's leaf.
///
/// ```
/// header:     variant = kind (1 list, 2 set, 3 map)
/// references: 0 the elements, a tree; of a map its values in the order of their keys · 1 a map's keys, a tree; else null
///             2 where links are (`Occurrences`), or null
/// body:       elements u64 · the number that the next new node gets u64 · the number of the top node u64
/// ```
/// Safe throughout: `complaint` has checked references and body on first touch.
struct CollectionRoot {
    static let elements = 0
    static let keys = 1
    static let occurrences = 2
    static let references = 3
    static let bodyBytes = 24

    /// The contents of the block. No pointer to the block is kept, because its memory may be released while its reader
    /// is in use (`BlockWindow`).
    let parts: CollectionParts

    /// Reads the root at `reference`, which must be of this kind.
    init(_ reference: BlockReference, _ kind: CollectionKind, in access: BlockAccess) throws(FreeholdError) {
        let view = try access.view(reference)
        guard view.kindByte == BlockKind.collectionRoot.rawValue, view.variant == kind.rawValue else {
            throw ListTree.damaged("a \(kind.name) begins with a block of kind \(view.kindByte), variant \(view.variant)")
        }
        parts = CollectionParts(view)
        if count > Self.plainCount { try requirePlausible(in: access) }
    }

    /// Counts up to this are accepted without a comparison with the file's length.
    private static let plainCount = 1 << 20

    /// Nodes that share children could claim elements without limit; blocks that do not share them hold at most 256
    /// each.
    private func requirePlausible(in access: BlockAccess) throws(FreeholdError) {
        let blocks = access.fileLength / UInt64(BlockLayout.granule) + (access.pending?.pointee.count ?? 0)
        guard UInt64(count) / UInt64(ListEditor.leafElements) <= blocks else {
            throw ListTree.damaged("it counts \(count) elements, more than the file can hold")
        }
    }

    var count: Int { parts.count }

    /// The numbers of nodes, if they are numbered.
    var numbering: ListNumbering { parts.numbering }

    /// The index of links; nil if there is none.
    func occurrences(in access: BlockAccess) -> Occurrences? {
        parts.occurrences.isNull ? nil : Occurrences(root: parts.occurrences, access: access)
    }

    /// The tree of its elements, or of a map's values.
    func elements(_ shape: CollectionShape, in access: BlockAccess) -> ListTree {
        ListTree(root: parts.elements, count: count, shape: shape, access: access)
    }

    /// The tree of a map's keys.
    func keys(in access: BlockAccess) -> ListTree {
        ListTree(root: parts.keys, count: count, shape: .keys, access: access)
    }

    static func make(_ kind: CollectionKind, _ parts: CollectionParts, table: UInt32, in pending: PendingBlocks) -> BlockReference {
        let (reference, block) = pending.make(.collectionRoot, variant: kind.rawValue, table: table, references: references, body: bodyBytes)
        store(parts, in: block)
        return reference
    }

    static func store(_ parts: CollectionParts, in block: MutableBlock) {
        block.setReference(elements, parts.elements)
        block.setReference(keys, parts.keys)
        block.setReference(occurrences, parts.occurrences)
        block.body.storeBytes(of: UInt64(parts.count), as: UInt64.self)
        block.body.storeBytes(of: parts.numbering.next, toByteOffset: 8, as: UInt64.self)
        block.body.storeBytes(of: parts.numbering.top, toByteOffset: 16, as: UInt64.self)
    }

    /// Checks a root's bytes; returns the fault, or nil.
    static func complaint(about view: BlockView) -> String? {
        guard view.referenceCount >= references, view.bodyLength >= bodyBytes else { return "its parts do not fit" }
        guard let kind = CollectionKind(rawValue: view.variant) else { return "its kind \(view.variant) is unknown" }
        let count = view.body.load(as: UInt64.self)
        guard count > 0, count < ListInner.maximumElements else { return "it counts \(count) elements" }
        guard !view.reference(elements).isNull, view.reference(keys).isNull == (kind != .map) else { return "it lacks its elements" }
        return nil
    }
}

/// The contents of a collection's root.
struct CollectionParts {
    var count = 0
    var elements = BlockReference.null
    var keys = BlockReference.null
    var occurrences = BlockReference.null
    var numbering = ListNumbering()

    init() {}

    // Safe: `CollectionRoot.complaint` has checked references and body on first touch.
    fileprivate init(_ view: BlockView) {
        count = Int(truncatingIfNeeded: view.body.load(as: UInt64.self))
        elements = view.reference(CollectionRoot.elements)
        keys = view.reference(CollectionRoot.keys)
        occurrences = view.reference(CollectionRoot.occurrences)
        numbering = ListNumbering(next: view.body.loadUnaligned(fromByteOffset: 8, as: UInt64.self),
                                  top: view.body.loadUnaligned(fromByteOffset: 16, as: UInt64.self))
    }
}

/// The numbers of a list's nodes: each is assigned only once.
struct ListNumbering: Equatable {
    var next: UInt64 = 1
    /// The number of the top node.
    var top: UInt64 = 0
}
