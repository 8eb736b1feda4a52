/// Moves of a cursor by key and object: within its leaf by the leaf's own directory, beyond it by one descent.
///
/// Safe throughout: as `IndexCursor`; a key that is copied fits the memory reserved for it.
extension IndexCursor {
    /// Moves forward to the first posting of the present key that is not before an object, and stays if it is on one.
    ///
    /// Returns false if the range has no such posting of the key. The cursor is then on the first posting after the key, or
    /// after the range's last. It must be on a posting.
    @inline(__always)
    mutating func seek(to object: ObjectKey) throws(FreeholdError) -> Bool {
        if objectKey.rawValue >= object.rawValue { return true }
        if chunk.last >= object.rawValue {
            stepInChunk(to: object.rawValue)
            return isInRange()
        }
        return try seekEntry(object.rawValue)
    }

    /// Moves to the first posting with a key that is not before one, in the whole range; false if there is none.
    mutating func seek(toKey key: IndexKey) throws(FreeholdError) -> Bool {
        guard let (leaf, start) = try index.leaf(for: key, .min) else { return false }
        let entry = try leaf.keys.range(of: key, index.access).lower
        let rank = start &+ leaf.postings(0, entry)
        guard rank >= ranks.lowerBound else { return try move(toRank: ranks.lowerBound) }
        return try enter(leaf, entry, rank: rank)
    }

    /// Moves to the first posting of the next key; false after the last key of the range. It must be on a posting.
    mutating func nextKey() throws(FreeholdError) -> Bool {
        guard let leaf else { return false }
        var next = entry &+ 1, rank = self.rank &- place &+ chunk.count
        while next < leaf.count, leaf.keys.isSameKey(next, entry) {
            rank = rank &+ leaf.postings(next)
            next &+= 1
        }
        if next < leaf.count, leaf.keys.tail(entry).reference < 0 { return try enter(leaf, next, rank: rank) }
        // The key may go on in the next leaf.
        let old = self
        guard try move(toRank: rank) else { return false }
        if try !old.hasKey(of: self) { return true }
        return try withKey { key, cursor throws(FreeholdError) in
            let next = try cursor.index.rank(of: key, behind: true)
            // In a damaged tree the end of a key may be anywhere.
            guard next > cursor.rank else { throw OrderedIndex.miscounted() }
            return try cursor.move(toRank: next)
        }
    }

    /// Writes the key of the posting it is on to memory with room for `limit` bytes; nil if the key is longer.
    @inline(__always)
    func copyKey(to target: UnsafeMutableRawPointer, limit: Int) -> Int? {
        guard let leaf else { return nil }
        let tail = leaf.keys.tail(entry)
        guard tail.reference < 0, leaf.keys.prefix.count &+ tail.length <= limit else { return nil }
        return leaf.keys.copyKey(entry, tail, to: target)
    }

    /// `seek` when the present chunk ends before the object.
    @inline(never)
    private mutating func seekEntry(_ objectKey: Int64) throws(FreeholdError) -> Bool {
        guard let leaf else { return false }
        guard leaf.keys.tail(entry).reference < 0 else { return try seekByTree(objectKey) }
        let old = entry
        var rank = self.rank &- place &+ chunk.count, next = entry &+ 1
        while next < leaf.count, leaf.keys.isSameKey(next, old) {
            let chunk = leaf.chunk(next)
            if chunk.last >= objectKey {
                guard try enter(leaf, next, rank: rank) else { return false }
                stepInChunk(to: objectKey)
                return isInRange()
            }
            rank = rank &+ chunk.count
            next &+= 1
        }
        if next == leaf.count { return try seekByTree(objectKey) }
        _ = try enter(leaf, next, rank: rank)
        return false
    }

    /// `seek` by a descent from the root.
    private mutating func seekByTree(_ objectKey: Int64) throws(FreeholdError) -> Bool {
        let old = self
        let isInRange = try withKey { key, cursor throws(FreeholdError) in try cursor.seek(key, objectKey) }
        return isInRange ? try old.hasKey(of: self) : false
    }

    private mutating func seek(_ key: IndexKey, _ objectKey: Int64) throws(FreeholdError) -> Bool {
        guard let (leaf, start) = try index.leaf(for: key, objectKey) else { return false }
        let (lower, upper) = try leaf.keys.range(of: key, index.access)
        let entry = max(lower, lower &+ leaf.entries(lower, upper, startingUpTo: objectKey) &- 1)
        let rank = start &+ leaf.postings(0, entry)
        guard entry < upper else { return try enter(leaf, entry, rank: rank) }
        let chunk = leaf.chunk(entry)
        guard chunk.last >= objectKey else { return try enter(leaf, entry &+ 1, rank: rank &+ chunk.count) }
        guard try enter(leaf, entry, rank: rank) else { return false }
        stepInChunk(to: objectKey)
        return isInRange()
    }

    /// Moves to an entry, which may be the one after the leaf's last, whose first posting has a rank.
    private mutating func enter(_ leaf: IndexLeaf, _ entry: Int, rank: Int) throws(FreeholdError) -> Bool {
        guard entry < leaf.count, rank < ranks.upperBound else { return try move(toRank: rank) }
        self.rank = rank
        enter(leaf, entry)
        return true
    }

    /// Leaves the range if the posting is beyond it.
    @inline(__always)
    private mutating func isInRange() -> Bool {
        if rank < ranks.upperBound { return true }
        moveToEnd()
        return false
    }

    /// Calls `body` with the key of the posting it is on, and the cursor.
    private mutating func withKey(_ body: (IndexKey, inout IndexCursor) throws(FreeholdError) -> Bool) throws(FreeholdError) -> Bool {
        let key = try key()
        return try key.span.bytes.withUnsafeBytes { bytes throws(FreeholdError) in try body(IndexKey(bytes), &self) }
    }

    private func hasKey(of other: IndexCursor) throws(FreeholdError) -> Bool {
        let own = try key()
        return try own.elementsEqual(other.key())
    }
}
