import Platform
import Synchronization

/// One process's membership in a session: the open files, the slot that proves that the process lives, and the check
/// that all of it is still its own.
///
/// The parts of a `Session` share it. It is created once the opener has claimed a slot, and never changes, except that it
/// ends.
final class Membership: Sendable {
    let system: any System
    let paths: SessionPaths
    let options: SessionOptions
    let file: DataFile
    let header: FileHeader
    let place: FilePlace
    let verifier: any RootVerifier
    let lockFile: LockFile
    let memory: LockMemory
    let slots: ProcessSlots
    let slot: ProcessSlot
    let lease: ProcessLease
    let sessionNumber: UInt64
    /// Whether the program has closed the session.
    private let closed = Atomic(false)

    init(_ parts: Session.Parts, _ lockFile: LockFile, slot: ProcessSlot) {
        system = parts.system
        paths = parts.paths
        options = parts.options
        file = parts.file
        header = parts.header
        place = parts.place
        verifier = parts.verifier
        self.lockFile = lockFile
        self.slot = slot
        memory = lockFile.memory
        sessionNumber = LockIdentity(lockFile.memory).session
        slots = ProcessSlots(lockFile: lockFile, liveness: parts.liveness, isWritable: parts.file.isWritable)
        lease = ProcessLease(
            slotState: slots.state(slot.index), liveState: slot.liveState, forkWord: parts.system.forkGenerationWord,
            forkGeneration: parts.system.forkGeneration)
    }

    var isWritable: Bool { file.isWritable }
    var path: String { paths.data }
    /// The bytes mapped, which no root may exceed. The file's length is the business of the verifier and the allocator.
    var mappedLength: Int { file.mappedLength }

    /// Whether the process may continue: it is the one that opened, and its slot is still its own.
    var isValid: Bool { lease.isValid }

    var isForked: Bool {
        lease.isForked || system.forkGeneration != lease.forkGeneration
    }

    /// Marks the session as closed by the program.
    func close() { closed.store(true, ordering: .sequentiallyConsistent) }

    /// Releases the descriptors, and with them the byte locks.
    func closeFiles() {
        slots.liveness.close()
        file.file.close()
        lockFile.close()
    }

    /// Throws if the session is closed, forked, or has lost its lease. Every entry point but those of the hot path
    /// calls it.
    func checkValid() throws(FreeholdError) {
        guard !isForked, isValid else { throw invalidityError() }
    }

    /// Throws after a failed flush of this session: nothing more is committed then.
    func checkNotPoisoned() throws(FreeholdError) {
        guard memory.poisoned.loadInOrder() == 0 else {
            throw FreeholdError(
                .io, "a flush failed, so commits since version \(memory.durable.version) may be lost; close the database "
                    + "in all processes and open it again to go on from there", path: path)
        }
    }

    /// Refuses to write, flush or lock through descriptors that are another file's by now: the program has closed
    /// descriptors that were not its own.
    ///
    /// A close at the very moment between this check and the call that follows stays undetected.
    func requireOwnDescriptors() throws(FreeholdError) {
        for file in [file.file, slots.liveness] where (try? file.standing())?.identity != self.file.identity { throw invalidityError() }
    }

    /// The error that a forked child gets when it uses a database that its parent had open.
    static func forkedError(_ path: String) -> FreeholdError {
        FreeholdError(.forked, "this process was forked after the database was opened; only close it here, and open it again for use", path: path)
    }

    /// The error that says why this process may not continue the session.
    func invalidityError() -> FreeholdError {
        if isForked { return Self.forkedError(path) }
        if closed.load(ordering: .sequentiallyConsistent) { return FreeholdError(.closed, "the database is closed", path: path) }
        if lockFile.hasFaulted {
            return FreeholdError(
                .leaseLost, "the lock file beside the database could not be read or written: its disk is full or has failed, or it was cut "
                    + "short; make room, close the database and open it again. Nothing committed is lost", path: path)
        }
        return FreeholdError(
            .leaseLost, "the program closed a descriptor of the database (closefrom, or close of a wrong number), so other "
                + "processes count this one as dead; open the database again", path: path)
    }

    /// The error for words of the lock file that cannot be right: another program has written over them.
    func damagedLockFile() -> FreeholdError {
        if lockFile.hasFaulted { return invalidityError() }
        return FreeholdError(
            .corrupt, "the lock file beside the database was written over, so nothing can be committed; close the database "
                + "in all processes and open it again: the lock file is made anew, and nothing committed is lost", path: path)
    }
}
