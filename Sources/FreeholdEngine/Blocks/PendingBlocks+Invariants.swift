/// Safe throughout: the table is owned by these blocks and has the capacity beside it.
extension PendingBlocks {
    /// Stops if an invariant is broken; called as `assert(checkInvariants())` after each change. Returns true.
    ///
    /// - Parameter fully: check every block and every freed reference if they are few.
    func checkInvariants(fully: Bool = false) -> Bool {
        assert(table.pointee.count <= UInt64(capacity), "the table has room for its blocks")
        assert(undo.protected <= table.pointee.count, "the blocks of a savepoint exist")
        assert(attached.isEmpty || hasAttached, "attached values are noted")
        if let last = chunks.last {
            assert(remaining >= 0 && cursor + remaining == last + Self.length(ofChunk: chunks.count - 1), "free memory is the end of the last chunk")
        } else {
            assert(remaining == 0 && table.pointee.count == 0, "blocks lie in chunks")
        }
        guard fully, count <= Self.fewBlocks, freed.count <= Self.fewBlocks else { return true }
        for index in 0..<count {
            let start = table.pointee.blocks[index]
            assert(chunks.indices.contains { chunks[$0] <= start && start < chunks[$0] + Self.length(ofChunk: $0) }, "a block lies in a chunk")
        }
        assert(freed.allSatisfy { !$0.isNull && !$0.isPending && $0.birth != version }, "(1): committed blocks are freed")
        return true
    }

    /// The maximum number of blocks, and of freed references, that are all checked.
    private static let fewBlocks = 64
}
