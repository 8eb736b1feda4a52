/// Bits of a byte array, the lowest bit of each byte first.
struct BitInput {
    let bytes: [UInt8]
    private var position: Int
    private var held: UInt64 = 0
    private var heldCount = 0

    init(_ bytes: [UInt8], from position: Int) {
        self.bytes = bytes
        self.position = position
    }

    /// The next bits as a number, the first bit lowest; nil if the bytes end before. At most 32.
    @inline(__always)
    mutating func take(_ count: Int) -> Int? {
        fill(count)
        guard heldCount >= count else { return nil }
        let value = Int(held & (1 << UInt64(count) - 1))
        drop(count)
        return value
    }

    /// The next 15 bits without taking them, with zeros after the last bit.
    @inline(__always)
    mutating func peek15() -> Int {
        fill(15)
        return Int(held & 0x7FFF)
    }

    /// The number of bits that are left, as far as `peek15` has to know it: exact below 15.
    var available: Int { heldCount }

    /// Takes bits that `peek15` returned.
    @inline(__always)
    mutating func drop(_ count: Int) {
        held >>= UInt64(count)
        heldCount -= count
    }

    /// The next bytes after the current one, which loses its remaining bits; nil if there are fewer.
    mutating func takeBytes(_ count: Int) -> ArraySlice<UInt8>? {
        position -= heldCount / 8
        (held, heldCount) = (0, 0)
        guard bytes.count - position >= count else { return nil }
        defer { position += count }
        return bytes[position..<position + count]
    }

    @inline(__always)
    private mutating func fill(_ count: Int) {
        while heldCount < count, position < bytes.count {
            held |= UInt64(bytes[position]) << UInt64(heldCount)
            heldCount += 8
            position += 1
        }
    }
}
