import FreeholdEngine

/// Decimal numbers as Realm stores them: 4, 8 or 16 bytes in the binary integer encoding of IEEE 754, all of a leaf alike.
enum RealmDecimals {
    /// The low bits of a NaN that stands for null.
    private static let nullPayload: UInt64 = 0xAA

    /// A number of four bytes; nil for null.
    static func decimal(_ bits: UInt32) -> Decimal128? {
        let wide = UInt64(bits), sign = (wide >> 31) << 63
        if wide >> 26 & 31 == 31 { return wide & 0xFF == nullPayload ? nil : Decimal128(high: sign | 0x7C << 56, low: 0) }
        if wide >> 26 & 31 == 30 { return Decimal128(high: sign | 0x78 << 56, low: 0) }
        let isLarge = wide >> 29 & 3 == 3
        let exponent = Int(isLarge ? wide >> 21 & 0xFF : wide >> 23 & 0xFF) - 101
        let coefficient = isLarge ? wide & 0x1F_FFFF | 0x80_0000 : wide & 0x7F_FFFF
        return decimal(sign, exponent, coefficient > 9_999_999 ? 0 : coefficient)
    }

    /// A number of eight bytes; nil for null.
    static func decimal(_ bits: UInt64) -> Decimal128? {
        let sign = bits & 1 << 63
        if bits >> 58 & 31 == 31 { return bits & 0xFF == nullPayload ? nil : Decimal128(high: sign | 0x7C << 56, low: 0) }
        if bits >> 58 & 31 == 30 { return Decimal128(high: sign | 0x78 << 56, low: 0) }
        let isLarge = bits >> 61 & 3 == 3
        let exponent = Int(isLarge ? bits >> 51 & 0x3FF : bits >> 53 & 0x3FF) - 398
        let coefficient = isLarge ? bits & 0x7_FFFF_FFFF_FFFF | 0x20_0000_0000_0000 : bits & 0x1F_FFFF_FFFF_FFFF
        return decimal(sign, exponent, coefficient > 9_999_999_999_999_999 ? 0 : coefficient)
    }

    /// A number of sixteen bytes; nil for null.
    static func decimal(low: UInt64, high: UInt64) -> Decimal128? {
        if high == 0x7C << 56, low == nullPayload { return nil }
        return Decimal128(high: high, low: low)
    }

    private static func decimal(_ sign: UInt64, _ exponent: Int, _ coefficient: UInt64) -> Decimal128 {
        Decimal128(high: sign | UInt64(exponent + 6176) << 49, low: coefficient)
    }
}
