import Platform

extension SessionOpener {
    enum JoinOutcome {
        case joined(Session)
        /// Joining is not possible now; if that lasts, this error is thrown.
        case refused(FreeholdError)
        /// The processes that use the file are just about to join this session or to leave it. They may be stopped while they do.
        case passing
    }

    /// Joins a session that others have begun. The session byte is held shared.
    func join() throws(FreeholdError) -> JoinOutcome {
        guard let lockFile = try LockFile.open(paths.lock, system) else {
            return .refused(unfit("the lock file \(paths.lock) is missing"))
        }
        guard lockFile.memory.ready.loadInOrder() == 1 else {
            return .refused(unfit("the process that began the session has not finished doing so"))
        }
        let page = try readFirstPage()
        guard page.header != nil, page.fileLength > FileLayout.firstData else { return .refused(unfit("the database is not made yet")) }
        let parts = try makeParts(page)
        let lock = LockIdentity(lockFile.memory)
        guard lock.belongs(to: parts.header.file, at: parts.place, foundAs: lockFile.identity) else {
            return .refused(unfit("the lock file \(paths.lock) belongs to another database or another boot"))
        }
        guard lock.layoutVersion == LockLayout.version else {
            guard try isAnybodyInside() else { return .passing }
            throw otherVersion(lock)
        }
        guard isSessionOfFile(lock.session, lockFile, parts.file, parts.header) else {
            return .refused(unfit("the lock file \(paths.lock) was written over: it names a session that the file does not know"))
        }
        for root in [lockFile.memory.newest.read().root, lockFile.memory.visible.read()] {
            try root.requireKnownFeatures(forWriting: isWritable, paths.data)
        }
        guard try isInhabited(lockFile) else {
            return try isAnybodyInside() ? .refused(unfit("no living process is behind the lock file \(paths.lock)")) : .passing
        }
        guard try becomeMember(of: lockFile) else {
            return .refused(unfit("they are not in the session of the lock file \(paths.lock)"))
        }
        // Now no process is in any other session: a process that holds the byte of a live slot of this one is in it,
        // and has been since it was the only one. Others that only try to join, as this process does, have no slot yet.
        let slots = ProcessSlots(lockFile: lockFile, liveness: liveness, isWritable: isWritable)
        guard slots.hasLiveProcess(except: nil) else {
            try resign(from: lockFile)
            return .passing
        }
        return .joined(try takePart(in: lock, lockFile, parts))
    }

    /// Enters the session, and completes the work of dead processes.
    private func takePart(in lock: LockIdentity, _ lockFile: LockFile, _ parts: Session.Parts) throws(FreeholdError) -> Session {
        if lock.namespace != system.processNamespace || lock.layoutTag != system.layoutTag || lock.namespace == 0 {
            lockFile.memory.usesByteLocks.storeInOrder(1)
        }
        let session = try enter(lockFile, parts)
        guard session.member.sessionNumber == lock.session else {
            try session.leave()
            throw session.member.damagedLockFile()
        }
        session.reaper.reap()
        try session.writeInUseRecord()
        // So a process that joins and reads, and never waits, sees it too.
        try session.finishForTheDead()
        return session
    }

    private func otherVersion(_ lock: LockIdentity) -> FreeholdError {
        FreeholdError(
            .inUse, "another version of Freehold has the database open: its lock file \(paths.lock) has layout "
                + "\(lock.layoutVersion), and this one knows layout \(LockLayout.version). Close the database there first, or "
                + "use that version here", path: paths.data)
    }

    func unfit(_ what: String) -> FreeholdError {
        FreeholdError(
            .inUse, "other processes have this file open, but \(what): perhaps they use it under another name (a hard "
                + "link, or it was moved). Use that name, or close it there", path: paths.data)
    }
}

extension Session {
    /// Makes the session's first writes, if a process without write permission began it. (`Recovery.settle` does so for
    /// a session that a writer began.)
    ///
    /// They are `confirmed` for D, which was read from the disk, then V bound to this boot, and only then anything
    /// else. If this process is killed before its first flush ends, a later opener of this boot sees by that V that
    /// what it reads need not be on the disk.
    ///
    /// Nothing of the lock file goes into these records unchecked.
    func writeInUseRecord() throws(FreeholdError) {
        guard member.isWritable, member.memory.inUseWritten.loadInOrder() == 0 else { return }
        let outcome = try writerLock.acquire(timeoutMilliseconds: member.options.openTimeoutMilliseconds)
        guard outcome != .timedOut else { throw writerBusy(member.options.openTimeoutMilliseconds) }
        defer { writerLock.release() }
        // Another process may have done so meanwhile, or have died doing so: nothing was committed since.
        if outcome == .ownerDied { publisher.adoptUnpublished(isAfterDeath: true) }
        guard member.memory.inUseWritten.loadInOrder() == 0 else { return }
        let durable = member.memory.durable.read().root, newest = try roots.newest().root
        guard let record = roots.slotHolding(durable) else { throw member.damagedLockFile() }
        try keepLostVersion(above: newest)
        try member.file.write(ConfirmedRecord(record), at: FileLayout.confirmed)
        try roots.writeVolatileRecord(newest)
        try member.file.makeNameDurable(member.paths, member.options)
        try dropSidecarIfCommitsMayBeLost(newest)
        try member.file.write(InUseRecord(isInUse: true, place: member.place, session: member.sessionNumber), at: FileLayout.inUse)
        try noteSession(newest)
        member.memory.inUseWritten.storeInOrder(1)
    }
}
