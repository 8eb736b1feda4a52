/// The cheapest way to find the objects that may meet a condition.
enum AccessPath {
    /// No object can meet the condition.
    case nothing
    /// Every object is tested, or those with keys in a range.
    case scan(ClosedRange<Int64>)
    /// Indexes name the candidates; `rest` is the condition still to test, nil if there is none.
    case index(IndexPlan, rest: BoundCondition?)

    /// - Parameter isCounting: whether only the number of objects is needed.
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

    /// The range of keys that matching objects may have; nil if none may match.
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
    /// The conditions that must all be true.
    var parts: [BoundCondition] { if case .all(let parts) = self { parts } else { [self] } }

    /// The approximate cost of testing each object of a cluster, in half nanoseconds. Expensive conditions are tested
    /// only on the objects that the cheap ones leave.
    var scanCost: Int {
        switch self {
        case .constant: 1
        case .test(let test): 1 + test.cost
        case .comparison(let comparison): 2 * comparison.cost
        case .search(let search): 2 * search.cost
        case .within(let within): 2 * within.cost
        case .not(let part): part.scanCost
        case .any(let parts): parts.reduce(0) { $0 + $1.scanCost }
        case .all(let parts): (parts.first?.scanCost ?? 1) + parts.dropFirst().reduce(0) { $0 + ($1.scanCost + 3) / 4 }
        }
    }
}
