import Platform

extension SessionOpener {
    /// Takes part without write permission: such a process cannot have a byte exclusively, so who begins a session is
    /// decided by a byte of the lock file.
    ///
    /// ```
    /// session byte shared ──▶ lock file's begin byte ──▶ a living process behind it? join
    ///                                                   else: new lock file from what the header pages say
    /// ```
    /// 1. Nothing in the data file is changed: what is not durable yet is left for the first writer to flush.
    /// 2. Where no lock file can be had (read-only medium, no permission), opening for reading only is the promise
    ///    that nobody writes, and what stands in the file is read without locks.
    func openReadOnly() throws(FreeholdError) -> Session {
        let deadline = Deadline(options.openTimeoutMilliseconds, system)
        let mismatch = Deadline(Self.mismatchMilliseconds, system)
        while true {
            if try lockSession(exclusive: false) {
                point("open.sessionLocked", system)
                try requireNamed()
                // Before a lock file is made beside something that is no database.
                let page = try readFirstPage()
                if try !Creation.isNeeded(page, file) {
                    _ = try page.cipher(header(in: page), options.encryptionKey, system, path: paths.data)
                }
                guard let lockFile = try openLockFileToBegin() else { return try openWithoutLocks() }
                if try lockFile.lockBeginning(timeoutMilliseconds: deadline.remainingMilliseconds) {
                    defer { lockFile.unlockBeginning() }
                    if try isStill(lockFile) {
                        switch try joinOrBegin() {
                        case .joined(let session): return session
                        case .refused(let reason): if mismatch.hasPassed { throw reason }
                        }
                    }
                }
                try unlockSession()
            }
            guard !deadline.hasPassed else {
                throw FreeholdError(
                    .busy, "another process has been opening or closing the database for "
                        + "\(options.openTimeoutMilliseconds) ms", path: paths.data)
            }
            system.sleep(milliseconds: 1)
        }
    }

    /// The begin byte is held. A writer's session is joined; if nobody lives, one is begun.
    private func joinOrBegin() throws(FreeholdError) -> JoinOutcome {
        let outcome = try join()
        if case .joined = outcome { return outcome }
        // Somebody other than a beginner holds the session byte: the lock file is not that session's.
        if let lockFile = try LockFile.open(paths.lock, system) {
            let slots = ProcessSlots(lockFile: lockFile, liveness: liveness, isWritable: false)
            if lockFile.memory.ready.loadInOrder() == 1, slots.hasLiveProcess(except: nil) { return outcome }
        }
        return .joined(try beginReadOnly())
    }

    private func beginReadOnly() throws(FreeholdError) -> Session {
        let parts = try makeParts(try readFinishedPage())
        let (beginning, number) = try examine(parts)
        point("open.recovered", system)
        try endOldSession()
        let lockFile = try LockFile.create(paths.lock, like: status, system)
        beginning.fill(lockFile, parts, number: number)
        let session = try enter(lockFile, parts)
        lockFile.memory.ready.storeInOrder(1)
        try LockFile.install(paths.lock, system)
        point("open.ready", system)
        return session
    }

    private func readFinishedPage() throws(FreeholdError) -> FirstPage {
        let page = try readFirstPage()
        guard try !Creation.isNeeded(page, file) else { throw notADatabase("it is empty") }
        return page
    }

    /// What the header pages say, unchanged: what is not durable yet waits for a writer's flush.
    private func examine(_ parts: Session.Parts) throws(FreeholdError) -> (SessionBeginning, number: UInt64) {
        let outcome = try Recovery(
            file: parts.file, identifier: parts.header.file, place: parts.place, verifier: verifier
        ).run()
        guard outcome.isConfirmed || !outcome.isSameBoot else {
            throw FreeholdError(
                .readOnly, "the last processes that wrote the database died in a flush; open it once for writing",
                path: paths.data)
        }
        let durable = outcome.durable.root
        let newest = outcome.newest
        let beginning = SessionBeginning(
            newest: newest, durable: durable, visible: newest.lastFull <= durable.version ? newest : durable,
            highestVersion: outcome.highestVersion, volatileSlot: outcome.adopted.map { UInt64($0.slot) } ?? 2,
            isInUseWritten: false)
        return (beginning, outcome.sessionNumber)
    }

    /// The lock file, made empty if there is none; nil if it may not be written.
    private func openLockFileToBegin() throws(FreeholdError) -> LockFile? {
        do throws(FreeholdError) {
            let deadline = Deadline(Self.mismatchMilliseconds, system)
            while true {
                if let lockFile = try LockFile.open(paths.lock, system) { return lockFile }
                if try LockFile.createEmpty(paths.lock, like: status, system) { continue }
                // One that stays too short was left by a process that died while it made it.
                if deadline.hasPassed { try LockFile.removeUnfinished(paths.lock, system) }
                system.sleep(milliseconds: 1)
            }
        } catch {
            guard error.code == .permissionDenied || error.code == .readOnly else { throw error }
            return nil
        }
    }

    /// Whether the name still leads to the lock file whose byte was taken.
    private func isStill(_ lockFile: LockFile) throws(FreeholdError) -> Bool {
        try translating("look at the lock file") { () throws(SystemError) in
            try system.status(of: paths.lock)?.identity == lockFile.identity
        }
    }

    /// Reads what stands in the file, with memory of its own in the place of a lock file.
    private func openWithoutLocks() throws(FreeholdError) -> Session {
        let isShared = try translating("look for locks on the file") { () throws(SystemError) in
            try liveness.isLocked(byte: LivenessByte.session)
        }
        guard !isShared else {
            throw FreeholdError(
                .permissionDenied, "other processes have the database open, and taking part needs write permission for "
                    + "\(paths.lock)", path: paths.data)
        }
        let parts = try makeParts(try readFinishedPage())
        let (beginning, number) = try examine(parts)
        let lockFile = LockFile.inPrivateMemory(system)
        beginning.fill(lockFile, parts, number: number)
        return try enter(lockFile, parts)
    }
}
