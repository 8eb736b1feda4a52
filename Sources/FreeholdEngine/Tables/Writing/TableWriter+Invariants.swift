extension TableWriter {
    /// Stops if an invariant of the writer or of its parts is broken; called as `assert(checkInvariants())` after each
    /// change. Returns true.
    ///
    /// - Parameter fully: check every row of a small buffer, too.
    func checkInvariants(fully: Bool = false) -> Bool {
        assert(table.buffer === state.buffer, "(1): the buffer is the state's")
        switch tail.phase {
        case .closed:
            assert(buffer.count == 0, "open tail (2): the buffer has no rows")
            assert(state.tails.count == state.root.tails.count, "open tail (2): every tail block is read")
        case .held:
            assert(buffer.count > 0, "open tail (2): the buffer has the last block's rows")
            assert(state.tails.count == state.root.tails.count - 1, "open tail (2): the last block is omitted")
        case .open, .ready, .asked:
            assert(state.tails.count == state.root.tails.count, "(1): a row is in a tail block or in the buffer")
        case .settled:
            assert(state.tails.count + tail.finished.tails == state.root.tails.count, "open tail (4): the tail is in blocks")
        case .gone: break
        }
        assert(tail.isChanged || tombstones.isEmpty, "open tail (1): nothing is deleted before there is a change")
        assert(tail.phase != .ready || saving.waiting == nil, "open tail (3): the newest savepoint has saved the table")
        assert(buffer.guarded === saving.newest?.rows, "the newest savepoint preserves the rows")
        assert(indexes.guarded === saving.newest?.operations, "the newest savepoint preserves the index operations")
        return buffer.checkInvariants(fully: fully) && tombstones.checkInvariants() && indexes.checkInvariants()
            && claims.checkInvariants(filling: filling)
    }
}
