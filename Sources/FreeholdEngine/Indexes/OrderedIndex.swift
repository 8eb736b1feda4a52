/// An ordered index: a copy-on-write tree of postings (key bytes, object key). A null root is an empty index.
///
/// ```swift
/// root = try OrderedIndex.apply(operations, to: root, table: 3, in: pending)
/// let index = OrderedIndex(root: root, access: pending.access)
/// let found = try index.count(of: key)
/// ```
struct OrderedIndex {
    let root: BlockReference
    let access: BlockAccess

    /// Applies the operations (sorting them if they are not) and returns the new root.
    ///
    /// Committed blocks are copied and freed, pending ones changed in place: the old root must not be used any more
    /// in this transaction.
    static func apply(_ operations: IndexOperations, to root: BlockReference, table: UInt32,
                      in pending: PendingBlocks) throws(FreeholdError) -> BlockReference {
        operations.sort()
        if operations.isEmpty { return root }
        return try IndexMerge(operations, table: table, in: pending).apply(to: root)
    }

    /// Applies the operations and forgets them; `root` becomes the new root.
    static func take(_ operations: IndexOperations, into root: inout BlockReference, table: UInt32,
                     in pending: PendingBlocks) throws(FreeholdError) {
        if operations.isEmpty { return }
        defer { operations.removeAll() }
        root = try apply(operations, to: root, table: table, in: pending)
    }

    /// The error in a block of kind `indexInner` or `indexLeaf`, or nil: for the verifier of first touches.
    static func complaint(about view: BlockView) -> String? {
        switch view.kind {
        case .indexLeaf: IndexLeaf.complaint(about: view)
        case .indexInner: IndexInner.complaint(about: view)
        default: "it is not an index block"
        }
    }

    @inline(never) static func notInOrder() -> FreeholdError {
        FreeholdError(.corrupt, "the keys of an index are not in order; run `freehold check`")
    }

    /// The root's node, or nil if the index is empty.
    @inline(__always) func top() throws(FreeholdError) -> IndexNode? {
        root.isNull ? nil : try IndexNode(root, below: IndexLayout.maximumLevel + 1, access)
    }

    /// The number of postings.
    func count() throws(FreeholdError) -> Int {
        switch try top() {
        case .leaf(let leaf): leaf.postings
        case .inner(let inner): inner.postings
        case nil: 0
        }
    }
}
