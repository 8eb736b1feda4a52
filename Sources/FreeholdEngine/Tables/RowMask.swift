/// A bit for each of at most 256 rows.
///
/// Safe throughout: what it is read from and stored to has 32 bytes.
struct RowMask {
    private var words = SIMD4<UInt64>(repeating: 0)

    static let byteCount = 32

    init() {}

    init(_ start: UnsafeRawPointer) {
        for word in 0..<4 { words[word] = start.loadUnaligned(fromByteOffset: word * 8, as: UInt64.self) }
    }

    @inline(__always) var isEmpty: Bool { words == SIMD4(repeating: 0) }
    @inline(__always) func contains(_ row: Int) -> Bool { words[row >> 6] & (1 << UInt64(row & 63)) != 0 }
    @inline(__always) mutating func insert(_ row: Int) { words[row >> 6] |= 1 << UInt64(row & 63) }
    mutating func formUnion(_ other: RowMask) { words |= other.words }

    mutating func removeFirst() -> Int? {
        for word in 0..<4 where words[word] != 0 {
            let bit = words[word].trailingZeroBitCount
            words[word] &= words[word] - 1
            return word * 64 + bit
        }
        return nil
    }

    func store(_ start: UnsafeMutableRawPointer) {
        for word in 0..<4 { start.storeBytes(of: words[word], toByteOffset: word * 8, as: UInt64.self) }
    }

    /// The rows below `count`.
    static func all(_ count: Int) -> RowMask {
        var mask = RowMask()
        for row in 0..<count { mask.insert(row) }
        return mask
    }
}
