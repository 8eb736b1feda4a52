/// How the objects that a condition may be true of are found: the cheapest way there is.
enum AccessPath {
    /// No object can meet the condition.
    case nothing
    /// Every object is looked at, or those with keys of a range.
    case scan(ClosedRange<Int64>)
    /// Indexes name the candidates; what else is asked is `rest`, nil if nothing is.
    case index(IndexPlan, rest: BoundCondition?)

    /// - Parameter isCounting: whether only how many objects there are is asked.
    static func chosen(for condition: BoundCondition, of table: Table, isCounting: Bool = false) throws(FreeholdError) -> AccessPath {
        if case .constant(false) = condition { return .nothing }
        let parts = condition.parts
        guard let keys = keys(parts) else { return .nothing }
        var objects = table.state.count
        let width = keys.upperBound.subtractingReportingOverflow(keys.lowerBound)
        if !width.overflow, width.partialValue < Int64(objects) { objects = Int(width.partialValue) + 1 }
        guard let found = try IndexChoice(table).best(of: parts, objects: objects) else { return .scan(keys) }
        let rest = found.rest
        if rest == nil, isCounting, found.plan.isCountedAtOnce { return .index(found.plan, rest: nil) }
        let cost = found.plan.cost + found.plan.estimate * (rest.map { IndexPlan.Cost.lookUp + $0.cost } ?? 0)
        return cost < objects * condition.scanCost / 2 + IndexPlan.Cost.descent ? .index(found.plan, rest: rest) : .scan(keys)
    }

    /// The keys that objects may have; nil if none may.
    private static func keys(_ parts: [BoundCondition]) -> ClosedRange<Int64>? {
        var keys: ClosedRange<Int64> = .min ... .max
        for part in parts {
            guard case .test(let test) = part, case .keys(let ranges) = test.kind else { continue }
            guard let low = ranges.first?.lowerBound, let high = ranges.map(\.upperBound).max(), low <= keys.upperBound, high >= keys.lowerBound else { return nil }
            keys = max(low, keys.lowerBound)...min(high, keys.upperBound)
        }
        return keys
    }
}

extension BoundCondition {
    /// What all has to be true.
    var parts: [BoundCondition] { if case .all(let parts) = self { parts } else { [self] } }

    /// What asking it of every object of a cluster costs for each of them, about, in half nanoseconds: what is dear is asked of those that
    /// the cheap parts leave.
    var scanCost: Int {
        switch self {
        case .constant: 1
        case .test(let test): 1 + test.cost
        case .comparison(let comparison): 2 * comparison.cost
        case .not(let part): part.scanCost
        case .any(let parts): parts.reduce(0) { $0 + $1.scanCost }
        case .all(let parts): (parts.first?.scanCost ?? 1) + parts.dropFirst().reduce(0) { $0 + ($1.scanCost + 3) / 4 }
        }
    }
}

/// Chooses among the indexes of a table.
struct IndexChoice {
    let table: Table

    init(_ table: Table) { self.table = table }

    /// A plan, and which of the parts it answers.
    struct Found {
        let plan: IndexPlan
        let parts: Set<Int>
        let all: [BoundCondition]

        /// What is left to be asked.
        var rest: BoundCondition? { IndexChoice.rest(of: all, without: plan.isExact ? parts : []) }
    }

    /// What is left of what all has to be true; nil if nothing is.
    static func rest(of all: [BoundCondition], without parts: Set<Int>) -> BoundCondition? {
        let left = all.indices.filter { !parts.contains($0) }.map { all[$0] }
        return left.isEmpty ? nil : left.count == 1 ? left[0] : .all(left)
    }

    /// The cheapest indexes for what all has to be true; nil if there is none.
    func best(of parts: [BoundCondition], objects: Int) throws(FreeholdError) -> Found? {
        var plans: [(plan: IndexPlan, parts: Set<Int>)] = try several(parts)
        for (place, part) in parts.enumerated() {
            if let plan = try plan(part) { plans.append((plan, [place])) }
        }
        guard var best = plans.min(by: { cost($0, parts) < cost($1, parts) }) else { return nil }
        // Objects that another index excludes need not be looked at.
        for other in plans where other.plan.isExact && best.plan.isExact && other.parts.isDisjoint(with: best.parts) {
            let estimate = Int(Double(best.plan.estimate) * Double(other.plan.estimate) / Double(max(1, objects)))
            let both = (plan: IndexPlan(intersection: [best.plan, other.plan], estimate: estimate), parts: best.parts.union(other.parts))
            if cost(both, parts) < cost(best, parts) { best = both }
        }
        return Found(plan: best.plan, parts: best.parts, all: parts)
    }

    /// With looking at what is named for what else is asked.
    private func cost(_ given: (plan: IndexPlan, parts: Set<Int>), _ parts: [BoundCondition]) -> Int {
        guard let rest = Found(plan: given.plan, parts: given.parts, all: parts).rest else { return given.plan.cost }
        return given.plan.cost + given.plan.estimate * (IndexPlan.Cost.lookUp + rest.cost)
    }

    /// The plan for one condition.
    private func plan(_ condition: BoundCondition) throws(FreeholdError) -> IndexPlan? {
        switch condition {
        case .test(let test): return try plan(test)
        case .any(let arms):
            var plans: [IndexPlan] = []
            for arm in arms {
                guard let plan = try plan(arm) else { return nil }
                plans.append(plan)
            }
            return IndexPlan(union: plans)
        case .all(let parts):
            guard let found = try best(of: parts, objects: table.state.count) else { return nil }
            return found.rest == nil ? found.plan : found.plan.inexact
        default: return nil
        }
    }

    private func plan(_ test: ColumnTest) throws(FreeholdError) -> IndexPlan? {
        guard let column = indexed(test), let question = test.question else { return nil }
        switch question {
        case .values(let values):
            if column.type == .link, values.contains(.null) { return nil }
            var spans: [IndexSpan] = []
            for value in values {
                let bound = ValueRange.Bound.including(value)
                spans.append(try table.span(column, ValueRange(from: bound, to: bound)))
            }
            return try IndexPlan(spans, isOrdered: true, text: test.comparison.text)
        case .range(let range): return try IndexPlan([try table.span(column, range)], isOrdered: false, text: test.comparison.text)
        }
    }

    /// The property, if it has an index that every object is in.
    private func indexed(_ test: ColumnTest) -> Column? {
        guard let index = try? table.state.index(of: test.column) else { return nil }
        let property = table.state.stored.properties[index]
        return property.filesAll && property.shape == nil && !property.isObjectKey ? table.state.stored.column(index) : nil
    }
}
