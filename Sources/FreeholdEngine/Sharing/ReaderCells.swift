// Safe throughout: indexes stay below the count of initialised lines; the context never moves, and is freed after every
// user is gone.
import Platform
import Synchronization

/// The table of all readers' cells. It grows, and never shrinks while the session lasts.
///
/// 1. A cell belongs to one process until that process releases it or dies; it is claimed by compare-and-swap.
/// 2. No reader is ever refused for lack of a cell: the table grows, up to the space reserved for it.
struct ReaderCells: @unchecked Sendable {
    let lockFile: LockFile
    let context: UnsafePointer<ReaderContext>

    private var memory: LockMemory { lockFile.memory }

    /// One more than the highest cell ever claimed.
    var count: Int { Int(min(memory.cellsUsed.loadInOrder(), memory.cellCount.loadInOrder(), UInt64(LockLayout.cellLimit))) }

    /// A cell to read, not to pin in.
    func cell(_ index: Int) -> ReaderCell { cell(index, mark: 0) }

    private func cell(_ index: Int, mark: UInt64) -> ReaderCell {
        assert(index >= 0 && index < LockLayout.cellLimit, "cell \(index) lies beyond the table")
        assert(mark & ReaderCell.versionMask == 0, "a generation stands above the version's bits")
        return ReaderCell(
            address: memory.base + LockLayout.cells.offset(index), context: context, mark: mark)
    }

    /// Takes a free cell for the process that `token` names.
    func claim(_ token: UInt64, kind: ReaderCellKind) throws(FreeholdError) -> ReaderCell {
        for index in 0..<LockLayout.cellLimit {
            try lockFile.makeLine(index, ofTable: LockLayout.cells, count: memory.cellCount)
            let cell = cell(index)
            guard cell.owner.loadRelaxed() == 0 else { continue }
            // This comes first, so that a reaping process finds the cell if this process is killed in between.
            memory.cellsUsed.raise(to: UInt64(index + 1))
            guard cell.owner.replace(0, with: token) else { continue }
            point("open.cellClaimed", lockFile.system)
            guard let mark = changeHands(cell, of: token) else { throw lostLease() }
            guard memory.isLive(token) else {
                release(cell, of: token)
                throw lostLease()
            }
            guard set(kind, of: cell, mark) else { throw lostLease() }
            return self.cell(index, mark: mark)
        }
        throw FreeholdError(
            .outOfMemory, "\(LockLayout.cellLimit) snapshots are open in all processes together; end some",
            path: "")
    }

    /// Unpins a cell and moves its generation. Returns the new generation, at its position in the word. Nil if the cell
    /// is not `token`'s: a process that was stopped meanwhile, and counted as dead, must not take the pin of the
    /// present owner.
    private func changeHands(_ cell: ReaderCell, of token: UInt64) -> UInt64? {
        while true {
            // The word is read first: if the owner is unchanged after it, it was the owner when the word was read.
            let seen = cell.word.loadInOrder()
            guard cell.owner.loadInOrder() == token else { return nil }
            if let next = changeHands(cell, from: seen) { return next }
        }
    }

    /// Sets the kind of the cell; false if it has changed hands. It uses a compare-and-swap: a late store by a stopped
    /// process would stay.
    private func set(_ kind: ReaderCellKind, of cell: ReaderCell, _ mark: UInt64) -> Bool {
        while true {
            let seen = cell.kind.loadInOrder()
            guard cell.word.loadInOrder() & ~ReaderCell.versionMask == mark else { return false }
            if cell.kind.replace(seen, with: mark | kind.rawValue) { return true }
        }
    }

    /// Unpins a cell and frees it, if it is `token`'s.
    private func release(_ cell: ReaderCell, of token: UInt64) {
        if changeHands(cell, of: token) != nil { _ = cell.owner.replace(token, with: 0) }
    }

    private func lostLease() -> FreeholdError {
        FreeholdError(.leaseLost, "others have counted this process as dead while it began to read; close the database and open it again", path: "")
    }

    /// Unpins a cell and moves its generation from the word that was seen; nil if the word has changed. It uses a
    /// compare-and-swap, since two processes may clear up after one owner at once, and the cell may have gone to
    /// another reader in between.
    private func changeHands(_ cell: ReaderCell, from seen: UInt64) -> UInt64? {
        // Safe: the generation wraps after 65536 owners, none of whom is around for that long.
        let next = (seen & ~ReaderCell.versionMask) &+ (1 << 48)
        return cell.word.replace(seen, with: next) ? next : nil
    }

    /// Releases all cells of a process. The caller made sure that it is dead, or is that process.
    func releaseAll(of token: UInt64) {
        for index in 0..<count { release(cell(index), of: token) }
    }
}

/// What a cell's version means to a scan.
enum ReaderCellKind: UInt64 {
    /// Held as long as it is in the cell.
    case reader = 0
    /// Held only while it is above the visible version.
    case ownCommit = 1
}
