/// The bytes of a key, in memory owned by its creator; compared as unsigned bytes, a shorter key before its
/// continuations.
///
/// Safe throughout: reads stay below `count`.
struct IndexKey {
    let start: UnsafeRawPointer
    let count: Int

    @inline(__always) init(start: UnsafeRawPointer, count: Int) {
        self.start = start
        self.count = count
    }

    /// An empty buffer's missing address is replaced by one that is never read.
    @inline(__always) init(_ bytes: UnsafeRawBufferPointer) {
        start = bytes.baseAddress ?? UnsafeRawPointer(bitPattern: 64)!
        count = bytes.count
    }

    /// The part of the key that is stored inside a node.
    @inline(__always) var inline: IndexKey { IndexKey(start: start, count: min(count, IndexLayout.inlineKeyBytes)) }

    /// The bytes after the first `length`.
    @inline(__always) func dropping(_ length: Int) -> IndexKey { IndexKey(start: start + length, count: count &- length) }

    /// The first four bytes as a big-endian number, padded with zeros.
    @inline(__always) var head: UInt32 {
        if count >= 4 { return UInt32(bigEndian: start.loadUnaligned(as: UInt32.self)) }
        var value: UInt32 = 0
        for index in 0..<count {
            value |= UInt32(start.load(fromByteOffset: index, as: UInt8.self)) &<< UInt32(24 &- 8 &* index)
        }
        return value
    }

    /// Negative, zero or positive, as this key is before, equal to or after the other.
    @inline(__always) func order(_ other: IndexKey) -> Int {
        let bytes = Self.order(start, other.start, min(count, other.count))
        return bytes != 0 ? bytes : count - other.count
    }

    /// The order of two byte strings of one length.
    @inline(__always) static func order(_ left: UnsafeRawPointer, _ right: UnsafeRawPointer, _ length: Int) -> Int {
        var index = 0
        while index &+ 8 <= length {
            let one = left.loadUnaligned(fromByteOffset: index, as: UInt64.self)
            let other = right.loadUnaligned(fromByteOffset: index, as: UInt64.self)
            if one != other { return one.bigEndian < other.bigEndian ? -1 : 1 }
            index &+= 8
        }
        while index < length {
            let one = left.load(fromByteOffset: index, as: UInt8.self)
            let other = right.load(fromByteOffset: index, as: UInt8.self)
            if one != other { return one < other ? -1 : 1 }
            index &+= 1
        }
        return 0
    }

    /// The length of the common prefix of the two keys.
    func commonPrefix(_ other: IndexKey) -> Int {
        let length = min(count, other.count)
        var index = 0
        while index + 8 <= length {
            let difference = start.loadUnaligned(fromByteOffset: index, as: UInt64.self)
                ^ other.start.loadUnaligned(fromByteOffset: index, as: UInt64.self)
            if difference != 0 { return index + difference.trailingZeroBitCount / 8 }
            index += 8
        }
        while index < length, start.load(fromByteOffset: index, as: UInt8.self)
                == other.start.load(fromByteOffset: index, as: UInt8.self) { index += 1 }
        return index
    }
}
