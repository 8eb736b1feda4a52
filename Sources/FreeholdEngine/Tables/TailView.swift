/// A tail block: up to 255 rows that are not yet sealed into clusters.
///
/// ```
/// header: count = rows, firstKey = smallest key
/// body:   largest key i64 · row offsets u32 × count (from the body's start) · rows
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

    /// The row of the object, found by scanning.
    func find(_ key: Int64) -> RowView? {
        guard key >= smallestKey, key <= largestKey else { return nil }
        for index in 0..<count where row(index).key == key { return row(index) }
        return nil
    }

    /// What is wrong with a tail block's bytes, or nil.
    static func complaint(about view: BlockView) -> String? {
        let body = view.bodyLength
        guard view.count > 0, 8 + view.count * 4 <= body else { return "its row offsets do not fit" }
        for index in 0..<view.count {
            let offset = Int(view.body.loadUnaligned(fromByteOffset: 8 + index * 4, as: UInt32.self))
            guard offset >= 8 + view.count * 4, offset + RowLayout.nulls + 8 <= body else { return "row \(index) lies outside it" }
            let row = RowView(start: view.body + offset)
            guard offset + row.length <= body, RowLayout.slotStart(columns: row.columns) <= row.length
            else { return "row \(index) is longer than it" }
        }
        return nil
    }

    /// Makes a tail block of rows `range` of `buffer`.
    static func make(_ buffer: RowBuffer, _ range: Range<Int>, table: UInt32, in pending: PendingBlocks) -> BlockReference {
        var bytes = 8 + range.count * 4
        var smallest = Int64.max, largest = Int64.min
        for index in range {
            let row = buffer.row(index)
            bytes += row.length
            smallest = min(smallest, row.key)
            largest = max(largest, row.key)
        }
        let (reference, block) = pending.make(.tail, table: table, firstKey: smallest, count: range.count, body: bytes)
        let body = block.body
        body.storeBytes(of: largest, as: Int64.self)
        var offset = 8 + range.count * 4
        for (place, index) in range.enumerated() {
            let row = buffer.row(index)
            body.storeBytes(of: UInt32(offset), toByteOffset: 8 + place * 4, as: UInt32.self)
            (body + offset).copyMemory(from: row.start, byteCount: row.length)
            offset += row.length
        }
        return reference
    }
}
