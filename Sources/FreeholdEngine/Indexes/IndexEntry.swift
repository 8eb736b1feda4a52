/// An entry of a leaf while a merge gathers the contents of the new leaf.
///
/// Its bytes lie in an old leaf, in the operations' arena or in the merge's, all of which outlive it.
struct IndexEntry {
    /// The key, or the part of it that is in the node.
    var key: IndexKey
    var first: Int64
    var last: Int64
    var deltas: UnsafeRawPointer
    var deltaBytes: Int32
    var count: Int32
    /// The key's remainder, as an index into the merge's list, or -1.
    var remainder: Int32
    /// The entry's size in the heap without its key.
    var payloadBytes: Int32

    @inline(__always)
    init(key: IndexKey, remainder: Int32, count: Int, first: Int64, last: Int64, deltas: UnsafeRawPointer, end: UnsafeRawPointer) {
        self.key = key
        self.remainder = remainder
        self.count = Int32(truncatingIfNeeded: count)
        self.first = first
        self.last = last
        self.deltas = deltas
        deltaBytes = Int32(truncatingIfNeeded: end - deltas)
        var bytes = IndexVarint.length(IndexVarint.zigzag(first))
        // Safe: differences of keys in order; should a damaged tree have them out of order, they wrap and unwrap.
        if count > 1 { bytes += IndexVarint.length(UInt64(bitPattern: last &- first)) + (end - deltas) }
        payloadBytes = Int32(truncatingIfNeeded: bytes)
    }

    /// A placeholder for entries of the old leaf that stay unchanged.
    @inline(__always) init(run: Range<Int>, of leaf: IndexLeaf) {
        key = leaf.keys.prefix
        remainder = -1
        count = 0
        first = Int64(run.lowerBound)
        last = Int64(run.upperBound)
        deltas = key.start
        deltaBytes = 0
        payloadBytes = 0
    }

    /// The old leaf's entries that it represents, or nil if it is an entry itself.
    @inline(__always) var run: Range<Int>? { count == 0 ? Int(first)..<Int(last) : nil }

    /// The entry's size in the heap of a leaf whose keys share a prefix of that length.
    @inline(__always) func heapBytes(prefix: Int) -> Int {
        IndexEntry.keyBytes(key.count - prefix, hasRemainder: remainder >= 0) + Int(payloadBytes)
    }

    /// A key's size in a node's heap, by its length after the prefix.
    @inline(__always) static func keyBytes(_ length: Int, hasRemainder: Bool) -> Int {
        let fixed = hasRemainder ? 5 : length <= IndexLayout.shortLength ? 1 : 3
        return fixed + max(0, length - IndexLayout.headBytes)
    }
}

/// The separator between a child and the one before it.
struct IndexSeparator {
    /// The key, or the part of it that is in the node.
    var key: IndexKey
    var objectKey: Int64
    /// The key's remainder, or null.
    var remainder: BlockReference
}

/// A node that a merge created or kept, for the node above it.
struct IndexChild {
    var reference: BlockReference
    var postings: Int
    /// Nil for the first child of a node.
    var separator: IndexSeparator?
}
