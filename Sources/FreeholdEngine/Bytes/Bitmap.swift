/// One bit a row, in little-endian 64-bit words: row r is bit r % 64 of word r / 64.
///
/// Safe throughout: callers hold `words(rows)` words behind the pointer and ask for rows below that count only.
enum Bitmap {
    @inline(__always) static func words(_ rows: Int) -> Int { (rows + 63) >> 6 }
    @inline(__always) static func byteCount(_ rows: Int) -> Int { words(rows) * 8 }

    @inline(__always) static func contains(_ row: Int, in bits: UnsafeRawPointer) -> Bool {
        bits.little((row >> 6) * 8, as: UInt64.self) >> UInt64(row & 63) & 1 != 0
    }

    @inline(__always) static func set(_ row: Int, _ value: Bool, in bits: UnsafeMutableRawPointer) {
        let offset = (row >> 6) * 8
        let bit: UInt64 = 1 << UInt64(row & 63)
        let word = bits.little(offset, as: UInt64.self)
        bits.setLittle(offset, value ? word | bit : word & ~bit)
    }

    /// The bits of the last word that stand for rows.
    @inline(__always) static func lastWordMask(_ rows: Int) -> UInt64 {
        rows & 63 == 0 ? ~0 : (1 << UInt64(rows & 63)) - 1
    }

    static func population(_ bits: UnsafeRawPointer, rows: Int) -> Int {
        var total = 0
        for word in 0..<words(rows) { total += bits.little(word << 3, as: UInt64.self).nonzeroBitCount }
        return total
    }

    /// Whether all bits past the last row are clear.
    static func hasCleanTail(_ bits: UnsafeRawPointer, rows: Int) -> Bool {
        rows == 0 || bits.little((words(rows) - 1) << 3, as: UInt64.self) & ~lastWordMask(rows) == 0
    }
}
