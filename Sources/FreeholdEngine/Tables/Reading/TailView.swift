/// A tail block: up to 255 rows that are not yet sealed into clusters.
///
/// ```
/// header: count = rows, firstKey = smallest key
/// body:   largest key i64 · row offsets u32 × count (from the body's start) · rows
///         with variant 1: between offsets and rows, u64 × count, the version that made a row's object under a key that may have
///         been another's, else 0 (`Incarnations`)
/// ```
/// Safe throughout: `complaint` has checked every offset and length once, when the block was first touched.
struct TailView {
    let view: BlockView

    @inline(__always) var count: Int { view.count }
    @inline(__always) var smallestKey: Int64 { view.firstKey }
    @inline(__always) var largestKey: Int64 { view.body.load(as: Int64.self) }

    @inline(__always) func row(_ index: Int) -> RowView {
        let body = view.body
        return RowView(start: body + Int(body.loadUnaligned(fromByteOffset: 8 + index * 4, as: UInt32.self)))
    }

    @inline(__always) var hasIncarnations: Bool { view.variant & 1 != 0 }

    /// The version that created the row's object, if its key may have belonged to another object before; otherwise 0.
    func incarnation(_ index: Int) -> UInt64 {
        hasIncarnations ? view.body.loadUnaligned(fromByteOffset: 8 + count * 4 + index * 8, as: UInt64.self) : 0
    }

    /// The row of the object, found by scanning.
    func find(_ key: Int64) -> RowView? {
        guard key >= smallestKey, key <= largestKey else { return nil }
        for index in 0..<count where row(index).key == key { return row(index) }
        return nil
    }

    /// The error in a tail block's bytes, or nil.
    static func complaint(about view: BlockView) -> String? {
        let body = view.bodyLength
        let head = 8 + view.count * (view.variant & 1 != 0 ? 12 : 4)
        guard view.count > 0, head <= body else { return "its row offsets do not fit" }
        for index in 0..<view.count {
            let offset = Int(view.body.loadUnaligned(fromByteOffset: 8 + index * 4, as: UInt32.self))
            guard offset >= head, offset + RowLayout.nulls <= body else { return "row \(index) lies outside it" }
            let row = RowView(start: view.body + offset)
            guard offset + row.length <= body, RowLayout.slotStart(columns: row.columns) <= row.length
            else { return "row \(index) is longer than it" }
        }
        return nil
    }

    /// Creates a tail block of rows `range` of `buffer`.
    static func make(_ buffer: RowBuffer, _ range: Range<Int>, table: UInt32, in pending: PendingBlocks) -> BlockReference {
        let incarnations = buffer.incarnations.isEmpty ? [] : range.map { buffer.incarnations[buffer.keys[$0]] ?? 0 }
        let hasAny = incarnations.contains { $0 != 0 }, head = 8 + range.count * (hasAny ? 12 : 4)
        var bytes = head
        var smallest = Int64.max, largest = Int64.min
        for index in range {
            let row = buffer.row(index)
            bytes += row.length
            smallest = min(smallest, row.key)
            largest = max(largest, row.key)
        }
        let (reference, block) = pending.make(.tail, variant: hasAny ? 1 : 0, table: table, firstKey: smallest, count: range.count, body: bytes)
        let body = block.body
        body.storeBytes(of: largest, as: Int64.self)
        if hasAny {
            for (place, version) in incarnations.enumerated() {
                body.storeBytes(of: version, toByteOffset: 8 + range.count * 4 + place * 8, as: UInt64.self)
            }
        }
        var offset = head
        for (place, index) in range.enumerated() {
            let row = buffer.row(index)
            body.storeBytes(of: UInt32(offset), toByteOffset: 8 + place * 4, as: UInt32.self)
            (body + offset).copyMemory(from: row.start, byteCount: row.length)
            offset += row.length
        }
        return reference
    }
}
