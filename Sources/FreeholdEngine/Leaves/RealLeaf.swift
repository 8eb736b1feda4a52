/// Floats or doubles of one leaf, unpacked: a reader over its bytes.
///
/// ```
/// offset  bytes
///      0      8  head; shape = bytes of a row: 4 (float) or 8 (double)
///      8      8  minimum, a double: no number is less
///     16      8  maximum, a double: no number is greater
///     24    8·n  null bitmap, if any
///      …         the rows, each of `shape` bytes, then zeros up to a multiple of 8
/// ```
/// 1. A null row holds +0.
/// 2. NaN lies outside minimum and maximum; the head's `hasNotANumber` says that there may be some.
/// 3. Minimum and maximum are among the rows unless the head says `looseBounds`; without any number they are +infinity
///    and -infinity.
///
/// Safe throughout: as for `PackedIntegers`, made over validated bytes and asked for rows below the count.
struct RealLeaf {
    static let minimumOffset = 8
    static let maximumOffset = 16
    static let headerLength = 24

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
    @inline(__always) var isDouble: Bool { head.shape == 8 }
    @inline(__always) var nulls: UnsafeRawPointer { start + Self.headerLength }

    /// A row of a leaf of doubles.
    @inline(__always) func double(_ row: Int) -> Double {
        assert(isDouble && row >= 0 && row < count, "a row of this leaf of doubles")
        return Double(bitPattern: rows.little(row &* 8))
    }

    /// A row of a leaf of floats.
    @inline(__always) func float(_ row: Int) -> Float {
        assert(!isDouble && row >= 0 && row < count, "a row of this leaf of floats")
        return Float(bitPattern: rows.little(row &* 4))
    }

    /// A row of either kind.
    @inline(__always) subscript(row: Int) -> Double { isDouble ? double(row) : Double(float(row)) }

    @inline(__always) func isNull(_ row: Int) -> Bool {
        assert(row >= 0 && row < count, "a row of this leaf")
        return head.hasNulls && Bitmap.contains(row, in: nulls)
    }

    @inline(__always) var byteCount: Int {
        Self.headerLength + head.nullBytes + Self.dataBytes(count, width: Int(head.shape))
    }

    @inline(__always) static func dataBytes(_ count: Int, width: Int) -> Int { (count * width + 7) & ~7 }

    /// The zone map: no number lies outside; nil if there is none. Its bounds are values of rows unless
    /// `hasLooseBounds`.
    @inline(__always) var zone: ClosedRange<Double>? {
        let low = Double(bitPattern: start.little(Self.minimumOffset))
        let high = Double(bitPattern: start.little(Self.maximumOffset))
        return low <= high ? low...high : nil
    }

    var hasLooseBounds: Bool { head.flags.contains(.looseBounds) }
    /// Whether some row may be NaN.
    var mayHaveNotANumber: Bool { head.flags.contains(.hasNotANumber) }
}
