import Platform

// How commits become durable: one flush at a time over all processes. The first process to need it leads, and the flush
// serves all commits that were newest or older by then.
//
// 1. The flush lock is held for moments only, never during the flush itself: a stopped leader stops no other process. A
//    process that has waited for a quarter of a second finishes the flush under way itself.
// 2. F is published as held, then newest is read again: if it has moved, F might have been released in between.
// 3. S is written to the slot that does not hold D.
// 4. `confirmed` is written before D moves; a process that takes the lock after a leader's death does the rest.
// 5. The kernel may not report to a descriptor opened after an undurable version that writing that version failed. So
//    such a process writes the same bytes again first, and no flush that began earlier may confirm them any more.
// 6. A failed flush poisons the session, in the file too; under the flush lock, since `confirmed` is written again
//    (`Flusher+Failure`). A write that the system refused, because it has no room for it or allows this process
//    none, has changed nothing: the flush is left to the next process.
// 7. A process makes one flush at a time: the kernel reports a failure to only one of its threads (`DiskTurn`).
// 8. Before each block that is rewritten, before S and before `confirmed` the hold of the flush lock is compared:
//    others count a process whose descriptors were closed as dead, and may have flushed newer versions meanwhile.

/// Makes commits durable, and ends the session when that fails.
final class Flusher: Sendable {
    let member: Membership
    let roots: CheckedRoots
    let publisher: CommitPublisher
    private let bell: ChangeBell
    let lock: SharedLock
    /// The turn for flushes, which use `file`'s descriptor.
    let turn: DiskTurn
    /// The turn for what is written outside commits, and flushed by `slots.liveness`.
    let writtenTurn: DiskTurn
    /// The newest version when this process opened its descriptor. The kernel reports failed writes to it for what was
    /// written later; for what was written before it need not.
    private let openedAt: UInt64

    init(_ member: Membership, _ roots: CheckedRoots, _ publisher: CommitPublisher, _ bell: ChangeBell, openedAt: UInt64) {
        (self.member, self.roots, self.publisher, self.bell, self.openedAt) = (member, roots, publisher, bell, openedAt)
        lock = SharedLock(
            member.lockFile, offset: LockLayout.flushLock, byte: LivenessByte.flush, member.slots, member.slot, member.system)
        turn = DiskTurn(member.system)
        writtenTurn = DiskTurn(member.system)
    }

    var memory: LockMemory { member.memory }
    var system: any System { member.system }
    var file: DataFile { member.file }

    /// Waits until `root`'s version is durable, leading a flush if no other process does.
    func waitUntilDurable(_ root: Root) throws(FreeholdError) {
        var deadline: Deadline?
        var isImpatient = false
        while memory.durable.version < root.version {
            let bell = memory.durableBell.load()
            let flushed: FlushOutcome
            do { flushed = try flush(isImpatient: isImpatient) } catch {
                throw error.code == .diskFull ? notYetDurable(root, because: error) : error
            }
            switch flushed {
            case .done: continue
            case .othersLead:
                if deadline == nil { deadline = Deadline(member.options.flushTimeoutMilliseconds, system) }
                let left = deadline!.remainingMilliseconds
                guard left > 0 else { throw notYetDurable(root) }
                memory.durableSleepers.store(1)
                guard memory.durable.version < root.version else { break }
                let outcome = system.wait(
                    on: memory.durableBell.word, whileEqual: bell, timeoutMilliseconds: min(left, 250))
                isImpatient = outcome == .timedOut
            case .lockBusy: throw notYetDurable(root)
            }
        }
        try roots.checkDurable()
        try waitUntilVisible(root)
    }

    /// Waits until the durable version `root` is visible too. It is visible already, unless the leader is between the
    /// two steps, or died there: then this waits for the flush lock and completes the leader's work. So a process sees
    /// its commit once the commit has returned.
    private func waitUntilVisible(_ root: Root) throws(FreeholdError) {
        guard memory.visible.version < root.version else { return }
        guard let hold = try lockFlush() else { throw notYetDurable(root) }
        defer { unlockFlush(hold) }
        try makeUpForDeadLeader()
    }

    /// Starts or finishes the flush that a dead or stopped process's `.full` commit still waits for.
    ///
    /// Writers, waiters and openers call it when they notice that `visible` lags behind and nothing happens.
    func flushIfAbandoned() throws(FreeholdError) {
        guard member.isWritable, memory.poisoned.loadInOrder() == 0, memory.lastFull.loadInOrder() > memory.durable.version
        else { return }
        let since = memory.lastFullSince.load()
        let now = system.monotonicNanoseconds
        guard now > since, now - since > 250_000_000 else { return }
        // Where this process finds no room, another one may.
        do { _ = try flush(isImpatient: true, lockMilliseconds: 0) } catch { if error.code != .diskFull { throw error } }
    }

    /// Flushes the newest version, without waiting for other processes that lead.
    func flushNow() throws(FreeholdError) { _ = try flush(isImpatient: true, waitsForTurn: true) }

    /// Makes all versions written before this process opened the file durable. Until then, this process's flushes write
    /// again all that is not durable yet (5), so it is better done before that is much.
    func flushWhatMayFailUntold() throws(FreeholdError) {
        if memory.durable.version < openedAt { try flushNow() }
    }

    private enum FlushOutcome {
        case done
        case othersLead
        case lockBusy
    }

    /// A flush under way, as remembered by the thread that waits for the disk.
    private struct FlushAttempt {
        let target: Root
        let attempt: UInt64
    }

    /// Makes one flush, and wakes the threads that wait for it.
    ///
    /// - Parameters:
    ///   - lockMilliseconds: how long to wait for the flush lock; nil for the usual time.
    ///   - waitsForTurn: whether to wait for another thread's flush.
    private func flush(isImpatient: Bool, lockMilliseconds: Int? = nil, waitsForTurn: Bool = false) throws(FreeholdError) -> FlushOutcome {
        guard turn.begin(isWaiting: waitsForTurn) else { return .othersLead }
        do throws(FreeholdError) {
            switch try lead(isImpatient: isImpatient, lockMilliseconds) {
            case .ended(.othersLead):
                // The other process rings the bell when it has done its work; it may have rung while this thread had
                // the turn.
                if memory.flushLeader.loadInOrder() == 0 { wakeDurableSleepers() }
                return .othersLead
            case .ended(let outcome):
                wakeDurableSleepers()
                return outcome
            case .synchronized(let begun, let failure):
                let outcome = try conclude(begun, failure)
                if outcome != .done { wakeDurableSleepers() }
                return outcome
            }
        } catch {
            wakeDurableSleepers()
            throw error
        }
    }

    /// The result of a thread's turn.
    private enum Led {
        case ended(FlushOutcome)
        case synchronized(FlushAttempt, SystemError?)
    }

    /// The part of a flush up to the result from the disk. Releases the turn.
    private func lead(isImpatient: Bool, _ lockMilliseconds: Int?) throws(FreeholdError) -> Led {
        defer { turn.end() }
        let begun: FlushAttempt
        switch try beginFlush(isImpatient: isImpatient, lockMilliseconds) {
        case .ended(let outcome): return .ended(outcome)
        case .begun(let attempt): begun = attempt
        }
        let failure = turn.call { () throws(SystemError) in try file.synchronize() }
        point("flush.synced", system)
        // The result must not be that of another file.
        try member.requireOwnDescriptors()
        return .synchronized(begun, failure)
    }

    /// Wakes the threads that wait for durability, so that they check again. Call it after the turn is released: a
    /// thread that was refused the turn may sleep on the bell's present value.
    private func wakeDurableSleepers() {
        memory.durableBell.advance()
        if memory.durableSleepers.exchange(0) != 0 { system.wake(memory.durableBell.word, count: .max) }
    }

    private enum FlushBeginning {
        case begun(FlushAttempt)
        case ended(FlushOutcome)
    }

    /// The part of a flush before the disk: chooses F and writes S.
    private func beginFlush(isImpatient: Bool, _ lockMilliseconds: Int?) throws(FreeholdError) -> FlushBeginning {
        guard let hold = try lockFlush(timeoutMilliseconds: lockMilliseconds) else { return .ended(.lockBusy) }
        point("flush.locked", system)
        let begun: FlushAttempt?
        do {
            try member.checkNotPoisoned()
            try member.requireOwnDescriptors()
            try makeUpForDeadLeader()
            begun = try beginFlush(isImpatient: isImpatient, hold)
        } catch {
            unlockFlush(hold)
            throw error
        }
        unlockFlush(hold)
        point("flush.unlocked", system)
        guard let begun else { return .ended(.othersLead) }
        return begun.target.version > memory.durable.version ? .begun(begun) : .ended(.done)
    }

    /// Takes the flush lock; nil if that takes too long.
    func lockFlush(timeoutMilliseconds: Int? = nil) throws(FreeholdError) -> SharedLock.Hold? {
        let outcome = try lock.acquire(timeoutMilliseconds: timeoutMilliseconds ?? member.options.flushTimeoutMilliseconds)
        return outcome == .timedOut ? nil : lock.hold
    }

    func unlockFlush(_ hold: SharedLock.Hold) { lock.release(hold, isOwnThread: true) }

    /// Refuses to write for a flush whose lock belongs to another process by now (8).
    private func requireFlushLock(_ hold: SharedLock.Hold) throws(FreeholdError) {
        if !lock.isHeld(hold) { throw member.invalidityError() }
    }

    /// Chooses F and writes S, unless another process has; nil if that process is still at work.
    private func beginFlush(isImpatient: Bool, _ hold: SharedLock.Hold) throws(FreeholdError) -> FlushAttempt? {
        try roots.checkDurable()
        let durable = memory.durable.read().root, begun = memory.flushing.read().root
        let isPending = memory.targetWritten.load() != 0 && begun.version > durable.version && roots.slotHolding(begun) != nil
        if isPending, !isImpatient, member.slots.isAlive(memory.flushLeader.loadInOrder(), own: member.slot) { return nil }
        if !isPending { try chooseTarget() }
        let target = memory.flushing.read().root
        guard target.version > durable.version else {
            return FlushAttempt(target: target, attempt: memory.flushAttempt.load())
        }
        let isYoung = durable.version < openedAt
        do {
            if isYoung { try rewriteTarget(target, after: durable, hold) }
            if isYoung || !isPending {
                let record = DurableRecord(
                    file: member.header.file, root: target, base: durable.version, session: member.sessionNumber)
                try requireFlushLock(hold)
                try file.write(record, at: FileLayout.durableSlots[roots.freeDurableSlot(durable)])
                memory.targetWritten.storeInOrder(1)
            }
        } catch { throw refusedOrFailed(error, hold) }
        point("flush.rootWritten", system)
        memory.flushLeader.storeInOrder(member.slot.token)
        return FlushAttempt(target: target, attempt: memory.flushAttempt.load())
    }

    /// Sets F to newest, in such a way that F is held from when it was newest (2).
    private func chooseTarget() throws(FreeholdError) {
        memory.targetWritten.storeInOrder(0)
        var newest: (root: Root, sequence: UInt64), isInFile: Bool
        repeat {
            newest = memory.newest.read()
            point("flush.targetChosen", system)
            memory.flushing.write(newest.root)
            isInFile = roots.place(of: newest.root) != nil
        } while !memory.newest.isStill(newest.sequence)
        guard isInFile else {
            memory.flushing.clear()
            throw member.damagedLockFile()
        }
        point("flush.targetPublished", system)
    }

    private func rewriteTarget(_ target: Root, after durable: Root, _ hold: SharedLock.Hold) throws(FreeholdError) {
        memory.flushAttempt.advance()
        try Recovery(file: file, identifier: member.header.file, place: member.place, verifier: member.verifier)
            .rewriteBlocks(of: target, bornAfter: durable.version) { () throws(FreeholdError) in try self.requireFlushLock(hold) }
    }

    /// The part after the flush: confirms F, moves D and visible, and wakes the waiters.
    private func conclude(_ begun: FlushAttempt, _ failure: SystemError?) throws(FreeholdError) -> FlushOutcome {
        if let failure { throw poison(failure) }
        guard let hold = try lockFlush() else { return .lockBusy }
        point("flush.relocked", system)
        let isCurrent = memory.flushing.version == begun.target.version
            && memory.flushAttempt.load() == begun.attempt && memory.durable.version < begun.target.version
        if isCurrent, memory.poisoned.loadInOrder() == 0 {
            do throws(FreeholdError) {
                if let record = roots.slotHolding(begun.target) {
                    try requireFlushLock(hold)
                    try file.write(ConfirmedRecord(record), at: FileLayout.confirmed)
                    point("flush.confirmed", system)
                    finish(begun.target)
                }
            } catch {
                // The next leader need not wait for this one.
                memory.flushLeader.storeInOrder(0)
                defer { unlockFlush(hold) }
                throw refusedOrFailed(error, hold)
            }
        }
        unlockFlush(hold)
        wakeDurableSleepers()
        bell.ring()
        point("flush.done", system)
        return .done
    }

    /// Moves D, raises `visible` and releases F. The caller owns the flush lock, and `confirmed` names `target`.
    private func finish(_ target: Root) {
        if memory.durable.version < target.version { memory.durable.write(target) }
        point("flush.durableSet", system)
        raiseVisibleAsLeader()
        point("flush.visibleSet", system)
        memory.targetWritten.storeInOrder(0)
        memory.flushing.clear()
        memory.flushLeader.storeInOrder(0)
    }

    /// Sets D to the confirmed version, and visible to at least D, if the previous leader died in between (4).
    private func makeUpForDeadLeader() throws(FreeholdError) {
        let durable = memory.durable.read().root
        let target = memory.flushing.read().root
        if target.version > durable.version, let record = roots.slotHolding(target),
            let confirmed = file.read(ConfirmedRecord.self, at: FileLayout.confirmed), confirmed.confirms(record)
        {
            finish(target)
        } else if memory.visible.version < durable.version {
            memory.visible.byLeader.write(durable)
        }
    }

    /// Raises `visible` to D, which is held, and then to newest if nothing undurable is in the way. Newest is held by
    /// `rising` first, and read again, because it may be released at any moment.
    private func raiseVisibleAsLeader() {
        let visible = memory.visible
        let durable = memory.durable.read().root
        if visible.version < durable.version { visible.byLeader.write(durable) }
        let newest = memory.newest.read()
        memory.rising.storeInOrder(newest.root.version)
        if memory.newest.isStill(newest.sequence), memory.lastFull.loadInOrder() <= durable.version,
            visible.version < newest.root.version
        {
            visible.byLeader.write(newest.root)
        }
        memory.rising.storeInOrder(0)
    }
}
