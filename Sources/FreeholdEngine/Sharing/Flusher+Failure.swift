import Platform

extension Flusher {
    /// Ends the session for all its processes: data that the kernel still has to write may be lost.
    ///
    /// `confirmed` is written under the flush lock only: another leader, whose flush succeeded, may be confirming a
    /// newer version at this moment, and that must not be undone. A process that cannot get the lock in time writes it
    /// only where it is older than D.
    ///
    /// - Parameter hold: the hold of the flush lock, if the caller has it.
    func poison(_ error: FreeholdError, _ hold: SharedLock.Hold? = nil) -> FreeholdError {
        // The kernel refused this process's descriptor, not the disk: others flush through their own.
        if error.code == .leaseLost { return error }
        // The failure may have been another file's.
        do throws(FreeholdError) { try member.requireOwnDescriptors() } catch { return error }
        let taken = hold == nil ? (try? lockFlush()) ?? nil : nil
        defer { if let taken { unlockFlush(taken) } }
        // The page of `confirmed` may have been dropped with the rest. If even this cannot be written, the next opener
        // learns it from the blocks themselves.
        let durable = memory.durable.read().root, isInside = hold != nil || taken != nil
        if let record = roots.slotHolding(durable),
            isInside || file.read(ConfirmedRecord.self, at: FileLayout.confirmed)?.version ?? 0 < durable.version
        {
            try? file.write(ConfirmedRecord(record), at: FileLayout.confirmed)
        }
        // A writer may still be inside: its version is one above the newest.
        let highest = roots.highestVersion + 1
        try? file.write(
            PoisonRecord(place: member.place, session: member.sessionNumber, highestVersion: highest), at: FileLayout.poison)
        memory.poisoned.storeInOrder(1)
        memory.durableBell.advance()
        system.wake(memory.durableBell.word, count: .max)
        return FreeholdError(
            .io, "a flush failed (\(error.message)): commits since version \(memory.durable.version) may be lost; close "
                + "the database in all processes and open it again to go on from there", path: member.path,
            systemCode: error.systemCode)
    }

    /// Handles damage that a write has found in a block of the newest version, born at `birth`. If that version is not
    /// durable yet, the block was lost on its way to the disk, by a failed flush that was reported to no process, and
    /// the session ends. The caller owns the writer lock.
    ///
    /// - Returns: the error to report; nil if the block was durable, and was damaged on the disk.
    func noteDamage(bornAt birth: UInt64) -> FreeholdError? {
        guard birth > memory.durable.version, memory.poisoned.loadInOrder() == 0 else { return nil }
        return poison(FreeholdError(.io, "a block of version \(birth) was lost before it reached the disk"))
    }

    func poison(_ error: SystemError) -> FreeholdError { poison(FreeholdError(error, "flush")) }

    /// The error of a flush whose write failed. A refused write has changed nothing, and the kernel still has what was
    /// written before: another process with more room flushes it, or the same process once it has room.
    ///
    /// - Parameter hold: the hold of the flush lock, which the caller has.
    func refusedOrFailed(_ error: FreeholdError, _ hold: SharedLock.Hold) -> FreeholdError {
        error.code == .diskFull ? error : poison(error, hold)
    }

    /// The error of a commit that this process cannot make durable for lack of room.
    func notYetDurable(_ root: Root, because error: FreeholdError) -> FreeholdError {
        publisher.showOwnCommitLate(root)
        return FreeholdError(
            .notYetDurable, "version \(root.version) is committed, but not flushed: \(error.message). It survives killed processes, not yet a "
                + "power cut; the next flush covers it, this process's or another one's", path: member.path, systemCode: error.systemCode)
    }

    /// The error of a commit that did not become durable in time.
    func notYetDurable(_ root: Root) -> FreeholdError {
        publisher.showOwnCommitLate(root)
        let leader = member.slots.process(of: memory.flushLeader.loadInOrder()) ?? lock.holder
        let who = leader.map { "; process \($0.id) (\($0.name)) leads the flush" } ?? ""
        return FreeholdError(
            .notYetDurable, "version \(root.version) is committed, but not flushed within "
                + "\(member.options.flushTimeoutMilliseconds) ms\(who). It survives killed processes, not yet a power cut; the "
                + "next flush covers it", path: member.path)
    }
}
