import Platform
import Synchronization

/// One process's part in the sharing of one file: its locks, its slot, its readers' cells, its commits and flushes.
///
/// ```
///  Session          begins, publishes and abandons writes; waits; leaves
///   ├─ Flusher          makes commits durable               ├─ Reaper          clears up after dead processes
///   ├─ CommitPublisher  newest, visible                      ├─ HeldVersions    who holds which version
///   ├─ CheckedRoots     what the file's records say         ├─ ChangeBell      wakes those who wait
///   └─ Membership       files, slot, lease                   └─ SessionReaders  cells, own commits
/// ```
/// 1. A process has one session for a file (and kind of access), for any number of handles; `SessionRegistry` ensures
///    it.
/// 2. The session of all processes together begins with the first opener and ends with the last closer; in between
///    the data inode's session byte is locked by each of them.
/// 3. Everything here is volatile: if all processes die at any moment, the file's pages 0 to 3 show what was
///    committed.
/// 4. It knows roots and bytes, never trees.
final class Session: Sendable {
    let member: Membership
    let reservations: Reservations
    let readers: SessionReaders
    let held: HeldVersions
    let bell: ChangeBell
    let reaper: Reaper
    let roots: CheckedRoots
    let publisher: CommitPublisher
    let flusher: Flusher
    /// The thread of this process that is inside a write, or 0.
    let writerThread = Atomic<UInt>(0)
    /// Number of writes that this process has begun.
    let writes = Atomic<UInt64>(0)

    /// What an opener has gathered by the time it may take part.
    struct Parts {
        let system: any System
        let paths: SessionPaths
        let options: SessionOptions
        let file: DataFile
        let liveness: any File
        let header: FileHeader
        let place: FilePlace
        let verifier: any RootVerifier
    }

    init(_ parts: Parts, _ lockFile: LockFile, slot: ProcessSlot) throws(FreeholdError) {
        member = Membership(parts, lockFile, slot: slot)
        reservations = Reservations(lockFile: lockFile)
        readers = try SessionReaders(member)
        held = HeldVersions(member: member, cells: readers.cells)
        let openedAt = lockFile.memory.newest.version
        bell = ChangeBell(member)
        reaper = Reaper(member, held, reservations, bell.listeners)
        roots = CheckedRoots(member)
        publisher = CommitPublisher(member, roots, readers, bell)
        flusher = Flusher(member, roots, publisher, bell, openedAt: openedAt)
    }

    var system: any System { member.system }
    var file: DataFile { member.file }
    var header: FileHeader { member.header }
    var memory: LockMemory { member.memory }
    var path: String { member.path }
    var isWritable: Bool { member.isWritable }
    var isForked: Bool { member.isForked }
    var writerLock: SharedLock { publisher.writerLock }
    /// The newest version that any reader may read.
    var visibleVersion: UInt64 { memory.visible.version }

    /// Throws if the session is closed, forked, or has lost its lease. Every entry point but those of the hot path
    /// calls it.
    func checkValid() throws(FreeholdError) { try member.checkValid() }

    /// The versions that a commit must leave whole (`Reaper`). The caller owns the writer lock.
    func heldVersionsForCommit(revoking mayRevoke: (UInt64) -> Bool = { _ in false }) -> [UInt64] {
        reaper.heldVersionsForCommit(at: writerLock.since.load(), revoking: mayRevoke)
    }
}
