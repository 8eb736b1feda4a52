/// Merges operations into an inner node.
///
/// Safe throughout: as `IndexMerge`; children are below the node's count.
extension IndexMerge {
    /// A child that received operations, and its replacements.
    private struct Touched {
        var child: Int
        var results: Range<Int>
        var growth: Int
    }

    /// Applies operations to an inner node and appends its replacements.
    func mergeInner(_ reference: BlockReference, _ inner: IndexInner, _ range: Range<Int>, isRightmost: Bool,
                    into children: inout [IndexChild]) throws(FreeholdError) {
        var touched: [Touched] = []
        var results: [IndexChild] = []
        var keepsShape = true
        var operation = range.lowerBound
        while operation < range.upperBound {
            let child = try inner.child(for: key(operation), list[operation].objectKey, access)
            let end = try operationsEnd(inner, child, operation, range.upperBound)
            assert(end > operation && end <= range.upperBound, "a child without operations is read (1)")
            let start = results.count
            try merge(inner.reference(child), below: inner.level, operation..<end,
                      isRightmost: isRightmost && child == inner.count - 1, into: &results)
            operation = end
            let postings = results[start...].reduce(0) { $0 + $1.postings }
            let growth = postings - inner.postings(child)
            if results.count == start + 1, results[start].reference == inner.reference(child), growth == 0 {
                results.removeLast()
                continue
            }
            if results.count != start + 1 { keepsShape = false } else if try isUnderfull(results[start]) { keepsShape = false }
            touched.append(Touched(child: child, results: start..<results.count, growth: growth))
        }
        if touched.isEmpty {
            children.append(IndexChild(reference: reference, postings: inner.postings))
        } else if keepsShape || inner.count == 1 && results.count == 1 {
            children.append(try replaceChildren(reference, inner, touched, results))
        } else {
            let fillsUp = isRightmost && touched.count == 1 && touched[0].child == inner.count - 1
            try rebuild(reference, inner, touched, results, fillsUp: fillsUp, into: &children)
        }
    }

    /// The end of the operations for a child: the first that is not before the separator after it.
    private func operationsEnd(_ inner: IndexInner, _ child: Int, _ start: Int, _ limit: Int) throws(FreeholdError) -> Int {
        if child == inner.keys.count { return limit }
        var low = start, step = 1
        while low + step < limit, try isBefore(low + step, inner, child) {
            low += step
            step *= 2
        }
        var high = min(low + step, limit)
        low += 1
        while low < high {
            let middle = (low + high) / 2
            if try isBefore(middle, inner, child) { low = middle + 1 } else { high = middle }
        }
        return low
    }

    private func isBefore(_ operation: Int, _ inner: IndexInner, _ separator: Int) throws(FreeholdError) -> Bool {
        let order = try inner.keys.order(separator, key(operation), access)
        if order != 0 { return order > 0 }
        return list[operation].objectKey < inner.objectKey(separator)
    }

    /// Handles the case that each touched child was replaced by one node: only references and counts change.
    private func replaceChildren(_ reference: BlockReference, _ inner: IndexInner, _ touched: [Touched],
                                 _ results: [IndexChild]) throws(FreeholdError) -> IndexChild {
        var reference = reference
        let postings = inner.postings
        let block = try pending.edit(&reference)
        let ends = block.body
        var growth = 0
        for (index, change) in touched.enumerated() {
            block.setReference(change.child, results[change.results.lowerBound].reference)
            growth &+= change.growth
            let next = index + 1 < touched.count ? touched[index + 1].child : inner.count
            for child in change.child..<next {
                let end = ends.load(fromByteOffset: child &* 8, as: Int64.self) &+ Int64(growth)
                ends.storeBytes(of: end, toByteOffset: child &* 8, as: Int64.self)
            }
        }
        block.setFirstKey(Int64(postings + growth))
        return IndexChild(reference: reference, postings: postings + growth)
    }

    /// Rebuilds the node after children were split or emptied, or if some are to be merged.
    private func rebuild(_ reference: BlockReference, _ inner: IndexInner, _ touched: [Touched], _ results: [IndexChild],
                         fillsUp: Bool, into children: inout [IndexChild]) throws(FreeholdError) {
        var list: [IndexChild] = []
        list.reserveCapacity(inner.count + results.count)
        var next = 0
        for child in 0..<inner.count {
            let separator = child == 0 ? nil : keptSeparator(inner, child - 1)
            guard next < touched.count, touched[next].child == child else {
                list.append(IndexChild(reference: inner.reference(child), postings: inner.postings(child), separator: separator))
                continue
            }
            let made = touched[next].results
            next += 1
            if made.isEmpty { drop(separator) }
            for result in results[made] {
                list.append(result)
                if result.separator == nil { list[list.count - 1].separator = separator }
            }
        }
        assert(next == touched.count, "a changed child was not put back")
        pending.free(reference)
        try combineUnderfull(&list, level: inner.level - 1)
        if list.isEmpty { return }
        drop(list[0].separator)
        list[0].separator = nil
        try writeInner(level: inner.level, list, fillsUp: fillsUp, into: &children)
    }

    /// A separator as the children of a rebuilt node carry it.
    func keptSeparator(_ inner: IndexInner, _ index: Int) -> IndexSeparator {
        let tail = inner.keys.tail(index)
        let key = separatorKeys.allocate(inner.keys.prefix.count + tail.length)
        let length = inner.keys.copyKey(index, tail, to: key)
        return IndexSeparator(key: IndexKey(start: UnsafeRawPointer(key), count: length), objectKey: inner.objectKey(index),
                              remainder: tail.reference < 0 ? .null : inner.block.reference(tail.reference))
    }
}
