import Platform

/// The lease of the one process that syncs a file: it sends what is pending, and applies what the server answers.
///
/// ```swift
/// guard let lease = try database.takeSyncLease() else { return }  // another agent syncs this file; try again later
/// defer { lease.release() }
/// ```
/// 1. It is an exclusive lock of one byte of the data inode (`LivenessByte.syncing`), through a descriptor of its own. So it goes with its
///    process, another handle of the same process is refused like another process, and a forked child has none.
/// 2. Two agents at one file are safe; the lease only prevents that work is done twice. So nothing else reads the byte, and no part of a
///    session waits for it.
/// 3. A copy, or a file that is renamed over this one, is another inode, with a lease of its own.
public final class SyncLease: Sendable {
    private let file: any File
    private let identity: FileIdentity
    private let system: any System
    private let forkGeneration: UInt32

    fileprivate init(_ file: any File, _ identity: FileIdentity, _ system: any System) {
        self.file = file
        self.identity = identity
        self.system = system
        forkGeneration = system.forkGeneration
    }

    deinit { file.close() }

    /// Whether this process still holds the lease: it is no forked child, the program has not closed the descriptor by its number, and the
    /// path has not got another file, as by compaction of the closed file.
    public var isHeld: Bool {
        guard system.forkGeneration == forkGeneration, (try? file.standing())?.identity == identity else { return false }
        return (try? system.status(of: file.path))??.identity == identity
    }

    /// Gives the lease to the next agent that asks for it; nothing may be sent or applied under it afterwards.
    public func release() {
        // The number may belong to another file by now, whose locks are none of this one's.
        if (try? file.standing())?.identity == identity { try? file.unlock(byte: LivenessByte.syncing) }
    }

    /// Whether an agent holds the lease of a session's file, this process's own included.
    static func isTaken(_ member: Membership) throws(FreeholdError) -> Bool {
        try member.checkValid()
        do { return try member.slots.liveness.isLocked(byte: LivenessByte.syncing) } catch {
            throw FreeholdError(error, "ask whether an agent syncs the file")
        }
    }

    /// Takes the lease of a session's file; nil if it is held.
    static func take(_ member: Membership) throws(FreeholdError) -> SyncLease? {
        try member.checkValid()
        guard member.isWritable else {
            throw FreeholdError(.readOnly, "a file that was opened for reading only cannot be synced", path: member.path)
        }
        let file: any File
        do { file = try member.system.openFile(member.path, .readWrite) } catch { throw FreeholdError(error, "take the sync lease") }
        do {
            let identity = member.file.identity
            guard try file.standing().identity == identity else {
                throw FreeholdError(.fileReplaced, "another file has the name of the database; open it again", path: member.path)
            }
            guard try file.tryLock(byte: LivenessByte.syncing, exclusive: true) else {
                file.close()
                return nil
            }
            return SyncLease(file, identity, member.system)
        } catch {
            file.close()
            throw FreeholdError(any: error, "take the sync lease")
        }
    }
}
