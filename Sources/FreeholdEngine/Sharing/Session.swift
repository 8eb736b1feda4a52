// Safe throughout: the pointers below belong to the session and are freed in `deinit` only, after every user is gone.
import Platform
import Synchronization

/// One process's part in the sharing of one file: its locks, its slot, its readers' cells, its commits and flushes.
///
/// 1. A process has one session for a file (and kind of access), for any number of handles; `SessionRegistry` ensures
///    it.
/// 2. The session of all processes together begins with the first opener and ends with the last closer; in between
///    the data inode's session byte is locked by each of them.
/// 3. Everything here is volatile: if all processes die at any moment, the file's pages 0 to 3 show what was
///    committed.
/// 4. It knows roots and bytes, never trees.
final class Session: @unchecked Sendable {
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
    let cells: ReaderCells
    let writerLock: SharedLock
    let flushLock: SharedLock
    /// The turn for flushes, which use `file`'s descriptor.
    let flushTurn: DiskTurn
    /// The turn for what is written outside commits, and flushed by `slots.liveness`.
    let writtenTurn: DiskTurn
    let sessionNumber: UInt64
    let listeners: ListenerTable
    let reservations: Reservations

    let context: UnsafeMutablePointer<ReaderContext>
    private let ownMemory: UnsafeMutableRawPointer
    /// Holds this process's newest commit while it is not visible.
    let ownCommitCell: ReaderCell
    /// Holds this process's newest `.full` commit, which is not shown, while it is above the visible version.
    let pendingCommitCell: ReaderCell
    /// The newest version when this process opened its descriptor. The kernel reports failed writes to it for what was
    /// written later; for what was written before it need not.
    let openedAt: UInt64
    let state = Mutex(State())
    let isReaping = Atomic(false)
    /// The thread of this process that is inside a write, or 0.
    let writerThread = Atomic<UInt>(0)
    /// Number of writes that this process has begun.
    let writes = Atomic<UInt64>(0)
    /// When a commit of this process last looked for dead processes, in monotonic nanoseconds.
    let lastReaped = Atomic<UInt64>(0)

    /// Number of times a waiter or listener of this process was woken to look for commits.
    let wakeUps = Atomic<UInt64>(0)
    /// Limits how often callers of `waitForChange` are woken.
    let waitPace: Mutex<WakePace>

    /// The state that threads of this process share.
    struct State {
        var freeCells: [ReaderCell] = []
        var isClosed = false
        /// The roots of the lock file that were compared with the data file.
        var checked = CheckedRoots()
        var tellers: [ListenerTable.Place: any NotifyPipe] = [:]
        /// The registry's key of this session.
        var handles = 1
    }

    var isWritable: Bool { file.isWritable }
    var path: String { paths.data }
    /// The bytes mapped, which no root may exceed. The file's length is the business of the verifier and the allocator.
    var mappedLength: Int { file.mappedLength }

    /// The parts of a session that an opener has gathered by the time it may take part.
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
        writerLock = SharedLock.writer(lockFile, slots, slot)
        flushLock = SharedLock.flush(lockFile, slots, slot)
        flushTurn = DiskTurn(parts.system)
        writtenTurn = DiskTurn(parts.system)
        listeners = ListenerTable(lockFile: lockFile, folder: parts.paths.management)
        reservations = Reservations(lockFile: lockFile)
        context = .allocate(capacity: 1)
        ownMemory = .allocate(byteCount: SharedRoot.byteCount + 64, alignment: 64)
        ownMemory.initializeMemory(as: UInt8.self, repeating: 0, count: SharedRoot.byteCount + 64)
        cells = ReaderCells(lockFile: lockFile, context: UnsafePointer(context))
        ownCommitCell = try cells.claim(slot.token, kind: .ownCommit)
        pendingCommitCell = try cells.claim(slot.token, kind: .ownCommit)
        openedAt = lockFile.memory.newest.version
        waitPace = Mutex(WakePace(told: 0, now: parts.system.monotonicNanoseconds))
        context.initialize(
            to: ReaderContext(
                memory: memory, slotState: slots.state(slot.index), liveState: slot.liveState,
                forkWord: system.forkGenerationWord, forkGeneration: system.forkGeneration,
                ownCommit: SharedWord(ownMemory, SharedRoot.byteCount), ownRoot: SharedRoot(ownMemory, at: 0),
                session: Unmanaged.passUnretained(self)))
    }

    deinit {
        context.deallocate()
        ownMemory.deallocate()
    }

    /// Throws if the session is closed, forked, or has lost its lease. Every entry point but those of the hot path
    /// calls it.
    func checkValid() throws(FreeholdError) {
        guard !isForked, isValid else { throw invalidityError() }
    }

    /// The error that a forked child gets when it uses a database that its parent had open.
    static func forkedError(_ path: String) -> FreeholdError {
        FreeholdError(.forked, "this process was forked after the database was opened; only close it here, and open it again for use", path: path)
    }

    /// The error that says why this process may not continue the session.
    func invalidityError() -> FreeholdError {
        if isForked { return Self.forkedError(path) }
        if state.withLock({ $0.isClosed }) { return FreeholdError(.closed, "the database is closed", path: path) }
        if lockFile.hasFaulted {
            return FreeholdError(
                .leaseLost, "the lock file beside the database could not be read or written: its disk is full or has failed, or it was cut "
                    + "short; make room, close the database and open it again. Nothing committed is lost", path: path)
        }
        return FreeholdError(
            .leaseLost, "a descriptor that belongs to the database was closed behind its back (closefrom, or close of a "
                + "foreign number), so others count this process as dead; open it again", path: path)
    }

    /// Whether the process may continue: it is the one that opened, and its slot is still its own.
    var isValid: Bool { context.pointee.isValid }
    /// The root of this process's newest commit while that may be above the visible one, and its version.
    var ownRoot: SharedRoot { context.pointee.ownRoot }
    var ownCommit: SharedWord { context.pointee.ownCommit }

    var isForked: Bool {
        context.pointee.forkWord.pointee != context.pointee.forkGeneration
            || system.forkGeneration != context.pointee.forkGeneration
    }

    /// The newest version that any reader may read.
    var visibleVersion: UInt64 { memory.visible.version }
}

extension SharedLock {
    static func writer(_ lockFile: LockFile, _ slots: ProcessSlots, _ slot: ProcessSlot) -> SharedLock {
        SharedLock(
            lockFile, offset: LockLayout.writerLock, byte: LivenessByte.writer, slots, slot, lockFile.system)
    }

    static func flush(_ lockFile: LockFile, _ slots: ProcessSlots, _ slot: ProcessSlot) -> SharedLock {
        SharedLock(
            lockFile, offset: LockLayout.flushLock, byte: LivenessByte.flush, slots, slot, lockFile.system)
    }
}
