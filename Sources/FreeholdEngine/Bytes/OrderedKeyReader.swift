/// Takes the values of an ordered key back out, from the front. Keys come from a file: each call gives nil, and reads
/// nothing past the end, if the bytes are not what a writer of that type makes.
struct OrderedKeyReader {
    private let bytes: UnsafeRawBufferPointer
    private(set) var offset = 0

    init(_ bytes: UnsafeRawBufferPointer) { self.bytes = bytes }

    var isAtEnd: Bool { offset >= bytes.count }

    /// Whether a null stands here, which is then skipped; nil if neither null nor a value does.
    mutating func takeNull() -> Bool? {
        guard offset < bytes.count, bytes[offset] <= OrderedKey.value else { return nil }
        if bytes[offset] == OrderedKey.value { return false }
        offset += 1
        return true
    }

    mutating func takeBool() -> Bool? {
        let before = offset
        guard takeMark(), let byte = take(UInt8.self), byte <= 1 else { return back(to: before) }
        return byte == 1
    }

    mutating func takeInt() -> Int64? {
        let before = offset
        guard takeMark(), let bits = take(UInt64.self) else { return back(to: before) }
        return OrderedKey.int(orderedBits: bits)
    }

    mutating func takeDouble() -> Double? {
        let before = offset
        guard takeMark(), let bits = take(UInt64.self) else { return back(to: before) }
        return OrderedKey.double(orderedBits: bits)
    }

    mutating func takeFloat() -> Float? {
        let before = offset
        guard takeMark(), let bits = take(UInt32.self) else { return back(to: before) }
        return OrderedKey.float(orderedBits: bits)
    }

    mutating func takeDate() -> (seconds: Int64, nanoseconds: Int32)? {
        let before = offset
        guard let seconds = takeInt(), let nanoseconds = take(UInt32.self) else { return back(to: before) }
        return (seconds, Int32(bitPattern: nanoseconds))
    }

    mutating func takeUniqueIdentifier() -> (high: UInt64, low: UInt64)? {
        let before = offset
        guard takeMark(), let high = take(UInt64.self), let low = take(UInt64.self) else { return back(to: before) }
        return (high, low)
    }

    mutating func takeObjectIdentifier() -> (high: UInt64, low: UInt32)? {
        let before = offset
        guard takeMark(), let high = take(UInt64.self), let low = take(UInt32.self) else { return back(to: before) }
        return (high, low)
    }

    /// Appends the text or data to `text`; false, with `text` as it was, if none stands here.
    mutating func takeText(into text: ByteBuffer) -> Bool {
        let before = offset
        let length = text.count
        guard takeMark() else { return false }
        while let zero = OrderedKey.firstZero(in: bytes, from: offset), zero + 1 < bytes.count {
            text.append(UnsafeRawBufferPointer(rebasing: bytes[offset..<zero]))
            offset = zero + 2
            if bytes[zero + 1] == 0 { return true }
            if bytes[zero + 1] != 0xFF { break }
            text.append(0)
        }
        offset = before
        text.truncate(to: length)
        return false
    }

    private mutating func takeMark() -> Bool {
        guard offset < bytes.count, bytes[offset] == OrderedKey.value else { return false }
        offset += 1
        return true
    }

    private mutating func take<Number: FixedWidthInteger & BitwiseCopyable>(_ type: Number.Type) -> Number? {
        guard bytes.count - offset >= MemoryLayout<Number>.size, let start = bytes.baseAddress else { return nil }
        defer { offset += MemoryLayout<Number>.size }
        return start.little(offset, as: Number.self).byteSwapped
    }

    private mutating func back<Result>(to before: Int) -> Result? {
        offset = before
        return nil
    }
}
