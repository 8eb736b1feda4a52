/// Lays out inner nodes.
///
/// Safe throughout: the sizes have been summed before (`nodeEnd`): a node takes at most `innerBytes`, or two
/// children; `page` has 64 KiB.
extension IndexMerge {
    /// Creates inner nodes from children (the first has no separator): full ones, the last two of equal size; if the
    /// tree `fillsUp` in ascending order, the last one has what is left.
    func writeInner(level: Int, _ children: [IndexChild], fillsUp: Bool, into out: inout [IndexChild]) throws(FreeholdError) {
        var start = 0
        while start < children.count {
            var end = nodeEnd(children, start)
            if !fillsUp && end < children.count && nodeEnd(children, end) == children.count {
                let even = start + (children.count - start + 1) / 2
                if even < end && nodeEnd(children, even) == children.count { end = even }
            }
            out.append(try writeNode(level: level, children, start, end))
            start = end
        }
    }

    /// The end of the range of children of a node that starts with child `start`.
    private func nodeEnd(_ children: [IndexChild], _ start: Int) -> Int {
        var bytes = BlockLayout.references + BlockReference.byteCount + 16
        var end = start + 1
        while end < children.count && end - start < IndexLayout.fanOut {
            guard let separator = children[end].separator else { break }
            bytes += BlockReference.byteCount + 16 + 6 + 5 + separator.key.count
            if !separator.remainder.isNull { bytes += BlockReference.byteCount }
            if bytes > IndexLayout.innerBytes && end - start >= 2 { break }
            end += 1
        }
        return end
    }

    private func writeNode(level: Int, _ children: [IndexChild], _ start: Int, _ end: Int) throws(FreeholdError) -> IndexChild {
        let separators = children[start + 1..<end].compactMap(\.separator)
        assert(separators.count == end - start - 1, "a child of an inner node has no separator before it")
        assert(end - start <= IndexLayout.fanOut && level > 0 && level <= IndexLayout.maximumLevel, "\(end - start) children at level \(level)")
        let bodyLength = try layOut(children[start..<end], separators)
        let remainders = separators.filter { !$0.remainder.isNull }
        let count = end - start
        let postings = children[start..<end].reduce(0) { $0 + $1.postings }
        let (reference, block) = pending.make(.indexInner, variant: UInt8(level), table: table, firstKey: Int64(postings),
                                              count: count, references: count + remainders.count, body: bodyLength)
        block.body.copyMemory(from: page, byteCount: bodyLength)
        assert(children[start..<end].allSatisfy { !$0.reference.isNull }, "an inner node without a child")
        for child in start..<end { block.setReference(child - start, children[child].reference) }
        for (index, separator) in remainders.enumerated() { block.setReference(count + index, separator.remainder) }
        return IndexChild(reference: reference, postings: postings, separator: children[start].separator)
    }

    /// Writes the body into `page`; returns its length.
    /// - Throws: if a separator is too short for what the first and the last have in common, as none in order is.
    private func layOut(_ children: ArraySlice<IndexChild>, _ separators: [IndexSeparator]) throws(FreeholdError) -> Int {
        let count = children.count
        var sum = 0
        for (index, child) in children.enumerated() {
            sum &+= child.postings
            page.storeBytes(of: UInt64(sum), toByteOffset: 8 * index, as: UInt64.self)
        }
        let objectKeys = page + 8 * count
        let heads = page + (16 * count - 4)
        let offsets = heads + 4 * (count - 1)
        var prefix = IndexKey(start: UnsafeRawPointer(page), count: 0)
        if let first = separators.first, let last = separators.last {
            prefix = IndexKey(start: first.key.start, count: first.key.commonPrefix(last.key))
        }
        (heads - 4).storeBytes(of: UInt32(prefix.count), as: UInt32.self)
        (offsets + 2 * count).copyMemory(from: prefix.start, byteCount: prefix.count)
        var place = offsets + (2 * count + prefix.count)
        var reference = count
        for (index, separator) in separators.enumerated() {
            guard separator.key.count >= prefix.count else { throw OrderedIndex.notInOrder() }
            let suffix = separator.key.dropping(prefix.count)
            objectKeys.storeBytes(of: separator.objectKey, toByteOffset: 8 * index, as: Int64.self)
            heads.storeBytes(of: suffix.head, toByteOffset: 4 * index, as: UInt32.self)
            offsets.storeBytes(of: UInt16(place - page), toByteOffset: 2 * index, as: UInt16.self)
            suffix.writeTail(at: &place, reference: separator.remainder.isNull ? -1 : reference)
            if !separator.remainder.isNull { reference += 1 }
        }
        offsets.storeBytes(of: UInt16(place - page), toByteOffset: 2 * separators.count, as: UInt16.self)
        assert(place - page <= 1 << 16, "a node outgrew the page")
        return place - page
    }
}
