// Safe throughout: indexes stay below the count of initialised lines.
import Platform
import Synchronization

/// All readers' cells: a table that grows and never shrinks while the session lasts.
///
/// 1. A cell belongs to one process until that gives it back or dies; it is claimed by compare-and-swap.
/// 2. No reader is ever turned away for want of a cell: the table grows, up to what is reserved for it.
struct ReaderCells {
    let lockFile: LockFile
    let context: UnsafePointer<ReaderContext>

    private var memory: LockMemory { lockFile.memory }

    /// How many cells have ever been claimed.
    var count: Int { Int(min(memory.cellsUsed.loadInOrder(), memory.cellCount.loadInOrder(), UInt64(LockLayout.cellLimit))) }

    /// A cell to look at.
    func cell(_ index: Int) -> ReaderCell { cell(index, mark: 0) }

    private func cell(_ index: Int, mark: UInt64) -> ReaderCell {
        ReaderCell(
            address: memory.base + LockLayout.cells.offset(index), context: context, mark: mark)
    }

    /// Takes a free cell for the process that `token` names.
    func claim(_ token: UInt64, kind: ReaderCellKind) throws(FreeholdError) -> ReaderCell {
        for index in 0..<LockLayout.cellLimit {
            try lockFile.makeLine(index, ofTable: LockLayout.cells, count: memory.cellCount)
            let cell = cell(index)
            guard cell.owner.loadRelaxed() == 0, cell.owner.replace(0, with: token) else { continue }
            memory.cellsUsed.raise(to: UInt64(index + 1))
            cell.kind.store(kind.rawValue)
            return self.cell(index, mark: changeHands(cell))
        }
        throw FreeholdError(
            .outOfMemory, "\(LockLayout.cellLimit) snapshots are open in all processes together; end some",
            path: "")
    }

    /// Unpins a cell that the caller has just made its own and moves its generation; returns the new one, where it stands in the word.
    private func changeHands(_ cell: ReaderCell) -> UInt64 {
        while true {
            let seen = cell.word.loadInOrder()
            if let next = changeHands(cell, from: seen) { return next }
        }
    }

    /// The same from a word that was seen; nil if it has moved. An exchange, since two may clear up after one owner at once, and the cell
    /// have gone to another reader in between.
    private func changeHands(_ cell: ReaderCell, from seen: UInt64) -> UInt64? {
        // Safe: the generation wraps after 65536 owners, none of whom is around for that long.
        let next = (seen & ~ReaderCell.versionMask) &+ (1 << 48)
        return cell.word.replace(seen, with: next) ? next : nil
    }

    /// Gives back everything a process owns. The caller made sure that it is dead, or is that process.
    func releaseAll(of token: UInt64) {
        for index in 0..<count {
            let cell = cell(index)
            while true {
                // The word first: if the owner is still this one, it was while the word was that.
                let seen = cell.word.loadInOrder()
                guard cell.owner.loadInOrder() == token else { break }
                if changeHands(cell, from: seen) != nil { break }
            }
            guard cell.owner.loadInOrder() == token else { continue }
            cell.kind.storeRelaxed(0)
            _ = cell.owner.replace(token, with: 0)
        }
    }
}

/// What a cell's version means to a scan.
enum ReaderCellKind: UInt64 {
    /// Held as long as it stands there.
    case reader = 0
    /// Held only while it is above the visible version.
    case ownCommit = 1
}
