/// One pass that applies sorted operations to a tree: downwards, each node gets the slice of operations that belongs
/// to it; upwards, each returns the nodes that replace it.
///
/// 1. Nodes without operations are not read, and nodes without changes are not rewritten.
/// 2. The first node returned takes the separator of the one it replaces; the others bring their own.
/// 3. A replaced block is freed; a remainder goes with its entry or separator, and is freed with it.
///
/// Safe throughout: operations are read inside `0..<operations.count`, views come from `BlockAccess` and stay valid
/// for the whole transaction; `page` holds the longest block.
final class IndexMerge {
    let pending: PendingBlocks
    let access: BlockAccess
    let table: UInt32
    let operations: IndexOperations
    let list: UnsafeMutablePointer<IndexOperation>

    // Safe (all exclusivity below): the pass runs on one thread, and its functions hold no access over a call.
    /// The contents of the new leaf.
    @exclusivity(unchecked) var entries: [IndexEntry] = []
    @exclusivity(unchecked) var remainders: [BlockReference] = []
    /// Whether they differ from the old contents.
    @exclusivity(unchecked) var hasChanged = false
    /// The separator between the next leaf and those written.
    @exclusivity(unchecked) var nextSeparator: IndexSeparator?
    /// Postings of a chunk that is being changed.
    @exclusivity(unchecked) var merged: [Int64] = []

    /// Keys and postings of `entries`.
    @exclusivity(unchecked) var arena: IndexArena
    /// Keys and postings of the entries before the last flush.
    @exclusivity(unchecked) var otherArena: IndexArena
    /// Keys of separators, until the pass ends.
    let separatorKeys: IndexArena
    /// The memory in which nodes are laid out before they become blocks.
    let page: UnsafeMutableRawPointer
    private let workspace: IndexWorkspace

    init(_ operations: IndexOperations, table: UInt32, in pending: PendingBlocks) {
        self.operations = operations
        self.table = table
        self.pending = pending
        access = pending.access
        list = operations.list
        workspace = operations.workspace ?? IndexWorkspace()
        (arena, otherArena, separatorKeys, page) = (workspace.arena, workspace.otherArena, workspace.separatorKeys, workspace.page)
    }

    deinit { workspace.reset() }

    /// Runs the whole pass; returns the new root.
    func apply(to root: BlockReference) throws(FreeholdError) -> BlockReference {
        var children: [IndexChild] = []
        var level = 0
        if root.isNull {
            try mergeLeaf(.null, 0..<operations.count, isRightmost: true, into: &children)
        } else {
            level = try merge(root, below: IndexLayout.maximumLevel + 1, 0..<operations.count, isRightmost: true, into: &children)
        }
        while children.count > 1 {
            level += 1
            guard level <= IndexLayout.maximumLevel else {
                throw FreeholdError(.corrupt, "an index tree has more than \(IndexLayout.maximumLevel) levels; run `freehold check`")
            }
            var above: [IndexChild] = []
            try writeInner(level: level, children, fillsUp: false, into: &above)
            children = above
        }
        return try withoutSingleChildren(children.first?.reference ?? .null)
    }

    /// Applies operations to a node; returns the node's level.
    @discardableResult
    func merge(_ reference: BlockReference, below level: Int, _ range: Range<Int>, isRightmost: Bool,
               into children: inout [IndexChild]) throws(FreeholdError) -> Int {
        switch try IndexNode(reference, below: level, access) {
        case .leaf:
            try mergeLeaf(reference, range, isRightmost: isRightmost, into: &children)
            return 0
        case .inner(let inner):
            try mergeInner(reference, inner, range, isRightmost: isRightmost, into: &children)
            return inner.level
        }
    }

    private func withoutSingleChildren(_ root: BlockReference) throws(FreeholdError) -> BlockReference {
        var root = root
        var level = IndexLayout.maximumLevel + 1
        while !root.isNull {
            guard case .inner(let inner) = try IndexNode(root, below: level, access), inner.count == 1 else { break }
            pending.free(root)
            level = inner.level
            root = inner.reference(0)
        }
        return root
    }

    @inline(__always) func key(_ operation: Int) -> IndexKey { operations.key(of: list[operation]) }

    /// Frees what a separator that is no longer needed owns.
    func drop(_ separator: IndexSeparator?) {
        if let separator { pending.free(separator.remainder) }
    }

    /// A block for the part of a key beyond `IndexLayout.inlineKeyBytes`.
    func makeRemainder(_ bytes: IndexKey) -> BlockReference {
        let (reference, block) = pending.make(.indexLeaf, variant: IndexLayout.remainderVariant, table: table, body: bytes.count)
        block.body.copyMemory(from: bytes.start, byteCount: bytes.count)
        return reference
    }
}
