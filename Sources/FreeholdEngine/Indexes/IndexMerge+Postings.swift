/// Merges operations into the postings of one key.
///
/// Safe throughout: as `IndexMerge+Leaf`.
extension IndexMerge {
    /// Appends insertions after a chunk (or as new chunks) without decoding it; removals there find nothing.
    func appendRun(_ key: IndexKey, _ range: Range<Int>, onto chunk: IndexLeaf.Chunk?, remainder: Int32) {
        var chunk = chunk
        var remainder = remainder
        var operation = range.lowerBound
        while operation < range.upperBound {
            var count = chunk?.count ?? 0
            let room = min(range.upperBound &- operation, IndexLayout.chunkPostings)
            let old = chunk.map { $0.end - $0.deltas } ?? 0
            let start = arena.allocate(old &+ room &* IndexVarint.maximumBytes)
            var end = start
            var first: Int64 = 0, last: Int64 = 0
            if let chunk {
                end.copyMemory(from: chunk.deltas, byteCount: old)
                end += old
                (first, last) = (chunk.first, chunk.last)
            }
            while operation < range.upperBound && count < IndexLayout.chunkPostings {
                let change = list[operation]
                operation &+= 1
                if change.isRemoval { continue }
                if count == 0 {
                    first = change.objectKey
                } else {
                    IndexVarint.write(UInt64(bitPattern: change.objectKey &- last), at: &end)
                }
                last = change.objectKey
                count &+= 1
            }
            arena.giveBack(old &+ room &* IndexVarint.maximumBytes &- (end - start))
            if count > 0 { append(key, remainder, count, first, last, start, end) }
            chunk = nil
            remainder = -1
        }
    }

    /// Puts the postings of a chunk and the operations on it into `merged`; returns whether anything differs.
    func mergePostings(_ chunk: IndexLeaf.Chunk, _ range: Range<Int>) -> Bool {
        merged.removeAll(keepingCapacity: true)
        var differs = false
        var position = chunk.deltas
        var current = chunk.first
        var left = chunk.count
        // Moves to the chunk's next posting.
        func advance() {
            left &-= 1
            if left > 0 { current = current &+ Int64(bitPattern: IndexVarint.read(&position)) }
        }
        for operation in range {
            let change = list[operation]
            while left > 0 && current < change.objectKey {
                merged.append(current)
                advance()
            }
            let isPresent = left > 0 && current == change.objectKey
            if isPresent { advance() }
            if !change.isRemoval { merged.append(change.objectKey) }
            differs = differs || isPresent == change.isRemoval
        }
        while left > 0 {
            merged.append(current)
            advance()
        }
        return differs
    }

    /// Creates entries from `merged`, evenly filled; few postings join those of the previous entry if that has the key.
    func writeMerged(_ key: IndexKey, remainder: Int32, _ keyStart: Int) {
        hasChanged = true
        if merged.isEmpty {
            if remainder >= 0 { pending.free(remainders[Int(remainder)]) }
            return
        }
        var remainder = remainder
        if merged.count < IndexLayout.chunkPostings / 4, entries.count > keyStart, let previous = entries.last,
           Int(previous.count) + merged.count <= IndexLayout.chunkPostings * 3 / 4 {
            if remainder >= 0 { pending.free(remainders[Int(remainder)]) }
            remainder = previous.remainder
            entries.removeLast()
            merged.insert(contentsOf: postings(of: previous), at: 0)
        }
        let pieces = (merged.count + IndexLayout.chunkPostings - 1) / IndexLayout.chunkPostings
        for piece in 0..<pieces {
            write(key, remainder: remainder, merged.count * piece / pieces, merged.count * (piece + 1) / pieces)
            remainder = -1
        }
    }

    private func write(_ key: IndexKey, remainder: Int32, _ low: Int, _ high: Int) {
        let bytes = (high - low) * IndexVarint.maximumBytes
        let start = arena.allocate(bytes)
        var end = start
        for index in low + 1..<high { IndexVarint.write(UInt64(bitPattern: merged[index] &- merged[index - 1]), at: &end) }
        arena.giveBack(bytes - (end - start))
        append(key, remainder, high - low, merged[low], merged[high - 1], start, end)
    }

    private func postings(of entry: IndexEntry) -> [Int64] {
        var found = [entry.first]
        var position = entry.deltas
        for _ in 1..<entry.count { found.append(found[found.count - 1] &+ Int64(bitPattern: IndexVarint.read(&position))) }
        return found
    }

    /// Adds an entry; a long key without a remainder gets one.
    @inline(__always)
    private func append(_ key: IndexKey, _ remainder: Int32, _ count: Int, _ first: Int64, _ last: Int64,
                        _ deltas: UnsafeMutableRawPointer, _ end: UnsafeMutableRawPointer) {
        hasChanged = true
        var remainder = remainder
        if remainder < 0 && key.count > IndexLayout.inlineKeyBytes {
            remainders.append(makeRemainder(key.dropping(IndexLayout.inlineKeyBytes)))
            remainder = Int32(remainders.count - 1)
        }
        entries.append(IndexEntry(key: key.inline, remainder: remainder, count: count, first: first, last: last,
                                  deltas: UnsafeRawPointer(deltas), end: UnsafeRawPointer(end)))
    }
}
