/// Merges nodes that have become small with their neighbours.
///
/// Safe throughout: as `IndexMerge`.
extension IndexMerge {
    /// Whether a node that this pass created is small enough to be merged with a neighbour.
    func isUnderfull(_ child: IndexChild) throws(FreeholdError) -> Bool {
        if !child.reference.isPending { return false }
        let view = try access.view(child.reference)
        return view.kind == .indexLeaf ? child.reference.granuleCount < IndexLayout.underfullLeafGranules
            : view.count < IndexLayout.underfullChildren
    }

    /// Merges small nodes among the future children of one node.
    func combineUnderfull(_ list: inout [IndexChild], level: Int) throws(FreeholdError) {
        var combined: [IndexChild] = []
        combined.reserveCapacity(list.count)
        for child in list {
            guard let previous = combined.last, try belongTogether(previous, child) else {
                combined.append(child)
                continue
            }
            combined.removeLast()
            let first = combined.count
            try combine(previous, child, level: level, into: &combined)
            combined[first].separator = previous.separator
        }
        list = combined
    }

    private func belongTogether(_ left: IndexChild, _ right: IndexChild) throws(FreeholdError) -> Bool {
        if try !isUnderfull(left), try !isUnderfull(right) { return false }
        let one = try access.view(left.reference), other = try access.view(right.reference)
        let granules = left.reference.granuleCount + right.reference.granuleCount
        guard one.kind == .indexInner else { return granules <= IndexLayout.mergedLeafGranules }
        return one.count + other.count <= IndexLayout.fanOut && granules * BlockLayout.granule <= IndexLayout.innerBytes
    }

    private func combine(_ left: IndexChild, _ right: IndexChild, level: Int, into out: inout [IndexChild]) throws(FreeholdError) {
        switch (try IndexNode(left.reference, below: level + 1, access), try IndexNode(right.reference, below: level + 1, access)) {
        case (.leaf(let one), .leaf(let other)):
            begin()
            gather(one, 0, one.count)
            gather(other, 0, other.count)
            drop(right.separator)
            freeBoth(left, right)
            try writeLeaves(fillsUp: false, over: .null, into: &out)
        case (.inner(let one), .inner(let other)):
            var list = kept(one, separator: nil)
            list += kept(other, separator: right.separator)
            freeBoth(left, right)
            try writeInner(level: level, list, fillsUp: false, into: &out)
        default:
            throw FreeholdError(.corrupt, "an index node refers to nodes of different kinds; run `freehold check`")
        }
    }

    private func freeBoth(_ left: IndexChild, _ right: IndexChild) {
        pending.free(left.reference)
        pending.free(right.reference)
    }

    private func kept(_ inner: IndexInner, separator: IndexSeparator?) -> [IndexChild] {
        (0..<inner.count).map { child in
            IndexChild(reference: inner.reference(child), postings: inner.postings(child),
                       separator: child == 0 ? separator : keptSeparator(inner, child - 1))
        }
    }
}
