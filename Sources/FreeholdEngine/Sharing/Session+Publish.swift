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
        let newest = member.memory.newest.read().root
        // The lock file's words are input like the file's: another program may have written over them.
        guard root.version > newest.version, root.version > member.memory.versionFloor.load() else { throw member.damagedLockFile() }
        root.lastFull = isFull ? root.version : lease.newest.lastFull
        guard root.isPlausible, root.length <= UInt64(member.mappedLength) else { throw member.damagedLockFile() }
        try member.checkValid()
        try requireUnderWay(lease)
        try roots.writeVolatileRecord(root)
        whenCommitted()
        point("commit.rootWritten", member.system)
        guard isUnderWay(lease) else {
            // Others counted this process as dead, and the next owner publishes or replaces what was just written.
            abandonWrite(lease)
            throw member.invalidityError()
        }
        publisher.publishWords(root, isOwn: true)
        let isVisible = publisher.raiseVisibleAsWriter()
        if !isVisible { readers.holdOwnCommit(root, isFull: isFull) }
        point("publish.visibleSet", member.system)
        whenPublished()
        writerThread.store(0, ordering: .relaxed)
        writerLock.clearOwner()
        point("commit.ownerCleared", member.system)
        writerLock.unlock(isByteLock: lease.hold.isByteLock)
        point("commit.unlocked", member.system)
        if isVisible { bell.ring() }
        if isFull {
            try flusher.waitUntilDurable(root)
        } else if !isVisible {
            try flusher.flushIfAbandoned()
        }
    }
}
