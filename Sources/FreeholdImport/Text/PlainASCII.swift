extension UnsafeRawBufferPointer {
    /// Whether no byte is above 127.
    @inline(__always)
    var isASCII: Bool {
        // Safe: eight bytes are read only where the buffer has them.
        var all: UInt64 = 0, index = 0
        while index + 8 <= count {
            all |= loadUnaligned(fromByteOffset: index, as: UInt64.self)
            index += 8
        }
        while index < count {
            all |= UInt64(self[index])
            index += 1
        }
        return all & 0x8080_8080_8080_8080 == 0
    }
}
