import Platform

/// Publishes commits whose record of V is complete: the ring, then newest, then visible. It also completes what a process
/// left that died in between.
///
/// The writer lock guards all of it; each function says so where it does not take the lock itself.
final class CommitPublisher: Sendable {
    private let member: Membership
    private let roots: CheckedRoots
    private let readers: SessionReaders
    private let bell: ChangeBell
    let writerLock: SharedLock

    init(_ member: Membership, _ roots: CheckedRoots, _ readers: SessionReaders, _ bell: ChangeBell) {
        (self.member, self.roots, self.readers, self.bell) = (member, roots, readers, bell)
        writerLock = SharedLock(
            member.lockFile, offset: LockLayout.writerLock, byte: LivenessByte.writer, member.slots, member.slot, member.system)
    }

    private var memory: LockMemory { member.memory }
    private var system: any System { member.system }

    /// Publishes a commit whose V record is complete to all processes. The caller owns the writer lock.
    ///
    /// - Parameter isOwn: whether this process committed it, rather than one that died before it could publish.
    func publishWords(_ root: Root, isOwn: Bool) {
        assert(root.isPlausible, "version \(root.version) is published with a root that cannot be")
        assert(root.lastFull <= root.version, "a version before its last full commit")
        // When the write began is near enough, and known.
        let now = writerLock.since.load()
        if root.lastFull == root.version {
            memory.lastFullSince.store(now)
            memory.lastFull.storeInOrder(root.version)
        }
        point("publish.lastFullSet", system)
        memory.ring.record(root, now: now, by: isOwn ? member.slots.processIdentifier(member.slot.index) : nil)
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

    /// Lets this process's readers see its `.full` commit whose flush has taken too long, if it is still held and
    /// nothing newer of this process is shown.
    func showOwnCommitLate(_ root: Root) {
        guard (try? writerLock.acquire(timeoutMilliseconds: 100)).map({ $0 != .timedOut }) ?? false else { return }
        if readers.pendingCommitCell.pinned == root.version, readers.ownCommit.loadRelaxed() < root.version {
            readers.showOwnCommit(root)
        }
        writerLock.release()
    }

    /// Publishes a commit whose process died between its V record and the ring: it is committed.
    ///
    /// Done when the previous owner died inside, and whenever V is found ahead of newest.
    func adoptUnpublished(isAfterDeath: Bool) {
        guard isAfterDeath || hasUnpublishedCommit else { return }
        let newest = memory.newest.version
        if let best = roots.newestOfThisSession() {
            if best.root.version >= newest { memory.volatileSlot.store(UInt64(best.slot)) }
            if best.root.version > newest { publishWords(best.root, isOwn: false) }
        }
        if isAfterDeath, raiseVisibleAsWriter() { bell.ring() }
    }

    /// Whether a V record claims to be ahead of newest: its writer is between the two, or died there.
    var hasUnpublishedCommit: Bool {
        let newest = memory.newest.version
        return roots.peekVolatileVersion(0) > newest || roots.peekVolatileVersion(1) > newest
    }

    /// Whether newest is not visible though nothing undurable is in the way: its writer, or the leader that made the
    /// last `.full` commit durable, is between the two, or died there.
    var hasUnseenCommit: Bool {
        // Newest is read first: `lastFull` is raised before it.
        let newest = memory.newest.version
        return memory.lastFull.loadInOrder() <= memory.durable.version && memory.visible.version < newest
    }
}
