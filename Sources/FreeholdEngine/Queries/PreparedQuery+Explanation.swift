extension PreparedQuery {
    /// How the query is answered: the way to the objects, what is asked of each, and the steps after that; a line for each.
    ///
    /// ```
    /// Person: index for city == "Oslo", 1000 objects of 1000000
    ///   then age > 30  (a cluster at a time)
    /// SORT(age DESC)
    /// ```
    public func explanation() throws(FreeholdError) -> String {
        let name = try table.className
        var lines: [String]
        switch try AccessPath.chosen(for: condition, of: table) {
        case .nothing: lines = ["\(name): nothing, as no object can meet the condition"]
        case .scan(let range):
            let part = range == .min ... .max ? "every one of \(table.count) objects" : "objects with keys from \(range.lowerBound) to \(range.upperBound)"
            lines = isConstantCondition ? ["\(name): all \(table.count) objects"] : ["\(name): scan of \(part)"] + condition.explained.map { "  " + $0 }
        case .index(let test, _, let estimate, let rest):
            lines = ["\(name): index for \(test.comparison.text), \(estimate) objects of \(table.count)"]
            lines += rest?.explained.map { "  then " + $0 } ?? []
        }
        for step in query.steps { lines.append(step.description) }
        return lines.joined(separator: "\n")
    }

    private var isConstantCondition: Bool { if case .constant = condition { true } else { false } }
}

extension BoundCondition {
    /// What is asked, in the order in which it is, and of what at once.
    fileprivate var explained: [String] {
        switch self {
        case .constant(let flag): ["\(flag)"]
        case .test(let test): ["\(test.comparison.text)  (a cluster at a time)"]
        case .comparison(let comparison): ["\(comparison.text)  (object by object)"]
        case .not(let part): ["none of"] + part.explained.map { "  " + $0 }
        case .all(let parts): parts.flatMap(\.explained)
        case .any(let parts): ["any of"] + parts.flatMap(\.explained).map { "  " + $0 }
        }
    }
}
