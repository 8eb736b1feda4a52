import Platform

extension Session {
    /// Waits for a visible version after `version`.
    ///
    /// It checks again four times a second, so a process that died before ringing the bell delays it by no more than
    /// that. It returns a thousand times a second at most where commits come faster (`WakePace`).
    /// - Returns: the newest visible version, or nil if the timeout passed.
    func waitForChange(after version: UInt64, timeoutMilliseconds: Int) throws(FreeholdError) -> UInt64? {
        let deadline = Deadline(timeoutMilliseconds, member.system)
        try member.checkValid()
        bell.restFromStorm(deadline)
        while true {
            try member.checkValid()
            if let visible = bell.visible(after: version) { return visible }
            let rung = member.memory.changeBell.load()
            member.memory.changeSleepers.store(1)
            point("wait.armed", member.system)
            if let visible = bell.visible(after: version) { return visible }
            let left = deadline.remainingMilliseconds
            if left == 0 { return nil }
            let outcome = member.system.wait(on: member.memory.changeBell.word, whileEqual: rung, timeoutMilliseconds: min(left, 250))
            point("wait.woken", member.system)
            bell.noteWakeUp()
            if outcome == .timedOut { try finishForTheDead() }
        }
    }

    /// Completes the work of processes that died before they rang the bell; waiters call it.
    ///
    /// If none died it takes no lock: not even while a flush is under way, however long that takes.
    func finishForTheDead() throws(FreeholdError) {
        guard member.isWritable, member.memory.poisoned.loadInOrder() == 0 else { return }
        if publisher.hasUnpublishedCommit || publisher.hasUnseenCommit, try writerLock.acquire(timeoutMilliseconds: 0) != .timedOut {
            publisher.adoptUnpublished(isAfterDeath: true)
            writerLock.release()
        }
        try flusher.flushIfAbandoned()
    }
}
