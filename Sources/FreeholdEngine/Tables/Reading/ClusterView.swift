/// A cluster: up to 256 objects with neighbouring keys, one leaf for each column.
///
/// ```
/// header:     count = rows, firstKey = smallest key, variant = bytes per key offset (0: keys are consecutive)
/// references: a leaf per column; null (or beyond the last) where every row has the column's default
/// body:       key offsets from firstKey, `variant & 15` bytes each, padded to 8
///             with `tombstoned`: 32 bytes, a bit for each row deleted in this transaction, and as many again, a bit for
///             each of those that the trees over columns have been told of
///             with `incarnated`: `Incarnations`
/// ```
/// 1. Keys ascend strictly.
/// 2. `tombstoned` is never on disk: the commit compacts such clusters first.
///
/// Safe throughout: `complaint` has checked the body's length against count and variant, and (1), on first touch.
struct ClusterView {
    let view: BlockView

    static let maximumRows = 256
    static let tombstoned: UInt8 = 0x80
    static let incarnated: UInt8 = 0x40
    static let tombstoneBytes = 32
    static let markBytes = 2 * tombstoneBytes

    @inline(__always) var count: Int { view.count }
    @inline(__always) var firstKey: Int64 { view.firstKey }
    @inline(__always) var keyWidth: Int { Int(view.variant & 15) }
    @inline(__always) var isTombstoned: Bool { view.variant & Self.tombstoned != 0 }

    /// The leaf of a column, or null.
    @inline(__always) func leaf(_ column: Int) -> BlockReference {
        column < view.referenceCount ? view.reference(column) : .null
    }

    @inline(__always) func key(_ row: Int) -> Int64 {
        keyWidth == 0 ? firstKey &+ Int64(row) : firstKey &+ Int64(bitPattern: offset(row))
    }

    /// Offsets wrap by design: the span of an Int64 key range needs all 64 bits unsigned.
    @inline(__always) private func offset(_ row: Int) -> UInt64 {
        let body = view.body
        switch keyWidth {
        case 1: return UInt64(body.load(fromByteOffset: row, as: UInt8.self))
        case 2: return UInt64(body.load(fromByteOffset: row * 2, as: UInt16.self))
        case 4: return UInt64(body.load(fromByteOffset: row * 4, as: UInt32.self))
        default: return body.load(fromByteOffset: row * 8, as: UInt64.self)
        }
    }

    /// The row of `key`, deleted or not.
    @inline(__always) func position(_ key: Int64) -> Int? {
        guard key >= firstKey else { return nil }
        let wanted = UInt64(bitPattern: key &- firstKey)
        if keyWidth == 0 { return wanted < UInt64(count) ? Int(wanted) : nil }
        let row = lowerBound(offset: wanted)
        return row < count && offset(row) == wanted ? row : nil
    }

    /// The number of rows from `row` on, at most `limit`, that have the keys of another cluster's rows from `start` on.
    func sameKeys(from row: Int, as other: ClusterView, from start: Int, atMost limit: Int) -> Int {
        if limit < 1 || key(row) != other.key(start) { return 0 }
        // Keys without gaps.
        if keyWidth == 0, other.keyWidth == 0 { return limit }
        var same = 1
        while same < limit, key(row + same) == other.key(start + same) { same += 1 }
        return same
    }

    /// The first row whose key is at least `key`.
    func lowerBound(_ key: Int64) -> Int {
        guard key > firstKey else { return 0 }
        let wanted = UInt64(bitPattern: key &- firstKey)
        return keyWidth == 0 ? Int(min(wanted, UInt64(count))) : lowerBound(offset: wanted)
    }

    private func lowerBound(offset wanted: UInt64) -> Int {
        var low = 0, high = count
        while low < high {
            let middle = (low + high) / 2
            if offset(middle) < wanted { low = middle + 1 } else { high = middle }
        }
        return low
    }

    /// Whether the row was deleted in this transaction.
    @inline(__always) func isDeleted(_ row: Int) -> Bool {
        isTombstoned && tombstones.load(fromByteOffset: row >> 3, as: UInt8.self) & (1 &<< UInt8(row & 7)) != 0
    }

    var tombstones: UnsafeRawPointer { view.body + Self.keyBytes(count: count, width: keyWidth) }

    @inline(__always) var hasIncarnations: Bool { view.variant & Self.incarnated != 0 }

    /// The start of the incarnations.
    var incarnations: UnsafeRawPointer { tombstones + (isTombstoned ? Self.markBytes : 0) }

    /// The version that created the row's object, if its key may have belonged to another object before; otherwise 0.
    func incarnation(_ row: Int) -> UInt64 { hasIncarnations ? Incarnations.version(of: row, at: incarnations) : 0 }

    /// The deleted rows among the 64 rows from 64 · word, as bits.
    @inline(__always) func deleted(word: Int) -> UInt64 {
        isTombstoned ? tombstones.loadUnaligned(fromByteOffset: word * 8, as: UInt64.self) : 0
    }

    /// The deleted rows among them that the trees over columns have already recorded.
    @inline(__always) func recorded(word: Int) -> UInt64 {
        isTombstoned ? tombstones.loadUnaligned(fromByteOffset: Self.tombstoneBytes + word * 8, as: UInt64.self) : 0
    }

    /// Whether there is a deleted row that the trees have not recorded.
    var hasUnrecorded: Bool { (0..<4).contains { deleted(word: $0) != recorded(word: $0) } }

    /// The deleted rows that the trees have not recorded.
    var unrecordedRows: [Int] {
        var rows: [Int] = []
        for word in 0..<4 {
            var bits = deleted(word: word) & ~recorded(word: word)
            while bits != 0 {
                rows.append(word * 64 + bits.trailingZeroBitCount)
                bits &= bits - 1
            }
        }
        return rows
    }

    /// The rows that are not deleted.
    @inline(__always) var liveRows: RowMask {
        isTombstoned ? .first(count) & ~RowMask(tombstones) : .first(count)
    }

    static func keyBytes(count: Int, width: Int) -> Int { (count * width + 7) & ~7 }

    /// The error in a cluster's bytes, or nil.
    static func complaint(about view: BlockView) -> String? {
        guard (1...maximumRows).contains(view.count) else { return "it claims \(view.count) rows" }
        let width = view.variant & ~incarnated, keys = keyBytes(count: view.count, width: Int(width))
        guard [0, 1, 2, 4, 8].contains(width) else { return "its key width \(width) is unknown" }
        guard view.bodyLength >= keys else { return "its keys do not fit" }
        if view.variant & incarnated != 0, !Incarnations.fit(view.body + keys, bytes: view.bodyLength - keys) {
            return "its incarnations do not fit"
        }
        return ClusterView(view: view).ascends ? nil : "its keys do not ascend"
    }

    /// Whether keys ascend strictly from the first one and fit 64 bits.
    private var ascends: Bool {
        var last = keyWidth == 0 ? UInt64(count - 1) : offset(0)
        if keyWidth > 0 {
            if last != 0 { return false }
            for row in 1..<max(1, count) {
                let next = offset(row)
                if next <= last { return false }
                last = next
            }
        }
        // Wraps where the first key is negative: the difference of two Int64 needs all 64 bits unsigned.
        return last <= UInt64(bitPattern: Int64.max &- firstKey)
    }
}
