/// A query with names resolved in a table. It can be run any number of times while the table's snapshot stays at its
/// version, or until its transaction changes a class that the query reads.
///
/// ```swift
/// let adults = try people.prepare(ObjectQuery("age >= 18 SORT(name ASC)"))
/// print(try adults.count(), try adults.keys().first as Any)
/// print(try adults.explanation())
/// ```
public struct PreparedQuery {
    let table: Table
    /// The query as it was written.
    public let query: ObjectQuery
    let condition: BoundCondition
    let steps: [BoundQueryStep]
    /// The scores of the objects; nil without a full-text search.
    let scores: TextScores?
    /// Whether this brings an answer of an earlier version up to date. Then `NEAREST` finds nothing where no vector has the
    /// wanted length; a query that begins throws, as the dimensions are probably mistaken.
    public var isContinued = false

    /// - Parameter outer: a further condition that objects must meet, whose searches have no scores; nil for none.
    init(_ table: Table, _ query: ObjectQuery, within outer: QueryCondition? = nil) throws(FreeholdError) {
        self.table = table
        self.query = query
        var binder = QueryBinder(table)
        let condition = try binder.condition(query.condition)
        let all = try outer.map { outer throws(FreeholdError) in BoundCondition.all([try binder.condition(outer), condition]) } ?? condition
        self.condition = all.ordered()
        scores = query.condition.hasSearch ? TextScores(condition.scoredSearches, table) : nil
        if let scores { binder.scores = scores }
        var steps: [BoundQueryStep] = []
        for step in query.steps {
            guard case .fuse(let fusion) = step else {
                steps.append(try binder.step(step))
                continue
            }
            // As the first step, FUSE looks at once for objects that meet both conditions, rankings of rankings included; else it
            // ranks what is found before.
            let shared = steps.isEmpty ? outer.map { $0 && query.condition } ?? query.condition : nil
            let bound = try BoundFusion(fusion) { ranking throws(FreeholdError) in try PreparedQuery(table, ranking, within: shared) }
            steps.append(.fuse(bound))
        }
        self.steps = steps
    }

    /// The matching objects, in the order of the last SORT, or of their keys. Throws `.malformedInput` for a query with
    /// groups.
    public func keys() throws(FreeholdError) -> [ObjectKey] { try keys(steps, nil) }

    func keys(_ steps: [BoundQueryStep], _ tally: QueryTally?) throws(FreeholdError) -> [ObjectKey] {
        try requireObjects()
        if case .fuse(let fusion) = steps.first {
            var all = FoundKeys(table, try fusion.best(of: nil, tally, isContinued: isContinued), isContinued: isContinued, tally)
            try all.apply(Array(steps.dropFirst()))
            return try all.keys()
        }
        let selection = try Selection(table, condition, tally)
        var rest = steps[...]
        var found = try firstOfOrder(selection, &rest)
        if found == nil {
            var limit = Int.max
            if case .limit(let count) = steps.first { limit = count }
            // All objects need no key list until a step uses their keys.
            if limit < .max || !selection.isEverything { found = try selection.keys(limit: limit) }
        }
        if let found, rest.isEmpty { return found }
        var all = FoundKeys(table, found, isContinued: isContinued, tally)
        try all.apply(Array(rest))
        return try all.keys()
    }

    /// The first objects in sort order, if the steps limit their number and there is a cheaper way than to sort all of
    /// them. Removes the steps it has applied from `steps`.
    private func firstOfOrder(_ selection: Selection, _ steps: inout ArraySlice<BoundQueryStep>) throws(FreeholdError) -> [ObjectKey]? {
        let sorts = steps.prefix { if case .sort = $0 { true } else { false } }
        guard !sorts.isEmpty, let limit = FoundKeys.limit(Array(steps), sorts.endIndex) else { return nil }
        let keys = FoundKeys.merged(sorts)
        if let scores = FoundKeys.bestFirst(keys) {
            guard let found = try selection.best(limit, by: scores) else { return nil }
            steps = steps[sorts.endIndex...]
            return found
        }
        if let distance = FoundKeys.nearestFirst(keys) {
            guard let found = try selection.nearest(limit, by: distance) else { return nil }
            steps = steps[sorts.endIndex...]
            return found
        }
        let terms = keys.compactMap(\.term)
        guard terms.count == keys.count, let found = try selection.first(limit, by: terms) else { return nil }
        steps = steps[sorts.endIndex...]
        return found
    }

    /// The number of objects; for a query with groups, the number of groups.
    public func count() throws(FreeholdError) -> Int { try count(nil) }

    func count(_ tally: QueryTally?) throws(FreeholdError) -> Int {
        if hasGroups { return try groups().count }
        if steps.contains(where: \.looksAtValues) { return try keys(steps, tally).count }
        var count = try Selection(table, condition, tally, isCounting: true).count()
        for step in steps {
            switch step {
            case .limit(let limit): count = min(count, limit)
            case .offset(let offset): count = max(0, count - offset)
            case .sort, .distinct, .nearest, .fuse, .group: continue
            }
        }
        return count
    }

    /// The first object, or nil.
    public func first() throws(FreeholdError) -> ObjectKey? { try keys(steps + [.limit(1)], nil).first }

    /// Whether an object meets the condition, ignoring the steps; false if no object has this key.
    public func matches(_ key: ObjectKey) throws(FreeholdError) -> Bool {
        guard let row = try table.row(key) else { return false }
        let context = QueryContext()
        context.rows = [row]
        return try condition.holds(context)
    }

    /// The groups of a query that ends with GROUP(…) SELECT(…), in the order of their values.
    public func groups() throws(FreeholdError) -> [QueryGroup] { try groups(nil) }

    func groups(_ tally: QueryTally?) throws(FreeholdError) -> [QueryGroup] {
        let selection = try Selection(table, condition, tally)
        if case .group(let paths, let figures) = steps.first, selection.isScan,
           let scan = GroupScan(table, selection.isEverything ? nil : selection.condition, paths, figures, tally) {
            return limited(QueryGroups.ordered(try scan.groups()), steps[1...])
        }
        if steps.first?.isFusion == true { return try groups(of: nil) }
        return try groups(of: selection.isEverything ? nil : try selection.keys(limit: .max))
    }

    /// - Parameter keys: nil for all objects of the table.
    func groups(of keys: [ObjectKey]?) throws(FreeholdError) -> [QueryGroup] {
        guard let place = steps.firstIndex(where: \.isGroup), case .group(let paths, let figures) = steps[place] else {
            throw FreeholdError(.malformedInput, "the query has no GROUP(…) SELECT(…); read its keys instead")
        }
        var found = FoundKeys(table, keys, isContinued: isContinued)
        try found.apply(Array(steps[..<place]))
        return limited(try QueryGroups(paths, figures).groups(of: try found.keys(), in: table), steps[(place + 1)...])
    }

    private func limited(_ groups: [QueryGroup], _ steps: ArraySlice<BoundQueryStep>) -> [QueryGroup] {
        var groups = groups
        for step in steps {
            if case .limit(let count) = step { groups = Array(groups.prefix(count)) }
            if case .offset(let count) = step { groups = Array(groups.dropFirst(count)) }
        }
        return groups
    }

    private var hasGroups: Bool { steps.contains(where: \.isGroup) }

    func requireObjects() throws(FreeholdError) {
        if hasGroups { throw FreeholdError(.malformedInput, "the query has groups, not objects; read its groups") }
    }

    /// Whether every object meets the condition.
    var isEverything: Bool {
        if case .constant(true) = condition { return true }
        return false
    }

    /// The objects that meet the condition, ascending, at most `limit` of them; nil for the whole table.
    func selected(limit: Int) throws(FreeholdError) -> [ObjectKey]? {
        let selection = try Selection(table, condition)
        return selection.isEverything && limit == .max ? nil : try selection.keys(limit: limit)
    }
}

extension Table {
    /// Resolves the names of a query.
    ///
    /// - Throws: `.unknownProperty`, `.unknownClass` or `.typeMismatch`, with the column of the text.
    public func prepare(_ query: ObjectQuery) throws(FreeholdError) -> PreparedQuery { try PreparedQuery(self, query) }

    /// The objects that a query yields, in its order. Errors are those of `prepare`.
    ///
    /// ```swift
    /// let old = try people.keys(matching: ObjectQuery("age > $0 SORT(age DESC) LIMIT(10)", [.int(60)]))
    /// ```
    public func keys(matching query: ObjectQuery) throws(FreeholdError) -> [ObjectKey] { try prepare(query).keys() }

    /// The number of objects that a query yields. Errors are those of `prepare`.
    public func count(matching query: ObjectQuery) throws(FreeholdError) -> Int { try prepare(query).count() }
}
