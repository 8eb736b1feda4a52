/// Lays out one leaf.
///
/// Safe throughout: the entries' sizes have been summed before (`leafEnd`): a leaf takes at most `leafBytes`, or one
/// entry, which is below 8 KiB; `page` has 64 KiB.
extension IndexMerge {
    /// Creates a leaf of entries `start..<end`, in the block of `replaced` if that is pending and has the right size.
    func writeLeaf(_ start: Int, _ end: Int, over replaced: BlockReference) throws(FreeholdError) -> IndexChild {
        assert(start >= 0 && start < end && end <= entries.count, "a leaf of entries \(start)..<\(end) of \(entries.count)")
        let (bodyLength, postings, references) = try layOut(start, end)
        let count = end - start
        let separator = nextSeparator
        nextSeparator = end < entries.count ? try self.separator(entries[end - 1], entries[end]) : nil
        let (reference, block) = makeLeaf(bodyLength, postings, count, references: references, over: replaced)
        var next = 0
        for index in start..<end where entries[index].remainder >= 0 {
            block.setReference(next, remainders[Int(entries[index].remainder)])
            next += 1
        }
        return IndexChild(reference: reference, postings: postings, separator: separator)
    }

    /// Creates a leaf from the body in `page`.
    func makeLeaf(_ bodyLength: Int, _ postings: Int, _ count: Int, references: Int,
                  over replaced: BlockReference) -> (BlockReference, MutableBlock) {
        assert(bodyLength <= BlockLayout.maximumBody(references: references), "a leaf of \(bodyLength) bytes fits no block")
        assert(count > 0 && postings >= count, "a leaf of \(count) entries with \(postings) postings")
        if references == 0, let block = rewrite(replaced, bodyLength, postings, count) { return (replaced, block) }
        let (reference, block) = pending.make(.indexLeaf, variant: IndexLayout.leafVariant, table: table,
                                              firstKey: Int64(postings), count: count, references: references,
                                              body: bodyLength)
        block.body.copyMemory(from: page, byteCount: bodyLength)
        return (reference, block)
    }

    /// Writes the laid-out leaf into a pending block, if it fills that well enough.
    private func rewrite(_ reference: BlockReference, _ bodyLength: Int, _ postings: Int, _ count: Int) -> MutableBlock? {
        let granules = BlockLayout.granules(references: 0, body: bodyLength)
        guard reference.isPending, granules <= reference.granuleCount, granules + 4 > reference.granuleCount,
              let view = try? access.view(reference), view.referenceCount == 0 else { return nil }
        var same = reference
        guard let block = try? pending.edit(&same) else { return nil }
        block.setCount(count)
        block.setFirstKey(Int64(postings))
        let padding = max(0, view.bodyLength - bodyLength)
        block.setBodyLength(bodyLength)
        block.body.copyMemory(from: page, byteCount: bodyLength)
        (block.body + bodyLength).initializeMemory(as: UInt8.self, repeating: 0, count: padding)
        return block
    }

    /// Writes the body into `page`; returns its length, the postings, and how many keys have remainders.
    /// - Throws: if a key is too short for what the first and the last have in common, as none in order is.
    private func layOut(_ start: Int, _ end: Int) throws(FreeholdError) -> (Int, Int, Int) {
        let count = end &- start
        let first = entries[start].key
        let prefix = count == 1 ? first.count : first.commonPrefix(entries[end &- 1].key)
        let heads = page + 4
        let offsets = heads + 4 &* count
        let counts = offsets + 2 &* (count &+ 1)
        page.storeBytes(of: UInt32(prefix), as: UInt32.self)
        (counts + count).copyMemory(from: first.start, byteCount: prefix)
        var place = counts + (count &+ prefix)
        var postings = 0, references = 0, shortest = prefix
        entries.withUnsafeBufferPointer { entries in
            for index in 0..<count {
                let entry = entries[start &+ index]
                shortest = min(shortest, entry.key.count)
                if shortest < prefix { return }
                assert(entry.key.count <= IndexLayout.inlineKeyBytes, "a key of \(entry.key.count) bytes in a leaf")
                assert(entry.count > 0 && entry.count <= 256, "a chunk of \(entry.count) postings has no byte for its count")
                assert(entry.remainder < Int32(remainders.count), "an entry names a remainder that is not there")
                let suffix = entry.key.dropping(prefix)
                heads.storeBytes(of: suffix.head, toByteOffset: 4 &* index, as: UInt32.self)
                offsets.storeBytes(of: UInt16(truncatingIfNeeded: place - page), toByteOffset: 2 &* index, as: UInt16.self)
                counts.storeBytes(of: UInt8(truncatingIfNeeded: entry.count &- 1), toByteOffset: index, as: UInt8.self)
                suffix.writeTail(at: &place, reference: entry.remainder >= 0 ? references : -1)
                if entry.remainder >= 0 { references &+= 1 }
                entry.writePostings(at: &place)
                postings &+= Int(entry.count)
            }
        }
        if shortest < prefix { throw OrderedIndex.notInOrder() }
        offsets.storeBytes(of: UInt16(truncatingIfNeeded: place - page), toByteOffset: 2 &* count, as: UInt16.self)
        assert(place - page <= Int(UInt16.max), "a leaf's heap ends beyond its offsets")
        return (place - page, postings, references)
    }
}

extension IndexEntry {
    /// Writes the data after the key.
    ///
    /// Safe: the caller has reserved `payloadBytes`.
    @inline(__always) func writePostings(at place: inout UnsafeMutableRawPointer) {
        IndexVarint.write(IndexVarint.zigzag(first), at: &place)
        if count > 1 {
            IndexVarint.write(UInt64(bitPattern: last &- first), at: &place)
            place.copyMemory(from: deltas, byteCount: Int(deltaBytes))
            place += Int(deltaBytes)
        }
    }
}

extension IndexKey {
    /// Writes the heap item of a key without its node's prefix. `reference`: where its remainder is, or -1.
    ///
    /// Safe: the caller has reserved `IndexEntry.keyBytes`.
    @inline(__always) func writeTail(at place: inout UnsafeMutableRawPointer, reference: Int) {
        if reference < 0 && count <= IndexLayout.shortLength {
            place.storeBytes(of: UInt8(truncatingIfNeeded: count), as: UInt8.self)
            place += 1
        } else {
            place.storeBytes(of: reference < 0 ? IndexLayout.longLength : IndexLayout.remainderLength, as: UInt8.self)
            place.storeBytes(of: UInt16(truncatingIfNeeded: count), toByteOffset: 1, as: UInt16.self)
            if reference >= 0 { place.storeBytes(of: UInt16(truncatingIfNeeded: reference), toByteOffset: 3, as: UInt16.self) }
            place += reference < 0 ? 3 : 5
        }
        if count > IndexLayout.headBytes {
            place.copyMemory(from: start + IndexLayout.headBytes, byteCount: count &- IndexLayout.headBytes)
            place += count &- IndexLayout.headBytes
        }
    }

    /// The length of the common prefix with a key, at most `limit`.
    @inline(__always) func sharedPrefix(_ other: IndexKey, upTo limit: Int) -> Int {
        if count >= limit && IndexKey.order(start, other.start, limit) == 0 { return limit }
        return min(commonPrefix(other), limit)
    }
}
