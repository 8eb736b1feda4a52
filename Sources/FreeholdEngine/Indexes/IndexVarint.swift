/// Numbers in as few bytes as they need: seven bits a byte, lowest first, the high bit set on all but the last byte.
///
/// The last byte is recognizable on its own, so a run of numbers can be read from either end.
///
/// Safe throughout: readers are given positions inside checked blocks (`IndexLeaf.complaint` has counted the
/// numbers' ends), writers memory reserved for ten bytes a number; shifts are below 64.
enum IndexVarint {
    static let maximumBytes = 10

    @inline(__always) static func length(_ value: UInt64) -> Int {
        (63 - (value | 1).leadingZeroBitCount) / 7 + 1
    }

    @inline(__always) static func write(_ value: UInt64, at position: inout UnsafeMutableRawPointer) {
        var rest = value
        while rest >= 0x80 {
            position.storeBytes(of: UInt8(truncatingIfNeeded: rest) | 0x80, as: UInt8.self)
            position += 1
            rest >>= 7
        }
        position.storeBytes(of: UInt8(truncatingIfNeeded: rest), as: UInt8.self)
        position += 1
    }

    /// The number that starts at `position`, which moves past it.
    @inline(__always) static func read(_ position: inout UnsafeRawPointer) -> UInt64 {
        var byte = position.load(as: UInt8.self)
        position += 1
        var value = UInt64(byte & 0x7f)
        var shift: UInt64 = 7
        while byte >= 0x80 && shift < 64 {
            byte = position.load(as: UInt8.self)
            position += 1
            value |= UInt64(byte & 0x7f) &<< shift
            shift &+= 7
        }
        return value
    }

    /// The number that ends before `position`, which moves to its start. Another number must precede it.
    @inline(__always) static func readBackward(_ position: inout UnsafeRawPointer) -> UInt64 {
        position -= 1
        var value = UInt64(position.load(as: UInt8.self))
        var bytes = 1
        while bytes < maximumBytes {
            let byte = (position - 1).load(as: UInt8.self)
            if byte < 0x80 { break }
            position -= 1
            value = value &<< 7 | UInt64(byte & 0x7f)
            bytes &+= 1
        }
        return value
    }

    /// The number that starts at `position`, if it ends before `end`; for unchecked bytes.
    static func readChecked(_ position: inout UnsafeRawPointer, end: UnsafeRawPointer) -> UInt64? {
        var value: UInt64 = 0
        var shift: UInt64 = 0
        while position < end && shift < 64 {
            let byte = position.load(as: UInt8.self)
            position += 1
            if shift == 63 && byte > 1 { return nil }
            value |= UInt64(byte & 0x7f) &<< shift
            if byte < 0x80 { return value }
            shift &+= 7
        }
        return nil
    }

    /// The number of numbers that end between two positions: the bytes without high bit.
    static func count(_ start: UnsafeRawPointer, _ end: UnsafeRawPointer) -> Int {
        var position = start
        var count = 0
        while end - position >= 8 {
            count &+= (~position.loadUnaligned(as: UInt64.self) & 0x8080_8080_8080_8080).nonzeroBitCount
            position += 8
        }
        while position < end {
            if position.load(as: UInt8.self) < 0x80 { count &+= 1 }
            position += 1
        }
        return count
    }

    /// Maps small numbers of either sign to small unsigned ones.
    @inline(__always) static func zigzag(_ value: Int64) -> UInt64 {
        UInt64(bitPattern: (value &<< 1) ^ (value >> 63))
    }

    @inline(__always) static func unzigzag(_ value: UInt64) -> Int64 {
        Int64(bitPattern: value >> 1) ^ (0 &- Int64(bitPattern: value & 1))
    }
}
