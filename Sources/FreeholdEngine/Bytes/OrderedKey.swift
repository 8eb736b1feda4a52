/// Values as bytes whose order (as `memcmp`, a prefix first) is the order of the values, also when several are put
/// behind one another to form a compound key.
///
/// ```
/// null            00
/// bool            01, 00 or 01
/// int, link       01, 8 bytes: big-endian, sign bit flipped
/// float           01, 4 bytes: NaN 00 00 00 00; else big-endian, negative ones with all bits flipped,
///                     others with the sign bit flipped; -0 is written as +0
/// double          01, 8 bytes likewise
/// text, data      01, the bytes with each 00 written as 00 FF, then 00 00
/// date            01, 8 bytes of seconds as an int, 4 bytes of nanoseconds, big-endian
/// uuid            01, its 16 bytes
/// object id       01, its 12 bytes
/// ```
/// 1. Null is before every value; NaN is before every number.
/// 2. No encoding is a proper prefix of another of its type, so what follows in a compound key never mixes in.
/// 3. Equal values have equal bytes, so a look-up is a comparison of bytes.
enum OrderedKey {
    static let null: UInt8 = 0
    static let value: UInt8 = 1
    static let signBit: UInt64 = 1 << 63

    /// The bits of a double, ordered; 0 for NaN.
    @inline(__always) static func orderedBits(_ number: Double) -> UInt64 {
        if number.isNaN { return 0 }
        let bits = (number == 0 ? 0 : number).bitPattern
        return bits & signBit == 0 ? bits | signBit : ~bits
    }

    @inline(__always) static func orderedBits(_ number: Float) -> UInt32 {
        if number.isNaN { return 0 }
        let bits = (number == 0 ? 0 : number).bitPattern
        return bits & 1 << 31 == 0 ? bits | 1 << 31 : ~bits
    }

    @inline(__always) static func double(orderedBits bits: UInt64) -> Double {
        if bits == 0 { return .nan }
        return Double(bitPattern: bits & signBit != 0 ? bits & ~signBit : ~bits)
    }

    @inline(__always) static func float(orderedBits bits: UInt32) -> Float {
        if bits == 0 { return .nan }
        return Float(bitPattern: bits & 1 << 31 != 0 ? bits & ~(1 << 31) : ~bits)
    }

    @inline(__always) static func orderedBits(_ number: Int64) -> UInt64 { UInt64(bitPattern: number) ^ signBit }
    @inline(__always) static func int(orderedBits bits: UInt64) -> Int64 { Int64(bitPattern: bits ^ signBit) }
}

extension ByteBuffer {
    /// Turns the whole buffer, a prefix of keys, into the first byte string after all keys with that prefix; false if
    /// there is none (every byte is FF), and the buffer is then empty.
    func advancePastPrefix() -> Bool {
        while let last = bytes.last {
            truncate(to: count - 1)
            if last != 0xFF {
                append(last + 1)
                return true
            }
        }
        return false
    }
}
