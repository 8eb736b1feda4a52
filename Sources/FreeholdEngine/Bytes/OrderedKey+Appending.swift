extension ByteBuffer {
    @inline(__always) func appendKeyNull() { append(OrderedKey.null) }

    @inline(__always) func appendKey(_ value: Bool) {
        append(OrderedKey.value)
        append(value ? 1 : 0 as UInt8)
    }

    /// An integer or the key of a linked object.
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

    /// A date.
    @inline(__always) func appendKey(seconds: Int64, nanoseconds: Int32) {
        appendKey(seconds)
        append(big: UInt32(bitPattern: nanoseconds))
    }

    /// A UUID: its bytes as two big-endian words.
    @inline(__always) func appendKey(high: UInt64, low: UInt64) {
        append(OrderedKey.value)
        append(big: high)
        append(big: low)
    }

    /// An ObjectId: its bytes as two big-endian words.
    @inline(__always) func appendKey(high: UInt64, low: UInt32) {
        append(OrderedKey.value)
        append(big: high)
        append(big: low)
    }

    /// Text or data.
    @inline(__always) func appendKey(text: UnsafeRawBufferPointer) {
        appendKeyPrefix(text: text)
        append(little: 0 as UInt16)
    }

    /// What all keys of texts that begin with `text` begin with.
    func appendKeyPrefix(text: UnsafeRawBufferPointer) {
        append(OrderedKey.value)
        makeRoom(text.count + 2)
        var copied = 0
        for index in text.indices where text[index] == 0 {
            append(UnsafeRawBufferPointer(rebasing: text[copied...index]))
            append(0xFF)
            copied = index + 1
        }
        append(UnsafeRawBufferPointer(rebasing: text[copied...]))
    }
}
