/// Comparison of values in queries. It is two-valued: null or NaN compared with any other value gives false, or true
/// for `!=`. Null equals null, also under `<=` and `>=`; a decimal NaN equals itself.
enum ValueComparison {
    /// Whether the relation holds. Not for textual relations, IN or BETWEEN.
    static func holds(_ left: Value, _ relation: QueryComparison.Relation, _ right: Value) -> Bool {
        switch relation {
        case .equal: areEqual(left, right)
        case .notEqual: !areEqual(left, right)
        case .less: order(left, right).map { $0 < 0 } ?? false
        case .lessOrEqual: left == .null && right == .null || (order(left, right).map { $0 <= 0 } ?? false)
        case .greater: order(left, right).map { $0 > 0 } ?? false
        case .greaterOrEqual: left == .null && right == .null || (order(left, right).map { $0 >= 0 } ?? false)
        default: false
        }
    }

    /// Whether two values are equal: null equals only null, numbers of different types are equal if they are the same
    /// number, strings are compared by their bytes.
    static func areEqual(_ left: Value, _ right: Value) -> Bool {
        switch (left, right) {
        case (.string(let one), .string(let other)): one.utf8.elementsEqual(other.utf8)
        case (.null, .null): true
        case (.list, _), (.set, _), (.map, _): left == right
        default: left.isNumber && right.isNumber ? order(left, right) == 0 : left == right
        }
    }

    /// Negative, 0 or positive as the left value comes before, at or after the right one; nil if they are unordered.
    static func order(_ left: Value, _ right: Value) -> Int? {
        switch (left, right) {
        case (.int(let one), .int(let other)): compare(one, other)
        case (.double(let one), .double(let other)): one.isNaN || other.isNaN ? nil : compare(one, other)
        case (.float(let one), .float(let other)): one.isNaN || other.isNaN ? nil : compare(one, other)
        case (.string(let one), .string(let other)): bytes(one.utf8, other.utf8)
        case (.data(let one), .data(let other)): bytes(one, other)
        case (.date(let one), .date(let other)): compare(one, other)
        case (.bool(let one), .bool(let other)): compare(one ? 1 : 0, other ? 1 : 0)
        case (.uuid(let one), .uuid(let other)): one.high == other.high ? compare(one.low, other.low) : compare(one.high, other.high)
        case (.objectId(let one), .objectId(let other)): one.high == other.high ? compare(one.low, other.low) : compare(one.high, other.high)
        default: left.isNumber && right.isNumber ? numbers(left, right) : nil
        }
    }

    private static func compare<Part: Comparable>(_ one: Part, _ other: Part) -> Int { one < other ? -1 : one == other ? 0 : 1 }

    private static func bytes<Bytes: Collection>(_ one: Bytes, _ other: Bytes) -> Int where Bytes.Element == UInt8 {
        if one.elementsEqual(other) { return 0 }
        return one.lexicographicallyPrecedes(other) ? -1 : 1
    }

    /// Compares numbers of any types exactly: a decimal and a binary one by the digits that the latter is shown with.
    private static func numbers(_ left: Value, _ right: Value) -> Int? {
        if left.isDecimal || right.isDecimal, let one = left.decimal, let other = right.decimal {
            return one.isNaN || other.isNaN ? (one.isNaN && other.isNaN ? 0 : nil) : compare(one, other)
        }
        if case .int(let whole) = left { return reals(right).flatMap { mixed(whole, $0) } }
        if case .int(let whole) = right { return reals(left).flatMap { mixed(whole, $0) }.map { -$0 } }
        guard let one = reals(left), let other = reals(right), !one.isNaN, !other.isNaN else { return nil }
        return compare(one, other)
    }

    private static func reals(_ value: Value) -> Double? {
        switch value {
        case .double(let number): number
        case .float(let number): Double(number)
        default: nil
        }
    }

    /// Compares an integer and a double without rounding either.
    private static func mixed(_ whole: Int64, _ real: Double) -> Int? {
        if real.isNaN { return nil }
        if real >= 0x1p63 { return -1 }
        if real < -0x1p63 { return 1 }
        let floor = Int64(real.rounded(.down))
        if whole != floor { return compare(whole, floor) }
        return real == real.rounded(.down) ? 0 : -1
    }
}

extension Value {
    /// Whether the value is a number of any type.
    var isNumber: Bool {
        switch self {
        case .int, .float, .double, .decimal: true
        default: false
        }
    }

    var isDecimal: Bool { if case .decimal = self { true } else { false } }

    /// The number as a decimal.
    var decimal: Decimal128? {
        switch self {
        case .int(let number): Decimal128(number)
        case .float(let number): Decimal128(number)
        case .double(let number): Decimal128(number)
        case .decimal(let number): number
        default: nil
        }
    }
}
