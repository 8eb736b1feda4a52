import Platform

extension Session {
    /// Waits for a visible version after `version`.
    ///
    /// It checks again four times a second, so a process that died before ringing the bell delays it by no more than
    /// that. It returns a thousand times a second at most where commits come faster (`WakePace`).
    /// - Returns: the newest visible version, or nil if the timeout passed.
    func waitForChange(after version: UInt64, timeoutMilliseconds: Int) throws(FreeholdError) -> UInt64? {
        let deadline = Deadline(timeoutMilliseconds, system)
        try checkValid()
        restFromStorm(deadline)
        while true {
            try checkValid()
            if let visible = tell(after: version) { return visible }
            let bell = memory.changeBell.load()
            memory.changeSleepers.store(1)
            point("wait.armed", system)
            if let visible = tell(after: version) { return visible }
            let left = deadline.remainingMilliseconds
            if left == 0 { return nil }
            let outcome = system.wait(on: memory.changeBell.word, whileEqual: bell, timeoutMilliseconds: min(left, 250))
            point("wait.woken", system)
            noteWakeUp()
            if outcome == .timedOut { try finishForTheDead() }
        }
    }

    /// The visible version, if it is newer than `version`.
    private func tell(after version: UInt64) -> UInt64? {
        let visible = visibleVersion
        if visible <= version { return nil }
        let now = system.monotonicNanoseconds
        waitPace.withLock { $0.tell(visible, now: now) }
        return visible
    }

    /// Lets others commit undisturbed for the rest of a millisecond, if this process has just been notified of many
    /// versions.
    private func restFromStorm(_ deadline: Deadline) {
        if deadline.hasPassed { return }
        let now = system.monotonicNanoseconds
        if waitPace.withLock({ $0.rest(now: now) }) == 0 { return }
        system.sleep(milliseconds: 1)
        noteWakeUp()
    }

    func noteWakeUp() { wakeUps.wrappingAdd(1, ordering: .relaxed) }

    /// Completes the work of processes that died before they rang the bell; waiters call it.
    ///
    /// If none died it takes no lock: not even while a flush is under way, however long that takes.
    func finishForTheDead() throws(FreeholdError) {
        guard isWritable, memory.poisoned.loadInOrder() == 0 else { return }
        if hasUnpublishedCommit || hasUnseenCommit, try writerLock.acquire(timeoutMilliseconds: 0) != .timedOut {
            adoptUnpublished(isAfterDeath: true)
            writerLock.release()
        }
        try flushIfAbandoned()
    }

    /// Wakes the waiters and listeners, since the visible version may have moved.
    func ringChangeBell() {
        memory.changeBell.advance()
        if memory.changeSleepers.load() != 0, memory.changeSleepers.exchange(0) != 0 {
            system.wake(memory.changeBell.word, count: .max)
        }
        if memory.listenersArmed.loadInOrder() != 0 { tellListeners() }
    }
}
