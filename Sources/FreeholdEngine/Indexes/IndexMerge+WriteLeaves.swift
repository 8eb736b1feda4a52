/// Cuts gathered entries into leaves.
///
/// Safe throughout: positions stay below `entries.count`.
extension IndexMerge {
    /// Writes all entries: full leaves, the last two of equal size; if the tree `fillsUp` in ascending order, the last
    /// one has what is left. A single leaf may replace a pending one.
    func writeLeaves(fillsUp: Bool, over replaced: BlockReference, into children: inout [IndexChild]) throws(FreeholdError) {
        if entries.isEmpty { return }
        var start = 0
        var end = leafEnd(0)
        while end < entries.count {
            var next = leafEnd(end)
            if !fillsUp && next == entries.count {
                end = evenEnd(start, end)
                next = entries.count
            }
            children.append(try writeLeaf(start, end, over: .null))
            (start, end) = (end, next)
        }
        children.append(try writeLeaf(start, end, over: start == 0 ? replaced : .null))
    }

    /// Writes the leaves that are certainly full, so that a bulk load needs little memory.
    func flushLeaves(into children: inout [IndexChild]) throws(FreeholdError) {
        var start = 0
        var end = leafEnd(0)
        while end < entries.count {
            let next = leafEnd(end)
            if next == entries.count { break }
            children.append(try writeLeaf(start, end, over: .null))
            (start, end) = (end, next)
        }
        assert(start <= entries.count, "more entries were written than there are")
        entries.removeFirst(start)
        keepEntries()
    }

    /// Moves what the remaining entries refer to into the other arena and empties this one.
    private func keepEntries() {
        swap(&arena, &otherArena)
        arena.reset()
        for index in 0..<entries.count {
            let entry = entries[index]
            let key = arena.allocate(entry.key.count)
            key.copyMemory(from: entry.key.start, byteCount: entry.key.count)
            let deltas = arena.allocate(Int(entry.deltaBytes))
            deltas.copyMemory(from: entry.deltas, byteCount: Int(entry.deltaBytes))
            entries[index].key = IndexKey(start: UnsafeRawPointer(key), count: entry.key.count)
            entries[index].deltas = UnsafeRawPointer(deltas)
        }
    }

    /// The end of the range of entries of a leaf that starts with entry `start`.
    private func leafEnd(_ start: Int) -> Int {
        let first = entries[start].key
        var prefix = first.count
        var heap = entries[start].heapBytes(prefix: prefix)
        var remainders = entries[start].remainder >= 0 ? 1 : 0
        var end = start + 1
        while end < entries.count {
            let entry = entries[end]
            let shared = entry.key.sharedPrefix(first, upTo: prefix)
            if shared < prefix {
                heap = 0
                for index in start..<end { heap += entries[index].heapBytes(prefix: shared) }
                prefix = shared
            }
            heap += entry.heapBytes(prefix: prefix)
            if entry.remainder >= 0 { remainders += 1 }
            let body = IndexLayout.leafFixedBytes + (end + 1 - start) * IndexLayout.leafSlotBytes + prefix + heap
            if BlockLayout.references + remainders * BlockReference.byteCount + body > IndexLayout.leafBytes { break }
            end += 1
        }
        assert(end > start, "a leaf without entries")
        return end
    }

    /// The position that cuts the entries from `start` to the last into two leaves of about equal size; `end` at most.
    private func evenEnd(_ start: Int, _ end: Int) -> Int {
        let prefix = entries[start].key.commonPrefix(entries[entries.count - 1].key)
        func bytes(_ index: Int) -> Int { entries[index].heapBytes(prefix: prefix) + IndexLayout.leafSlotBytes }
        let total = (start..<entries.count).reduce(0) { $0 + bytes($1) }
        var sum = bytes(start)
        var cut = start + 1
        while cut < end && 2 * sum < total {
            sum += bytes(cut)
            cut += 1
        }
        assert(cut > start && cut <= end, "a cut at \(cut), outside of \(start)..<\(end)")
        return leafEnd(cut) == entries.count ? cut : end
    }

    /// The shortest separator between two neighbouring entries.
    func separator(_ left: IndexEntry, _ right: IndexEntry) throws(FreeholdError) -> IndexSeparator {
        let shared = left.key.commonPrefix(right.key)
        if shared < right.key.count {
            return IndexSeparator(key: keep(right.key, shared + 1), objectKey: .min, remainder: .null)
        }
        let key = keep(right.key, right.key.count)
        if right.remainder < 0 { return IndexSeparator(key: key, objectKey: right.first, remainder: .null) }
        let rest = try remainder(right)
        var objectKey = Int64.min
        if left.remainder >= 0, try remainder(left).order(rest) == 0 { objectKey = right.first }
        return IndexSeparator(key: key, objectKey: objectKey, remainder: makeRemainder(rest))
    }

    private func remainder(_ entry: IndexEntry) throws(FreeholdError) -> IndexKey {
        try IndexRemainder(access.view(remainders[Int(entry.remainder)]), access).key
    }

    /// A copy of a key's first bytes that is valid until the pass ends.
    func keep(_ key: IndexKey, _ length: Int) -> IndexKey {
        assert(length <= key.count, "\(length) bytes of a key of \(key.count)")
        let copy = separatorKeys.allocate(length)
        copy.copyMemory(from: key.start, byteCount: length)
        return IndexKey(start: UnsafeRawPointer(copy), count: length)
    }
}
