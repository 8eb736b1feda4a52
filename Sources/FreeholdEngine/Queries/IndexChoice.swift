/// Chooses among the indexes of a table.
struct IndexChoice {
    let table: Table

    init(_ table: Table) { self.table = table }

    /// A plan, and the parts of the condition that it answers.
    struct Found {
        let plan: IndexPlan
        let parts: Set<Int>
        let all: [BoundCondition]

        /// Conditions on the key alone are tested on the candidates' keys, without their objects.
        fileprivate var ofKeys: Found {
            var found = self
            for (place, part) in all.enumerated() {
                guard case .test(let test) = part, case .keys(let ranges) = test.kind, !parts.contains(place) else { continue }
                let plan = IndexPlan(found.plan, within: ranges, text: test.comparison.text)
                found = Found(plan: plan, parts: found.parts.union([place]), all: all)
            }
            return found
        }

        /// The condition still to test.
        var rest: BoundCondition? { IndexChoice.rest(of: all, without: plan.isExact ? parts : []) }
    }

    /// The conjunction of the parts not answered; nil if there are none.
    static func rest(of all: [BoundCondition], without parts: Set<Int>) -> BoundCondition? {
        if parts.count == all.count { return nil }
        let left = all.indices.filter { !parts.contains($0) }.map { all[$0] }
        return left.isEmpty ? nil : left.count == 1 ? left[0] : .all(left)
    }

    /// The cheapest indexes for a conjunction of parts; nil if there are none.
    func best(of parts: [BoundCondition], objects: Int) throws(FreeholdError) -> Found? {
        if parts.count == 1, table.state.stored.indexes.isEmpty {
            return try plan(parts[0]).map { Found(plan: $0, parts: [0], all: parts) }
        }
        var plans: [(plan: IndexPlan, parts: Set<Int>)] = try several(parts)
        let joined = try joined(parts)
        plans += joined
        for (place, part) in parts.enumerated() where !joined.contains(where: { $0.parts.contains(place) }) {
            guard let plan = try plan(part) else { continue }
            plans.append((plan, [place]))
            // It names few objects, and costs less than asking another index.
            if cost(plans.last!, parts) <= 2 * IndexPlan.Cost.descent { break }
        }
        guard var best = plans.min(by: { cost($0, parts) < cost($1, parts) }) else { return nil }
        // Objects that another index excludes need not be tested.
        for other in plans where other.plan.isExact && best.plan.isExact && other.parts.isDisjoint(with: best.parts) {
            let estimate = Int(Double(best.plan.estimate) * Double(other.plan.estimate) / Double(max(1, objects)))
            let both = (plan: IndexPlan(intersection: [best.plan, other.plan], estimate: estimate), parts: best.parts.union(other.parts))
            if cost(both, parts) < cost(best, parts) { best = both }
        }
        return Found(plan: best.plan, parts: best.parts, all: parts).ofKeys
    }

    /// The cost of a plan, including the test of the remaining condition on each candidate.
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
        case .search(let search):
            guard let plan = try TextPlan(search, table) else { return nil }
            return IndexPlan(plan, text: search.text, tail: table.state.tailCount * search.cost)
        case .comparison(let comparison): return try plan(comparison)
        case .within(let within):
            guard let plan = try PlacePlan(within, table) else { return nil }
            return IndexPlan(plan, text: within.text, tail: table.state.tailCount * within.cost)
        default: return nil
        }
    }

    private func plan(_ test: ColumnTest) throws(FreeholdError) -> IndexPlan? {
        guard let column = indexed(test), let question = test.question else { return nil }
        return try plan(column, question, text: test.comparison.text)
    }

    func plan(_ column: Column, _ question: IndexQuestion, text: @autoclosure @escaping () -> String) throws(FreeholdError) -> IndexPlan? {
        switch question {
        case .values(let values):
            if column.type == .link, values.contains(.null) { return nil }
            var spans: [IndexSpan] = []
            for value in values {
                let bound = ValueRange.Bound.including(value)
                spans.append(try table.span(column, ValueRange(from: bound, to: bound)))
            }
            return try IndexPlan(spans, isOrdered: true, text: text())
        case .range(let range): return try IndexPlan([try table.span(column, range)], isOrdered: false, text: text())
        }
    }

    /// The property, if it has an index that every object is in.
    func indexed(_ test: ColumnTest) -> Column? {
        guard let index = try? table.state.index(of: test.column) else { return nil }
        let property = table.state.stored.properties[index]
        return property.filesAll && property.shape == nil && !property.isObjectKey ? table.state.stored.column(index) : nil
    }
}
