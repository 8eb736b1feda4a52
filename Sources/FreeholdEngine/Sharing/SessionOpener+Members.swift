import Platform

// Membership: every session has a byte of the data inode of its own, which its members hold shared.
//
// 1. The byte is taken before anything of the session is used, and then the bytes of all other sessions are checked: of
//    two processes that would be in two sessions at once, the one that checks later sees the other. So all members of
//    all sessions on a file are in one.
// 2. That a slot's byte is held does not show that its session lives: the slots of all lock files share those bytes.
// 3. It takes no exclusive lock, so a process without write permission can do the same.
extension SessionOpener {
    /// Takes the byte of the lock file's session, unless a process is in another session on this file.
    ///
    /// The session byte is held, so no process begins a session by having that byte exclusively.
    /// - Returns: false if another session lives; then nothing has been taken.
    func becomeMember(of lockFile: LockFile) throws(FreeholdError) -> Bool {
        let byte = LivenessByte.member(of: lockFile.identity)
        let members = LivenessByte.members
        let isAlone = try translating("lock a byte of the file") { () throws(SystemError) in
            guard try liveness.tryLock(byte: byte, exclusive: false) else { return false }
            if byte > members.lowerBound, try liveness.isLocked(bytes: members.lowerBound..<byte) { return false }
            return try !liveness.isLocked(bytes: byte + 1..<members.upperBound)
        }
        if !isAlone { try resign(from: lockFile) }
        return isAlone
    }

    func resign(from lockFile: LockFile) throws(FreeholdError) {
        try translating("unlock a byte of the file") { () throws(SystemError) in
            try liveness.unlock(byte: LivenessByte.member(of: lockFile.identity))
        }
    }

    /// Whether another process holds the byte of the lock file's session: a member, or a process that tries to become
    /// one.
    func isInhabited(_ lockFile: LockFile) throws(FreeholdError) -> Bool {
        try isLocked(LivenessByte.member(of: lockFile.identity)..<LivenessByte.member(of: lockFile.identity) + 1)
    }

    /// Whether another process is in any session on this file, with any layout of the lock file.
    func isAnybodyInside() throws(FreeholdError) -> Bool {
        if try isLocked(LivenessByte.members) { return true }
        return try isLocked(LivenessByte.processes)
    }

    /// Whether another process is in a session that has a lock file.
    func isAnybodySharing() throws(FreeholdError) -> Bool {
        if try isLocked(LivenessByte.lonelyReaders + 1..<LivenessByte.members.upperBound) { return true }
        return try isLocked(LivenessByte.processes)
    }

    func isLocked(_ bytes: Range<Int>) throws(FreeholdError) -> Bool {
        try translating("look for locks on the file") { () throws(SystemError) in try liveness.isLocked(bytes: bytes) }
    }
}
