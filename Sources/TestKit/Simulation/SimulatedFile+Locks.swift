import Platform

extension SimulatedFile {
    func tryLock(byte: Int, exclusive: Bool) throws(SystemError) -> Bool {
        precondition(!exclusive || isWritable, "an exclusive lock through a file opened for reading: \(path)")
        try begin(.lockByte)
        return take(byte, exclusive)
    }

    func lock(byte: Int, exclusive: Bool, timeoutMilliseconds: Int) throws(SystemError) -> Bool {
        precondition(!exclusive || isWritable, "an exclusive lock through a file opened for reading: \(path)")
        try begin(.lockByte)
        let end = process.deadline(after: timeoutMilliseconds)
        while true {
            if take(byte, exclusive) { return true }
            if machine.nanoseconds >= end { return false }
            _ = process.block(.byte(inode: inode.number, byte: byte), until: end)
        }
    }

    func unlock(byte: Int) throws(SystemError) {
        if !ownsLocks { return }
        try begin(.unlockByte)
        machine.releaseByte(inode, byte) { $0.file == ObjectIdentifier(self) }
    }

    func isLocked(byte: Int) throws(SystemError) -> Bool {
        try begin(.queryByte)
        return inode.byteLocks[byte]?.contains { $0.file != ObjectIdentifier(self) } ?? false
    }

    func isLocked(bytes: Range<Int>) throws(SystemError) -> Bool {
        try begin(.queryByte)
        return inode.byteLocks.contains { byte, locks in bytes.contains(byte) && locks.contains { $0.file != ObjectIdentifier(self) } }
    }

    private func take(_ byte: Int, _ exclusive: Bool) -> Bool {
        var locks = inode.byteLocks[byte] ?? []
        locks.removeAll { $0.file == ObjectIdentifier(self) }
        if locks.contains(where: { exclusive || $0.isExclusive }) { return false }
        locks.append(.init(file: ObjectIdentifier(self), process: process.number, isExclusive: exclusive))
        inode.byteLocks[byte] = locks
        // A downgrade lets others in.
        if !exclusive { machine.scheduler.wake(.byte(inode: inode.number, byte: byte)) }
        return true
    }
}
