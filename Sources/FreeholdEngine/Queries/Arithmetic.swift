/// Arithmetic and aggregates of values in queries. The result is null if an operand is not a number or the operation
/// has no result.
enum Arithmetic {
    static func result(_ sign: ArithmeticOperator, _ left: Value, _ right: Value) -> Value {
        switch (left, right) {
        case (.int(let one), .int(let other)): return whole(sign, one, other)
        case _ where !left.isNumber || !right.isNumber: return .null
        case _ where left.isDecimal || right.isDecimal:
            guard let one = left.decimal, let other = right.decimal else { return .null }
            return .decimal(sign == .add ? one + other : sign == .subtract ? one - other : sign == .multiply ? one * other : one / other)
        default:
            guard let one = left.double, let other = right.double else { return .null }
            return .double(sign == .add ? one + other : sign == .subtract ? one - other : sign == .multiply ? one * other : one / other)
        }
    }

    private static func whole(_ sign: ArithmeticOperator, _ one: Int64, _ other: Int64) -> Value {
        if sign == .divide && other == 0 { return .null }
        let (result, overflow) = switch sign {
        case .add: one.addingReportingOverflow(other)
        case .subtract: one.subtractingReportingOverflow(other)
        case .multiply: one.multipliedReportingOverflow(by: other)
        case .divide: one.dividedReportingOverflow(by: other)
        }
        return overflow ? .null : .int(result)
    }

    static func negated(_ value: Value) -> Value {
        switch value {
        case .float(let number): .float(-number)
        case .double(let number): .double(-number)
        case .decimal(let number): .decimal(-number)
        default: result(.subtract, .int(0), value)
        }
    }
}

/// An aggregate computed value by value. Null is left out; NaN is left out of the minimum and maximum.
struct Figure {
    private let kind: AggregateKind
    private var count = 0
    private var whole: Int128 = 0
    private var real = 0.0
    private var decimal = Decimal128.zero
    private var hasReals = false
    private var hasDecimals = false
    private var extreme = Value.null

    init(_ kind: AggregateKind) { self.kind = kind }

    mutating func add(_ value: Value) {
        if value == .null { return }
        count += 1
        switch kind {
        case .count: return
        case .min, .max:
            if value.double?.isNaN ?? false { return }
            let order = extreme == .null ? nil : ValueComparison.order(value, extreme)
            if order.map({ kind == .min ? $0 < 0 : $0 > 0 }) ?? (extreme == .null) { extreme = value }
        case .sum, .avg: addNumber(value)
        }
    }

    /// Counts values whose content does not matter.
    mutating func add(count more: Int) { count += more }

    private mutating func addNumber(_ value: Value) {
        switch value {
        case .int(let number): whole += Int128(number)
        case .bool(let flag): whole += flag ? 1 : 0
        case .float(let number):
            hasReals = true
            real += Double(number)
        case .double(let number):
            hasReals = true
            real += number
        case .decimal(let number):
            hasDecimals = true
            decimal = decimal + number
        default: count -= 1
        }
    }

    var value: Value {
        switch kind {
        case .count: return .int(Int64(count))
        case .min, .max: return extreme
        case .sum: return sum
        case .avg:
            if count == 0 { return .null }
            if hasDecimals { return Arithmetic.result(.divide, sum, .decimal(Decimal128(Int64(count)))) }
            return .double((real + Double(whole)) / Double(count))
        }
    }

    /// The sum: an integer for integers, unless it has more than 64 bits.
    private var sum: Value {
        if hasDecimals {
            let rest = Arithmetic.result(.add, .decimal(Decimal128(real)), Int64(exactly: whole).map { .int($0) } ?? .double(Double(whole)))
            return Arithmetic.result(.add, .decimal(decimal), rest)
        }
        if hasReals { return .double(real + Double(whole)) }
        return Int64(exactly: whole).map { .int($0) } ?? .double(Double(whole))
    }
}
