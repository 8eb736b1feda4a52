/// Merges operations into one leaf.
///
/// Safe throughout: as `IndexMerge`; arena pieces are reserved for the longest form of what is written to them.
extension IndexMerge {
    /// The number of entries gathered before full leaves are written: many times a leaf, so that only the last two need
    /// balance.
    private static var entriesToFlush: Int { 4_096 }

    /// Applies operations to a leaf (null: none) and appends its replacements; none if it is empty.
    func mergeLeaf(_ reference: BlockReference, _ range: Range<Int>, isRightmost: Bool,
                   into children: inout [IndexChild]) throws(FreeholdError) {
        begin()
        let leaf = reference.isNull ? nil : try IndexLeaf(access.view(reference))
        var fillsUp = isRightmost && leaf != nil
        var entry = 0
        var operation = range.lowerBound
        while operation < range.upperBound {
            var end = operation &+ 1
            while end < range.upperBound && list[end].repeatsKey { end &+= 1 }
            let key = key(operation)
            if let leaf {
                let (lower, upper) = try leaf.keys.range(of: key, access)
                if operation == range.lowerBound { fillsUp = fillsUp && isBehind(leaf, lower, upper, operation) }
                keep(leaf, entry, lower)
                try mergeKey(key, operation..<end, leaf, lower, upper)
                entry = max(entry, upper)
            } else {
                appendRun(key, operation..<end, onto: nil, remainder: -1)
            }
            operation = end
            if entries.count > Self.entriesToFlush && hasChanged {
                if let leaf { expandRuns(of: leaf) }
                try flushLeaves(into: &children)
            }
        }
        if let leaf {
            keep(leaf, entry, leaf.count)
            if !hasChanged {
                children.append(IndexChild(reference: reference, postings: leaf.postings))
                return
            }
            pending.free(reference)
            if nextSeparator == nil, let spliced = splice(leaf, over: reference) {
                children.append(spliced)
                return
            }
            expandRuns(of: leaf)
        }
        try writeLeaves(fillsUp: fillsUp, over: reference, into: &children)
    }

    /// Starts a leaf with nothing gathered.
    func begin() {
        entries.removeAll(keepingCapacity: true)
        remainders.removeAll(keepingCapacity: true)
        arena.reset()
        nextSeparator = nil
        hasChanged = false
    }

    /// Whether the operation's position is after all that the leaf holds.
    private func isBehind(_ leaf: IndexLeaf, _ lower: Int, _ upper: Int, _ operation: Int) -> Bool {
        if lower == leaf.count { return true }
        return upper == leaf.count && list[operation].objectKey > leaf.chunk(leaf.count - 1).last
    }

    /// Takes over entries unchanged.
    func gather(_ leaf: IndexLeaf, _ low: Int, _ high: Int) {
        for index in low..<max(low, high) {
            let tail = leaf.keys.tail(index)
            let key = arena.allocate(leaf.keys.prefix.count &+ tail.length)
            let length = leaf.keys.copyKey(index, tail, to: key)
            let chunk = leaf.chunk(index, after: tail.end)
            entries.append(IndexEntry(
                key: IndexKey(start: UnsafeRawPointer(key), count: length), remainder: takeRemainder(leaf, tail),
                count: chunk.count, first: chunk.first, last: chunk.last, deltas: chunk.deltas, end: chunk.end))
        }
    }

    func takeRemainder(_ leaf: IndexLeaf, _ tail: IndexKeyTable.Tail) -> Int32 {
        if tail.reference < 0 { return -1 }
        assert(tail.reference < leaf.block.referenceCount, "a key's remainder is no child of its leaf")
        remainders.append(leaf.block.reference(tail.reference))
        return Int32(remainders.count - 1)
    }

    /// Applies operations on one key to its chunks `lower..<upper`.
    private func mergeKey(_ key: IndexKey, _ range: Range<Int>, _ leaf: IndexLeaf, _ lower: Int,
                          _ upper: Int) throws(FreeholdError) {
        assert(!range.isEmpty && range.upperBound <= operations.count, "operations \(range) of \(operations.count)")
        if lower >= upper { return appendRun(key, range, onto: nil, remainder: -1) }
        let keyStart = entries.count
        var operation = range.lowerBound
        for index in lower..<upper {
            var end = range.upperBound
            if index + 1 < upper {
                let next = leaf.first(index + 1)
                end = operation
                while end < range.upperBound && list[end].objectKey < next { end += 1 }
            }
            if operation == end {
                gather(leaf, index, index + 1)
            } else {
                try mergeChunk(key, operation..<end, leaf, index, keyStart)
            }
            operation = end
        }
    }

    private func mergeChunk(_ key: IndexKey, _ range: Range<Int>, _ leaf: IndexLeaf, _ index: Int,
                            _ keyStart: Int) throws(FreeholdError) {
        let tail = leaf.keys.tail(index)
        let chunk = leaf.chunk(index, after: tail.end)
        let insertions = chunk.last < list[range.lowerBound].objectKey
        if insertions && !range.contains(where: { !list[$0].isRemoval }) || !insertions && !mergePostings(chunk, range) {
            return gather(leaf, index, index + 1)
        }
        let remainder = takeRemainder(leaf, tail)
        if insertions {
            appendRun(key, range, onto: chunk, remainder: remainder)
        } else {
            writeMerged(key, remainder: remainder, keyStart)
        }
    }
}
