/// Evacuation, which keeps space reusable. A page becomes reusable only when its last block dies, so long-lived blocks
/// left alone in their pages would keep them for ever. A commit therefore moves some of them: children of nodes it
/// rewrites anyway.
extension CommitWriter {
    /// Utilization (in hundredths) below which a commit looks for sparse children at all.
    private static let lookBelow = 90
    /// Utilization below which a commit writes as much again as it would have, and examines children's children.
    private static let pressBelow = 70

    /// Moves blocks that lie in pages less than half live (or at the end of a mostly empty file) into this commit,
    /// within its budget: what the last page has left, and as much again under pressure. Returns the number of blocks moved.
    func evacuate(_ pending: PendingBlocks, top: Int) throws(FreeholdError) -> Int {
        let utilization = map.utilization, shrinkLine = map.shrinkLine
        guard shrinkLine < Int.max || (utilization < Self.lookBelow && map.usedPages > 32) else { return 0 }
        // The space root is not created yet: the length of the present one stands for it.
        let total = totalGranules + max(2, map.log.reference.granuleCount)
        let pages = (total + BlockLayout.granulesPerPage - 1) / BlockLayout.granulesPerPage
        let pressed = utilization < Self.pressBelow || shrinkLine < Int.max
        var hunt = Hunt(budget: pages * BlockLayout.granulesPerPage - total + (pressed ? pages * 64 : 0),
                        looks: 128 + 4 * total, deep: pressed,
                        coldOpenings: 8 * (1 + pages), shrinkLine: shrinkLine)
        for index in 0..<lasting.count where hunt.goesOn { try evacuateChildren(of: lasting[index], top, pending, &hunt) }
        for index in 0..<passing.count where hunt.goesOn { try evacuateChildren(of: passing[index], top, pending, &hunt) }
        return hunt.moved
    }

    /// The remaining budget of an evacuation.
    private struct Hunt {
        /// Granules it may still add to the commit.
        var budget: Int
        /// References it may still examine.
        var looks: Int
        /// Whether it examines children's children.
        let deep: Bool
        /// Number of children it may still open for that purpose which this process has not read before.
        var coldOpenings: Int
        let shrinkLine: Int
        var moved = 0

        var goesOn: Bool { budget > 0 && looks > 0 }
    }

    private func evacuateChildren(of parent: Int, _ top: Int, _ pending: PendingBlocks, _ hunt: inout Hunt)
        throws(FreeholdError) {
        let block = MutableBlock(start: try blocks(pending)[parent])
        let count = block.view.referenceCount
        // Starts at another child each time, so that all children of a large node are reached.
        let first = count > 0 ? Int(truncatingIfNeeded: map.nextVersion % UInt64(count)) : 0
        for step in 0..<count where hunt.goesOn {
            let slot = first + step < count ? first + step : first + step - count
            let child = block.view.reference(slot)
            // Blocks written for this very version are in their place already.
            if child.isNull || child.isPending || child.birth == map.nextVersion || (parent == top && slot == Self.spaceRootSlot) { continue }
            hunt.looks -= 1
            if isToMove(child, hunt) {
                try move(slot, of: block, pending, &hunt)
            } else if hunt.deep, pending.access.hasVerified(child) || hunt.coldOpenings > 0 {
                try evacuateBelow(slot, of: block, pending, &hunt)
            }
        }
    }

    /// Moves the sparse children of a child, and with them the child, which refers to them.
    private func evacuateBelow(_ slot: Int, of parent: MutableBlock, _ pending: PendingBlocks, _ hunt: inout Hunt)
        throws(FreeholdError) {
        let child = parent.view.reference(slot)
        if !pending.access.hasVerified(child) { hunt.coldOpenings -= 1 }
        let view = try pending.access.view(child)
        for below in 0..<view.referenceCount where hunt.goesOn {
            let candidate = view.reference(below)
            hunt.looks -= 1
            guard !candidate.isNull, isToMove(candidate, hunt),
                  child.granuleCount + candidate.granuleCount <= hunt.budget else { continue }
            guard let block = try move(slot, of: parent, pending, &hunt) else { return }
            for sibling in below..<view.referenceCount where hunt.goesOn {
                if isToMove(view.reference(sibling), hunt) { try move(sibling, of: block, pending, &hunt) }
            }
            return
        }
    }

    /// Copies a committed child into the transaction; nil if it does not fit the budget.
    @discardableResult
    private func move(_ slot: Int, of parent: MutableBlock, _ pending: PendingBlocks, _ hunt: inout Hunt)
        throws(FreeholdError) -> MutableBlock? {
        var child = parent.view.reference(slot)
        guard child.granuleCount <= hunt.budget else { return nil }
        hunt.budget -= child.granuleCount
        hunt.moved += 1
        let copy = try pending.edit(&child)
        parent.setReference(slot, child)
        return copy
    }

    /// Whether to move a committed block: its pages are less than half live, or are to be cut off.
    @inline(__always) private func isToMove(_ block: BlockReference, _ hunt: Hunt) -> Bool {
        if block.isNull { return false }
        let first = Int(block.granuleIndex >> 6), last = block.lastPage
        guard last < map.table.count else { return false }
        if last >= hunt.shrinkLine { return true }
        var live = 0
        for page in first...last { live += Int(map.table.mark(page)) }
        return live < (last - first + 1) * BlockLayout.granulesPerPage / 2
    }
}

extension BlockReference {
    /// The last page in which a committed block lies; −1 for none.
    @inline(__always) var lastPage: Int {
        isNull ? -1 : Int((granuleIndex + UInt64(granuleCount) - 1) >> 6)
    }
}

extension BlockAccess {
    /// Whether this process has read and verified a committed block.
    ///
    /// Safe: the page is checked against the table's length.
    @inline(__always) fileprivate func hasVerified(_ block: BlockReference) -> Bool {
        let page = block.granuleIndex >> 6
        return page < pageLimit
            && (touched + Int(page)).pointee.contains(1 << (block.granuleIndex & 63), birth: block.birth)
    }
}
