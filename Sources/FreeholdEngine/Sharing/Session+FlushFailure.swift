import Platform

extension Session {
    /// Ends the session for all its processes: what the kernel still has to write may be gone.
    ///
    /// `confirmed` is written under the flush lock only: another leader, whose flush went well, may be confirming a newer version at this
    /// moment, and must not be taken back. Who cannot have the lock in time writes it only where it is older than D.
    ///
    /// - Parameter hold: the flush lock's, if the caller has it.
    func poison(_ error: FreeholdError, _ hold: SharedLock.Hold? = nil) -> FreeholdError {
        // The kernel refused this process's descriptor, not the disk: others flush through their own.
        if error.code == .leaseLost { return error }
        // What failed may have been another file's.
        do throws(FreeholdError) { try requireOwnDescriptors() } catch { return error }
        let taken = hold == nil ? (try? lockFlush()) ?? nil : nil
        defer { if let taken { unlockFlush(taken) } }
        // The page that says what is confirmed may have been dropped with the rest. If even this cannot be written, the
        // next opener finds out from the blocks themselves.
        let durable = memory.durable.read().root, isInside = hold != nil || taken != nil
        if let record = slotHolding(durable),
            isInside || file.read(ConfirmedRecord.self, at: FileLayout.confirmed)?.version ?? 0 < durable.version
        {
            try? file.write(ConfirmedRecord(record), at: FileLayout.confirmed)
        }
        // A writer may be inside still: its version is one above the newest.
        let highest = highestVersion + 1
        try? file.write(
            PoisonRecord(place: place, session: sessionNumber, highestVersion: highest), at: FileLayout.poison)
        memory.poisoned.storeInOrder(1)
        memory.durableBell.advance()
        system.wake(memory.durableBell.word, count: .max)
        return FreeholdError(
            .io, "a flush failed (\(error.message)): commits since version \(memory.durable.version) may be lost; close "
                + "the database in all processes and open it again to go on from there", path: path,
            systemCode: error.systemCode)
    }

    /// A write has found damage in a block of the newest version, born at `birth`. If that is not durable yet, it was lost on its way to the
    /// disk, by a failed flush that nobody was told of, and the session ends. The caller owns the writer lock.
    ///
    /// - Returns: the error that says so; nil if the block was durable, and was damaged on the disk.
    func noteDamage(bornAt birth: UInt64) -> FreeholdError? {
        guard birth > memory.durable.version, memory.poisoned.loadInOrder() == 0 else { return nil }
        return poison(FreeholdError(.io, "a block of version \(birth) was lost before it reached the disk"))
    }

    func poison(_ error: SystemError) -> FreeholdError { poison(FreeholdError(error, "flush")) }

    /// What a write of a flush that failed means. Refused, it has changed nothing, and what was written before is with the kernel still: others
    /// flush it, who have more room, or the same process once it has.
    ///
    /// - Parameter hold: the flush lock's, which the caller has.
    func refusedOrFailed(_ error: FreeholdError, _ hold: SharedLock.Hold) -> FreeholdError {
        error.code == .diskFull ? error : poison(error, hold)
    }

    /// A commit that this process cannot make durable, for want of room.
    func notYetDurable(_ root: Root, because error: FreeholdError) -> FreeholdError {
        showOwnCommitLate(root)
        return FreeholdError(
            .notYetDurable, "version \(root.version) is committed, but not flushed: \(error.message). It survives killed processes, not yet a "
                + "power cut; the next flush covers it, this process's or another one's", path: path, systemCode: error.systemCode)
    }

    /// A commit whose time for becoming durable is up.
    func notYetDurable(_ root: Root) -> FreeholdError {
        showOwnCommitLate(root)
        let leader = slots.process(of: memory.flushLeader.loadInOrder()) ?? flushLock.holder
        let who = leader.map { "; process \($0.id) (\($0.name)) leads the flush" } ?? ""
        return FreeholdError(
            .notYetDurable, "version \(root.version) is committed, but not flushed within "
                + "\(options.flushTimeoutMilliseconds) ms\(who). It survives killed processes, not yet a power cut; the "
                + "next flush covers it", path: path)
    }
}
