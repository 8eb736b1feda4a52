/// Moves blocks that are out of place into a commit, in the order of the tree, a little at a time.
///
/// 1. It knows blocks by their references only, whatever they hold: a block that moves is a copy in its parent, and so are
///    the blocks above it.
/// 2. Where the next commit goes on is a path of places from the top block down, always behind what was moved: a block is moved once in a
///    pass, whether or not it has found a better place. The tree may have changed by then: a place that is not there any more is
///    skipped, and the next pass meets what was missed.
/// 3. While a reader keeps a version from before the pass, what is moved gives no room back. Then blocks only move to where there is room
///    already, and the pass ends when there is none.
struct Relocation {
    /// The page from which on nothing is to remain.
    let line: Int
    /// The version and the file length at the beginning of the pass.
    let first: UInt64
    let firstLength: UInt64
    /// Whether the pass has ended for lack of room.
    var isHeldBack = false
    /// Where to go on; empty at the beginning of a pass.
    private(set) var path: [Int] = []
    private(set) var movedBlocks = 0

    /// Begins a pass; nil if the file can hardly get shorter.
    init?(_ map: SpaceMap, newest: Root) {
        line = map.compactLine
        (first, firstLength) = (newest.version, newest.length)
        guard map.table.count > line + max(8, line / 16) else { return nil }
    }

    /// Moves nothing: for a commit that lets the file give back what the previous ones have freed.
    init(restingAt newest: Root) {
        line = Int.max
        (first, firstLength) = (newest.version, newest.length)
    }

    var isResting: Bool { line == Int.max }

    /// Moves blocks worth `budget` granules below `top`, a pending top block.
    /// - Returns: whether there is more to look at.
    mutating func run(_ top: MutableBlock, _ pending: PendingBlocks, _ map: SpaceMap, budget: Int) throws(FreeholdError) -> Bool {
        var step = Step(pending: pending, map: map, line: line, budget: budget, resume: path[...])
        let first = path.first ?? 0
        for slot in first..<max(first, top.view.referenceCount) where slot != TopBlock.space {
            step.resume = slot == path.first ? path.dropFirst() : []
            let child = top.view.reference(slot)
            if let moved = try step.visit(child, depth: 0) { top.setReference(slot, moved) }
            if step.isOver {
                movedBlocks += step.moved
                path = step.place(behind: slot)
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
        /// Where the step has stopped, from the block at hand down; empty if that is done.
        var stop: [Int] = []
        var moved = 0
        var isOver: Bool { budget <= 0 }

        /// Where the parent of a child in `slot` goes on: within the child, if that is not done.
        func place(behind slot: Int) -> [Int] { stop.isEmpty ? [slot + 1] : [slot] + stop }

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
                    stop = place(behind: slot)
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
    /// The maximum that one commit of a compaction moves; other writers wait that long.
    private static let granulesPerStep = 1 << 14

    /// How much longer a file may temporarily become when all its pages are in use.
    private static let mostGrowth = UInt64(128 * BlockLayout.page)

    /// Makes one short commit of a compaction. Others can write between two of them.
    /// - Parameter relocation: the pass to continue; nil begins one, and stays nil if that would gain nothing.
    /// - Returns: whether the pass continues.
    func relocate(_ relocation: inout Relocation?, timeoutMilliseconds: Int) throws(FreeholdError) -> Bool {
        let lease = try beginWrite(timeoutMilliseconds: timeoutMilliseconds)
        var isOpen = true
        defer { if isOpen { session.abandonWrite(lease) } }
        shadow?.enter()
        defer { shadow?.leave() }
        let map = try writer(after: lease).map
        guard var pass = relocation ?? Relocation(map, newest: lease.newest) else { return false }
        let budget = budget(of: pass, map, lease)
        if budget == 0, !pass.isResting {
            pass.isHeldBack = true
            relocation = pass
            return false
        }
        let pending = writing.takePendingBlocks()
        map.compactingBelow = pass.line
        // What the writer lock guards is touched before the lock is given back.
        func end() {
            map.compactingBelow = nil
            writing.recycle(pending)
        }
        defer { if isOpen { end() } }
        let base = try TopBlock(lease.newest.top, in: pending.access)
        let (top, block) = TopBlock.make(like: base, in: pending)
        let goesOn = budget > 0 ? try pass.run(block, pending, map, budget: budget) : false
        pending.free(lease.newest.top)
        let root = try writeBlocks(of: pending, top: top, after: lease)
        try access.requireIntactMapping()
        try publish(root, pending, .full, ending: lease) {
            isOpen = false
            end()
        }
        relocation = pass
        return goesOn
    }

    /// How many granules the next step may move; 0 if it would make the file longer, and nothing would come back for it.
    private func budget(of pass: Relocation, _ map: SpaceMap, _ lease: WriteLease) -> Int {
        if pass.isResting { return 0 }
        map.discard()
        map.waiting.settle(held: heldVersions(map, lease))
        let room = map.pagesBelow(pass.line)
        let isHeld = session.held.holders().contains { $0.version <= pass.first }
        if isHeld || lease.newest.length > pass.firstLength + Self.mostGrowth {
            // As much again may be evacuated beside what the step moves, whose last block may be long; the blocks above them come on top.
            return min(Self.granulesPerStep, max(0, room - 24) / 2 * BlockLayout.granulesPerPage)
        }
        return min(Self.granulesPerStep, max(16, room) * BlockLayout.granulesPerPage)
    }

    /// Makes an empty commit, which ends the file where the previous ones have freed its end.
    func rest(timeoutMilliseconds: Int) throws(FreeholdError) {
        var resting: Relocation? = Relocation(restingAt: session.memory.newest.read().root)
        _ = try relocate(&resting, timeoutMilliseconds: timeoutMilliseconds)
    }

    /// Cuts the file to what is needed and a little more.
    func cutAfterCompaction(timeoutMilliseconds: Int) throws(FreeholdError) {
        let lease = try beginWrite(timeoutMilliseconds: timeoutMilliseconds)
        defer { session.abandonWrite(lease) }
        cutFile(keeping: min(64 << 10, lease.newest.length / 32), lease)
    }
}
