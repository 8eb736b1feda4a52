import Platform

extension Session {
    /// Ends the session for all its processes: what the kernel still has to write may be gone.
    func poison(_ error: FreeholdError) -> FreeholdError {
        // The kernel refused this process's descriptor, not the disk: others flush through their own.
        if error.code == .leaseLost { return error }
        // The page that says what is confirmed may have been dropped with the rest. If even this cannot be written, the
        // next opener finds out from the blocks themselves.
        let durable = memory.durable.read().root
        if let record = slotHolding(durable) { try? file.write(ConfirmedRecord(record), at: FileLayout.confirmed) }
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

    /// A writer found damage in a block born at `birth`: if that is not durable yet, it is a failed flush that nobody
    /// was told of, and the session ends.
    func noteDamage(bornAt birth: UInt64, _ error: FreeholdError) -> FreeholdError {
        birth > memory.durable.version ? poison(error) : error
    }

    func poison(_ error: SystemError) -> FreeholdError { poison(FreeholdError(error, "flush")) }

    /// What a write of a flush that failed means. Refused, it has changed nothing, and what was written before is with the kernel still: others
    /// flush it, who have more room, or the same process once it has.
    func refusedOrFailed(_ error: FreeholdError) -> FreeholdError { error.code == .diskFull ? error : poison(error) }

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
