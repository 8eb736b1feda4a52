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
