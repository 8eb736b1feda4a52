/// Rolls a transaction's blocks back to a savepoint.
///
/// Blocks created since are dropped; for older blocks, the first `edit` since keeps a copy, which is put back. So a
/// savepoint costs in proportion to the changes after it, and a transaction with very many of them needs no more memory
/// than without.
///
/// Safe throughout: entries name blocks of this transaction with the length they were kept with; a block's length never changes.
extension PendingBlocks {
    /// The state of the blocks when a savepoint was created.
    struct Mark {
        fileprivate let count: UInt64
        fileprivate let freed: Int
        fileprivate let chunks: Int
        fileprivate let cursor: UnsafeMutableRawPointer
        fileprivate let remaining: Int
        fileprivate let undone: Int
        fileprivate let attached: Int
        fileprivate let interruption: FreeholdError?
    }

    /// Creates a mark for a savepoint: from here on a copy of each block is kept before its first change.
    func mark() -> Mark {
        undo.protect(table.pointee.count)
        assert(checkInvariants(fully: true), "the invariants hold")
        return Mark(count: table.pointee.count, freed: freed.count, chunks: chunks.count, cursor: cursor, remaining: remaining,
                    undone: undo.count, attached: attached.count, interruption: interruption)
    }

    /// Restores the state at the mark, which stays.
    func rollBack(to mark: Mark) {
        undo.putBack(downTo: mark.undone) { start(of: $0) }
        table.pointee.count = mark.count
        freed.removeSubrange(mark.freed...)
        for chunk in chunks[mark.chunks...] { chunk.deallocate() }
        chunks.removeSubrange(mark.chunks...)
        cursor = mark.cursor
        remaining = mark.remaining
        undo.protect(mark.count)
        interruption = mark.interruption
        attached.removeSubrange(min(mark.attached, attached.count)...)
        assert(checkInvariants(fully: true), "the invariants hold")
    }

    /// Releases the newest mark: `outer` is the newest one then, nil if there is none.
    func release(to outer: Mark?) {
        if let outer { undo.protect(outer.count) } else { undo.removeAll() }
    }

    private func start(of index: Int) -> UnsafeMutableRawPointer { table.pointee.blocks[index] }
}

/// Blocks as they were before they were changed, in the order of the changes.
///
/// Safe throughout: `bytes` holds what each entry says, one behind the other.
struct UndoLog {
    private struct Entry {
        let index: Int
        let length: Int
    }

    /// Blocks below this index are kept before they are changed.
    private(set) var protected: UInt64 = 0
    private var entries: [Entry] = []
    private let bytes = ByteBuffer(capacity: 16)
    /// By block, since which protection it is kept.
    private var kept: [UInt32] = []
    private var protection: UInt32 = 0

    var count: Int { entries.count }

    mutating func protect(_ count: UInt64) {
        protected = count
        protection += 1
    }

    @inline(never)
    mutating func keep(_ reference: BlockReference, _ view: BlockView) {
        let index = Int(reference.granuleIndex)
        while kept.count <= index { kept.append(0) }
        if kept[index] == protection { return }
        kept[index] = protection
        bytes.append(view.start, count: reference.byteLength)
        entries.append(Entry(index: index, length: reference.byteLength))
    }

    mutating func putBack(downTo count: Int, start: (Int) -> UnsafeMutableRawPointer) {
        while entries.count > count, let entry = entries.popLast() {
            let from = bytes.count - entry.length
            start(entry.index).copyMemory(from: bytes.start + from, byteCount: entry.length)
            bytes.truncate(to: from)
        }
    }

    mutating func removeAll() {
        protected = 0
        protection += 1
        entries.removeAll(keepingCapacity: entries.count < 4096)
        bytes.removeAll()
    }
}
