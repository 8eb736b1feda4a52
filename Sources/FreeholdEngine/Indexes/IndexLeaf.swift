/// A leaf of an index tree: postings in chunks, sorted by (key, object key). README.md draws the bytes.
///
/// Safe throughout: made from blocks that `IndexLeaf.complaint` has passed (or that this process wrote), so all that
/// the directory points at lies in the body; indexes are below `count`.
struct IndexLeaf {
    let keys: IndexKeyTable
    /// One byte per entry: its number of postings - 1.
    let counts: UnsafeRawPointer

    @inline(__always) var count: Int { keys.count }
    @inline(__always) var block: BlockView { keys.block }

    /// The number of postings of the leaf.
    @inline(__always) var postings: Int { Int(truncatingIfNeeded: keys.block.firstKey) }

    init(_ view: BlockView) throws(FreeholdError) {
        guard view.kindByte == BlockKind.indexLeaf.rawValue, view.variant == IndexLayout.leafVariant else {
            throw FreeholdError(.corrupt, "an index refers to a block that is not an index leaf; run `freehold check`")
        }
        self.init(unchecked: view)
    }

    @inline(__always) init(unchecked view: BlockView) {
        let body = view.body
        let count = view.count
        let offsets = body + (4 &+ 4 &* count)
        counts = offsets + 2 &* (count &+ 1)
        let prefix = IndexKey(start: counts + count, count: Int(body.load(as: UInt16.self)))
        keys = IndexKeyTable(block: view, body: body, heads: body + 4, offsets: offsets, count: count, prefix: prefix)
    }

    @inline(__always) func postings(_ index: Int) -> Int {
        Int(counts.load(fromByteOffset: index, as: UInt8.self)) &+ 1
    }

    /// The number of postings of the entries `low..<high`.
    @inline(__always) func postings(_ low: Int, _ high: Int) -> Int {
        var sum = high &- low
        for index in low..<max(low, high) { sum = sum &+ Int(counts.load(fromByteOffset: index, as: UInt8.self)) }
        return sum
    }

    /// One entry's postings.
    struct Chunk {
        var count: Int
        var first: Int64
        var last: Int64
        /// The differences between neighbours: count - 1 numbers.
        var deltas: UnsafeRawPointer
        var end: UnsafeRawPointer
    }

    @inline(__always) func chunk(_ index: Int) -> Chunk { chunk(index, after: keys.tail(index).end) }

    @inline(__always) func chunk(_ index: Int, after keyEnd: UnsafeRawPointer) -> Chunk {
        var position = keyEnd
        let first = IndexVarint.unzigzag(IndexVarint.read(&position))
        let count = postings(index)
        let span = count > 1 ? IndexVarint.read(&position) : 0
        return Chunk(count: count, first: first, last: first &+ Int64(bitPattern: span), deltas: position,
                     end: keys.item(index &+ 1))
    }

    /// The first object key of an entry.
    @inline(__always) func first(_ index: Int) -> Int64 {
        var position = keys.tail(index).end
        return IndexVarint.unzigzag(IndexVarint.read(&position))
    }

    /// Counts those of the entries `low..<high`, which have one key, that start at or before `objectKey`.
    @inline(__always) func entries(_ low: Int, _ high: Int, startingUpTo objectKey: Int64) -> Int {
        var bottom = low, top = high
        while bottom < top {
            let middle = (bottom &+ top) &>> 1
            if first(middle) <= objectKey { bottom = middle &+ 1 } else { top = middle }
        }
        return bottom &- low
    }
}

extension IndexLeaf.Chunk {
    /// Whether the postings ascend strictly, within 64 bits, and end with the last: for `verify`.
    var ascends: Bool {
        var position = deltas
        var current = first
        for _ in 1..<count {
            let delta = IndexVarint.read(&position)
            let next = current &+ Int64(bitPattern: delta)
            if next <= current { return false }
            current = next
        }
        return current == last && position == end
    }

    /// The number of the chunk's postings before `objectKey`, and whether the next one equals it.
    func rank(of objectKey: Int64) -> (before: Int, found: Bool) {
        if objectKey > last { return (count, false) }
        var position = deltas
        var current = first
        var index = 0
        while index < count {
            if current >= objectKey { return (index, current == objectKey) }
            index &+= 1
            if index < count { current = current &+ Int64(bitPattern: IndexVarint.read(&position)) }
        }
        return (count, false)
    }
}
