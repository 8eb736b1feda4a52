/// A set of rows of a cluster: a bit for each of at most 256 rows.
///
/// Safe throughout: the memory it is read from and stored to has 32 bytes.
struct RowMask: Equatable {
    private var words = SIMD4<UInt64>(repeating: 0)

    static let byteCount = 32

    @inline(__always) init() {}

    @inline(__always) private init(words: SIMD4<UInt64>) { self.words = words }

    init(_ start: UnsafeRawPointer) {
        for word in 0..<4 { words[word] = start.loadUnaligned(fromByteOffset: word * 8, as: UInt64.self) }
    }

    @inline(__always) static var none: RowMask { RowMask() }

    /// The rows below `count`.
    @inline(__always) static func first(_ count: Int) -> RowMask {
        var mask = RowMask()
        for word in 0..<4 {
            let left = count - word * 64
            mask.words[word] = left >= 64 ? ~0 : left <= 0 ? 0 : (1 << UInt64(left)) - 1
        }
        return mask
    }

    /// The 64 rows from 64 · word.
    @inline(__always) subscript(word word: Int) -> UInt64 {
        get { words[word] }
        set { words[word] = newValue }
    }

    @inline(__always) var isEmpty: Bool { words == SIMD4(repeating: 0) }
    @inline(__always) var population: Int {
        words[0].nonzeroBitCount + words[1].nonzeroBitCount + words[2].nonzeroBitCount + words[3].nonzeroBitCount
    }
    @inline(__always) func contains(_ row: Int) -> Bool { words[row >> 6] & (1 << UInt64(row & 63)) != 0 }
    @inline(__always) mutating func insert(_ row: Int) { words[row >> 6] |= 1 << UInt64(row & 63) }

    /// The lowest row.
    var first: Int? {
        for word in 0..<4 where words[word] != 0 { return word * 64 + words[word].trailingZeroBitCount }
        return nil
    }

    mutating func removeFirst() -> Int? {
        guard let row = first else { return nil }
        words[row >> 6] &= words[row >> 6] - 1
        return row
    }

    /// Calls `body` with each row, ascending, until it returns false; returns true if it never did.
    @inline(__always)
    @discardableResult
    func forEach(_ body: (Int) throws(FreeholdError) -> Bool) throws(FreeholdError) -> Bool {
        for word in 0..<4 {
            var bits = words[word]
            while bits != 0 {
                if try !body(word * 64 + bits.trailingZeroBitCount) { return false }
                bits &= bits - 1
            }
        }
        return true
    }

    @inline(__always) static func & (left: RowMask, right: RowMask) -> RowMask { RowMask(words: left.words & right.words) }
    @inline(__always) static func | (left: RowMask, right: RowMask) -> RowMask { RowMask(words: left.words | right.words) }
    @inline(__always) static func &= (left: inout RowMask, right: RowMask) { left.words &= right.words }
    @inline(__always) static func |= (left: inout RowMask, right: RowMask) { left.words |= right.words }
    /// The complement, including rows that a cluster does not have.
    @inline(__always) static prefix func ~ (mask: RowMask) -> RowMask { RowMask(words: ~mask.words) }

    func store(_ start: UnsafeMutableRawPointer) {
        for word in 0..<4 { start.storeBytes(of: words[word], toByteOffset: word * 8, as: UInt64.self) }
    }
}
