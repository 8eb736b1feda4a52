/// The state that a writer keeps from one transaction to the next.
extension TableWriter {
    struct Standing {
        /// The class's root in the file that the writer's state represents while nothing is changed; nil if it
        /// represents none.
        var root: BlockReference?
        /// Whether the buffer has the rows of the last tail block of `state.root`, which `state.tails` then omits.
        var holdsOpenTail = false
    }

    /// The maximum size of a buffer that is kept; a larger one is emptied, and the rows left in it are read again.
    private static let keptBytes = 64 * 1024

    /// Keeps the state after the commit of this transaction's changes: the class's root is now in the file at `root`.
    /// If keeping it does not pay off, the next transaction reads the class again.
    ///
    /// Called between the commit and the recycling of the pending blocks, whose references are final by then.
    func keep(as root: BlockReference) throws(FreeholdError) {
        guard writtenTails <= 1, buffer.used <= Self.keptBytes else { return }
        state.root.takeReferences(of: try pending.access.view(madeRoot))
        let isOpenTailLeft = writtenTails == 1 && !isFull(buffer.count, buffer.used)
        if !isOpenTailLeft {
            buffer.removeAll()
            claims.forget()
        }
        try state.readTails(dropping: isOpenTailLeft ? 1 : 0)
        state.dropStaleDictionaries()
        standing = Standing(root: root, holdsOpenTail: isOpenTailLeft)
        isChanged = false
    }

    /// Whether a tail block with that many rows and bytes is full.
    func isFull(_ rows: Int, _ bytes: Int) -> Bool { rows >= Self.tailBlockRows || bytes >= Self.tailBlockBytes }
}
