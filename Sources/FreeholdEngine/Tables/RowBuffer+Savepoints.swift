/// The rows of a buffer as they were when a savepoint was made.
///
/// Rows are mostly added behind: then a mark is a few numbers, and going back to it forgets what follows. Only what changes or
/// takes away a row that was there has them copied first.
final class RowMark {
    let count: Int
    fileprivate let used: Int
    fileprivate let isAscending: Bool
    fileprivate let longestRow: Int
    fileprivate let incarnations: [Int64: UInt64]
    fileprivate let holdsTrees: Bool
    // Safe: one thread uses a buffer and its marks.
    @exclusivity(unchecked) fileprivate(set) var copy: RowCopy?

    fileprivate init(_ buffer: RowBuffer) {
        count = buffer.count
        used = buffer.used
        isAscending = buffer.isAscending
        longestRow = buffer.longestRow
        incarnations = buffer.incarnations
        holdsTrees = buffer.holdsTrees
    }

    /// Takes over the copy that was made for a later mark: its first rows are this one's.
    func inherit(_ later: RowMark) {
        if copy == nil { copy = later.copy }
    }
}

/// A buffer's bytes, and where its rows stand in them.
struct RowCopy {
    fileprivate let bytes: ByteBuffer
    fileprivate let offsets: [Int]
    fileprivate let keys: [Int64]
}

/// Safe throughout: what is copied is in use, and room is made before it is written back.
extension RowBuffer {
    /// A mark, for which rows are kept from now on.
    func mark() -> RowMark {
        let mark = RowMark(self)
        protect(for: mark)
        return mark
    }

    /// Keeps the mark's rows before they are changed; with nil nothing is kept.
    func protect(for mark: RowMark?) {
        guarded = mark
        protectedRows = mark.map { $0.copy == nil ? $0.count : 0 } ?? 0
    }

    /// Copies the rows of the mark that are about to be changed.
    @inline(never)
    func keepRows() {
        protectedRows = 0
        guard let guarded else { return }
        let bytes = ByteBuffer(capacity: guarded.used)
        bytes.append(memory, count: guarded.used)
        guarded.copy = RowCopy(bytes: bytes, offsets: Array(offsets.prefix(guarded.count)), keys: Array(keys.prefix(guarded.count)))
    }

    /// Makes the rows as they were at `mark`; `copy` is the first one made for it or a later mark.
    func rollBack(to mark: RowMark, _ copy: RowCopy?) {
        protect(for: nil)
        if let copy {
            used = 0
            reserve(mark.used)
            if mark.used > 0 { memory.copyMemory(from: copy.bytes.start, byteCount: mark.used) }
            offsets = Array(copy.offsets.prefix(mark.count))
            keys = Array(copy.keys.prefix(mark.count))
        } else {
            offsets.removeSubrange(mark.count...)
            keys.removeSubrange(mark.count...)
        }
        used = mark.used
        longestRow = mark.longestRow
        incarnations = mark.incarnations
        holdsTrees = mark.holdsTrees
        isAscending = mark.isAscending
        places.removeAll()
        if !isAscending { for (place, key) in keys.enumerated() { places.insert(key, at: place, in: keys) } }
    }
}
