extension PreparedQuery {
    /// How the query is answered: the way to the objects with how many are expected there, what is asked of each, and the steps after that;
    /// a line for each.
    ///
    /// ```
    /// Person: index for city == "Oslo", about 1000 objects of 1000000
    ///   then
    ///     age > 30  (object by object)
    /// SORT(age DESC)
    /// read: 1000 objects from indexes, 1000 one by one
    /// ```
    /// - Parameter running: whether to answer it as well, and to tell what was read for that.
    public func explanation(running: Bool = false) throws(FreeholdError) -> String {
        let selection = try Selection(table, condition)
        var lines = try explained(selection)
        for step in query.steps { lines.append(step.description) }
        lines += notes.map { "note: \($0)" }
        guard running else { return lines.joined(separator: "\n") }
        let tally = QueryTally()
        let found = steps.contains(where: \.isGroup) ? try groups(tally).count : try keys(steps, tally).count
        return (lines + ["read: " + tally.description, "found: \(found)"]).joined(separator: "\n")
    }

    private func explained(_ selection: Selection) throws(FreeholdError) -> [String] {
        let name = try table.className, count = table.state.count
        var lines: [String]
        switch selection.path {
        case .nothing: return ["\(name): nothing, as no object can meet the condition"]
        case .scan(let range):
            let part = range == .min ... .max ? "every one of \(count) objects" : "objects with keys from \(range.lowerBound) to \(range.upperBound)"
            lines = selection.isEverything ? ["\(name): all \(table.count) objects"] : ["\(name): scan of \(part)"] + selection.condition.explained(byObject: false).map { "  " + $0 }
        case .index(let plan, let rest):
            lines = ["\(name): index for \(plan.text), about \(min(plan.estimate, count)) objects of \(count)"]
            if let rest { lines += ["  then"] + rest.explained(byObject: true).map { "    " + $0 } }
        }
        if let order = try orderExplained(selection) { lines.append("  " + order) }
        return lines
    }

    private func orderExplained(_ selection: Selection) throws(FreeholdError) -> String? {
        let sorts = steps.prefix { if case .sort = $0 { true } else { false } }
        guard !sorts.isEmpty, let limit = FoundKeys.limit(steps, sorts.endIndex) else { return nil }
        let keys = FoundKeys.merged(sorts), terms = keys.compactMap { $0.path.sortTerm(isAscending: $0.isAscending) }
        guard terms.count == keys.count else { return nil }
        return try selection.order(limit, by: terms)
    }
}

extension QueryTally {
    /// What was read, in words.
    var description: String {
        var parts: [String] = []
        if clusters > 0 { parts.append("\(clusters) clusters") }
        if leaves > 0 { parts.append("\(leaves) leaves\(leavesByBounds > 0 ? ", \(leavesByBounds) of them by their bounds alone" : "")") }
        if indexed > 0 { parts.append("\(indexed) objects from indexes") }
        if objects > 0 { parts.append("\(objects) objects one by one") }
        return parts.isEmpty ? "nothing" : parts.joined(separator: "; ")
    }
}

extension BoundCondition {
    /// What is asked, in the order in which it is, and of what at once.
    fileprivate func explained(byObject: Bool) -> [String] {
        switch self {
        case .constant(let flag): ["\(flag)"]
        case .test(let test): ["\(test.comparison.text)  (\(byObject ? "object by object" : test.explained))"]
        case .comparison(let comparison): ["\(comparison.text)  (object by object)"]
        case .not(let part): ["not"] + part.explainedTogether(byObject).map { "  " + $0 }
        case .all(let parts): parts.flatMap { $0.explained(byObject: byObject) }
        case .any(let parts): ["any of"] + parts.flatMap { $0.explainedTogether(byObject) }.map { "  " + $0 }
        }
    }
}

extension BoundCondition {
    private func explainedTogether(_ byObject: Bool) -> [String] {
        guard case .all(let parts) = self else { return explained(byObject: byObject) }
        return ["all of"] + parts.flatMap { $0.explained(byObject: byObject) }.map { "  " + $0 }
    }
}

extension ColumnTest {
    fileprivate var explained: String {
        if case .links(let set) = kind { return "a cluster at a time, by links to \(set.keys.count) objects" }
        return "a cluster at a time"
    }
}
