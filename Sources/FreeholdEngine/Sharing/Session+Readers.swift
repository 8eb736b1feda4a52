extension Session {
    /// A cell for one reader at a time; give it back with `release`.
    func claimCell() throws(FreeholdError) -> ReaderCell {
        try checkValid()
        if let cell = state.withLock({ $0.freeCells.popLast() }) { return cell }
        return try cells.claim(slot.token, kind: .reader)
    }

    /// Takes a cell back into the process's pool. It must be unpinned.
    func release(_ cell: ReaderCell) {
        guard !isForked else { return }
        state.withLock { if !$0.isClosed { $0.freeCells.append(cell) } }
    }

    /// Clears up after processes that have died. Done when a session is joined and whenever the allocator finds
    /// old versions held.
    func reap() {
        guard isWritable, isReaping.compareExchange(expected: false, desired: true, ordering: .acquiringAndReleasing).exchanged
        else { return }
        slots.reap(except: slot, system) { token in
            cells.releaseAll(of: token)
            listeners.releaseAll(of: token, system)
        }
        isReaping.store(false, ordering: .releasing)
    }
}
