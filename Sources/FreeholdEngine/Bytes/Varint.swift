/// Unsigned numbers in 1 to 10 bytes: seven bits a byte, lowest first, the top bit set on all but the last.
enum Varint {
    static let maximumLength = 10

    /// The bytes `value` takes.
    @inline(__always) static func length(_ value: UInt64) -> Int {
        (64 - (value | 1).leadingZeroBitCount + 6) / 7
    }

    /// Small magnitudes of either sign as small unsigned numbers.
    @inline(__always) static func zigzag(_ value: Int64) -> UInt64 { UInt64(bitPattern: value << 1 ^ value >> 63) }
    @inline(__always) static func unzigzag(_ value: UInt64) -> Int64 {
        Int64(bitPattern: value >> 1) ^ -Int64(bitPattern: value & 1)
    }

    /// The number at `offset`, which moves past it; nil, without moving, if the bytes end or no 64-bit number stands
    /// there.
    @inline(__always)
    static func decode(_ bytes: UnsafeRawBufferPointer, _ offset: inout Int) -> UInt64? {
        guard offset >= 0, offset < bytes.count else { return nil }
        let first = bytes[offset]
        if first < 0x80 {
            offset += 1
            return UInt64(first)
        }
        return decodeSlowly(bytes, &offset)
    }

    private static func decodeSlowly(_ bytes: UnsafeRawBufferPointer, _ offset: inout Int) -> UInt64? {
        var value: UInt64 = 0
        for index in 0..<min(maximumLength, bytes.count - offset) {
            let byte = bytes[offset + index]
            if index == 9 && byte > 1 { return nil }
            value |= UInt64(byte & 0x7F) << UInt64(7 * index)
            if byte < 0x80 {
                offset += index + 1
                return value
            }
        }
        return nil
    }
}

extension ByteBuffer {
    @inline(__always) func append(varint value: UInt64) {
        var rest = value
        while rest >= 0x80 {
            append(UInt8(truncatingIfNeeded: rest) | 0x80)
            rest >>= 7
        }
        append(UInt8(truncatingIfNeeded: rest))
    }
}
