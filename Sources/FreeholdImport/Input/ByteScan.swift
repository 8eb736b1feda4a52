/// Finds delimiter bytes, eight at a time.
///
/// Safe throughout: the caller guarantees that at least eight zero bytes follow the last byte, and a zero stops every
/// scan. The arithmetic on words is meant to wrap; a borrow can only flag bytes after one that is rightly flagged, so
/// the lowest flag is exact.
enum ByteScan {
    @inline(__always) private static var ones: UInt64 { 0x0101_0101_0101_0101 }
    @inline(__always) private static var tops: UInt64 { 0x8080_8080_8080_8080 }

    /// The index of the first quote, backslash or control character (zero included) at or after `first`.
    @inline(__always)
    static func endOfPlainText(_ bytes: UnsafeMutablePointer<UInt8>, _ first: Int) -> Int {
        var index = first
        while true {
            let word = UnsafeRawPointer(bytes + index).loadUnaligned(as: UInt64.self)
            let controls = (word &- ones &* 0x20) & ~word
            let found = (controls | matches(word, UInt8(ascii: "\"")) | matches(word, UInt8(ascii: "\\"))) & tops
            if found != 0 { return index + found.trailingZeroBitCount >> 3 }
            index += 8
        }
    }

    /// The index of the first `byte`, newline or zero at or after `first`.
    @inline(__always)
    static func endOfField(_ bytes: UnsafeMutablePointer<UInt8>, _ first: Int, before byte: UInt8) -> Int {
        var index = first
        while true {
            let word = UnsafeRawPointer(bytes + index).loadUnaligned(as: UInt64.self)
            let found = (matches(word, byte) | matches(word, UInt8(ascii: "\n")) | matches(word, 0)) & tops
            if found != 0 { return index + found.trailingZeroBitCount >> 3 }
            index += 8
        }
    }

    /// Flags the bytes of `word` that equal `byte`, in their highest bits.
    @inline(__always)
    private static func matches(_ word: UInt64, _ byte: UInt8) -> UInt64 {
        let difference = word ^ ones &* UInt64(byte)
        return (difference &- ones) & ~difference
    }
}
