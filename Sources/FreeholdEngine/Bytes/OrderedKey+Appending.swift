extension ByteBuffer {
    @inline(__always) func appendKeyNull() { append(OrderedKey.null) }

    @inline(__always) func appendKey(_ value: Bool) {
        append(OrderedKey.value)
        append(value ? 1 : 0 as UInt8)
    }

    /// Appends an integer or the key of a linked object.
    @inline(__always) func appendKey(_ value: Int64) {
        append(OrderedKey.value)
        append(big: OrderedKey.orderedBits(value))
    }

    @inline(__always) func appendKey(_ value: Double) {
        append(OrderedKey.value)
        append(big: OrderedKey.orderedBits(value))
    }

    @inline(__always) func appendKey(_ value: Float) {
        append(OrderedKey.value)
        append(big: OrderedKey.orderedBits(value))
    }

    /// Appends a date.
    @inline(__always) func appendKey(seconds: Int64, nanoseconds: Int32) {
        appendKey(seconds)
        append(big: UInt32(bitPattern: nanoseconds))
    }

    /// Appends a UUID: its bytes as two big-endian words.
    @inline(__always) func appendKey(high: UInt64, low: UInt64) {
        append(OrderedKey.value)
        append(big: high)
        append(big: low)
    }

    /// Appends an ObjectId: its bytes as two big-endian words.
    @inline(__always) func appendKey(high: UInt64, low: UInt32) {
        append(OrderedKey.value)
        append(big: high)
        append(big: low)
    }

    /// Appends text or data.
    @inline(__always) func appendKey(text: UnsafeRawBufferPointer) {
        appendKeyPrefix(text: text)
        append(little: 0 as UInt16)
    }

    /// Appends the common prefix of the keys of all strings that begin with `text`.
    func appendKeyPrefix(text: UnsafeRawBufferPointer) {
        append(OrderedKey.value)
        makeRoom(text.count + 2)
        var copied = 0
        while let zero = OrderedKey.firstZero(in: text, from: copied) {
            append(UnsafeRawBufferPointer(rebasing: text[copied...zero]))
            append(0xFF)
            copied = zero + 1
        }
        append(UnsafeRawBufferPointer(rebasing: text[copied...]))
    }
}

extension OrderedKey {
    /// The index of the first zero byte at or after `first`; examines eight bytes at a time.
    ///
    /// Safe throughout: eight bytes are read only where that many are left; wrapping finds the zero byte: a byte's top
    /// bit in `(word - ones) & ~word` is set for it, and for no byte before it.
    @inline(__always)
    static func firstZero(in text: UnsafeRawBufferPointer, from first: Int) -> Int? {
        guard let start = text.baseAddress else { return nil }
        var index = first
        while text.count - index >= 8 {
            let word: UInt64 = start.little(index)
            let zeros = (word &- 0x0101_0101_0101_0101) & ~word & 0x8080_8080_8080_8080
            if zeros != 0 { return index + zeros.trailingZeroBitCount / 8 }
            index += 8
        }
        while index < text.count {
            if text[index] == 0 { return index }
            index += 1
        }
        return nil
    }
}
