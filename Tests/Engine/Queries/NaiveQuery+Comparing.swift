@testable import FreeholdEngine

/// What single values are to one another.
extension NaiveQuery {
    func one(_ left: Value, _ relation: QueryComparison.Relation, _ rights: [Value], _ options: TextOptions) -> Bool {
        switch relation {
        case .isIn: return rights.contains { equal(left, $0, options) }
        case .text, .within: return false // NaiveWords and NaivePlaces have them.
        case .between: return left != .null && !rights.contains(.null) && one(left, .greaterOrEqual, [rights[0]], []) && one(left, .lessOrEqual, [rights[1]], [])
        case .equal: return equal(left, rights[0], options)
        case .notEqual: return !equal(left, rights[0], options)
        case .less: return (before(left, rights[0])) == true
        case .greater: return (before(rights[0], left)) == true
        case .lessOrEqual: return isNull(left) && isNull(rights[0]) || before(rights[0], left) == false
        case .greaterOrEqual: return isNull(left) && isNull(rights[0]) || before(left, rights[0]) == false
        case .beginsWith, .contains, .endsWith, .like: break
        }
        if relation == .like, isNull(left), isNull(rights[0]) { return true }
        guard let text = folded(left, options), let needle = folded(rights[0], options) else { return false }
        if relation == .like { return like(text[...], needle[...]) }
        if needle.isEmpty { return false }
        switch relation {
        case .beginsWith: return text.starts(with: needle)
        case .endsWith: return text.reversed().starts(with: needle.reversed())
        default: return text.indices.contains { text[$0...].starts(with: needle) }
        }
    }

    private func isNull(_ value: Value) -> Bool { value == .null }

    private func equal(_ left: Value, _ right: Value, _ options: TextOptions) -> Bool {
        if let one = folded(left, options), let other = folded(right, options), left.type == right.type { return one == other }
        if left.isNumber, right.isNumber { return before(left, right) == false && before(right, left) == false }
        return left == right
    }

    /// Whether a value comes before another one; nil where neither comes first.
    private func before(_ left: Value, _ right: Value) -> Bool? {
        switch (left, right) {
        case (.decimal(let one), _) where right.isNumber: return right.decimal.flatMap { one.isNaN || $0.isNaN ? (one.isNaN && $0.isNaN ? false : nil) : one < $0 }
        case (_, .decimal(let other)) where left.isNumber: return left.decimal.flatMap { other.isNaN || $0.isNaN ? (other.isNaN && $0.isNaN ? false : nil) : $0 < other }
        case _ where left.isNumber && right.isNumber:
            guard let one = exact(left), let other = exact(right) else { return nil }
            return one.whole != other.whole ? one.whole < other.whole : one.rest < other.rest
        case (.string(let one), .string(let other)): return Array(one.utf8).lexicographicallyPrecedes(Array(other.utf8))
        case (.data(let one), .data(let other)): return one.lexicographicallyPrecedes(other)
        case (.date(let one), .date(let other)): return one < other
        case (.uuid(let one), .uuid(let other)): return (one.high, one.low) < (other.high, other.low)
        case (.objectId(let one), .objectId(let other)): return (one.high, one.low) < (other.high, other.low)
        case (.bool(let one), .bool(let other)): return !one && other
        default: return nil
        }
    }

    /// A number as a whole one, of more digits than any that can be equal to one of 64 bits, and what is left.
    private func exact(_ value: Value) -> (whole: Int128, rest: Double)? {
        switch value {
        case .int(let number): return (Int128(number), 0)
        case .float(let number): return exact(.double(Double(number)))
        case .double(let number):
            if number.isNaN { return nil }
            // What is left of any that is finite is below 1.
            if abs(number) > 1e30 { return (number > 0 ? .max : .min, number.isInfinite ? (number > 0 ? 1 : -1) : number / 1e300 / 1e9) }
            return (Int128(number.rounded(.down)), number - number.rounded(.down))
        default: return nil
        }
    }

    private func folded(_ value: Value, _ options: TextOptions) -> [UInt8]? {
        switch value {
        case .string(let text): folds.bytes(text, options)
        case .data(let bytes): folds.bytes(String(decoding: bytes, as: UTF8.self), options)
        default: nil
        }
    }

    private func like(_ text: ArraySlice<UInt8>, _ pattern: ArraySlice<UInt8>) -> Bool {
        guard let first = pattern.first else { return text.isEmpty }
        switch first {
        case UInt8(ascii: "*"): return (text.startIndex...text.endIndex).contains { like(text[$0...], pattern.dropFirst()) }
        case UInt8(ascii: "?"):
            guard !text.isEmpty else { return false }
            return like(text.dropFirst().drop { $0 & 0xC0 == 0x80 }, pattern.dropFirst())
        case UInt8(ascii: "\\"):
            guard let next = pattern.dropFirst().first else { return text.isEmpty }
            return text.first == next && like(text.dropFirst(), pattern.dropFirst(2))
        default: return text.first == first && like(text.dropFirst(), pattern.dropFirst())
        }
    }

    // MARK: numbers

    func calculated(_ sign: ArithmeticOperator, _ left: Value, _ right: Value) -> Value {
        if case .int(let one) = left, case .int(let other) = right {
            let (a, b) = (Int128(one), Int128(other))
            let result: Int128? = switch sign {
            case .add: a + b
            case .subtract: a - b
            case .multiply: a * b
            case .divide: b == 0 ? nil : a / b
            }
            return result.flatMap { Int64(exactly: $0) }.map { .int($0) } ?? .null
        }
        guard left.isNumber, right.isNumber else { return .null }
        if left.isDecimal || right.isDecimal {
            let one = left.decimal!, other = right.decimal!
            return .decimal(sign == .add ? one + other : sign == .subtract ? one - other : sign == .multiply ? one * other : one / other)
        }
        let one = left.double!, other = right.double!
        return .double(sign == .add ? one + other : sign == .subtract ? one - other : sign == .multiply ? one * other : one / other)
    }

    func figure(_ kind: AggregateKind, _ values: [Value]) -> Value {
        switch kind {
        case .count: return .int(Int64(values.count))
        case .sum:
            let wholes = values.compactMap { if case .int(let number) = $0 { Int128(number) } else { nil } }
            if wholes.count == values.count, !values.isEmpty {
                let sum = wholes.reduce(0, +)
                return Int64(exactly: sum).map { .int($0) } ?? .double(Double(sum))
            }
            return values.reduce(.int(0)) { calculated(.add, $0, $1) }
        case .avg:
            if values.isEmpty { return .null }
            let wholes = values.compactMap { if case .int(let number) = $0 { Int128(number) } else { nil } }
            if wholes.count == values.count { return .double(Double(wholes.reduce(0, +)) / Double(values.count)) }
            return .double(values.reduce(0) { $0 + ($1.double ?? 0) } / Double(values.count))
        case .min: return extreme(values) { before($0, $1) == true }
        case .max: return extreme(values) { before($1, $0) == true }
        }
    }

    private func extreme(_ values: [Value], _ isBetter: (Value, Value) -> Bool) -> Value {
        var best: Value?
        for value in values where value.double?.isNaN != true { if best.map({ isBetter(value, $0) }) ?? true { best = value } }
        return best ?? .null
    }
}

/// Remembers folded strings: each condition folds the same few hundred, which was most of the evaluator's time.
final class FoldedTexts {
    private var known: [TextOptions: TextMap<[UInt8]>] = [:]

    func bytes(_ text: String, _ options: TextOptions) -> [UInt8] {
        if let bytes = known[options]?[text] { return bytes }
        let bytes = FoldedText.bytes(text, options)
        known[options, default: TextMap()][text] = bytes
        return bytes
    }
}
