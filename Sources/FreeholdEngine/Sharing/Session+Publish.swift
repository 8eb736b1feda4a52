import Platform

extension Session {
    /// Commits: makes `root` the newest version, and ends the write.
    ///
    /// The root's blocks must have been written. `version` must be the lease's; `lastFull` is set here.
    ///
    /// - Parameter lease: the write that this ends.
    /// - Parameter whenCommitted: called after the commit point, while the writer lock is still held and `newest` is the version before.
    /// - Parameter whenPublished: called once `newest` is the root's version and held by that word, while the writer lock is still held.
    ///   Not called if the lock was lost.
    /// - Throws: before the commit point, and the write goes on (publish again or abandon it); after it only
    ///   `.notYetDurable` or `.io`, and the write has ended.
    func publish(
        _ root: Root, _ durability: Durability, ending lease: WriteLease, whenCommitted: () -> Void = {}, whenPublished: () -> Void = {}
    ) throws(FreeholdError) {
        try requireUnderWay(lease)
        var root = root
        let isFull = durability == .full
        let newest = memory.newest.read().root
        // The lock file's words are input like the file's: another program may have written over them.
        guard root.version > newest.version, root.version > memory.versionFloor.load() else { throw damagedLockFile() }
        root.lastFull = isFull ? root.version : lease.newest.lastFull
        guard root.isPlausible, root.length <= UInt64(mappedLength) else { throw damagedLockFile() }
        try checkValid()
        try requireUnderWay(lease)
        try writeVolatileRecord(root)
        whenCommitted()
        point("commit.rootWritten", system)
        guard isUnderWay(lease) else {
            // Others counted this process as dead, and the next owner publishes or replaces what was just written.
            abandonWrite(lease)
            throw invalidityError()
        }
        publishWords(root)
        let isVisible = raiseVisibleAsWriter()
        if !isVisible { holdOwnCommit(root, isFull: isFull) }
        point("publish.visibleSet", system)
        whenPublished()
        writerThread.store(0, ordering: .relaxed)
        writerLock.clearOwner()
        point("commit.ownerCleared", system)
        writerLock.unlock(isByteLock: lease.hold.isByteLock)
        point("commit.unlocked", system)
        if isVisible { ringChangeBell() }
        if isFull {
            try waitUntilDurable(root)
        } else if !isVisible {
            try flushIfAbandoned()
        }
    }

    func damagedLockFile() -> FreeholdError {
        if lockFile.hasFaulted { return invalidityError() }
        return FreeholdError(
            .corrupt, "the lock file beside the database was written over, so nothing can be committed; close the database "
                + "in all processes and open it again: the lock file is made anew, and nothing committed is lost", path: path)
    }

    /// Writes the commit point: one complete record in the slot that does not hold the newest valid one.
    func writeVolatileRecord(_ root: Root) throws(FreeholdError) {
        let slot = freeVolatileSlot
        let record = VolatileRecord(file: header.file, root: root, place: place, session: sessionNumber)
        let offset = FileLayout.volatileSlots[slot]
        #if FREEHOLD_POINTS
            // A killed process leaves whole records only; here the halves are made visible to tests.
            try record.withBytes(at: offset, file.cipher) { bytes throws(FreeholdError) in
                try file.write(UnsafeRawBufferPointer(rebasing: bytes[..<(bytes.count / 2)]), at: offset)
            }
            point("commit.rootHalfWritten", system)
        #endif
        try file.write(record, at: offset)
        memory.volatileSlot.store(UInt64(slot))
        noteChecked(root, in: .volatile(slot))
    }

    /// Publishes a commit whose V record is complete to all processes. The caller owns the writer lock.
    func publishWords(_ root: Root) {
        // When the write began is near enough, and known.
        let now = writerLock.since.load()
        if root.lastFull == root.version {
            memory.lastFullSince.store(now)
            memory.lastFull.storeInOrder(root.version)
        }
        point("publish.lastFullSet", system)
        memory.ring.record(root, now: now)
        point("publish.ringWritten", system)
        memory.newest.write(root)
        point("publish.newestSet", system)
    }

    /// Makes newest visible if no undurable `.full` commit lies at or below it. The caller owns the writer lock, so
    /// newest does not change and is held.
    func raiseVisibleAsWriter() -> Bool {
        guard memory.lastFull.loadInOrder() <= memory.durable.version else { return false }
        let newest = memory.newest.read().root
        if memory.visible.version < newest.version { memory.visible.byWriter.write(newest) }
        return true
    }

    /// Holds a commit that is not visible yet for this process. The caller owns the writer lock.
    private func holdOwnCommit(_ root: Root, isFull: Bool) {
        if isFull {
            // Shown to its own process only if its flush takes too long; the commit shown until then stays held by its
            // cell.
            _ = pendingCommitCell.hold(root.version)
        } else {
            showOwnCommit(root)
        }
    }

    /// Lets this process's readers see its commit, which is held, before it is visible to all.
    private func showOwnCommit(_ root: Root) {
        ownRoot.write(root)
        ownCommit.storeInOrder(root.version)
        // This follows the root: a reader that still finds the previous commit pins it while the cell holds it, or
        // looks again.
        _ = ownCommitCell.hold(root.version)
    }

    /// Lets this process's readers see its `.full` commit whose flush has taken too long, if it is still held and
    /// nothing newer of this process is shown.
    func showOwnCommitLate(_ root: Root) {
        guard (try? writerLock.acquire(timeoutMilliseconds: 100)).map({ $0 != .timedOut }) ?? false else { return }
        if pendingCommitCell.pinned == root.version, ownCommit.loadRelaxed() < root.version { showOwnCommit(root) }
        writerLock.release()
    }
}
