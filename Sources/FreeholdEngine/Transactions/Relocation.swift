/// Moves blocks that are out of place into a commit, in the order of the tree, a little at a time.
///
/// 1. It knows blocks by their references only, whatever they hold: a block that moves is a copy in its parent, and so are
///    the blocks above it.
/// 2. Where the next commit goes on is a path of places from the top block down. The tree may have changed by then: a place
///    that is not there any more is skipped, and the next pass meets what was missed.
struct Relocation {
    /// The page from which on nothing is to lie.
    let line: Int
    /// Where to go on; empty at the beginning of a pass.
    private(set) var path: [Int] = []
    private(set) var movedBlocks = 0

    init(line: Int) { self.line = line }

    /// Moves blocks worth `budget` granules below `top`, a pending top block.
    /// - Returns: whether there is more to look at.
    mutating func run(_ top: MutableBlock, _ pending: PendingBlocks, _ map: SpaceMap, budget: Int) throws(FreeholdError) -> Bool {
        var step = Step(pending: pending, map: map, line: line, budget: budget, resume: path[...])
        for slot in (path.first ?? 0)..<top.view.referenceCount where slot != TopBlock.space {
            step.resume = slot == path.first ? path.dropFirst() : []
            let child = top.view.reference(slot)
            if let moved = try step.visit(child, depth: 0) { top.setReference(slot, moved) }
            if step.isOver {
                movedBlocks += step.moved
                path = [slot] + step.stop
                return true
            }
        }
        movedBlocks += step.moved
        path = []
        return false
    }

    /// One commit's part of the pass.
    private struct Step {
        let pending: PendingBlocks
        let map: SpaceMap
        let line: Int
        var budget: Int
        /// Places still to be skipped to, from the block at hand down.
        var resume: ArraySlice<Int>
        /// Where the step has stopped, from the block at hand down.
        var stop: [Int] = []
        var moved = 0
        var isOver: Bool { budget <= 0 }

        /// Visits what is below a block, then the block. Returns its new reference if it has one.
        mutating func visit(_ reference: BlockReference, depth: Int) throws(FreeholdError) -> BlockReference? {
            guard !reference.isNull, depth < 64 else { return nil }
            let view = try pending.access.view(reference)
            var own = reference, copy: MutableBlock?
            let first = resume.first ?? 0
            resume = resume.dropFirst()
            for slot in first..<max(first, view.referenceCount) {
                if slot > first { resume = [] }
                if let child = try visit(view.reference(slot), depth: depth + 1) {
                    if copy == nil { copy = try edit(&own) }
                    copy?.setReference(slot, child)
                }
                if isOver {
                    stop = [slot] + stop
                    return copy == nil ? nil : own
                }
            }
            if copy == nil, !reference.isPending, map.isOutOfPlace(reference, line: line) {
                copy = try edit(&own)
                moved += 1
            }
            return copy == nil ? nil : own
        }

        private mutating func edit(_ reference: inout BlockReference) throws(FreeholdError) -> MutableBlock {
            budget -= reference.granuleCount
            return try pending.edit(&reference)
        }
    }
}

extension DatabaseCore {
    /// How much one commit of a compaction moves at most: so long others wait.
    private static let granulesPerStep = 1 << 14

    /// Makes one short commit of a compaction; others write between two of them.
    /// - Parameter relocation: the pass at hand; nil begins one.
    /// - Returns: whether the pass goes on.
    func relocate(_ relocation: inout Relocation?, timeoutMilliseconds: Int) throws(FreeholdError) -> Bool {
        let lease = try beginWrite(timeoutMilliseconds: timeoutMilliseconds)
        shadow?.enter()
        defer { shadow?.leave() }
        let pending = writing.takePendingBlocks()
        var isOpen = true
        do {
            let map = try writer(after: lease).map
            var pass = relocation ?? Relocation(line: map.compactLine)
            map.compactingBelow = pass.line
            defer { map.compactingBelow = nil }
            let base = try TopBlock(lease.newest.top, in: pending.access)
            let (top, block) = TopBlock.make(tables: base.tableCount, from: base, in: pending)
            let budget = map.movableGranules(below: pass.line, atMost: Self.granulesPerStep)
            let goesOn = try pass.run(block, pending, map, budget: budget)
            pending.free(lease.newest.top)
            let root = try writeBlocks(of: pending, top: top, after: lease)
            try access.requireIntactMapping()
            try publish(root, pending, .full, ending: lease) {
                isOpen = false
                writing.recycle(pending)
            }
            relocation = pass
            return goesOn
        } catch {
            if isOpen {
                writing.recycle(pending)
                session.abandonWrite(lease)
            }
            throw error
        }
    }

    /// Cuts the file to what is needed and a little more.
    func cutAfterCompaction(timeoutMilliseconds: Int) throws(FreeholdError) {
        let lease = try beginWrite(timeoutMilliseconds: timeoutMilliseconds)
        defer { session.abandonWrite(lease) }
        cutFile(keeping: min(64 << 10, lease.newest.length / 32), lease)
    }
}
