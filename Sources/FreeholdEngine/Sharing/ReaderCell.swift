// Safe throughout: cell and context belong to the session's `SessionReaders`, which outlives every cell it hands out; a closed session
// keeps both and fails the check of its slot.
import Platform
import Synchronization

/// The cell in which one reader pins the version it reads: the hot path of every snapshot. A trivial value.
///
/// ```
///  0  cell's generation << 48 | parked << 47 | version pinned, or 0      8  owner's token, 0 while the cell is free
/// 16  cell's generation << 48 | kind (0 reader, 1 own commit)
/// 24  version the next word is about    32  seen held since, monotonic nanoseconds (written by each scan)
/// 40  idle: the value of the first word when its pin ended; while both are equal nothing is pinned
/// ```
/// 1. Pinning is: read the visible root; store its version here; check that it is still the visible one. If so,
///    every scan from now on sees the store, and every scan before counted the version as visible.
/// 2. Unpinning is one store, into `idle`; pinning has one locked instruction. Neither takes a lock, allocates or calls the system.
/// 3. One cell serves one reader at a time; it lies on a cache line of its own.
/// 4. The generation moves whenever the cell changes hands: a process that others have counted as dead, wrongly or
///    not, cannot pin in a cell that is no longer its own.
/// 5. A process never sees less than its own newest commit: while that is not visible, its own-commit cell holds it.
/// 6. A parked pin is one whose owner reads nothing at the moment. A writer may revoke it, by a compare-and-swap from
///    the word it saw. The first compare-and-swap counts, the writer's or that of the owner that resumes: there is no
///    third outcome.
/// 7. `idle` is cleared before the word is written, and before the second read of the visible root. A process that was
///    counted as dead stores its own generation there, which no later owner's word has: that owner's pin then counts as
///    held until it ends the next time.
struct ReaderCell: @unchecked Sendable {
    let address: UnsafeMutableRawPointer
    let context: UnsafePointer<ReaderContext>
    /// The generation in which the cell was claimed, at its position in the word.
    let mark: UInt64

    @inline(__always) var word: SharedWord { SharedWord(address, 0) }
    /// The bits of the word below the generation: the version, and whether it is parked.
    static let versionMask: UInt64 = (1 << 48) - 1
    static let parkedBit: UInt64 = 1 << 47
    /// The version pinned here, parked or not, or 0.
    var pinned: UInt64 { Self.version(in: standing) }
    /// The word as a scan reads it: without a version if the pin has ended (7).
    var standing: UInt64 {
        let seen = word.loadInOrder()
        return idle.loadInOrder() == seen ? seen & ~Self.versionMask : seen
    }
    @inline(__always) static func version(in word: UInt64) -> UInt64 { word & (parkedBit - 1) }
    @inline(__always) static func isParked(_ word: UInt64) -> Bool { word & parkedBit != 0 && version(in: word) != 0 }
    var owner: SharedWord { SharedWord(address, 8) }
    var kind: SharedWord { SharedWord(address, 16) }
    @inline(__always) var idle: SharedWord { SharedWord(address, 40) }
    /// Whether the version in `word` is held as an own commit. A `kind` left by the cell's previous owner does not
    /// count.
    func isOwnCommit(_ word: UInt64) -> Bool { kind.load() == word & ~Self.versionMask | ReaderCellKind.ownCommit.rawValue }
    var seenVersion: SharedWord { SharedWord(address, 24) }
    var seenSince: SharedWord { SharedWord(address, 32) }

    /// Pins the newest version this process may see.
    func pin() throws(FreeholdError) -> Root {
        var moment = VisibleRoot.Moment.never
        return try pin(noting: &moment)
    }

    /// Pins the newest version this process may see, and notes when it was the visible one, for `pinAgain`.
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

    /// Unpins and throws if a newer Freehold wrote the version in a format that this one cannot read.
    @inline(__always)
    private func requireKnown(_ root: Root) throws(FreeholdError) {
        do { try root.requireKnownFeatures(forWriting: false, context.pointee.path) } catch {
            _ = unpinIfValid()
            throw error
        }
    }

    /// Pins the version that was the visible one at `moment`, if it is still what `pin` would choose. False in all
    /// other cases: then `pin` has to follow, which ends a pin that may remain in the cell. The exchange waits for
    /// every store before it, so there is no root to copy here, and no error to create.
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

    /// Ends the pin. An error means that others may have taken the version away before: a process that reaps another
    /// one's cells ends the life of its slot first.
    @inline(__always)
    func unpin() throws(FreeholdError) {
        guard unpinIfValid() else { throw context.pointee.complaint() }
    }

    /// Ends the pin; returns false instead of an error.
    @inline(__always)
    func unpinIfValid() -> Bool {
        // All reads of the version come before this check.
        atomicMemoryFence(ordering: .acquiring)
        guard context.pointee.isValid else { return false }
        let seen = word.loadRelaxed()
        guard seen & ~Self.versionMask == mark else { return false }
        if seen & Self.parkedBit == 0 {
            // Harmless if the process was stopped since that check, counted as dead, and the cell is another reader's
            // now (7).
            idle.store(seen)
        } else {
            // It fails only if the parked version is revoked, or the cell taken away, at the same time.
            if !word.replace(seen, with: mark) && !unpinRevoked() { return false }
        }
        context.pointee.pass("read.unpinned")
        return true
    }

    /// Clears what is left of a parked pin that a writer has revoked.
    @inline(never)
    private func unpinRevoked() -> Bool { word.replace(mark | Self.parkedBit, with: mark) }

    /// Stores a version in the cell, ordered before all later reads; false if the cell has changed hands.
    @inline(__always)
    func hold(_ version: UInt64) -> Bool {
        let left = word.loadRelaxed()
        guard left & ~Self.versionMask == mark else { return false }
        idle.store(0)
        return word.replace(left, with: mark | version) || holdInstead(version)
    }

    /// Stores a version in the cell where a writer has revoked a parked version at the same time.
    @inline(never)
    private func holdInstead(_ version: UInt64) -> Bool {
        let left = word.loadInOrder()
        return left & ~Self.versionMask == mark && word.replace(left, with: mark | version)
    }

    /// Pins an older version that another cell of this process holds and goes on holding during the call.
    func pin(_ root: Root, sharing other: ReaderCell) throws(FreeholdError) {
        guard context.pointee.isValid else { throw context.pointee.complaint() }
        // The lock file's words are input: the caller has ensured this, unless they were overwritten.
        guard other.standing == other.mark | root.version else { throw context.pointee.damage() }
        context.pointee.makeWayForScan()
        guard hold(root.version) else { throw context.pointee.complaint() }
        // A scan that passed this cell before, and reaches the other one after its pin has ended, begins again.
        context.pointee.memory.movedPins.advance()
    }

    /// Pins the process's newest commit while it is not visible yet; nil if that has changed.
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

/// The state that every cell of a session needs, at one stable address.
struct ReaderContext {
    let memory: LockMemory
    let lease: ProcessLease
    /// The version of this process's newest commit while it may be above the visible one, else 0.
    let ownCommit: SharedWord
    /// That commit's root (in private memory).
    let ownRoot: SharedRoot
    let member: Unmanaged<Membership>

    @inline(__always) var isValid: Bool { lease.isValid }

    /// The error that says why the context is not valid.
    @inline(never)
    func complaint() -> FreeholdError { member.takeUnretainedValue().invalidityError() }

    /// The error for a cell that was overwritten.
    @inline(never)
    func damage() -> FreeholdError { member.takeUnretainedValue().damagedLockFile() }

    /// The database's path, for errors.
    var path: String { member.takeUnretainedValue().path }

    /// Waits for a scan that could not end because pins kept moving from cell to cell.
    func makeWayForScan() {
        if memory.scanWaits.loadRelaxed() != 0 { member.takeUnretainedValue().system.sleep(milliseconds: 1) }
    }

    /// A named point of the hot path: nothing in release builds.
    @inline(__always)
    func pass(_ name: StaticString) {
        #if FREEHOLD_POINTS
            point(name, member.takeUnretainedValue().system)
        #endif
    }
}
