extension PreparedQuery {
    /// Describes how the query is executed, a line for each: the access path with the expected number of objects, the
    /// conditions tested on each, and the steps after that.
    ///
    /// ```
    /// Person: index for city == "Oslo", about 1000 objects of 1000000
    ///   then
    ///     age > 30  (object by object)
    /// SORT(age DESC)
    /// read: 1000 objects from indexes, 1000 one by one
    /// ```
    /// - Parameter running: whether to run the query as well, and report what it read.
    public func explanation(running: Bool = false) throws(FreeholdError) -> String {
        let selection = try Selection(table, condition)
        let isFused = steps.first?.isFusion == true
        var lines = isFused ? ["\(try table.className): by the positions in rankings"] : try explained(selection)
        for (step, bound) in zip(query.steps, steps) {
            lines.append(step.shortText)
            if case .fuse(let fusion) = bound { lines += try fusion.explanation().map { "  " + $0 } }
        }
        var notes = try notes + collationNotes(lines) + indexNotes()
        for search in selection.condition.searches { notes += try TextPlan.notes(on: search, of: table) }
        if !isFused, let unused = try unusedIndex(selection) { notes.append(unused) }
        if case .nearest(let nearest) = steps.first { notes += try VectorSketches.notes(on: nearest, of: table) }
        lines += notes.map { "note: \($0)" }
        guard running else { return lines.joined(separator: "\n") }
        let tally = QueryTally()
        let found = steps.contains(where: \.isGroup) ? try groups(tally).count : try keys(steps, tally).count
        return (lines + ["read: " + tally.description, "found: \(found)"]).joined(separator: "\n")
    }

    /// What is said of an index that could answer the condition where a scan is cheaper; nil if there is none.
    private func unusedIndex(_ selection: Selection) throws(FreeholdError) -> String? {
        guard case .scan = selection.path, !selection.isEverything,
              let plan = try IndexChoice(table).best(of: selection.condition.parts, objects: table.state.count)?.plan else { return nil }
        let count = table.state.count, estimate = min(plan.estimate, count)
        return "the index for \(plan.text) is not used: it has about \(estimate) of \(count) objects, and a scan is cheaper"
    }

    /// What orders strings, each language once; nothing of a sort key that the lines say an index orders.
    private func collationNotes(_ lines: [String]) throws(FreeholdError) -> [String] {
        var notes: [String] = []
        for case .sort(let keys) in steps {
            for key in keys {
                guard let collation = key.collation, !notes.contains(collation.note), try !isWalked(key, lines) else { continue }
                notes.append(collation.note)
            }
        }
        return notes
    }

    private func isWalked(_ key: BoundSort, _ lines: [String]) throws(FreeholdError) -> Bool {
        guard let term = try key.term.map({ term throws(FreeholdError) in try CheckedTerm(term, of: table) }), term.links.isEmpty,
              let collation = term.collation else { return false }
        let line = "  in the order of the index of " + CollatedTree.text(term, collation)
        return lines.contains { $0.hasPrefix(line) && !$0.hasSuffix(" are to be sorted") }
    }

    /// Why an index in the collation of the sort is not used, a sentence each.
    private func indexNotes() throws(FreeholdError) -> [String] {
        guard let place = steps.firstIndex(where: \.isSort),
              let term = FoundKeys.merged(steps[place...].prefix(while: \.isSort)).first?.term else { return [] }
        return try CollatedTree.notes(on: CheckedTerm(term, of: table), of: table)
    }

    private func explained(_ selection: Selection) throws(FreeholdError) -> [String] {
        let name = try table.className, count = table.state.count
        var lines: [String]
        switch selection.path {
        case .nothing: return ["\(name): nothing, because no object can match the condition"]
        case .scan(let range):
            let part = range == .min ... .max ? "every one of \(count) objects" : "objects with keys from \(range.lowerBound) to \(range.upperBound)"
            lines = selection.isEverything ? ["\(name): all \(table.count) objects"] : ["\(name): scan of \(part)"] + selection.condition.explained(byObject: false).map { "  " + $0 }
        case .index(let plan, let rest):
            lines = ["\(name): index for \(plan.text), about \(min(plan.estimate, count)) objects of \(count)"]
            if let rest { lines += ["  then"] + rest.explained(byObject: true).map { "    " + $0 } }
        }
        if let order = try orderExplained(selection) { lines.append("  " + order) }
        if case .nearest(let nearest) = steps.first {
            let count = if case .index(let plan, _) = selection.path { plan.estimate } else { table.count }
            if let order = try VectorScores(nearest, table).explained(among: count) { lines.append("  " + order) }
        }
        return lines
    }

    private func orderExplained(_ selection: Selection) throws(FreeholdError) -> String? {
        let sorts = steps.prefix { if case .sort = $0 { true } else { false } }
        guard !sorts.isEmpty else { return nil }
        let keys = FoundKeys.merged(sorts)
        guard let limit = FoundKeys.limit(steps, sorts.endIndex) else { return try walkExplained(selection, keys) }
        if let scores = FoundKeys.bestFirst(keys) { return try selection.bestExplained(limit, by: scores) }
        if let distance = FoundKeys.nearestFirst(keys) { return try selection.nearestExplained(limit, by: distance) }
        let terms = keys.compactMap(\.term)
        guard terms.count == keys.count else { return nil }
        if let order = try selection.order(limit, by: terms) { return order }
        return try walkExplained(selection, keys)
    }

    /// How objects are sorted along an index in a collation; nil if they are sorted one by one.
    private func walkExplained(_ selection: Selection, _ keys: [BoundSort]) throws(FreeholdError) -> String? {
        if case .index(let plan, _) = selection.path, !CollatedWalk.areMany(plan.estimate, table) { return nil }
        let terms = keys.compactMap(\.term)
        guard terms.count == keys.count, !terms.isEmpty else { return nil }
        let checked = try terms.map { term throws(FreeholdError) in try CheckedTerm(term, of: table) }
        let text = try CollatedWalk.explained(table, checked)
        return selection.isEverything ? text : text.map { $0 + ", if more than a quarter of the objects are to be sorted" }
    }
}

extension QueryTally {
    /// The counters, as text.
    var description: String {
        var parts: [String] = []
        if clusters > 0 { parts.append("\(clusters) clusters") }
        if leaves > 0 { parts.append("\(leaves) leaves\(leavesByBounds > 0 ? ", \(leavesByBounds) of them by their bounds alone" : "")") }
        if indexed > 0 { parts.append("\(indexed) objects from indexes") }
        if objects > 0 { parts.append("\(objects) objects one by one") }
        if vectors > 0 { parts.append("the vectors of \(vectors) objects") }
        if sorted > 0 { parts.append("the values of \(sorted) objects to sort by") }
        return parts.isEmpty ? "nothing" : parts.joined(separator: "; ")
    }
}

extension BoundCondition {
    /// The conditions in the order of their evaluation, and which of them are tested for whole clusters.
    fileprivate func explained(byObject: Bool) -> [String] {
        switch self {
        case .constant(let flag): ["\(flag)"]
        case .test(let test): ["\(test.comparison.text)  (\(byObject ? "object by object" : test.explained))"]
        case .comparison(let comparison): ["\(comparison.text)  (object by object)"]
        case .search(let search): ["\(search.text)  (object by object)"]
        case .within(let within): ["\(within.text)  (object by object)"]
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
