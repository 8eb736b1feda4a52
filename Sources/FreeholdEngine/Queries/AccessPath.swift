/// How the objects that a condition may be true of are found: the cheapest way there is.
enum AccessPath {
    /// No object can meet the condition.
    case nothing
    /// Every object is looked at, or those with keys of a range.
    case scan(ClosedRange<Int64>)
    /// An index names the candidates, so many; what else is asked is `rest`, nil if nothing is.
    case index(ColumnTest, IndexQuestion, estimate: Int, rest: BoundCondition?)
}

/// What an index is asked.
enum IndexQuestion {
    /// Objects with one of these values.
    case values([Value])
    case range(ValueRange)
}

extension AccessPath {
    /// Looking an object up costs about as much as passing over so many in a scan.
    private static let lookUpCost = 24

    static func chosen(for condition: BoundCondition, of table: Table) throws(FreeholdError) -> AccessPath {
        if case .constant(false) = condition { return .nothing }
        let parts: [BoundCondition]
        if case .all(let all) = condition { parts = all } else { parts = [condition] }
        var best: (part: Int, test: ColumnTest, question: IndexQuestion, estimate: Int)?, keys: ClosedRange<Int64> = .min ... .max
        for (place, part) in parts.enumerated() {
            guard case .test(let test) = part else { continue }
            if case .keys(let ranges) = test.kind {
                guard let low = ranges.first?.lowerBound, let high = ranges.map(\.upperBound).max(), low <= keys.upperBound, high >= keys.lowerBound else { return .nothing }
                keys = max(low, keys.lowerBound)...min(high, keys.upperBound)
                continue
            }
            guard let question = test.indexQuestion(in: table) else { continue }
            let estimate = try table.estimate(test.column, question)
            if best.map({ estimate < $0.estimate }) ?? true { best = (place, test, question, estimate) }
        }
        if keys != .min ... .max {
            let width = keys.upperBound.subtractingReportingOverflow(keys.lowerBound)
            if let best, width.overflow || best.estimate * lookUpCost < width.partialValue { return path(best, parts) }
            return .scan(keys)
        }
        guard let best, parts.count == 1 || best.estimate * lookUpCost < table.state.count else { return .scan(keys) }
        return path(best, parts)
    }

    private static func path(
        _ best: (part: Int, test: ColumnTest, question: IndexQuestion, estimate: Int), _ parts: [BoundCondition]
    ) -> AccessPath {
        var rest = parts
        rest.remove(at: best.part)
        return .index(best.test, best.question, estimate: best.estimate, rest: rest.isEmpty ? nil : rest.count == 1 ? rest[0] : .all(rest))
    }
}

extension ColumnTest {
    /// What the index of the property is asked for this; nil if there is none, or it cannot tell.
    func indexQuestion(in table: Table) -> IndexQuestion? {
        guard let stored = table.state.stored.properties.first(where: { $0.number == column.number }), stored.filesAll, stored.shape == nil else { return nil }
        var constants: [Value] = []
        for expression in comparison.right { constants.append(expression.constant ?? .null) }
        switch kind {
        case .null: return column.type == .link ? nil : .values([.null])
        case .integers(let ranges):
            // What was compared with may be of another type than the property, so the ranges say it.
            if ranges.isEmpty { return .values([]) }
            if ranges.allSatisfy({ $0.lowerBound == $0.upperBound }) { return .values(Self.distinct(ranges.map { value($0.lowerBound) })) }
            guard ranges.count == 1 else { return nil }
            return .range(ValueRange(from: .including(value(ranges[0].lowerBound)), to: .including(value(ranges[0].upperBound))))
        case .reals(let range): return column.type == .double ? .range(Self.range(range)) : nil
        case .dates(let range): return .range(ValueRange(from: .including(.date(range.lowerBound)), to: .including(.date(range.upperBound))))
        case .members(let members): return .values(members.map(value))
        case .uuids(let low, let high): return .range(ValueRange(from: .including(.uuid(low)), to: .including(.uuid(high))))
        case .objectIds(let low, let high): return .range(ValueRange(from: .including(.objectId(low)), to: .including(.objectId(high))))
        case .keys: return nil
        case .texts(let matchers):
            guard matchers.allSatisfy({ $0.options.isEmpty }) else { return nil }
            switch comparison.relation {
            case .equal, .isIn: return .values(Self.distinct(constants))
            case .beginsWith:
                guard case .string(let text) = constants[0], column.type == .string, !text.isEmpty else { return nil }
                return .range(.prefix(text))
            default: return nil
            }
        }
    }

    private func value(_ number: Int64) -> Value {
        switch column.type {
        case .bool: .bool(number != 0)
        case .link: .link(ObjectKey(number))
        default: .int(number)
        }
    }

    private static func range(_ range: ClosedRange<Double>) -> ValueRange {
        ValueRange(from: .including(.double(range.lowerBound)), to: .including(.double(range.upperBound)))
    }

    private static func distinct(_ values: [Value]) -> [Value] {
        var seen: Set<Value> = []
        return values.filter { seen.insert($0).inserted }
    }
}

extension Table {
    /// How many objects an index has for a question.
    func estimate(_ column: Column, _ question: IndexQuestion) throws(FreeholdError) -> Int {
        switch question {
        case .values(let values):
            var sum = 0
            for value in values { sum += try count(column, equals: value) }
            return sum
        case .range(let range): return try count(column, in: range)
        }
    }

    /// The objects that an index has for a question, ascending.
    func keys(_ column: Column, _ question: IndexQuestion) throws(FreeholdError) -> [ObjectKey] {
        var found: [ObjectKey] = []
        switch question {
        case .values(let values):
            if values.count == 1 { return try keys(column, equals: values[0]) }
            for value in values { found += try keys(column, equals: value) }
        case .range(let range): found = try keys(column, in: range)
        }
        return found.sorted { $0.rawValue < $1.rawValue }
    }
}
