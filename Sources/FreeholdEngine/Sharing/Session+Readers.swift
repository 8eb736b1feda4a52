extension Session {
    /// Claims a cell for one reader at a time; return it with `release`.
    func claimCell() throws(FreeholdError) -> ReaderCell {
        try checkValid()
        if let cell = state.withLock({ $0.freeCells.popLast() }) { return cell }
        return try cells.claim(slot.token, kind: .reader)
    }

    /// Returns a cell to the process's pool. It must be unpinned.
    func release(_ cell: ReaderCell) {
        guard !isForked else { return }
        state.withLock { if !$0.isClosed { $0.freeCells.append(cell) } }
    }

    /// The versions that a commit must leave whole. Dead processes are reaped first: ten times a second at most, and
    /// only if a version other than the newest is held. The caller owns the writer lock.
    ///
    /// - Parameter mayRevoke: whether to revoke a parked version.
    func heldVersionsForCommit(revoking mayRevoke: (UInt64) -> Bool = { _ in false }) -> [UInt64] {
        let held = heldVersions(revoking: mayRevoke)
        // When the write began is near enough, and known.
        let now = writerLock.since.load()
        guard held.count > 1, now > lastReaped.load(ordering: .relaxed).addingReportingOverflow(Self.reapingNanoseconds).partialValue else { return held }
        lastReaped.store(now, ordering: .relaxed)
        reap()
        return heldVersions(revoking: mayRevoke)
    }

    private static let reapingNanoseconds: UInt64 = 100_000_000

    /// Reaps dead processes. Called when a session is joined and whenever the allocator finds old versions held.
    func reap() {
        guard isWritable, isReaping.compareExchange(expected: false, desired: true, ordering: .acquiringAndReleasing).exchanged
        else { return }
        slots.reap(except: slot, system) { token in
            cells.releaseAll(of: token)
            reservations.releaseAll(of: token)
            listeners.releaseAll(of: token, system)
        }
        isReaping.store(false, ordering: .releasing)
    }
}
