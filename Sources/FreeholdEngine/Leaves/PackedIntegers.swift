/// Integers of one leaf, packed to the narrowest width that holds their range: a reader over its bytes.
///
/// ```
/// offset  bytes
///      0      8  head; shape = width in bits: 0, 1, 2, 4, 8, 16, 32 or 64
///      8      8  minimum: no value is less; also what fields narrower than 64 bits are counted from
///     16      8  maximum: no value is greater
///     24    8·n  null bitmap, if any: one bit a row
///      …    8·m  fields of `width` bits in 64-bit words, row 0 lowest; none for width 0
/// ```
/// 1. A field never crosses a word, so a row is one aligned load, a shift and a mask.
/// 2. The field of a null row is 0, and so are the bits past the last row: sums need not read the null bitmap.
/// 3. Minimum and maximum are among the values unless the head says `looseBounds`; they mean nothing (0 when encoded) if
///    every row is null.
/// 4. A width of 64 holds the values themselves, narrower ones the difference to minimum.
///
/// Used alone as the leaf of integers, bools and links, and inside other leaves for codes, seconds and key lists.
///
/// Safe throughout: a reader is created over bytes that `validatedLength` has accepted, so words and bitmap lie within
/// them for every row below `count`; reading another row is a caller's error (checked in debug builds).
struct PackedIntegers {
    static let minimumOffset = 8
    static let maximumOffset = 16
    static let headerLength = 24

    let start: UnsafeRawPointer
    let head: LeafHead
    /// The first word; for width 0 any readable word.
    let words: UnsafeRawPointer
    let width: Int
    let mask: UInt64
    /// The value added to a field.
    let base: Int64

    @inline(__always) init(_ start: UnsafeRawPointer) {
        let head = LeafHead(start)
        let width = Int(head.shape)
        self.start = start
        self.head = head
        self.width = width
        words = width == 0 ? start : start + (Self.headerLength + head.nullBytes)
        mask = width == 0 ? 0 : ~0 >> UInt64(64 - width)
        base = width == 64 ? 0 : start.little(Self.minimumOffset)
    }

    @inline(__always) var count: Int { head.count }
    @inline(__always) var nullCount: Int { head.nullCount }
    @inline(__always) var nulls: UnsafeRawPointer { start + Self.headerLength }

    /// The value of a row; for a null row some value within the bounds.
    @inline(__always) subscript(row: Int) -> Int64 {
        assert(row >= 0 && row < count, "a row of this leaf")
        let bit = row &* width
        let word: UInt64 = words.little((bit &>> 6) &* 8)
        return base &+ Int64(bitPattern: word &>> UInt64(truncatingIfNeeded: bit) & mask)
    }

    @inline(__always) func isNull(_ row: Int) -> Bool {
        assert(row >= 0 && row < count, "a row of this leaf")
        return head.hasNulls && Bitmap.contains(row, in: nulls)
    }

    /// The length of the whole leaf in bytes.
    @inline(__always) var byteCount: Int { Self.headerLength + head.nullBytes + Self.dataBytes(count, width: width) }

    @inline(__always) static func dataBytes(_ count: Int, width: Int) -> Int { ((count * width + 63) >> 6) * 8 }

    /// The zone map: no value lies outside; nil if every row is null. Its bounds are values of rows unless
    /// `hasLooseBounds`.
    @inline(__always) var zone: ClosedRange<Int64>? {
        if nullCount == count { return nil }
        let low: Int64 = start.little(Self.minimumOffset)
        return low...max(low, start.little(Self.maximumOffset))
    }

    var hasLooseBounds: Bool { head.flags.contains(.looseBounds) }
}
