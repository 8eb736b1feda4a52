import Platform

extension SessionOpener {
    /// Opens the session without write permission. Such a process cannot have a byte of the data file exclusively, so a
    /// byte of the lock file decides which one begins a session.
    ///
    /// ```
    /// session byte shared ──▶ lock file's begin byte ──▶ a living process behind it? join
    ///                                                   somebody is in any other session? refuse
    ///                                                   else: new lock file from what the header pages say
    /// ```
    /// 1. Nothing in the data file is changed: data that is not durable yet is left for the first writer to flush.
    /// 2. Where no lock file is possible (read-only medium, no permission), the file's contents are read without one.
    ///    Such readers keep every session from being begun.
    /// 3. The begin byte belongs to a lock file, which may be deleted, and which another name of the data file does not
    ///    have. Only the bytes of the data inode show that no process is inside (`becomeMember`).
    func openReadOnly(_ initial: MakeInitialContent) throws(FreeholdError) -> Session {
        let deadline = Deadline(options.openTimeoutMilliseconds, system)
        let mismatch = Deadline(Self.mismatchMilliseconds, system)
        while true {
            if try lockSession(exclusive: false) {
                point("open.sessionLocked", system)
                try requireNamed()
                switch try openBesideReaders(deadline, initial) {
                case .joined(let session): return session
                case .refused(let reason): if mismatch.hasPassed { throw reason }
                case .passing, nil: break
                }
                try unlockSession()
            }
            guard !deadline.hasPassed else { throw stillChanging() }
            system.sleep(milliseconds: 1)
        }
    }

    /// Opens while the session byte is held shared, so that any other process that begins a session does so for reading
    /// only.
    /// - Returns: nil if the lock file has changed meanwhile, and has to be checked again.
    private func openBesideReaders(
        _ deadline: Deadline, _ initial: MakeInitialContent
    ) throws(FreeholdError) -> JoinOutcome? {
        // This comes before a lock file is created, so that none is created beside a file that is no database.
        let page = try readFinishedPage(initial)
        _ = try page.cipher(header(in: page), options.encryptionKey, system, path: paths.data)
        if try isAnybodySharing() {
            // No lock file is created for a session that has one already.
            if try lockIdentity() == nil { return .refused(unfit("the lock file \(paths.lock) is missing")) }
        } else if mustReadAlone {
            return try openWithoutLocks(page)
        } else if try isAnybodyInside() {
            return try openWithoutLocks(page)
        }
        guard let lockFile = try openLockFileToBegin() else { return try openWithoutLocks(page) }
        guard try lockFile.lockBeginning(timeoutMilliseconds: deadline.remainingMilliseconds) else { return nil }
        defer { lockFile.unlockBeginning() }
        guard try lockIdentity() == lockFile.identity else { return nil }
        let outcome = try join()
        if case .joined = outcome { return outcome }
        return try isAnybodyInside() ? outcome : beginReadOnly(page)
    }

    /// Begins a session for reading; the begin byte of a lock file is held. The check for processes inside is made with
    /// the new session's own byte held, so that of two processes that begin a session at once, under two names, at
    /// least one sees the other. Only then may the file be judged.
    private func beginReadOnly(_ page: FirstPage) throws(FreeholdError) -> JoinOutcome {
        let lockFile = try LockFile.create(paths.lock, like: status, system)
        do throws(FreeholdError) {
            guard try becomeMember(of: lockFile) else {
                discard(lockFile, LockFile.newPath(paths.lock))
                return .refused(unfit("they are in another session"))
            }
            guard try !isLocked(LivenessByte.processes) else {
                discard(lockFile, LockFile.newPath(paths.lock))
                try resign(from: lockFile)
                return .refused(unfit("they are in the session of another version of Freehold"))
            }
            let parts = try makeParts(page)
            let (beginning, number) = try examine(parts)
            point("open.recovered", system)
            try endOldSession()
            beginning.fill(lockFile, parts, number: number)
            let session = try enter(lockFile, parts)
            lockFile.memory.ready.storeInOrder(1)
            try LockFile.install(paths.lock, system)
            point("open.ready", system)
            // If the lock file was deleted meanwhile, another one may have its name.
            guard try lockIdentity() == lockFile.identity else {
                try session.leave()
                throw unfit("the lock file \(paths.lock) was replaced")
            }
            return .joined(session)
        } catch {
            discard(lockFile, LockFile.newPath(paths.lock))
            throw error
        }
    }

    private func readFinishedPage(_ initial: MakeInitialContent) throws(FreeholdError) -> FirstPage {
        let page = try readFirstPage()
        if page.fileLength == 0 { throw notADatabase("it is empty") }
        guard try !UnfinishedCreation(page: page, file: file).isOne(initial) else {
            throw notADatabase("its creation was cut off; open it once for writing, which creates it anew")
        }
        return page
    }

    /// Runs recovery on the header pages without changing them: data that is not durable yet waits for a writer's
    /// flush.
    private func examine(_ parts: Session.Parts) throws(FreeholdError) -> (SessionBeginning, number: UInt64) {
        let outcome = try Recovery(
            file: parts.file, identifier: parts.header.file, place: parts.place, verifier: verifier
        ).run()
        guard outcome.isConfirmed || !outcome.mayBeSameBoot else {
            throw FreeholdError(
                .readOnly, "the last processes that wrote the database died in a flush; open it once for writing",
                path: paths.data)
        }
        let durable = outcome.durable.root
        let newest = outcome.newest
        let beginning = SessionBeginning(
            newest: newest, durable: durable, visible: newest.lastFull <= durable.version ? newest : durable,
            highestVersion: outcome.highestVersion, volatileSlot: outcome.adopted.map { UInt64($0.slot) } ?? UInt64(1 - outcome.freeVolatileSlot),
            isInUseWritten: false, lostVersion: outcome.lostVersion)
        return (beginning, outcome.sessionNumber)
    }

    /// Opens the lock file, created empty if there is none; nil if it may not be written.
    private func openLockFileToBegin() throws(FreeholdError) -> LockFile? {
        do throws(FreeholdError) {
            let deadline = Deadline(Self.mismatchMilliseconds, system)
            while true {
                if let lockFile = try LockFile.open(paths.lock, system) { return lockFile }
                if try LockFile.createEmpty(paths.lock, like: status, system) { continue }
                // A lock file that stays too short was left by a process that died while it created it.
                if deadline.hasPassed { try LockFile.removeUnfinished(paths.lock, system) }
                system.sleep(milliseconds: 1)
            }
        } catch {
            guard error.code == .permissionDenied || error.code == .readOnly else { throw error }
            return nil
        }
    }

    /// The identity of the lock file to which the name leads at present.
    private func lockIdentity() throws(FreeholdError) -> FileIdentity? {
        try translating("look at the lock file") { () throws(SystemError) in try system.status(of: paths.lock)?.identity }
    }

    /// Opens the file's present contents, with private memory in place of a lock file. As long as it is open, no
    /// process begins a session.
    private func openWithoutLocks(_ page: FirstPage) throws(FreeholdError) -> JoinOutcome {
        let lockFile = LockFile.inPrivateMemory(system)
        let byte = LivenessByte.lonelyReaders
        _ = try translating("lock a byte of the file") { () throws(SystemError) in try liveness.tryLock(byte: byte, exclusive: false) }
        guard try !isAnybodySharing() else {
            try resign(from: lockFile)
            return .refused(FreeholdError(
                .permissionDenied, "other processes have the database open, and taking part needs write permission for "
                    + (mustReadAlone ? "the file, as it lies on an overlay" : paths.lock), path: paths.data))
        }
        let parts = try makeParts(page)
        let (beginning, number) = try examine(parts)
        beginning.fill(lockFile, parts, number: number)
        return .joined(try enter(lockFile, parts))
    }
}
