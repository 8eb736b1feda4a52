extension Decimal128: Hashable, Comparable {
    /// The sort key of a number: kind and sign, then the position of the first digit, then the digits as a number of
    /// 34.
    struct Rank: Hashable {
        /// -3: NaN; -2 and 2: the infinities; -1, 0 and 1: the sign.
        var kind: Int
        var firstDigit = 0
        var digits: UInt128 = 0
    }

    var rank: Rank {
        switch parts {
        case .nan: return Rank(kind: -3)
        case .infinity(let isNegative): return Rank(kind: isNegative ? -2 : 2)
        case .finite(_, 0, _): return Rank(kind: 0)
        case .finite(let isNegative, let coefficient, let exponent):
            let count = Self.digitCount(coefficient)
            return Rank(kind: isNegative ? -1 : 1, firstDigit: exponent + count - 1,
                        digits: coefficient * Self.power(Self.digits - count))
        }
    }

    public static func == (left: Decimal128, right: Decimal128) -> Bool { left.rank == right.rank }

    public func hash(into hasher: inout Hasher) { rank.hash(into: &hasher) }

    public static func < (left: Decimal128, right: Decimal128) -> Bool {
        let (left, right) = (left.rank, right.rank)
        if left.kind != right.kind { return left.kind < right.kind }
        let isBelow = (left.firstDigit, left.digits) < (right.firstDigit, right.digits)
        return left.kind < 0 ? left != right && !isBelow : isBelow
    }

    /// The standard's total order, which also distinguishes equal numbers: -0 is before 0, and 1.00 before 1.0.
    public func isTotallyOrdered(belowOrEqualTo other: Decimal128) -> Bool {
        if isNaN || other.isNaN {
            let ranks = [self, other].map { $0.isNaN ? ($0.isNegative ? -1 : 1) : 0 }
            return ranks[0] <= ranks[1]
        }
        if self != other { return self < other }
        if isNegative != other.isNegative { return isNegative }
        guard case .finite(_, _, let exponent) = parts, case .finite(_, _, let others) = other.parts else { return true }
        return isNegative ? exponent >= others : exponent <= others
    }
}
