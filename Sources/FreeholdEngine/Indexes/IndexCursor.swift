/// A position in a range of an index, moved both ways without allocation.
///
/// 1. It is before the range's first posting, on a posting, or after the last.
/// 2. It stores its leaf and its rank; the next leaf is found by rank from the root, so there is no path to keep and
/// the cursor can move to any rank.
/// 3. It is valid as long as the snapshot (or, with pending blocks, until the next change of the index).
///
/// ```swift
/// var cursor = try index.cursor(from: low, to: nil)
/// while try cursor.next() { found.append(cursor.objectKey) }
/// ```
///
/// Safe throughout: `position` is inside the deltas of `chunk` (`IndexLeaf.complaint` has found as many as it
/// counts), `entry` below the leaf's count.
struct IndexCursor {
    let index: OrderedIndex
    /// The ranks it moves over.
    private(set) var ranks: Range<Int>
    /// The rank of the posting it is on; `ranks.lowerBound` - 1 before the first, `ranks.upperBound` after the last.
    var rank: Int

    // The leaf of the posting, its entry and the place in that; for moves within the leaf (`IndexCursor+Seek`).
    var leaf: IndexLeaf?
    var entry = 0
    var chunk = IndexLeaf.Chunk(count: 0, first: 0, last: 0, deltas: Self.nowhere, end: Self.nowhere)
    var place = 0
    private var current: Int64 = 0
    private var position = Self.nowhere

    private static var nowhere: UnsafeRawPointer { UnsafeRawPointer(bitPattern: 64)! }

    /// Creates a cursor before the first posting of the range.
    init(_ index: OrderedIndex, ranks: Range<Int>) {
        self.index = index
        self.ranks = ranks
        rank = ranks.lowerBound - 1
    }

    /// The object of the posting it is on.
    @inline(__always) var objectKey: ObjectKey { ObjectKey(current) }

    /// Moves to the next posting; false after the last.
    @inline(__always) mutating func next() throws(FreeholdError) -> Bool {
        place &+= 1
        if place < chunk.count && rank &+ 1 < ranks.upperBound {
            rank &+= 1
            current = current &+ Int64(bitPattern: IndexVarint.read(&position))
            return true
        }
        return try nextEntry()
    }

    /// Moves to the previous posting; false before the first.
    @inline(__always) mutating func previous() throws(FreeholdError) -> Bool {
        if place > 0 && place < chunk.count && rank > ranks.lowerBound {
            place &-= 1
            rank &-= 1
            current = current &- Int64(bitPattern: IndexVarint.readBackward(&position))
            return true
        }
        return try previousEntry()
    }

    /// Moves to the posting of a rank; false (and out of the range) if the range does not contain it.
    mutating func move(toRank wanted: Int) throws(FreeholdError) -> Bool {
        guard ranks.contains(wanted) else {
            leaveRange(to: wanted < ranks.lowerBound ? ranks.lowerBound - 1 : ranks.upperBound)
            return false
        }
        let (leaf, start) = try index.leaf(atRank: wanted)
        var entry = 0
        var left = wanted - start
        while left >= leaf.postings(entry) {
            left -= leaf.postings(entry)
            entry += 1
        }
        rank = wanted
        enter(leaf, entry)
        for _ in 0..<left { current = current &+ Int64(bitPattern: IndexVarint.read(&position)) }
        place = left
        return true
    }

    /// Moves after the last posting.
    mutating func moveToEnd() { leaveRange(to: ranks.upperBound) }

    /// Whether the posting it is on has the key of the previous one, if both are in one leaf; otherwise false.
    var repeatsKey: Bool {
        guard let leaf else { return false }
        return place > 0 || entry > 0 && leaf.keys.isSameKey(entry, entry - 1)
    }

    /// Whether no other posting has the key of the one it is on, if its leaf alone decides that; otherwise false.
    var isAlone: Bool {
        guard let leaf, chunk.count == 1, entry > 0, entry + 1 < leaf.count, leaf.keys.tail(entry).reference < 0 else { return false }
        return !leaf.keys.isSameKey(entry, entry - 1) && !leaf.keys.isSameKey(entry + 1, entry)
    }

    /// Moves to the last posting of the key of the posting it is on, or to the first, if its leaf alone has all of them.
    ///
    /// Returns a cursor over these, before the first; nil, without a move, if another leaf may have some.
    mutating func takeKey(toFirst: Bool) -> IndexCursor? {
        guard let leaf, leaf.keys.tail(entry).reference < 0 else { return nil }
        // Safe (all wrapping): the ranks of a damaged tree may be anything, and are compared below.
        var first = entry, start = rank &- place, last = entry, end = rank &- place &+ chunk.count
        while first > 0, leaf.keys.isSameKey(first, first - 1) {
            first -= 1
            start = start &- leaf.postings(first)
        }
        while last + 1 < leaf.count, leaf.keys.isSameKey(last + 1, last) {
            last += 1
            end = end &+ leaf.postings(last)
        }
        guard first > 0, last + 1 < leaf.count, start < end else { return nil }
        var all = IndexCursor(index, ranks: start..<end)
        // The next step leads to the entry behind this one.
        (all.leaf, all.entry) = (leaf, first - 1)
        enter(leaf, toFirst ? first : last)
        rank = toFirst ? start : end - 1
        if !toFirst { (place, current, position) = (chunk.count - 1, chunk.last, chunk.end) }
        return all
    }

    @inline(never) private mutating func nextEntry() throws(FreeholdError) -> Bool {
        guard let leaf, rank + 1 < ranks.upperBound, entry + 1 < leaf.count else { return try move(toRank: rank + 1) }
        rank += 1
        enter(leaf, entry + 1)
        return true
    }

    @inline(never) private mutating func previousEntry() throws(FreeholdError) -> Bool {
        guard let leaf, rank > ranks.lowerBound, place == 0, entry > 0 else { return try move(toRank: rank - 1) }
        rank -= 1
        enter(leaf, entry - 1)
        place = chunk.count - 1
        current = chunk.last
        position = chunk.end
        return true
    }

    /// Moves to the first posting of an entry; the caller sets `rank`.
    mutating func enter(_ leaf: IndexLeaf, _ entry: Int) {
        self.leaf = leaf
        self.entry = entry
        chunk = leaf.chunk(entry)
        place = 0
        current = chunk.first
        position = chunk.deltas
    }

    /// Moves forward within the present chunk to the first posting that is not before an object key, or to the chunk's last.
    ///
    /// The chunk's head says that it has such a posting; in a damaged one the postings may end before.
    @inline(__always) mutating func stepInChunk(to objectKey: Int64) {
        while current < objectKey, place &+ 1 < chunk.count {
            current = current &+ Int64(bitPattern: IndexVarint.read(&position))
            place &+= 1
            rank &+= 1
        }
    }

    /// Calls `body` with the object of the posting it is on, and of those after it in the same chunk that are below a limit.
    ///
    /// It ends on the last of them. Returns false if they do not ascend, as in a damaged tree. It must be on a posting.
    ///
    /// - Parameter most: how many objects `body` is called with at most; at least 1.
    @inline(__always) mutating func passChunk(below limit: Int64, atMost most: Int = .max, _ body: (Int64) -> Void) -> Bool {
        let last = place &+ min(chunk.count &- place, ranks.upperBound &- rank, most) &- 1
        var object = current, place = place, position = position, isAscending = true
        body(object)
        while place < last {
            var behind = position
            let next = object &+ Int64(bitPattern: IndexVarint.read(&behind))
            if next >= limit { break }
            isAscending = isAscending && next > object
            (object, place, position) = (next, place &+ 1, behind)
            body(next)
        }
        rank = rank &+ place &- self.place
        (current, self.place, self.position) = (object, place, position)
        return isAscending
    }

    /// The cursor, on the same posting, with a range that ends at a rank after it.
    func ending(at end: Int) -> IndexCursor {
        assert(rank < end && end <= ranks.upperBound, "a range that ends at \(end), with the cursor at \(rank)")
        var shorter = self
        shorter.ranks = ranks.lowerBound..<end
        return shorter
    }

    mutating func leaveRange(to rank: Int) {
        self.rank = rank
        leaf = nil
        chunk.count = 0
        place = 0
    }
}

extension IndexCursor {
    /// Replaces the buffer's contents by the key of the posting it is on.
    func copyKey(into buffer: inout [UInt8]) throws(FreeholdError) {
        buffer.removeAll(keepingCapacity: true)
        guard let leaf else { return }
        try leaf.appendKey(entry, to: &buffer, index.access)
    }

    /// The key of the posting it is on.
    func key() throws(FreeholdError) -> [UInt8] {
        var bytes: [UInt8] = []
        try copyKey(into: &bytes)
        return bytes
    }
}

extension IndexLeaf {
    /// Appends the whole key of an entry.
    func appendKey(_ entry: Int, to buffer: inout [UInt8], _ access: BlockAccess) throws(FreeholdError) {
        let tail = keys.tail(entry), head = keys.head(entry)
        buffer.append(contentsOf: UnsafeRawBufferPointer(start: keys.prefix.start, count: keys.prefix.count))
        for byte in 0..<min(tail.length, IndexLayout.headBytes) {
            buffer.append(UInt8(truncatingIfNeeded: head >> UInt32(24 - 8 * byte)))
        }
        buffer.append(contentsOf: UnsafeRawBufferPointer(start: tail.rest, count: max(0, tail.length - IndexLayout.headBytes)))
        if tail.reference >= 0 {
            let remainder = try IndexRemainder(access.view(block.reference(tail.reference)), access).key
            buffer.append(contentsOf: UnsafeRawBufferPointer(start: remainder.start, count: remainder.count))
        }
    }
}
