/// Translation of comparisons into tests of whole clusters.
extension ColumnTest {
    /// The test equivalent to a comparison; nil if there is none.
    static func made(_ comparison: BoundComparison) -> ColumnTest? {
        guard comparison.quantifier == nil, case .path(let path) = comparison.left, let column = path.column, !column.isCollection else { return nil }
        var constants: [Value] = []
        for expression in comparison.right {
            guard let constant = expression.constant else { return nil }
            constants.append(constant)
        }
        guard let kind = kind(column, comparison, constants) else { return nil }
        return ColumnTest(column, kind, comparison)
    }

    private static func kind(_ column: Column, _ comparison: BoundComparison, _ constants: [Value]) -> Kind? {
        if comparison.relation == .equal, constants == [.null], column.type != .mixed, !column.isObjectKey { return .null }
        if constants.contains(.null) { return nil }
        switch column.type {
        case .int, .bool, .link:
            if comparison.relation == .isIn, constants.count > 1 { return members(constants).map { column.isObjectKey ? .keys($0.map { $0...$0 }) : .members($0) } }
            return integers(comparison.relation, constants).map { column.isObjectKey ? .keys($0) : .integers($0) }
        case .uuid: return uuids(comparison.relation, constants)
        case .objectId: return objectIds(comparison.relation, constants)
        case .double: return reals(comparison.relation, constants).map { .reals($0) }
        case .float: return reals(comparison.relation, constants).map { .reals($0) }
        case .date: return dates(comparison.relation, constants).map { .dates($0) }
        case .string, .data: return texts(comparison, constants)
        default: return nil
        }
    }

    // MARK: whole numbers

    private static func integers(_ relation: QueryComparison.Relation, _ constants: [Value]) -> [ClosedRange<Int64>]? {
        if relation == .between, constants.count == 2 {
            guard let low = integers(.greaterOrEqual, [constants[0]]), let high = integers(.lessOrEqual, [constants[1]]) else { return nil }
            guard let from = low.first?.lowerBound, let to = high.first?.upperBound, from <= to else { return [] }
            return [from...to]
        }
        guard constants.count == 1, let (floor, isWhole) = whole(constants[0]) else { return nil }
        switch relation {
        case .equal, .isIn: return isWhole ? [floor...floor] : []
        case .less: return isWhole ? (floor == .min ? [] : [.min ... floor - 1]) : [.min ... floor]
        case .lessOrEqual: return [.min ... floor]
        case .greater: return floor == .max ? [] : [(floor + 1) ... .max]
        case .greaterOrEqual: return isWhole ? [floor ... .max] : floor == .max ? [] : [(floor + 1) ... .max]
        default: return nil
        }
    }

    /// The integers among several values, ascending; nil if another value could still equal an integer.
    private static func members(_ constants: [Value]) -> [Int64]? {
        var members: Set<Int64> = []
        for constant in constants {
            guard let ranges = integers(.equal, [constant]) else { return nil }
            for range in ranges { members.insert(range.lowerBound) }
        }
        return members.sorted()
    }

    /// The largest integer not above a value, and whether it equals the value; nil beyond 64 bits.
    private static func whole(_ value: Value) -> (floor: Int64, isWhole: Bool)? {
        switch value {
        case .bool(let flag): return (flag ? 1 : 0, true)
        case .int(let number): return (number, true)
        case .link(let key): return (key.rawValue, true)
        case .double(let number): return Int64(exactly: number.rounded(.down)).map { ($0, number == number.rounded(.down)) }
        case .float(let number): return Int64(exactly: number.rounded(.down)).map { ($0, number == number.rounded(.down)) }
        default: return nil
        }
    }

    // MARK: reals

    private static func reals(_ relation: QueryComparison.Relation, _ constants: [Value]) -> ClosedRange<Double>? {
        if relation == .between, constants.count == 2 {
            guard let low = real(constants[0]), let high = real(constants[1]), low <= high else { return nil }
            return low...high
        }
        guard constants.count == 1, let number = real(constants[0]) else { return nil }
        switch relation {
        case .equal: return number...number
        case .lessOrEqual: return -.infinity...number
        case .greaterOrEqual: return number ... .infinity
        // The reals below a finite one end at its predecessor; for a float, the range is rounded inwards.
        case .less: return number == -.infinity ? nil : -.infinity...number.nextDown
        case .greater: return number == .infinity ? nil : number.nextUp ... .infinity
        default: return nil
        }
    }

    private static func real(_ value: Value) -> Double? {
        switch value {
        case .double(let number): number.isNaN ? nil : number
        case .float(let number): number.isNaN ? nil : Double(number)
        default: nil
        }
    }

    // MARK: ids

    private static func uuids(_ relation: QueryComparison.Relation, _ constants: [Value]) -> Kind? {
        let first = UniqueIdentifier(high: 0, low: 0), last = UniqueIdentifier(high: .max, low: .max)
        if relation == .between, constants.count == 2, case .uuid(let low) = constants[0], case .uuid(let high) = constants[1] { return .uuids(low, high) }
        guard constants.count == 1, case .uuid(let id) = constants[0] else { return nil }
        switch relation {
        case .equal, .isIn: return .uuids(id, id)
        case .lessOrEqual: return .uuids(first, id)
        case .greaterOrEqual: return .uuids(id, last)
        default: return nil
        }
    }

    private static func objectIds(_ relation: QueryComparison.Relation, _ constants: [Value]) -> Kind? {
        let first = ObjectIdentifier12(high: 0, low: 0), last = ObjectIdentifier12(high: .max, low: .max)
        if relation == .between, constants.count == 2, case .objectId(let low) = constants[0], case .objectId(let high) = constants[1] { return .objectIds(low, high) }
        guard constants.count == 1, case .objectId(let id) = constants[0] else { return nil }
        switch relation {
        case .equal, .isIn: return .objectIds(id, id)
        case .lessOrEqual: return .objectIds(first, id)
        case .greaterOrEqual: return .objectIds(id, last)
        default: return nil
        }
    }

    // MARK: dates and texts

    private static func dates(_ relation: QueryComparison.Relation, _ constants: [Value]) -> ClosedRange<Timestamp>? {
        let first = Timestamp(seconds: .min), last = Timestamp(seconds: .max, nanoseconds: 999_999_999)
        if relation == .between, constants.count == 2, case .date(let low) = constants[0], case .date(let high) = constants[1], low <= high { return low...high }
        guard constants.count == 1, case .date(let date) = constants[0] else { return nil }
        switch relation {
        case .equal: return date...date
        case .lessOrEqual: return first...date
        case .greaterOrEqual: return date...last
        case .less: return date.previous.map { first...$0 }
        case .greater: return date.next.map { $0...last }
        default: return nil
        }
    }

    private static func texts(_ comparison: BoundComparison, _ constants: [Value]) -> Kind? {
        if comparison.relation.isOrdering { return TextRange(comparison.relation, constants).map { .textRange($0) } }
        guard [.equal, .isIn, .beginsWith, .endsWith, .contains, .like].contains(comparison.relation) else { return nil }
        var matchers: [TextMatcher] = []
        for constant in constants {
            guard let needle = constant.bytes else { return nil }
            matchers.append(TextMatcher(comparison.relation, needle, comparison.options))
        }
        return matchers.isEmpty || matchers.count > 64 ? nil : .texts(matchers)
    }
}

extension Timestamp {
    /// The timestamp a nanosecond later; nil at the end of the range.
    var next: Timestamp? {
        if nanoseconds < 999_999_999 { return Timestamp(seconds: seconds, nanoseconds: nanoseconds + 1) }
        return seconds == .max ? nil : Timestamp(seconds: seconds + 1)
    }

    /// The timestamp a nanosecond earlier; nil at the beginning of the range.
    var previous: Timestamp? {
        if nanoseconds > 0 { return Timestamp(seconds: seconds, nanoseconds: nanoseconds - 1) }
        return seconds == .min ? nil : Timestamp(seconds: seconds - 1, nanoseconds: 999_999_999)
    }
}
