extension Decimal128 {
    /// The number with the opposite sign.
    public static prefix func - (number: Decimal128) -> Decimal128 {
        Decimal128(high: number.high ^ 1 << 63, low: number.low)
    }

    /// The sum; the difference of two infinities is NaN.
    public static func + (left: Decimal128, right: Decimal128) -> Decimal128 {
        switch (left.parts, right.parts) {
        case (.nan, _), (_, .nan): return .nan
        case (.infinity(let one), .infinity(let other)): return one == other ? left : .nan
        case (.infinity, _): return left
        case (_, .infinity): return right
        case (.finite(let leftSign, let one, let first), .finite(let rightSign, let other, let second)):
            return first >= second ? sum(leftSign, one, first, rightSign, other, second)
                : sum(rightSign, other, second, leftSign, one, first)
        }
    }

    /// The difference, computed as the sum with the opposite sign.
    public static func - (left: Decimal128, right: Decimal128) -> Decimal128 { left + -right }

    /// The sum of two numbers, the first of which has the larger exponent.
    private static func sum(_ upperSign: Bool, _ upper: UInt128, _ upperExponent: Int,
                            _ lowerSign: Bool, _ lower: UInt128, _ lowerExponent: Int) -> Decimal128 {
        let distance = upperExponent - lowerExponent
        // The upper number is extended by zeros: as many as it needs to meet the lower one, or as many as leave it 37
        // digits.
        let zeros = upper == 0 ? distance : min(distance, 37 - digitCount(upper))
        let raised = upper == 0 ? 0 : upper * power(zeros)
        let left = distance - zeros
        let divisor = left <= 38 ? power(left) : nil
        let lowered = divisor.map { lower / $0 } ?? 0
        let isInexact = divisor.map { lower % $0 != 0 } ?? (lower != 0)
        let exponent = upperExponent - zeros
        if upperSign == lowerSign {
            return Decimal128(isNegative: upperSign, coefficient: raised + lowered, exponent: exponent, isInexact: isInexact)
        }
        if raised == lowered, !isInexact { return Decimal128(isNegative: false, coefficient: 0, exponent: exponent) }
        if raised > lowered {
            // Taking a little more away than `lowered`: one less, and a little more than that.
            return Decimal128(isNegative: upperSign, coefficient: raised - lowered - (isInexact ? 1 : 0), exponent: exponent,
                              isInexact: isInexact)
        }
        return Decimal128(isNegative: lowerSign, coefficient: lowered - raised, exponent: exponent, isInexact: isInexact)
    }

    /// The product; zero times infinity is NaN.
    public static func * (left: Decimal128, right: Decimal128) -> Decimal128 {
        let isNegative = left.isNegative != right.isNegative
        switch (left.parts, right.parts) {
        case (.nan, _), (_, .nan): return .nan
        case (.infinity, _), (_, .infinity):
            return left.isZero || right.isZero ? .nan : isNegative ? -infinity : infinity
        case (.finite(_, let one, let first), .finite(_, let other, let second)):
            let digits = digitCount(one) + digitCount(other)
            if digits <= 38 {
                return Decimal128(isNegative: isNegative, coefficient: one * other, exponent: first + second)
            }
            // 36 or 37 digits of the product are enough for rounding.
            let surplus = digits - 37
            let (quotient, rest) = power(surplus).dividingFullWidth(one.multipliedFullWidth(by: other))
            return Decimal128(isNegative: isNegative, coefficient: quotient, exponent: first + second + surplus, isInexact: rest != 0)
        }
    }

    /// The quotient; 0/0 and infinity/infinity are NaN, any other number divided by zero is infinite.
    public static func / (left: Decimal128, right: Decimal128) -> Decimal128 {
        let isNegative = left.isNegative != right.isNegative
        switch (left.parts, right.parts) {
        case (.nan, _), (_, .nan), (.infinity, .infinity): return .nan
        case (.infinity, _): return isNegative ? -infinity : infinity
        case (_, .infinity): return Decimal128(isNegative: isNegative, coefficient: 0, exponent: smallestExponent)
        case (.finite(_, let one, let first), .finite(_, let other, let second)):
            if other == 0 { return one == 0 ? .nan : isNegative ? -infinity : infinity }
            if one == 0 { return Decimal128(isNegative: isNegative, coefficient: 0, exponent: first - second) }
            return quotient(isNegative, one, other, exponent: first - second)
        }
    }

    private static func quotient(_ isNegative: Bool, _ one: UInt128, _ other: UInt128, exponent ideal: Int) -> Decimal128 {
        // With the dividend's first digit moved up so far, the quotient has 35 or 36 digits.
        let zeros = digits - digitCount(one), more = digitCount(other) + 1
        let (whole, rest) = other.dividingFullWidth((one * power(zeros)).multipliedFullWidth(by: power(more)))
        var quotient = whole, exponent = ideal - zeros - more
        // An exact quotient has no more digits than it needs.
        while rest == 0, exponent < ideal, quotient % 10 == 0 {
            quotient /= 10
            exponent += 1
        }
        return Decimal128(isNegative: isNegative, coefficient: quotient, exponent: exponent, isInexact: rest != 0)
    }
}
