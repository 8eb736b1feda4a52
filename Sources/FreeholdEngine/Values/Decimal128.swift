/// A decimal number of IEEE 754-2008 with up to 34 digits: `coefficient × 10^exponent`, stored in 16 bytes in the
/// standard's binary integer encoding. Amounts of money are exact.
///
/// ```swift
/// let price = Decimal128("19.90")!
/// print(price * 3)          // 59.70
/// ```
/// 1. Equality, order and hash use the numeric value: 1.0 and 1.00 are equal, and each keeps its digits. Zeros are
/// equal.
/// 2. NaN equals itself and sorts before all numbers, so that values have one order, in memory as in an index.
/// 3. Results that need more than 34 digits are rounded to the nearest, ties to the even digit.
public struct Decimal128: Sendable {
    /// The sign, the exponent and the upper bits of the coefficient.
    public let high: UInt64
    public let low: UInt64

    /// The number with these bits; a coefficient of more than 34 digits counts as zero, as the standard says.
    public init(high: UInt64, low: UInt64) {
        self.high = high
        self.low = low
    }

    /// The decoded bits.
    enum Parts: Equatable {
        case finite(isNegative: Bool, coefficient: UInt128, exponent: Int)
        case infinity(isNegative: Bool)
        case nan
    }

    static let digits = 34
    static let largestExponent = 6111
    static let smallestExponent = -6176
    /// 10^34.
    static let coefficientLimit = power(digits)

    public static let zero = Decimal128(0)
    public static let nan = Decimal128(high: 0x7C00 << 48, low: 0)
    public static let infinity = Decimal128(high: 0x7800 << 48, low: 0)

    /// Whether it is NaN.
    public var isNaN: Bool { high >> 58 & 31 == 31 }
    /// Whether it is an infinity.
    public var isInfinite: Bool { high >> 58 & 31 == 30 }
    /// Whether it is finite: neither NaN nor an infinity.
    public var isFinite: Bool { high >> 59 & 15 != 15 }
    /// Whether its sign bit is set; zero and NaN have a sign too.
    public var isNegative: Bool { high >> 63 == 1 }
    /// Whether it is zero, of either sign.
    public var isZero: Bool {
        if case .finite(_, 0, _) = parts { return true }
        return false
    }

    var parts: Parts {
        if isNaN { return .nan }
        if isInfinite { return .infinity(isNegative: isNegative) }
        // With two leading ones, the coefficient would begin with 100 and so have more than 34 digits.
        if high >> 61 & 3 == 3 {
            return .finite(isNegative: isNegative, coefficient: 0, exponent: Int(high >> 47 & 0x3FFF) + Self.smallestExponent)
        }
        let coefficient = UInt128(high & 0x1_FFFF_FFFF_FFFF) << 64 | UInt128(low)
        return .finite(isNegative: isNegative, coefficient: coefficient < Self.coefficientLimit ? coefficient : 0,
                       exponent: Int(high >> 49 & 0x3FFF) + Self.smallestExponent)
    }

    /// 10^exponent, for exponents up to 38.
    static func power(_ exponent: Int) -> UInt128 { powers[exponent] }

    private static let powers: [UInt128] = {
        var powers: [UInt128] = [1]
        for _ in 1...38 { powers.append(powers[powers.count - 1] * 10) }
        return powers
    }()

    /// The number of digits; 1 for zero.
    static func digitCount(_ number: UInt128) -> Int {
        // A bit is worth 0.30103 digits; the estimate is at most one too small.
        let bits = 128 - (number | 1).leadingZeroBitCount
        let estimate = (((bits - 1) * 1233) >> 12) + 1
        return estimate + (estimate <= 38 && number >= power(estimate) ? 1 : 0)
    }
}

extension Decimal128 {
    /// The number nearest to `coefficient × 10^exponent`, ties to the even digit.
    ///
    /// - Parameter isInexact: whether the exact number is slightly larger than that in magnitude. Then the coefficient
    ///   has at least 35 digits.
    init(isNegative: Bool, coefficient: UInt128, exponent: Int, isInexact: Bool = false) {
        var coefficient = coefficient, exponent = exponent
        let surplus = max(Self.digitCount(coefficient) - Self.digits, Self.smallestExponent - exponent)
        if surplus > 0 {
            coefficient = Self.rounded(coefficient, dropping: surplus, isInexact: isInexact)
            exponent += surplus
            if coefficient == Self.coefficientLimit {
                coefficient /= 10
                exponent += 1
            }
        }
        // A larger exponent may be possible with more digits.
        while exponent > Self.largestExponent, coefficient != 0, coefficient * 10 < Self.coefficientLimit {
            coefficient *= 10
            exponent -= 1
        }
        if exponent > Self.largestExponent, coefficient != 0 {
            self = isNegative ? -Self.infinity : Self.infinity
            return
        }
        let biased = UInt64(min(max(exponent, Self.smallestExponent), Self.largestExponent) - Self.smallestExponent)
        high = (isNegative ? 1 << 63 : 0) | biased << 49 | UInt64(truncatingIfNeeded: coefficient >> 64)
        low = UInt64(truncatingIfNeeded: coefficient)
    }

    private static func rounded(_ coefficient: UInt128, dropping count: Int, isInexact: Bool) -> UInt128 {
        if count > 38 { return 0 }
        let (quotient, rest) = coefficient.quotientAndRemainder(dividingBy: power(count))
        let half = power(count) / 2
        let isUp = rest > half || rest == half && (isInexact || quotient & 1 == 1)
        return isUp ? quotient + 1 : quotient
    }

    /// An integer, exactly.
    public init(_ number: Int64) {
        self.init(isNegative: number < 0, coefficient: UInt128(number.magnitude), exponent: 0)
    }

    /// The shortest decimal number that rounds to `number`, as `print` shows it: 0.1 becomes 0.1.
    public init(_ number: Double) {
        self = number.isNaN ? .nan : Decimal128("\(number)") ?? .nan
    }

    /// The shortest decimal number that rounds to `number`.
    public init(_ number: Float) {
        self = number.isNaN ? .nan : Decimal128("\(number)") ?? .nan
    }
}

extension Decimal128: ExpressibleByIntegerLiteral {
    public init(integerLiteral number: Int64) { self.init(number) }
}

extension Double {
    /// The nearest double; infinite if the number is too large for a double.
    public init(_ number: Decimal128) { self = number.isNaN ? .nan : Double(number.description) ?? .nan }
}

extension Int64 {
    /// The number if it is an integer and fits, else nil.
    public init?(exactly number: Decimal128) {
        guard case .finite(let isNegative, var coefficient, var exponent) = number.parts else { return nil }
        if coefficient == 0 { exponent = 0 }
        while exponent < 0 {
            guard coefficient % 10 == 0 else { return nil }
            coefficient /= 10
            exponent += 1
        }
        while exponent > 0 {
            guard coefficient <= UInt128(Int64.max) else { return nil }
            coefficient *= 10
            exponent -= 1
        }
        let limit = UInt128(Int64.max) + (isNegative ? 1 : 0)
        guard coefficient <= limit else { return nil }
        self = isNegative ? Int64(truncatingIfNeeded: 0 - Int128(coefficient)) : Int64(coefficient)
    }
}
