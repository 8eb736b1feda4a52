import Platform

extension SessionOpener {
    /// Begins the session: no other process is in it, and none gets in before this is done.
    ///
    /// Long because it is one list of steps whose order is the point.
    func begin(
        _ initial: MakeInitialContent
    ) throws(FreeholdError) -> Session {
        // This comes before anything is created under the name of a file that has replaced this one (`FileReplacement`,
        // which needs the byte too).
        try requireNamed()
        var page = try readFirstPage()
        if try UnfinishedCreation(page: page, file: file).isOne(initial) {
            guard options.createIfMissing else { throw notADatabase("it is empty") }
            try Creation(file: file, system: system, key: options.encryptionKey).run(initial)
            point("open.created", system)
            page = try readFirstPage()
        }
        let parts = try makeParts(page)
        let recovery = Recovery(
            file: parts.file, identifier: parts.header.file, place: parts.place, verifier: verifier)
        let outcome = try recovery.run()
        try recovery.keepLostVersion(outcome)
        let (durable, volatileSlot) = try recovery.settle(outcome)
        point("open.recovered", system)
        try parts.file.makeNameDurable(paths, options)
        let (lockFile, isInPlace) = try makeLockFile()
        let session: Session
        do throws(FreeholdError) {
            try parts.dropSidecarIfCommitsMayBeLost(durable.root, highest: outcome.highestVersion)
            // Not earlier: a process that may not create the lock file leaves no mark in the data either.
            try parts.file.write(
                InUseRecord(isInUse: true, place: parts.place, session: outcome.sessionNumber), at: FileLayout.inUse)
            try parts.noteSession(outcome.sessionNumber, durable.root)
            let beginning = SessionBeginning(
                newest: durable.root, durable: durable.root, visible: durable.root,
                highestVersion: outcome.highestVersion, volatileSlot: volatileSlot,
                isInUseWritten: true, lostVersion: outcome.lostVersion)
            beginning.fill(lockFile, parts, number: outcome.sessionNumber)
            try becomeOnlyMember(of: lockFile)
            session = try enter(lockFile, parts)
            lockFile.memory.ready.storeInOrder(1)
            if !isInPlace { try LockFile.install(paths.lock, system) }
        } catch {
            discard(lockFile, isInPlace ? paths.lock : LockFile.newPath(paths.lock))
            throw error
        }
        point("open.ready", system)
        do throws(FreeholdError) { try requireNamed() } catch {
            try session.leave()
            throw error
        }
        // The conversion is atomic: no process can get the byte exclusively in between.
        _ = try lockSession(exclusive: false)
        return session
    }

    /// Becomes the first member of the lock file's session. It waits for a closer that has given up its share of the
    /// session byte: that keeps its session's own byte until it closes the descriptor, a call or two later.
    private func becomeOnlyMember(of lockFile: LockFile) throws(FreeholdError) {
        let deadline = Deadline(Self.mismatchMilliseconds, system)
        while try !becomeMember(of: lockFile) {
            if deadline.hasPassed { throw unfit("they are in a session that nobody could have begun") }
            system.sleep(milliseconds: 1)
        }
    }

    /// Creates a new lock file, and tells whether it has its name already: it is created under that name only where no
    /// lock file exists.
    private func makeLockFile() throws(FreeholdError) -> (LockFile, isInPlace: Bool) {
        if let lockFile = try LockFile.createFirst(paths.lock, like: status, system) { return (lockFile, true) }
        try endOldSession()
        return (try LockFile.create(paths.lock, like: status, system), false)
    }

    /// Removes a lock file that will not be finished.
    func discard(_ lockFile: LockFile, _ path: String) {
        guard (try? system.status(of: path))??.identity == lockFile.identity else { return }
        try? system.removeFile(path)  // a process that finds it replaces it
    }

    /// Ends the lives of processes that lost their locks but still map an older lock file (they closed descriptors that
    /// they did not own).
    func endOldSession() throws(FreeholdError) {
        guard let old = try LockFile.open(paths.lock, system), LockIdentity(old.memory).isOf(identity) else { return }
        ProcessSlots(lockFile: old, liveness: liveness, isWritable: isWritable).endAll()
        old.memory.ready.storeInOrder(0)
    }

    /// Throws `.fileReplaced` unless the path still leads to the file that was opened.
    func requireNamed() throws(FreeholdError) {
        let named = try translating("look at the file") { () throws(SystemError) in try system.status(of: paths.data)?.identity }
        guard named == identity else {
            throw FreeholdError(.fileReplaced, "the file was replaced while it was being opened", path: paths.data)
        }
    }

    /// Checks the identity page and maps the file.
    func makeParts(_ page: FirstPage) throws(FreeholdError) -> Session.Parts {
        let header = try header(in: page)
        let cipher = try page.cipher(header, options.encryptionKey, system, path: paths.data)
        let data = try DataFile(
            file, identity: identity, system: system, isWritable: isWritable, cipher: cipher, reserve: options.reserve,
            leastReserve: options.leastReserve)
        return Session.Parts(
            system: system, paths: paths, options: options, file: data, liveness: liveness, header: header,
            place: FilePlace(boot: system.bootIdentity, identity: identity), verifier: verifier)
    }

    /// Claims a slot, and so becomes part of the session.
    func enter(_ lockFile: LockFile, _ parts: Session.Parts) throws(FreeholdError) -> Session {
        if isOpenToOthers || lockFile.isOpenToOthers { lockFile.distrust() }
        let slots = ProcessSlots(lockFile: lockFile, liveness: liveness, isWritable: isWritable)
        let slot = try slots.claim(system)
        point("open.slotClaimed", system)
        return try Session(parts, lockFile, slot: slot)
    }

    func readFirstPage() throws(FreeholdError) -> FirstPage {
        do { return try FirstPage(of: file) } catch { throw FreeholdError(error, "read the file") }
    }

    func header(in page: FirstPage) throws(FreeholdError) -> FileHeader {
        guard let header = page.header else { throw notADatabase("its first page is not a Freehold database's") }
        if let refusal = header.refusal(forWriting: isWritable) {
            throw FreeholdError(.unsupportedFormat, refusal, path: paths.data)
        }
        guard page.fileLength > FileLayout.firstData else {
            throw FreeholdError(
                .truncated, "the file has only \(page.fileLength) bytes; restore it from a backup", path: paths.data)
        }
        return header
    }

    func notADatabase(_ why: String) -> FreeholdError {
        FreeholdError(.notADatabase, "this is not a Freehold database: \(why)", path: paths.data)
    }
}

/// The initial contents of a new lock file.
struct SessionBeginning {
    let newest: Root
    let durable: Root
    let visible: Root
    let highestVersion: UInt64
    let volatileSlot: UInt64
    let isInUseWritten: Bool
    /// The lost version, or 0 (`Recovery`, 6).
    let lostVersion: UInt64

    func fill(_ lockFile: LockFile, _ parts: Session.Parts, number: UInt64) {
        let memory = lockFile.memory
        let system = parts.system
        var identity = LockIdentity(
            layoutTag: system.layoutTag, file: parts.header.file, place: parts.place,
            namespace: system.processNamespace, session: number)
        if let found = lockFile.identity { identity.lockFile = found }
        identity.write(to: memory)
        system.initializeMutex(at: memory.base + LockLayout.writerLock)
        system.initializeMutex(at: memory.base + LockLayout.flushLock)
        memory.versionFloor.store(max(highestVersion, newest.version))
        memory.volatileSlot.store(volatileSlot)
        memory.inUseWritten.store(isInUseWritten ? 1 : 0)
        memory.lostVersion.store(lostVersion)
        memory.lastFull.store(newest.lastFull)
        memory.newest.write(newest)
        memory.durable.write(durable)
        memory.visible.byWriter.write(visible)
        memory.ring.record(newest, now: system.monotonicNanoseconds, by: nil)
    }
}
