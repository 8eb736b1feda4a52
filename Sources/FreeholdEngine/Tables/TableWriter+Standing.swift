/// What a writer keeps from one transaction to the next.
extension TableWriter {
    struct Standing {
        /// The class's root in the file that the writer's state shows while nothing is changed; nil if it shows none.
        var root: BlockReference?
        /// Whether the buffer has the rows of the last tail block of `state.root`, which `state.tails` then leaves out.
        var holdsOpenTail = false
    }

    /// A buffer that has grown beyond this for the rows left in it is emptied, and they are read again.
    private static let keptBytes = 64 * 1024

    /// Goes on from the commit of what this transaction changed: the class's root now stands in the file at `root`.
    /// Where that does not pay, the next transaction reads the class anew.
    ///
    /// Called between the commit and the recycling of the pending blocks, whose references are final by then.
    func keep(as root: BlockReference) throws(FreeholdError) {
        guard writtenTails <= 1, buffer.used <= Self.keptBytes else { return }
        state.root.takeReferences(of: try pending.access.view(madeRoot))
        let isOpenTailLeft = writtenTails == 1 && !isFull(buffer.count, buffer.used)
        if !isOpenTailLeft {
            buffer.removeAll()
            uniqueRows.removeAll()
        }
        try state.readTails(dropping: isOpenTailLeft ? 1 : 0)
        state.dropStaleDictionaries()
        standing = Standing(root: root, holdsOpenTail: isOpenTailLeft)
        isChanged = false
    }

    /// Whether a tail block of so many rows and bytes gets no more of them.
    func isFull(_ rows: Int, _ bytes: Int) -> Bool { rows >= Self.tailBlockRows || bytes >= Self.tailBlockBytes }
}
