// Safe throughout: cell and context belong to the session, which outlives every cell it hands out; a closed session
// keeps both and fails the check of its slot.
import Platform
import Synchronization

/// Where one reader says which version it reads: the hot path of every snapshot. A trivial value.
///
/// ```
///  0  cell's generation << 48 | parked << 47 | version pinned, or 0      8  owner's token, 0 while the cell is free
/// 16  cell's generation << 48 | kind (0 reader, 1 own commit)
/// 24  version the next word is about    32  seen held since, monotonic nanoseconds (written by whoever looks)
/// 40  idle: what the first word was when its pin ended; while both are equal nothing is pinned
/// ```
/// 1. Pinning is: read the visible root; store its version here; look whether it is still the visible one. If so,
///    every scan from now on sees the store, and every scan before counted the version as visible.
/// 2. Unpinning is one store, into `idle`; pinning has one locked instruction. Neither takes a lock, allocates or calls the system.
/// 3. One cell serves one reader at a time; it stands on a cache line of its own.
/// 4. The generation moves whenever the cell changes hands: a process that others have counted as dead, wrongly or
///    not, cannot pin in a cell that is no longer its own.
/// 5. A process never sees less than its own newest commit: while that is not visible, its own-commit cell holds it.
/// 6. A parked pin is one whose owner reads nothing at the moment: a writer may take it away, by an exchange from what it
///    saw. Whichever exchange comes first counts, the writer's or the owner's that goes on: there is no third outcome.
/// 7. `idle` is cleared before the word is written, and before the second look at the visible root. A process that was counted as dead stores its own
///    generation there, which no later owner's word has: that owner's pin then counts as held until it ends the next time.
struct ReaderCell: @unchecked Sendable {
    let address: UnsafeMutableRawPointer
    let context: UnsafePointer<ReaderContext>
    /// The generation the cell was claimed in, where it stands in the word.
    let mark: UInt64

    @inline(__always) var word: SharedWord { SharedWord(address, 0) }
    /// What the generation leaves: the version, and whether it is parked.
    static let versionMask: UInt64 = (1 << 48) - 1
    static let parkedBit: UInt64 = 1 << 47
    /// The version pinned here, parked or not, or 0.
    var pinned: UInt64 { Self.version(in: standing) }
    /// The word as a scan takes it: without a version if the pin has ended (7).
    var standing: UInt64 {
        let seen = word.loadInOrder()
        return idle.loadInOrder() == seen ? seen & ~Self.versionMask : seen
    }
    @inline(__always) static func version(in word: UInt64) -> UInt64 { word & (parkedBit - 1) }
    @inline(__always) static func isParked(_ word: UInt64) -> Bool { word & parkedBit != 0 && version(in: word) != 0 }
    var owner: SharedWord { SharedWord(address, 8) }
    var kind: SharedWord { SharedWord(address, 16) }
    @inline(__always) var idle: SharedWord { SharedWord(address, 40) }
    /// Whether the version that `word` names is an own commit's. What the cell's owner before left in `kind` says nothing.
    func isOwnCommit(_ word: UInt64) -> Bool { kind.load() == word & ~Self.versionMask | ReaderCellKind.ownCommit.rawValue }
    var seenVersion: SharedWord { SharedWord(address, 24) }
    var seenSince: SharedWord { SharedWord(address, 32) }

    /// Pins the newest version this process may see.
    func pin() throws(FreeholdError) -> Root {
        var moment = VisibleRoot.Moment.never
        return try pin(noting: &moment)
    }

    /// The same; notes when it was the visible one, for `pinAgain`.
    func pin(noting noted: inout VisibleRoot.Moment) throws(FreeholdError) -> Root {
        let visible = context.pointee.memory.visible
        guard context.pointee.isValid else { throw context.pointee.complaint() }
        while true {
            let moment = visible.moment
            let root = visible.root(at: moment)
            if root.version < context.pointee.ownCommit.loadRelaxed() {
                if let own = try pinOwnCommit(moment) {  // written by this code: nothing unknown
                    noted = .never
                    return own
                }
                guard context.pointee.isValid else { throw context.pointee.complaint() }
                continue
            }
            context.pointee.pass("read.chosen")
            guard hold(root.version) else { throw context.pointee.complaint() }
            context.pointee.pass("read.pinStored")
            if visible.isStill(moment) {
                context.pointee.pass("read.pinned")
                try requireKnown(root)
                noted = moment
                return root
            }
        }
    }

    /// Lets the version go again if a newer Freehold wrote what this one cannot read.
    @inline(__always)
    private func requireKnown(_ root: Root) throws(FreeholdError) {
        do { try root.requireKnownFeatures(forWriting: false, context.pointee.path) } catch {
            _ = unpinIfValid()
            throw error
        }
    }

    /// Pins the version that was the visible one at `moment`, if it is still what `pin` would choose. False whenever
    /// anything is otherwise: then `pin` has to follow, which ends what may stand in the cell. The exchange waits for every store before it, so there is no
    /// root to copy here, and no error to make.
    @inline(__always)
    func pinAgain(_ version: UInt64, at moment: VisibleRoot.Moment) -> Bool {
        let visible = context.pointee.memory.visible
        guard context.pointee.isValid, visible.isStill(moment), version >= context.pointee.ownCommit.loadRelaxed()
        else { return false }
        context.pointee.pass("read.chosen")
        _ = idle.exchange(0)
        guard word.loadRelaxed() == mark | version else { return false }
        context.pointee.pass("read.pinStored")
        guard visible.isStill(moment) else { return false }
        context.pointee.pass("read.pinned")
        return true
    }

    /// Ends the pin. An error says that others may have taken the version away before: whoever reaps a process's cells
    /// ends its slot's life first.
    @inline(__always)
    func unpin() throws(FreeholdError) {
        guard unpinIfValid() else { throw context.pointee.complaint() }
    }

    /// The same; false instead of an error.
    @inline(__always)
    func unpinIfValid() -> Bool {
        // What was read of the version comes before the look.
        atomicMemoryFence(ordering: .acquiring)
        guard context.pointee.isValid else { return false }
        let seen = word.loadRelaxed()
        guard seen & ~Self.versionMask == mark else { return false }
        if seen & Self.parkedBit == 0 {
            // Harmless if the process was stopped since the look, counted as dead, and the cell is another reader's now (7).
            idle.store(seen)
        } else {
            // It fails only where a writer takes the parked version away at the same time, or the cell.
            if !word.replace(seen, with: mark) && !unpinRevoked() { return false }
        }
        context.pointee.pass("read.unpinned")
        return true
    }

    /// Takes back what is left of a parked pin that a writer has taken away.
    @inline(never)
    private func unpinRevoked() -> Bool { word.replace(mark | Self.parkedBit, with: mark) }

    /// Puts a version in, before anything that follows is read; false if the cell has changed hands.
    @inline(__always)
    func hold(_ version: UInt64) -> Bool {
        let left = word.loadRelaxed()
        guard left & ~Self.versionMask == mark else { return false }
        idle.store(0)
        return word.replace(left, with: mark | version) || holdInstead(version)
    }

    /// The same where a writer has taken a parked version away at the same time.
    @inline(never)
    private func holdInstead(_ version: UInt64) -> Bool {
        let left = word.loadInOrder()
        return left & ~Self.versionMask == mark && word.replace(left, with: mark | version)
    }

    /// Pins an older version that another cell of this process holds and goes on holding during the call.
    func pin(_ root: Root, sharing other: ReaderCell) throws(FreeholdError) {
        guard context.pointee.isValid else { throw context.pointee.complaint() }
        // The lock file's words are input: the caller has made sure of it, unless they were written over.
        guard other.standing == other.mark | root.version else { throw context.pointee.damage() }
        context.pointee.makeWayForScan()
        guard hold(root.version) else { throw context.pointee.complaint() }
        // A scan that passed this cell before, and comes to the other one after its pin has ended, begins again.
        context.pointee.memory.movedPins.advance()
    }

    /// Pins the process's newest commit, which is not visible yet; nil if that has changed.
    @inline(never)
    private func pinOwnCommit(_ moment: VisibleRoot.Moment) throws(FreeholdError) -> Root? {
        let own = context.pointee.ownRoot
        let sequence = own.sequence
        let root = own.root(at: sequence)
        context.pointee.pass("read.chosen")
        guard hold(root.version) else { throw context.pointee.complaint() }
        // While the visible version is lower, scans count the own-commit cell.
        guard own.isStill(sequence), context.pointee.memory.visible.isStill(moment) else { return nil }
        return root
    }
}

/// What every cell of a session needs, at one stable address.
struct ReaderContext {
    let memory: LockMemory
    /// The own process slot's state; another value means that the lease is lost, or given back.
    let slotState: SharedWord
    let liveState: UInt64
    let forkWord: UnsafePointer<UInt32>
    let forkGeneration: UInt32
    /// The version of this process's newest commit while it may be above the visible one, else 0.
    let ownCommit: SharedWord
    /// That commit's root (in private memory).
    let ownRoot: SharedRoot
    let session: Unmanaged<Session>

    /// The fork is looked at first: in a child the slot's memory cannot be read.
    @inline(__always)
    var isValid: Bool { forkWord.pointee == forkGeneration && slotState.loadRelaxed() == liveState }

    /// Why the context is not valid.
    @inline(never)
    func complaint() -> FreeholdError { session.takeUnretainedValue().invalidityError() }

    /// The error of a cell that was written over.
    @inline(never)
    func damage() -> FreeholdError { session.takeUnretainedValue().damagedLockFile() }

    /// The database's path, for errors.
    var path: String { session.takeUnretainedValue().path }

    /// Lets a scan go first that could not end, as pins went on moving from cell to cell.
    func makeWayForScan() {
        if memory.scanWaits.loadRelaxed() != 0 { session.takeUnretainedValue().system.sleep(milliseconds: 1) }
    }

    /// A named point of the hot path: nothing in release builds.
    @inline(__always)
    func pass(_ name: StaticString) {
        #if FREEHOLD_POINTS
            point(name, session.takeUnretainedValue().system)
        #endif
    }
}
