extension CommitWriter {
    /// Finds the pending blocks reachable from the top block, children before parents.
    func walk(_ pending: PendingBlocks, from top: Int) throws(FreeholdError) {
        let count = pending.count
        reserve(count)
        lengths.update(repeating: 0, count: count)
        lasting.removeAll()
        passing.removeAll()
        totalGranules = 0
        let blocks = try blocks(pending)
        guard top < count else { throw map.damaged("a top block that is not pending") }
        _ = try visit(top, blocks, count)
        assert(lasting.count + passing.count <= count, "a block is written twice")
        assert(passing.count > 0 && passing[passing.count - 1] == top, "the top block is written last")
    }

    /// Whether the block, or one below it, will soon be replaced.
    private func visit(_ index: Int, _ blocks: UnsafeMutablePointer<UnsafeMutableRawPointer>, _ count: Int)
        throws(FreeholdError) -> Bool {
        let view = BlockView(start: UnsafeRawPointer(blocks[index]))
        let references = view.referenceCount
        lengths[index] = BlockLayout.granules(references: references, body: view.bodyLength, prefix: prefix)
        var passes = Self.isPassing(view.kindByte)
        for slot in 0..<references {
            let child = view.reference(slot)
            guard child.isPending else { continue }
            let childIndex = Int(child.granuleIndex)
            guard childIndex < count, lengths[childIndex] == 0 else {
                throw map.damaged("a pending block with two parents")
            }
            if try visit(childIndex, blocks, count) { passes = true }
        }
        add(index, passes: passes)
        return passes
    }

    /// Adds a block, after its children, to the blocks to write.
    func add(_ index: Int, passes: Bool) {
        assert(lengths[index] > 0, "a block is added before it is measured")
        totalGranules += lengths[index]
        if passes { passing.append(index) } else { lasting.append(index) }
    }

    /// Whether nearly every commit writes blocks of this kind anew.
    @inline(__always) private static func isPassing(_ kind: UInt8) -> Bool {
        kind == BlockKind.top.rawValue || kind == BlockKind.tableRoot.rawValue || kind == BlockKind.tail.rawValue
            || kind == BlockKind.spaceRoot.rawValue
    }
}
