/// Keeps a writer's state from one transaction to the next.
extension TableWriter {
    /// The maximum size of a buffer that is kept; a larger one is emptied, and the rows left in it are read again.
    private static let keptBytes = 64 * 1024

    /// Keeps the state after the commit of this transaction's changes: the class's root is now in the file at `root`.
    /// If keeping it does not pay off, the next transaction reads the class again.
    ///
    /// Called between the commit and the recycling of the pending blocks, whose references are final by then.
    func keep(as root: BlockReference) throws(FreeholdError) {
        guard tail.finished.tails <= 1, buffer.used <= Self.keptBytes else { return }
        state.root.takeReferences(of: try pending.access.view(tail.finished.root))
        let isOpenTailLeft = tail.finished.tails == 1 && !isFull(buffer.count, buffer.used)
        if !isOpenTailLeft {
            buffer.removeAll()
            claims.forget()
        }
        try state.readTails(dropping: isOpenTailLeft ? 1 : 0)
        state.dropStaleDictionaries()
        tail.keep(as: root, holdingRows: isOpenTailLeft)
        assert(checkInvariants(fully: true), "the invariants hold")
    }

    /// Whether a tail block with that many rows and bytes is full.
    func isFull(_ rows: Int, _ bytes: Int) -> Bool { rows >= Self.tailBlockRows || bytes >= Self.tailBlockBytes }
}
