import Platform

// How commits become durable: one flush at a time over all processes, led by whoever comes first, serving everybody
// whose commit was newest or older when it began.
//
// 1. The flush lock is held for moments only, never during the flush itself: a stopped leader stops nobody but the
//    ones who wait for durability, and those only until their time is up.
// 2. F is published as held, then newest is read again: had it moved, F might have been given up in between.
// 3. S is written to the slot that does not hold D.
// 4. `confirmed` is written before D moves; whoever takes the lock after a leader's death makes up for the rest.
// 5. Who follows a dead leader writes F's young blocks again: that leader may have been told of a failed flush.
// 6. A failed flush poisons the session, in the file too.

extension Session {
    /// Waits until `root`'s version is durable, leading a flush if nobody does.
    func waitUntilDurable(_ root: Root) throws(FreeholdError) {
        var deadline: Deadline?
        while memory.durable.version < root.version {
            try checkNotPoisoned()
            let bell = memory.durableBell.load()
            switch try leadFlush(atLeast: root.version) {
            case .done: continue
            case .othersLead:
                if deadline == nil { deadline = Deadline(options.flushTimeoutMilliseconds, system) }
                let left = deadline!.remainingMilliseconds
                guard left > 0 else { throw notYetDurable(root) }
                memory.durableSleepers.store(1)
                guard memory.durable.version < root.version else { return }
                _ = system.wait(on: memory.durableBell.word, whileEqual: bell, timeoutMilliseconds: min(left, 250))
            case .lockBusy: throw notYetDurable(root)
            }
        }
    }

    /// Starts the flush that a dead process's `.full` commit still waits for.
    ///
    /// Whoever notices that `visible` lags behind and nothing happens calls it: writers, waiters, openers.
    func flushIfAbandoned() throws(FreeholdError) {
        guard isWritable, memory.lastFull.loadInOrder() > memory.durable.version else { return }
        let since = memory.lastFullSince.load()
        let now = system.monotonicNanoseconds
        guard now > since, now - since > 250_000_000 else { return }
        _ = try leadFlush(atLeast: memory.lastFull.loadInOrder())
    }

    private enum LeadOutcome {
        case done
        case othersLead
        case lockBusy
    }

    private func leadFlush(atLeast version: UInt64) throws(FreeholdError) -> LeadOutcome {
        guard try flushLock.acquire(timeoutMilliseconds: options.flushTimeoutMilliseconds) != .timedOut else {
            return .lockBusy
        }
        point("flush.locked", system)
        let target: Root
        do {
            try makeUpForDeadLeader()
            if memory.durable.version >= version {
                flushLock.release()
                return .done
            }
            let leader = memory.flushLeader.loadInOrder()
            if leader != 0, slots.isAlive(leader, own: slot) {
                flushLock.release()
                return .othersLead
            }
            try checkNotPoisoned()
            target = try writeDurableSlot(isRepeated: leader != 0 || memory.flushing.version != 0)
        } catch {
            flushLock.release()
            throw error
        }
        memory.flushLeader.storeInOrder(slot.token)
        flushLock.release()
        point("flush.unlocked", system)
        do { try file.synchronize() } catch { throw poison(error) }
        point("flush.synced", system)
        return try finishFlush(target)
    }

    /// Publishes F and writes S.
    private func writeDurableSlot(isRepeated: Bool) throws(FreeholdError) -> Root {
        let durable = memory.durable.read().root
        var target: (root: Root, sequence: UInt64)
        repeat {
            target = memory.newest.read()
            memory.flushing.write(target.root)
        } while !memory.newest.isStill(target.sequence)
        point("flush.targetPublished", system)
        let record = DurableRecord(
            file: header.file, root: target.root, base: durable.version, session: sessionNumber)
        if isRepeated {
            do {
                try Recovery(file: file, identifier: header.file, place: place, verifier: verifier)
                    .rewriteBlocks(of: target.root, bornAfter: durable.version)
            } catch { throw poison(error) }
        }
        do {
            try file.write(record, at: FileLayout.durableSlots[freeDurableSlot(durable)])
        } catch { throw poison(error) }
        point("flush.rootWritten", system)
        return target.root
    }

    /// The slot that does not hold D.
    private func freeDurableSlot(_ durable: Root) -> Int {
        let first = file.read(DurableRecord.self, at: FileLayout.durableSlots[0])
        return first?.root.version == durable.version ? 1 : 0
    }

    private func finishFlush(_ target: Root) throws(FreeholdError) -> LeadOutcome {
        guard try flushLock.acquire(timeoutMilliseconds: options.flushTimeoutMilliseconds) != .timedOut else {
            // Somebody else may lead now, and repeats what was done.
            _ = memory.flushLeader.replace(slot.token, with: 0)
            return .lockBusy
        }
        point("flush.relocked", system)
        if memory.flushLeader.loadInOrder() == slot.token, memory.flushing.version == target.version {
            do {
                if let record = slotHolding(target) {
                    try file.write(ConfirmedRecord(record), at: FileLayout.confirmed)
                }
            } catch {
                flushLock.release()
                throw poison(error)
            }
            point("flush.confirmed", system)
            concludeFlush(target)
        }
        flushLock.release()
        memory.durableBell.advance()
        if memory.durableSleepers.exchange(0) != 0 { system.wake(memory.durableBell.word, count: .max) }
        ringChangeBell()
        point("flush.done", system)
        return .done
    }

    private func slotHolding(_ root: Root) -> DurableRecord? {
        FileLayout.durableSlots.lazy.compactMap { self.file.read(DurableRecord.self, at: $0) }
            .first { $0.root.version == root.version && $0.file == self.header.file }
    }

    /// Moves D, raises `visible`, lets go of F. The caller owns the flush lock, and `confirmed` names `target`.
    private func concludeFlush(_ target: Root) {
        if memory.durable.version < target.version { memory.durable.write(target) }
        point("flush.durableSet", system)
        raiseVisibleAsLeader(target)
        point("flush.visibleSet", system)
        memory.flushing.clear()
        memory.flushLeader.storeInOrder(0)
    }

    /// Sets D to what is confirmed, if the leader before died in between (4).
    private func makeUpForDeadLeader() throws(FreeholdError) {
        let durable = memory.durable.version
        guard let confirmed = file.read(ConfirmedRecord.self, at: FileLayout.confirmed),
            confirmed.version > durable
        else { return }
        let target = memory.flushing.read().root
        guard target.version == confirmed.version, let record = slotHolding(target), confirmed.confirms(record) else {
            return
        }
        concludeFlush(target)
    }

    /// Raises `visible` to F, which is held, and then to newest if nothing undurable is in the way. Newest is pinned
    /// first, and looked at again, because it may be given up at any moment.
    private func raiseVisibleAsLeader(_ target: Root) {
        let visible = memory.visible
        if visible.version < target.version { visible.byLeader.write(target) }
        let newest = memory.newest.read()
        leaderCell.version.storeInOrder(newest.root.version)
        if memory.newest.isStill(newest.sequence), memory.lastFull.loadInOrder() <= memory.durable.version,
            visible.version < newest.root.version
        {
            visible.byLeader.write(newest.root)
        }
        leaderCell.version.storeInOrder(0)
    }

    /// Ends the session for all its processes: what the kernel still has to write may be gone.
    private func poison(_ error: any Error) -> FreeholdError {
        // If even this cannot be written, the next opener finds out from the blocks themselves.
        try? file.write(PoisonRecord(place: place, session: sessionNumber), at: FileLayout.poison)
        memory.poisoned.storeInOrder(1)
        memory.durableBell.advance()
        system.wake(memory.durableBell.word, count: .max)
        let cause = (error as? SystemError).map { FreeholdError($0, "make commits durable") } ?? error as? FreeholdError
        return FreeholdError(
            .io, "a flush failed: commits since version \(memory.durable.version) may be lost; close the database in all "
                + "processes and open it again to go on from there", path: path, systemCode: cause?.systemCode ?? 0)
    }

    private func notYetDurable(_ root: Root) -> FreeholdError {
        showOwnCommitLate(root)
        let leader = slots.process(of: memory.flushLeader.loadInOrder()) ?? flushLock.holder
        let who = leader.map { "; process \($0.id) (\($0.name)) leads the flush" } ?? ""
        return FreeholdError(
            .notYetDurable, "version \(root.version) is committed, but not flushed within "
                + "\(options.flushTimeoutMilliseconds) ms\(who). It survives killed processes, not yet a power cut; the "
                + "next flush covers it", path: path)
    }
}
