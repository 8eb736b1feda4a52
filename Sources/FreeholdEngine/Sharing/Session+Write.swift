import Platform

/// A write under way: this process owns the writer lock until it publishes or abandons.
struct WriteLease: Sendable {
    /// The version from which the write starts; it does not change meanwhile.
    let newest: Root
    /// The number that its commit will have.
    let nextVersion: UInt64
    /// The number of the write among this process's writes.
    let number: UInt64
    /// The thread that began it.
    let thread: UInt
    /// Its hold of the writer lock.
    let hold: SharedLock.Hold
}

extension Session {
    /// Takes the writer lock over all processes.
    /// - Parameter timeoutMilliseconds: 0 tries once. Then `.busy` names the holder.
    func beginWrite(timeoutMilliseconds: Int) throws(FreeholdError) -> WriteLease {
        try member.checkValid()
        guard member.isWritable else {
            throw FreeholdError(.readOnly, "the database is open for reading only", path: member.path)
        }
        let thread = member.system.threadIdentity
        guard writerThread.load(ordering: .relaxed) != thread else {
            throw FreeholdError(.alreadyInWrite, "this thread is in a write transaction already", path: member.path)
        }
        let outcome = try writerLock.acquire(timeoutMilliseconds: timeoutMilliseconds) { point("begin.locked", member.system) }
        guard outcome != .timedOut else { throw writerBusy(timeoutMilliseconds) }
        do {
            point("begin.ownerSet", member.system)
            let now = member.system.monotonicNanoseconds
            writerLock.since.store(now)
            try member.checkNotPoisoned()
            try checkFile()
            publisher.adoptUnpublished(isAfterDeath: outcome == .ownerDied)
            // These values are used as compared, not read again: others may write the lock file.
            let (newest, floor) = try roots.newest()
            // A newer Freehold may have joined, and written features that this one cannot preserve.
            try newest.requireKnownFeatures(forWriting: true, member.path)
            let isAfterLost = writerThread.exchange(thread, ordering: .relaxed) != 0
            let number = writes.wrappingAdd(1, ordering: .acquiringAndReleasing).newValue
            var next = max(newest.version, floor) + 1
            if isAfterLost {
                skip(next)
                next += 1
            }
            assert(next > newest.version && next > floor, "version \(next) was given before")
            assert(next < Root.versionLimit, "version \(next) does not fit a reader's cell")
            return WriteLease(newest: newest, nextVersion: next, number: number, thread: thread, hold: writerLock.hold)
        } catch {
            writerLock.release()
            throw error
        }
    }

    /// Ends the write without a commit. A lost write leaves the lock to its owner.
    func abandonWrite(_ lease: WriteLease) {
        guard !member.isForked, writes.load(ordering: .acquiring) == lease.number else { return }
        // A lost write stays recorded, as no thread's: so the next write knows that it follows one.
        let isKept = takeOver(lease)
        _ = writerThread.compareExchange(expected: lease.thread, desired: isKept ? 0 : .max, ordering: .relaxed)
        writerLock.release(lease.hold, isOwnThread: member.system.threadIdentity == lease.thread)
    }

    /// Whether the write still has the writer lock. False if the thread that began it ended inside and the lock went to
    /// another write, of this process or another one. False also once others have counted the process as dead.
    func isUnderWay(_ lease: WriteLease) -> Bool {
        writes.load(ordering: .acquiring) == lease.number && writerLock.isHeld(lease.hold)
    }

    /// Throws unless the write still has the writer lock; checked before each step of a write that changes the file.
    func requireUnderWay(_ lease: WriteLease) throws(FreeholdError) {
        if !isUnderWay(lease) { throw lostError(lease) }
    }

    /// Begins the end of a write, on any thread: from here on it cannot be lost while this process lives. On the thread
    /// that began it this holds already: the mutex is not given to others while its thread runs.
    ///
    /// - Returns: false if it is lost.
    func takeOver(_ lease: WriteLease) -> Bool {
        guard !member.isForked, isUnderWay(lease) else { return false }
        return member.system.threadIdentity == lease.thread || writerLock.keep(lease.hold)
    }

    /// Throws if the write is lost (see `takeOver`).
    func requireTakeOver(_ lease: WriteLease) throws(FreeholdError) {
        if !takeOver(lease) { throw lostError(lease) }
    }

    private func lostError(_ lease: WriteLease) -> FreeholdError {
        let isOwnThread = member.system.threadIdentity == lease.thread
        if !member.isValid || isOwnThread && writes.load(ordering: .acquiring) == lease.number { return member.invalidityError() }
        return FreeholdError(
            .notInWrite, "the thread that began this write transaction has ended, and the transaction with it: another one was begun "
                + "since. Begin a new one, and end it before its thread ends", path: member.path)
    }

    func writerBusy(_ milliseconds: Int) -> FreeholdError {
        guard let holder = writerLock.holder else {
            return FreeholdError(.busy, "another write did not end within \(milliseconds) ms", path: member.path)
        }
        let since = writerLock.since.load()
        let now = member.system.monotonicNanoseconds
        let held = now > since ? (now - since) / 1_000_000 : 0
        return FreeholdError(
            .busy, "process \(holder.id) (\(holder.name)) has been writing for \(held) ms; it did not end within "
                + "\(milliseconds) ms", path: member.path)
    }

    /// Refuses to write to a file that has lost its name, or through a descriptor that is another file's by now.
    private func checkFile() throws(FreeholdError) {
        let status: FileStanding
        do { status = try member.file.file.standing() } catch { throw FreeholdError(error, "look at the file") }
        guard status.identity == member.file.identity else { throw member.invalidityError() }
        guard status.linkCount > 0 else {
            throw FreeholdError(
                .fileReplaced, "the file was removed, or another one was given its name, while it was open; close it, "
                    + "and open it again if there is a new one", path: member.path)
        }
        let newest = member.memory.newest.read().root, needed = newest.length
        guard status.length >= needed else {
            guard roots.place(of: newest) != nil else { throw member.damagedLockFile() }
            throw FreeholdError(
                .truncated, "the file was cut to \(status.length) bytes while it was open, version "
                    + "\(member.memory.newest.version) needs \(needed); close it in all processes and restore it from a backup",
                path: member.path)
        }
    }
}
