/// Decimal numbers as bytes in numeric order; equal numbers have equal bytes, and no number's bytes are a prefix of
/// another's.
///
/// ```
/// 1 byte: 0 not a number · 1 -infinity · 2 negative · 3 zero · 4 positive · 5 infinity; of those with digits:
/// 2 bytes: where the first digit stands + 8192, big-endian · a byte for each two digits: their number + 1 · 0
/// ```
/// All but the first byte of a negative number have their bits flipped.
extension ByteBuffer {
    func appendOrdered(_ number: Decimal128) {
        let rank = number.rank
        append(UInt8(rank.kind + 3))
        guard abs(rank.kind) == 1 else { return }
        let flip: UInt8 = rank.kind < 0 ? 0xFF : 0
        let place = UInt16(rank.firstDigit + 8192)
        append(UInt8(place >> 8) ^ flip)
        append(UInt8(truncatingIfNeeded: place) ^ flip)
        var rest = rank.digits
        let divisor = Decimal128.power(Decimal128.digits - 2)
        while rest > 0 {
            append(UInt8(rest / divisor + 1) ^ flip)
            rest = rest % divisor * 100
        }
        append(0 ^ flip)
    }
}
