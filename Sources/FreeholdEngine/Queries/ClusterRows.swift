/// The rows of one cluster that are meant: a bit for each.
typealias ClusterRows = SIMD4<UInt64>

extension SIMD4<UInt64> {
    static var none: Self { Self(repeating: 0) }

    /// The first rows, so many.
    @inline(__always) static func first(_ count: Int) -> Self {
        var rows = Self(repeating: 0)
        for word in 0..<4 {
            let left = count - word * 64
            rows[word] = left >= 64 ? ~0 : left <= 0 ? 0 : (1 << UInt64(left)) - 1
        }
        return rows
    }

    @inline(__always) var isEmpty: Bool { self == Self(repeating: 0) }

    @inline(__always) var population: Int { self[0].nonzeroBitCount + self[1].nonzeroBitCount + self[2].nonzeroBitCount + self[3].nonzeroBitCount }

    @inline(__always) mutating func insert(_ row: Int) { self[row >> 6] |= 1 << UInt64(row & 63) }

    /// Calls `body` with each row, ascending, until it returns false; returns whether it never did.
    @inline(__always)
    func forEach(_ body: (Int) throws(FreeholdError) -> Bool) throws(FreeholdError) -> Bool {
        for word in 0..<4 {
            var bits = self[word]
            while bits != 0 {
                if try !body(word * 64 + bits.trailingZeroBitCount) { return false }
                bits &= bits - 1
            }
        }
        return true
    }
}
