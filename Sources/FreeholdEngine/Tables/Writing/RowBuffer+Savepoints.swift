/// Where the rows of a buffer end; rows appended later can be removed again.
struct RowEnd {
    fileprivate let count: Int
    fileprivate let used: Int
    fileprivate let isAscending: Bool
    fileprivate let longestRow: Int
    fileprivate let holdsTrees: Bool
}

/// The rows of a buffer at the time a savepoint was created.
///
/// Rows are mostly appended: then a mark is a few numbers, and a rollback to it drops the rows after it. The rows are
/// copied only before a row that was there is changed or removed.
final class RowMark {
    fileprivate let end: RowEnd
    fileprivate let incarnations: [Int64: UInt64]
    // Safe: one thread uses a buffer and its marks.
    @exclusivity(unchecked) fileprivate(set) var copy: RowCopy?

    fileprivate init(_ buffer: RowBuffer) {
        end = buffer.end
        incarnations = buffer.incarnations
    }

    var count: Int { end.count }

    /// Takes over the copy that was created for a later mark: its first rows are those of this mark.
    func inherit(_ later: RowMark) {
        if copy == nil { copy = later.copy }
    }
}

/// A buffer's bytes, and the offsets of its rows in them.
struct RowCopy {
    fileprivate let bytes: ByteBuffer
    fileprivate let offsets: [Int]
    fileprivate let keys: [Int64]
}

/// Safe throughout: the bytes copied are in use, and room is reserved before they are written back.
extension RowBuffer {
    /// Creates a mark, whose rows are preserved from now on.
    func mark() -> RowMark {
        let mark = RowMark(self)
        protect(for: mark)
        return mark
    }

    /// Preserves the mark's rows before they are changed; with nil nothing is preserved.
    func protect(for mark: RowMark?) {
        guarded = mark
        protectedRows = mark.map { $0.copy == nil ? $0.count : 0 } ?? 0
    }

    /// Copies the rows of the mark that are about to be changed.
    @inline(never)
    func keepRows() {
        protectedRows = 0
        guard let guarded else { return }
        let bytes = ByteBuffer(capacity: guarded.end.used)
        bytes.append(memory, count: guarded.end.used)
        guarded.copy = RowCopy(bytes: bytes, offsets: Array(offsets.prefix(guarded.count)), keys: Array(keys.prefix(guarded.count)))
    }

    /// Restores the rows as they were at `mark`; `copy` is the first copy created for it or a later mark.
    func rollBack(to mark: RowMark, _ copy: RowCopy?) {
        protect(for: nil)
        if let copy {
            used = 0
            reserve(mark.end.used)
            if mark.end.used > 0 { memory.copyMemory(from: copy.bytes.start, byteCount: mark.end.used) }
            offsets = Array(copy.offsets.prefix(mark.count))
            keys = Array(copy.keys.prefix(mark.count))
        }
        incarnations = mark.incarnations
        removeRows(after: mark.end)
    }

    /// The end of the rows as it is now.
    var end: RowEnd { RowEnd(count: count, used: used, isAscending: isAscending, longestRow: longestRow, holdsTrees: holdsTrees) }

    /// Removes the rows appended since the end was `end`. Rows below it have not changed since, and no row above it has
    /// an incarnation.
    func removeRows(after end: RowEnd) {
        offsets.removeSubrange(end.count...)
        keys.removeSubrange(end.count...)
        used = end.used
        longestRow = end.longestRow
        holdsTrees = end.holdsTrees
        isAscending = end.isAscending
        places.removeAll()
        if !isAscending { for (place, key) in keys.enumerated() { places.insert(key, at: place, in: keys) } }
        assert(checkInvariants(fully: true), "the invariants hold")
    }
}
