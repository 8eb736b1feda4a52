/// A lookup in an index.
enum IndexQuestion {
    /// Objects with one of these values.
    case values([Value])
    case range(ValueRange)
}

extension ColumnTest {
    /// The lookup that answers this test in an index over the property; nil if no index can answer it.
    var question: IndexQuestion? {
        switch kind {
        case .null: return .values([.null])
        case .integers(let ranges):
            // The constants may be of another type than the property, so the lookup uses the ranges.
            if ranges.isEmpty { return .values([]) }
            if ranges.allSatisfy({ $0.lowerBound == $0.upperBound }) { return .values(Self.distinct(ranges.map { value($0.lowerBound) })) }
            guard ranges.count == 1, column.type != .link else { return nil }
            return .range(ValueRange(from: .including(value(ranges[0].lowerBound)), to: .including(value(ranges[0].upperBound))))
        case .reals(let range): return question(range)
        case .dates(let range): return Self.question(.date(range.lowerBound), .date(range.upperBound))
        case .members(let members): return .values(members.map(value))
        case .links(let set): return .values(set.keys.map(value))
        case .uuids(let low, let high): return Self.question(.uuid(low), .uuid(high))
        case .objectIds(let low, let high): return Self.question(.objectId(low), .objectId(high))
        case .keys: return nil
        case .textRange(let range): return range.values(of: column.type).map { .range($0) }
        case .texts(let matchers): return question(matchers)
        }
    }

    private func question(_ matchers: [TextMatcher]) -> IndexQuestion? {
        guard matchers.allSatisfy({ $0.options.isEmpty }) else { return nil }
        var constants: [Value] = []
        for expression in comparison.right { constants.append(expression.constant ?? .null) }
        switch comparison.relation {
        case .equal, .isIn: return .values(Self.distinct(constants))
        case .beginsWith:
            guard case .string(let text) = constants[0], column.type == .string, !text.isEmpty else { return nil }
            return .range(.prefix(text))
        default: return nil
        }
    }

    private func question(_ range: ClosedRange<Double>) -> IndexQuestion? {
        if column.type == .double { return Self.question(.double(range.lowerBound), .double(range.upperBound)) }
        let low = Float(range.lowerBound), high = Float(range.upperBound)
        let from = Double(low) < range.lowerBound ? low.nextUp : low, to = Double(high) > range.upperBound ? high.nextDown : high
        return from <= to ? Self.question(.float(from), .float(to)) : .values([])
    }

    /// A lookup of the values from one to another.
    private static func question(_ low: Value, _ high: Value) -> IndexQuestion {
        low == high ? .values([low]) : .range(ValueRange(from: .including(low), to: .including(high)))
    }

    private func value(_ number: Int64) -> Value {
        switch column.type {
        case .bool: .bool(number != 0)
        case .link: .link(ObjectKey(number))
        default: .int(number)
        }
    }

    private static func distinct(_ values: [Value]) -> [Value] {
        var seen: Set<DistinctValue> = []
        return values.filter { seen.insert(DistinctValue($0)).inserted }
    }
}
