// Safe throughout: the pointers below belong to this object and are freed in `deinit` only, after every user is gone.
import Platform
import Synchronization

/// The reader side of a session: the cells in which this process pins versions, and those that hold its own commits
/// until all processes may see them.
///
/// 1. A cell that is not in use waits in a pool; it stays this process's until the session closes.
/// 2. `ownCommit` is the version of this process's newest commit while that may be above the visible one, and `ownRoot`
///    its root. The owner of the writer lock sets them; the version is held before `ownCommit` names it.
final class SessionReaders: @unchecked Sendable {
    let member: Membership
    let cells: ReaderCells
    private let context: UnsafeMutablePointer<ReaderContext>
    private let ownMemory: UnsafeMutableRawPointer
    /// Holds this process's newest commit while it is not visible.
    let ownCommitCell: ReaderCell
    /// Holds this process's newest `.full` commit, which is not shown, while it is above the visible version.
    let pendingCommitCell: ReaderCell
    /// The pool; nil once the session is closed.
    private let freeCells = Mutex<[ReaderCell]?>([])

    init(_ member: Membership) throws(FreeholdError) {
        self.member = member
        context = .allocate(capacity: 1)
        ownMemory = .allocate(byteCount: SharedRoot.byteCount + 64, alignment: 64)
        ownMemory.initializeMemory(as: UInt8.self, repeating: 0, count: SharedRoot.byteCount + 64)
        context.initialize(
            to: ReaderContext(
                memory: member.memory, lease: member.lease,
                ownCommit: SharedWord(ownMemory, SharedRoot.byteCount), ownRoot: SharedRoot(ownMemory, at: 0),
                member: Unmanaged.passUnretained(member)))
        cells = ReaderCells(lockFile: member.lockFile, context: UnsafePointer(context))
        do throws(FreeholdError) {
            ownCommitCell = try cells.claim(member.slot.token, kind: .ownCommit)
            pendingCommitCell = try cells.claim(member.slot.token, kind: .ownCommit)
        } catch {
            context.deallocate()
            ownMemory.deallocate()
            throw error
        }
    }

    deinit {
        context.deallocate()
        ownMemory.deallocate()
    }

    /// The root of this process's newest commit while that may be above the visible one, and its version.
    var ownRoot: SharedRoot { context.pointee.ownRoot }
    var ownCommit: SharedWord { context.pointee.ownCommit }

    /// Claims a cell for one reader at a time; return it with `release`.
    func claim() throws(FreeholdError) -> ReaderCell {
        try member.checkValid()
        if let cell = freeCells.withLock({ $0?.popLast() }) { return cell }
        return try cells.claim(member.slot.token, kind: .reader)
    }

    /// Returns a cell to the process's pool. It must be unpinned.
    func release(_ cell: ReaderCell) {
        guard !member.isForked else { return }
        freeCells.withLock { cells in
            assert(cells?.contains { $0.address == cell.address } != true, "a cell is returned twice: two readers would pin in it")
            cells?.append(cell)
        }
    }

    /// Empties the pool for good.
    func close() { freeCells.withLock { $0 = nil } }

    /// Holds a commit that is not visible yet for this process. The caller owns the writer lock.
    func holdOwnCommit(_ root: Root, isFull: Bool) {
        if isFull {
            // Shown to its own process only if its flush takes too long; the commit shown until then stays held by its
            // cell.
            _ = pendingCommitCell.hold(root.version)
        } else {
            showOwnCommit(root)
        }
    }

    /// Lets this process's readers see its commit, which is held, before it is visible to all. The caller owns the writer
    /// lock.
    func showOwnCommit(_ root: Root) {
        assert(root.isPlausible, "version \(root.version) is shown with a root that cannot be")
        ownRoot.write(root)
        ownCommit.storeInOrder(root.version)
        // This follows the root: a reader that still finds the previous commit pins it while the cell holds it, or
        // looks again.
        _ = ownCommitCell.hold(root.version)
    }
}
