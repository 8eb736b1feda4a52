import Platform

extension Session {
    /// Leaves the session; the last process to do so ends it.
    func leave() throws(FreeholdError) {
        if member.isForked {
            // The child only drops its descriptors; the locks are the parent's, and the memory is gone.
            member.closeFiles()
            return
        }
        point("close.start", member.system)
        member.close()
        readers.close()
        bell.close()
        // Descriptor numbers that belong to other files by now are used for no write, lock or query.
        let isLeaseLost = !member.isValid || (try? member.requireOwnDescriptors()) == nil
        if !isLeaseLost {
            bell.listeners.releaseAll(of: member.slot.token, member.system)
            readers.cells.releaseAll(of: member.slot.token)
            reservations.releaseAll(of: member.slot.token)
            member.slots.release(member.slot)
        }
        point("close.slotReleased", member.system)
        defer { member.closeFiles() }
        guard !isLeaseLost, member.isWritable, try isLast() else {
            point("close.left", member.system)
            return
        }
        try end()
    }

    /// Whether no other process is in the session; then the session byte is held exclusively.
    ///
    /// Closers check one at a time, and a closer that is not last gives up its share of the byte before the next one
    /// checks. Otherwise two that close at once would each find the other one's share, and neither would end the
    /// session.
    ///
    /// A closer that is stopped in its turn keeps its share for longer than others wait, and all of them leave, each
    /// seeing that share. So a closer that has given up its share checks once more, without it; others may have ended
    /// the session since, or begun another one.
    private func isLast() throws(FreeholdError) -> Bool {
        do {
            let isInTurn = try member.slots.liveness.lock(
                byte: LivenessByte.closing, exclusive: true, timeoutMilliseconds: Self.closingMilliseconds)
            if try member.slots.liveness.tryLock(byte: LivenessByte.session, exclusive: true) { return true }
            try member.slots.liveness.unlock(byte: LivenessByte.session)
            if try member.slots.liveness.tryLock(byte: LivenessByte.session, exclusive: true), isUnderWay { return true }
            if isInTurn { try member.slots.liveness.unlock(byte: LivenessByte.closing) }
            return false
        } catch {
            // The program closed this session's descriptors, which ended its part in the session.
            if error.code == ErrorNumber.badDescriptor { return false }
            throw FreeholdError(error, "lock the file")
        }
    }

    /// Whether the data file says that this session is under way: every other session that writes changes that, and so
    /// does the end of this one.
    private var isUnderWay: Bool {
        guard let inUse = member.file.read(InUseRecord.self, at: FileLayout.inUse) else { return false }
        return inUse.isInUse && inUse.session == member.sessionNumber
    }

    /// Time that a closer waits for another one, which holds its turn for a few calls unless it is stopped.
    private static let closingMilliseconds = 1000

    /// Ends the session: no other process is in it, and none gets in before the descriptor with the byte is closed.
    private func end() throws(FreeholdError) {
        member.memory.ready.storeInOrder(0)
        member.slots.endAll()
        point("close.ending", member.system)
        let isNamed = (try? member.system.status(of: member.paths.data))??.identity == member.file.identity
        if member.options.inMemory {
            if isNamed { try? member.system.removeFile(member.paths.data) }
        } else if member.memory.poisoned.loadInOrder() == 0, !member.file.mapping.hasFaulted {
            try flushAtEnd()
            point("close.flushed", member.system)
            closeSidecar()
            try member.file.write(InUseRecord(isInUse: false, place: member.place, session: member.sessionNumber), at: FileLayout.inUse)
        }
        // Another file may have this name by now, and a session of its own.
        guard isNamed, let identity = member.lockFile.identity, (try? member.system.status(of: member.paths.lock))??.identity == identity else {
            return
        }
        removeAuxiliaryFiles(member.paths, member.system)
    }

    /// Makes the last commits durable at the session's end, so that the closed file is complete by itself.
    private func flushAtEnd() throws(FreeholdError) {
        // A writer may have died between its V record and the ring. No other process is there, so no lock is needed.
        publisher.adoptUnpublished(isAfterDeath: true)
        try roots.newest()
        guard member.memory.newest.version > member.memory.durable.version else { return }
        try flusher.flushNow()
    }
}

/// Removes the lock file and the notify pipes; the folder of the pipes only if nothing else is in it. A file that cannot be
/// removed is harmless.
func removeAuxiliaryFiles(_ paths: SessionPaths, _ system: any System) {
    try? system.removeFile(paths.lock)
    try? system.removeFile(LockFile.newPath(paths.lock))
    // Only pipes are removed: the sidecar of sync stays, and any other file there does not belong to the database.
    for name in (try? system.listDirectory(paths.management)) ?? [] where ListenerTable.isPipeName(name) {
        try? system.removeFile(paths.management + "/" + name)
    }
    try? system.removeDirectory(paths.management)
}
