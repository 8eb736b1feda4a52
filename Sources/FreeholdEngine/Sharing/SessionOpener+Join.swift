import Platform

extension SessionOpener {
    enum JoinOutcome {
        case joined(Session)
        /// Not now; if that lasts, the reason is the error.
        case refused(FreeholdError)
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
        guard try !Creation.isNeeded(page, file) else { return .refused(unfit("the database is not made yet")) }
        let parts = try makeParts(page)
        let lock = LockIdentity(lockFile.memory)
        guard lock.belongs(to: parts.header.file, at: parts.place, foundAs: lockFile.identity) else {
            return .refused(unfit("the lock file \(paths.lock) belongs to another database or another boot"))
        }
        guard lock.layoutVersion == LockLayout.version else {
            throw FreeholdError(
                .inUse, "another version of Freehold has the database open: its lock file \(paths.lock) has layout "
                    + "\(lock.layoutVersion), and this one knows layout \(LockLayout.version). Close the database there first, or "
                    + "use that version here", path: paths.data)
        }
        guard isSessionOfFile(lock.session, lockFile, parts.file, parts.header) else {
            return .refused(unfit("the lock file \(paths.lock) was written over: it names a session that the file does not know"))
        }
        for root in [lockFile.memory.newest.read().root, lockFile.memory.visible.read()] {
            try root.requireKnownFeatures(forWriting: isWritable, paths.data)
        }
        let slots = ProcessSlots(lockFile: lockFile, liveness: liveness, isWritable: isWritable)
        guard slots.hasLiveProcess(except: nil) else {
            return .refused(unfit("no living process is behind the lock file \(paths.lock)"))
        }
        if lock.namespace != system.processNamespace || lock.layoutTag != system.layoutTag || lock.namespace == 0 {
            lockFile.memory.usesByteLocks.storeInOrder(1)
        }
        let session = try enter(lockFile, parts)
        session.reap()
        try session.writeInUseRecord()
        // Who joins and reads, and never waits, sees it too.
        try session.finishForTheDead()
        return .joined(session)
    }

    private func unfit(_ what: String) -> FreeholdError {
        FreeholdError(
            .inUse, "other processes have this file open, but \(what): perhaps they use it under another name (a hard "
                + "link, or it was moved). Use that name, or close it there", path: paths.data)
    }
}

extension Session {
    /// Marks the file as being written, if whoever began the session could not.
    func writeInUseRecord() throws(FreeholdError) {
        guard isWritable, memory.inUseWritten.loadInOrder() == 0 else { return }
        // Its first writes of this boot, too (`Recovery.settle`): what is durable was read from the disk.
        let durable = memory.durable.version
        for offset in FileLayout.durableSlots {
            guard let record = file.read(DurableRecord.self, at: offset), record.root.version == durable else { continue }
            try file.write(ConfirmedRecord(record), at: FileLayout.confirmed)
        }
        try file.write(InUseRecord(isInUse: true, place: place, session: sessionNumber), at: FileLayout.inUse)
        memory.inUseWritten.storeInOrder(1)
    }
}
