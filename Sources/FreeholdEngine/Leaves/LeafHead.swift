/// The first eight bytes of every leaf.
///
/// ```
/// offset  bytes
///      0      4  count of rows (at most 65,535)
///      4      1  shape: bits or bytes of a row, or the form of a text leaf
///      5      1  flags
///      6      2  count of null rows
/// ```
/// One load fetches it whole, so creating a reader takes a few instructions.
///
/// Safe throughout: the bytes a head is loaded from belong to a leaf whose length has been checked.
struct LeafHead {
    static let byteCount = 8
    static let maximumCount = 65_535

    var bits: UInt64

    @inline(__always) init(_ start: UnsafeRawPointer) { bits = start.little(0) }

    init(count: Int, shape: UInt8, flags: Flags, nullCount: Int) {
        bits = UInt64(UInt32(count)) | UInt64(shape) << 32 | UInt64(flags.rawValue) << 40 | UInt64(UInt16(nullCount)) << 48
    }

    @inline(__always) var count: Int { Int(UInt32(truncatingIfNeeded: bits)) }
    @inline(__always) var shape: UInt8 { UInt8(truncatingIfNeeded: bits >> 32) }
    @inline(__always) var flags: Flags { Flags(rawValue: UInt8(truncatingIfNeeded: bits >> 40)) }
    @inline(__always) var nullCount: Int { Int(bits >> 48) }
    @inline(__always) var hasNulls: Bool { flags.contains(.hasNulls) }

    /// Bytes of the null bitmap, or 0 without one.
    @inline(__always) var nullBytes: Int { hasNulls ? Bitmap.byteCount(count) : 0 }

    @inline(__always) func store(_ start: UnsafeMutableRawPointer) { start.setLittle(0, bits) }

    struct Flags: OptionSet {
        let rawValue: UInt8
        /// A null bitmap follows; without it no row is null.
        static let hasNulls = Flags(rawValue: 1)
        /// The zone map covers all values, but its bounds may not be among them (rows were set in place).
        static let looseBounds = Flags(rawValue: 2)
        /// Reals: some row may be NaN.
        static let hasNotANumber = Flags(rawValue: 4)
        /// Text leaves: the bytes are UTF-8 text, not data.
        static let isText = Flags(rawValue: 8)
        /// Text leaves: after the null bitmap comes a bitmap of the rows whose bytes are stored in other blocks.
        static let hasExternal = Flags(rawValue: 16)
    }

    /// Whether the head is valid for any leaf: accepted flags only, and counts that are consistent.
    func isPlausible(allowing allowed: Flags) -> Bool {
        flags.subtracting(allowed).isEmpty && count <= Self.maximumCount && nullCount <= count
            && (hasNulls || nullCount == 0)
    }

    /// Adds `delta` to the count of null rows, within its limits, and sets a flag.
    @inline(__always) mutating func change(nullCount delta: Int, adding flag: Flags) {
        let changed = min(max(nullCount + delta, 0), count)
        self = LeafHead(count: count, shape: shape, flags: flags.union(flag), nullCount: changed)
    }
}

/// The null bitmap that a writer passes: at least one bit a row, or none at all.
typealias NullBits = UnsafePointer<UInt64>
