/// The fast path that changes a few entries of a leaf: runs of others are copied unchanged.
///
/// Safe throughout: the new body's length has been summed to at most `leafBytes` before `page` (64 KiB) is written;
/// runs lie inside the old leaf, which `page` is not part of.
extension IndexMerge {
    /// Records that entries stay unchanged.
    func keep(_ leaf: IndexLeaf, _ low: Int, _ high: Int) {
        assert(low >= 0 && high <= leaf.count, "entries \(low)..<\(high) of a leaf of \(leaf.count)")
        if low < high { entries.append(IndexEntry(run: low..<high, of: leaf)) }
    }

    /// Replaces recorded runs by their entries, for the slow path.
    func expandRuns(of leaf: IndexLeaf) {
        let noted = entries
        entries.removeAll(keepingCapacity: true)
        for entry in noted {
            if let run = entry.run { gather(leaf, run.lowerBound, run.upperBound) } else { entries.append(entry) }
        }
    }

    /// Creates the new leaf if it is a single one with the old one's prefix and without long keys; otherwise nil.
    func splice(_ leaf: IndexLeaf, over reference: BlockReference) -> IndexChild? {
        if leaf.block.referenceCount > 0 { return nil }
        let prefix = leaf.keys.prefix
        var count = 0, heap = 0, postings = 0
        for entry in entries {
            if let run = entry.run {
                count += run.count
                heap += leaf.keys.item(run.upperBound) - leaf.keys.item(run.lowerBound)
                postings += leaf.postings(run.lowerBound, run.upperBound)
            } else {
                guard entry.remainder < 0, entry.key.count >= prefix.count,
                      IndexKey.order(entry.key.start, prefix.start, prefix.count) == 0 else { return nil }
                count += 1
                heap += entry.heapBytes(prefix: prefix.count)
                postings += Int(entry.count)
            }
        }
        let body = IndexLayout.leafFixedBytes + count * IndexLayout.leafSlotBytes + prefix.count + heap
        guard count > 0, BlockLayout.references + body <= IndexLayout.leafBytes else { return nil }
        let length = layOutSpliced(leaf, count)
        assert(length == body, "a spliced leaf of \(length) bytes was measured as \(body)")
        let (made, _) = makeLeaf(body, postings, count, references: 0, over: reference)
        return IndexChild(reference: made, postings: postings)
    }

    /// Writes the body into `page`; returns its length.
    private func layOutSpliced(_ leaf: IndexLeaf, _ count: Int) -> Int {
        let prefix = leaf.keys.prefix
        let heads = page + 4
        let offsets = heads + 4 * count
        let counts = offsets + 2 * (count + 1)
        page.storeBytes(of: UInt32(prefix.count), as: UInt32.self)
        (counts + count).copyMemory(from: prefix.start, byteCount: prefix.count)
        var place = counts + (count + prefix.count)
        var index = 0
        for entry in entries {
            if let run = entry.run {
                copyRun(leaf, run, heads + 4 * index, offsets + 2 * index, counts + index, &place)
                index += run.count
                continue
            }
            let suffix = entry.key.dropping(prefix.count)
            heads.storeBytes(of: suffix.head, toByteOffset: 4 * index, as: UInt32.self)
            offsets.storeBytes(of: UInt16(truncatingIfNeeded: place - page), toByteOffset: 2 * index, as: UInt16.self)
            counts.storeBytes(of: UInt8(truncatingIfNeeded: entry.count - 1), toByteOffset: index, as: UInt8.self)
            suffix.writeTail(at: &place, reference: -1)
            entry.writePostings(at: &place)
            index += 1
        }
        offsets.storeBytes(of: UInt16(truncatingIfNeeded: place - page), toByteOffset: 2 * count, as: UInt16.self)
        assert(index == count, "\(index) of \(count) entries were spliced")
        return place - page
    }

    /// Copies slots and heap of neighbouring entries; the offsets move as the heap does.
    private func copyRun(_ leaf: IndexLeaf, _ run: Range<Int>, _ heads: UnsafeMutableRawPointer,
                         _ offsets: UnsafeMutableRawPointer, _ counts: UnsafeMutableRawPointer,
                         _ place: inout UnsafeMutableRawPointer) {
        assert(!run.isEmpty && run.upperBound <= leaf.count, "a run of entries of the leaf")
        let keys = leaf.keys
        let start = keys.item(run.lowerBound)
        let bytes = keys.item(run.upperBound) - start
        heads.copyMemory(from: keys.heads + 4 * run.lowerBound, byteCount: 4 * run.count)
        counts.copyMemory(from: leaf.counts + run.lowerBound, byteCount: run.count)
        place.copyMemory(from: start, byteCount: bytes)
        // Wraps where the heap moves down.
        let shift = UInt16(truncatingIfNeeded: (place - page) - (start - keys.body))
        let old = (keys.offsets + 2 * run.lowerBound).assumingMemoryBound(to: UInt16.self)
        let new = offsets.assumingMemoryBound(to: UInt16.self)
        for index in 0..<run.count { new[index] = old[index] &+ shift }
        place += bytes
    }
}
