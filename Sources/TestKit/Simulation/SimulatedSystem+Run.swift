import Platform

extension SimulatedSystem {
    /// Runs every thread started in a process until nobody can go on. Can be called again: new threads and resumed
    /// processes go on where they were.
    public func run(stepLimit: Int = 1_000_000) -> RunEnd { scheduler.run(self, stepLimit: stepLimit) }

    /// What each thread that has not ended is about, one line each: for the message of a test whose run was not finished.
    public var unfinished: [String] {
        scheduler.threads.filter { $0.state != .over }.map { thread in
            "\(thread.process.name): \(thread.process.isStopped ? "stopped, " : "")\(thread.state)"
        }
    }

    /// How many steps all runs had together.
    public var stepCount: Int { scheduler.stepCount }

    /// A fingerprint of who did what in which order: equal for equal seeds.
    public var trace: UInt64 { scheduler.trace }

    /// Frees the mutexes whose owner matches: it died, so the next owner is told.
    func releaseMutexes(_ isOver: (SimulatedThread) -> Bool) {
        for address in mutexes.keys.sorted() {
            guard case .thread(let thread, _)? = mutexes[address]?.owner, isOver(thread) else { continue }
            mutexes[address]?.die()
            scheduler.wake(.mutex(address))
        }
    }

    func releaseMutexes(ofProcess number: Int) {
        for address in mutexes.keys.sorted() where mutexes[address]?.owner?.process == number {
            mutexes[address]?.die()
            scheduler.wake(.mutex(address))
        }
    }

    /// Frees byte locks and pipe ends.
    func releaseFiles(ofProcess number: Int) {
        for inode in inodes {
            for byte in inode.byteLocks.keys.sorted() {
                releaseByte(inode, byte) { $0.process == number }
            }
            inode.pipeReaders[number] = nil
            if inode.pipeReaders.isEmpty { inode.pipeBytes = 0 }
        }
    }

    func releaseByte(_ inode: SimulatedInode, _ byte: Int, _ matches: (SimulatedInode.ByteLock) -> Bool) {
        guard var locks = inode.byteLocks[byte] else { return }
        locks.removeAll(where: matches)
        inode.byteLocks[byte] = locks.isEmpty ? nil : locks
        scheduler.wake(.byte(inode: inode.number, byte: byte))
    }
}
