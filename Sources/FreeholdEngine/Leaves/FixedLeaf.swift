/// Values of 16 bytes (UUIDs) or 12 bytes (ObjectIds): a reader over a leaf's bytes.
///
/// ```
/// offset  bytes
///      0      8  head; shape = bytes of a row: 16 or 12
///      8    8·n  null bitmap, if any
///      …         the rows, then zeros up to a multiple of 8
/// ```
/// 1. A row's bytes are in text order, as its big-endian words; a null row holds zeros.
///
/// Safe throughout: as for `PackedIntegers`, made over validated bytes and asked for rows below the count.
struct FixedLeaf {
    static let headerLength = LeafHead.byteCount

    let start: UnsafeRawPointer
    let head: LeafHead
    let rows: UnsafeRawPointer

    @inline(__always) init(_ start: UnsafeRawPointer) {
        head = LeafHead(start)
        self.start = start
        rows = start + (Self.headerLength + head.nullBytes)
    }

    @inline(__always) var count: Int { head.count }
    @inline(__always) var nullCount: Int { head.nullCount }
    @inline(__always) var width: Int { Int(head.shape) }
    @inline(__always) var nulls: UnsafeRawPointer { start + Self.headerLength }

    /// The row's bytes, in place.
    @inline(__always) subscript(row: Int) -> UnsafeRawBufferPointer {
        assert(row >= 0 && row < count, "a row of this leaf")
        return UnsafeRawBufferPointer(start: rows + row &* width, count: width)
    }

    /// A row of 16 bytes.
    @inline(__always) func wide(_ row: Int) -> (high: UInt64, low: UInt64) {
        assert(width == 16 && row >= 0 && row < count, "a row of this leaf of 16-byte values")
        return (rows.little(row &* 16, as: UInt64.self).byteSwapped, rows.little(row &* 16 &+ 8, as: UInt64.self).byteSwapped)
    }

    /// A row of 12 bytes.
    @inline(__always) func narrow(_ row: Int) -> (high: UInt64, low: UInt32) {
        assert(width == 12 && row >= 0 && row < count, "a row of this leaf of 12-byte values")
        return (rows.little(row &* 12, as: UInt64.self).byteSwapped, rows.little(row &* 12 &+ 8, as: UInt32.self).byteSwapped)
    }

    @inline(__always) func isNull(_ row: Int) -> Bool {
        assert(row >= 0 && row < count, "a row of this leaf")
        return head.hasNulls && Bitmap.contains(row, in: nulls)
    }

    var byteCount: Int { Self.encodedLength(count: count, width: width, hasNulls: head.hasNulls) }

    static func encodedLength(count: Int, width: Int, hasNulls: Bool) -> Int {
        headerLength + (hasNulls ? Bitmap.byteCount(count) : 0) + (count * width + 7) & ~7
    }
}
