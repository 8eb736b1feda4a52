import Platform

extension Session {
    /// Waits for a visible version after `version`.
    ///
    /// Looks again four times a second, so a process that died before ringing the bell delays it by no more than that.
    /// - Returns: the newest visible version, or nil if the time is over.
    func waitForChange(after version: UInt64, timeoutMilliseconds: Int) throws(FreeholdError) -> UInt64? {
        let deadline = Deadline(timeoutMilliseconds, system)
        while true {
            try checkValid()
            let bell = memory.changeBell.load()
            memory.changeSleepers.store(1)
            point("wait.armed", system)
            let visible = visibleVersion
            if visible > version { return visible }
            let left = deadline.remainingMilliseconds
            if left == 0 { return nil }
            let outcome = system.wait(on: memory.changeBell.word, whileEqual: bell, timeoutMilliseconds: min(left, 250))
            point("wait.woken", system)
            if outcome == .timedOut { try finishForTheDead() }
        }
    }

    /// What a waiter does for those who died before they rang the bell.
    private func finishForTheDead() throws(FreeholdError) {
        guard isWritable else { return }
        if hasUnpublishedCommit, try writerLock.acquire(timeoutMilliseconds: 0) != .timedOut {
            adoptUnpublished(isAfterDeath: true)
            writerLock.release()
        }
        try flushIfAbandoned()
    }

    /// Tells those who wait or listen that the visible version may have moved.
    func ringChangeBell() {
        memory.changeBell.advance()
        if memory.changeSleepers.load() != 0, memory.changeSleepers.exchange(0) != 0 {
            system.wake(memory.changeBell.word, count: .max)
        }
        if memory.listenersArmed.loadInOrder() != 0 { tellListeners() }
    }
}
