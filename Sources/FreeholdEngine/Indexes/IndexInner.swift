/// An inner node: up to 64 children, their counts of postings, and their separators. README.md draws the bytes.
///
/// Separator i lies between children i and i + 1: everything left of it is before (key, object key), everything
/// right of it is not.
///
/// Safe throughout: made from blocks that `IndexInner.complaint` has passed (or that this process wrote); indexes
/// are below `count`.
struct IndexInner {
    let keys: IndexKeyTable
    let level: Int

    /// The number of children.
    @inline(__always) var count: Int { keys.count &+ 1 }
    @inline(__always) var block: BlockView { keys.block }
    @inline(__always) var postings: Int { end(keys.count) }

    init(_ view: BlockView) throws(FreeholdError) {
        guard view.kindByte == BlockKind.indexInner.rawValue else {
            throw FreeholdError(.corrupt, "an index refers to a block that is not an index node; run `freehold check`")
        }
        self.init(unchecked: view)
    }

    @inline(__always) init(unchecked view: BlockView) {
        let body = view.body
        let count = view.count
        let heads = body + (16 &* count &- 4)
        let offsets = heads + 4 &* (count &- 1)
        let prefix = IndexKey(start: offsets + 2 &* count, count: Int((heads - 4).load(as: UInt16.self)))
        keys = IndexKeyTable(block: view, body: body, heads: heads, offsets: offsets, count: count &- 1, prefix: prefix)
        level = Int(view.variant)
    }

    /// The number of postings of the children up to and including `child`.
    @inline(__always) func end(_ child: Int) -> Int {
        Int(truncatingIfNeeded: keys.body.load(fromByteOffset: child &* 8, as: UInt64.self))
    }

    /// The number of postings of the children before `child`.
    @inline(__always) func start(_ child: Int) -> Int { child == 0 ? 0 : end(child &- 1) }

    @inline(__always) func postings(_ child: Int) -> Int { end(child) &- start(child) }

    /// The object key of separator `index`; `Int64.min` where the key alone separates.
    @inline(__always) func objectKey(_ index: Int) -> Int64 {
        keys.body.load(fromByteOffset: 8 &* count &+ 8 &* index, as: Int64.self)
    }

    @inline(__always) func reference(_ child: Int) -> BlockReference { block.reference(child) }

    /// The child that contains, or would contain, (key, object key).
    @inline(__always)
    func child(for key: IndexKey, _ objectKey: Int64, _ access: BlockAccess) throws(FreeholdError) -> Int {
        let (lower, upper) = try keys.range(of: key, access)
        return lower &+ separators(lower, upper, upTo: objectKey)
    }

    /// Counts those of the separators `low..<high`, which have one key, that are at or before `objectKey`.
    @inline(__always) func separators(_ low: Int, _ high: Int, upTo objectKey: Int64) -> Int {
        var bottom = low, top = high
        while bottom < top {
            let middle = (bottom &+ top) &>> 1
            if self.objectKey(middle) <= objectKey { bottom = middle &+ 1 } else { top = middle }
        }
        return bottom &- low
    }

    /// The child that holds the posting of this rank, and the rank inside it.
    @inline(__always) func child(atRank rank: Int) -> (child: Int, rank: Int) {
        var low = 0, high = count &- 1
        while low < high {
            let middle = (low &+ high) &>> 1
            if end(middle) <= rank { low = middle &+ 1 } else { high = middle }
        }
        return (low, rank &- start(low))
    }
}

/// A node of either kind, decided by its block.
enum IndexNode {
    case leaf(IndexLeaf)
    case inner(IndexInner)

    /// The node at a reference; `below` is the level of the node that holds it.
    @inline(__always)
    init(_ reference: BlockReference, below level: Int, _ access: BlockAccess) throws(FreeholdError) {
        let view = try access.view(reference)
        if view.kindByte == BlockKind.indexInner.rawValue {
            let inner = IndexInner(unchecked: view)
            if inner.level < level {
                self = .inner(inner)
                return
            }
        } else if view.kindByte == BlockKind.indexLeaf.rawValue, view.variant == IndexLayout.leafVariant {
            self = .leaf(IndexLeaf(unchecked: view))
            return
        }
        throw Self.misplaced(level)
    }

    @inline(never) private static func misplaced(_ level: Int) -> FreeholdError {
        FreeholdError(.corrupt, "an index node of level \(level) refers to a block that is not allowed below it; run `freehold check`")
    }
}
