/// A query whose names were looked up in a table, to be asked as often as wanted while the table's snapshot stays at its version, or until
/// its transaction changes a class that the query reads.
///
/// ```swift
/// let adults = try people.prepare(ObjectQuery("age >= 18 SORT(name ASC)"))
/// print(try adults.count(), try adults.keys().first as Any)
/// print(try adults.explanation())
/// ```
public struct PreparedQuery {
    let table: Table
    /// The query as it was asked.
    public let query: ObjectQuery
    let condition: BoundCondition
    let steps: [BoundQueryStep]

    init(_ table: Table, _ query: ObjectQuery) throws(FreeholdError) {
        self.table = table
        self.query = query
        var binder = QueryBinder(table)
        condition = try binder.condition(query.condition).ordered()
        var steps: [BoundQueryStep] = []
        for step in query.steps { steps.append(try binder.step(step)) }
        self.steps = steps
    }

    /// The objects, in the order of the last SORT, or else of their keys. Throws `.malformedInput` of a query with groups.
    public func keys() throws(FreeholdError) -> [ObjectKey] {
        try requireObjects()
        var limit = Int.max
        if case .limit(let count) = steps.first { limit = count }
        var found = FoundKeys(table, try selected(limit: limit), isAll: isEverything)
        try found.apply(steps)
        return try found.keys()
    }

    /// How many objects there are; of a query with groups, how many groups.
    public func count() throws(FreeholdError) -> Int {
        if hasGroups { return try groups().count }
        if steps.contains(where: \.looksAtValues) { return try keys().count }
        var count = try countOfSelected()
        for step in steps {
            switch step {
            case .limit(let limit): count = min(count, limit)
            case .offset(let offset): count = max(0, count - offset)
            case .sort, .distinct, .group: continue
            }
        }
        return count
    }

    /// The first object, or nil.
    public func first() throws(FreeholdError) -> ObjectKey? {
        try requireObjects()
        if steps.isEmpty { return try selected(limit: 1)?.first }
        var found = FoundKeys(table, try selected(limit: .max), isAll: isEverything)
        try found.apply(steps + [.limit(1)])
        return try found.keys().first
    }

    /// Whether an object meets the condition, whatever the steps say; false if there is none of this key.
    public func matches(_ key: ObjectKey) throws(FreeholdError) -> Bool {
        guard let row = try table.row(key) else { return false }
        let context = QueryContext()
        context.rows = [row]
        return try condition.holds(context)
    }

    /// The groups of a query that ends with GROUP(…) SELECT(…), in the order of their values.
    public func groups() throws(FreeholdError) -> [QueryGroup] { try groups(of: try selected(limit: .max), isAll: isEverything) }

    func groups(of keys: [ObjectKey]?, isAll: Bool) throws(FreeholdError) -> [QueryGroup] {
        guard let place = steps.firstIndex(where: \.isGroup), case .group(let paths, let figures) = steps[place] else {
            throw FreeholdError(.malformedInput, "the query has no GROUP(…) SELECT(…); ask for its keys instead")
        }
        var found = FoundKeys(table, keys, isAll: isAll)
        try found.apply(Array(steps[..<place]))
        var groups = try QueryGroups(paths, figures).groups(of: try found.keys(), in: table)
        for step in steps[(place + 1)...] {
            if case .limit(let count) = step { groups = Array(groups.prefix(count)) }
            if case .offset(let count) = step { groups = Array(groups.dropFirst(count)) }
        }
        return groups
    }

    private var hasGroups: Bool { steps.contains(where: \.isGroup) }

    func requireObjects() throws(FreeholdError) {
        if hasGroups { throw FreeholdError(.malformedInput, "the query has groups, not objects; ask for its groups") }
    }

    // MARK: the condition

    /// Whether every object meets the condition.
    var isEverything: Bool {
        if case .constant(true) = condition { return true }
        return false
    }

    /// The objects that meet the condition, ascending, so many at most; nil for all of the table.
    func selected(limit: Int) throws(FreeholdError) -> [ObjectKey]? {
        if isEverything { return limit == .max ? nil : try table.keys(limit: limit) }
        switch try AccessPath.chosen(for: condition, of: table) {
        case .nothing: return []
        case .scan(let range): return try TableScan(table, condition, keys: range).keys(limit: limit)
        case .index(let test, let question, _, let rest):
            let candidates = try table.keys(test.column, question)
            guard let rest else { return Array(candidates.prefix(limit)) }
            return try sifted(candidates, rest, limit: limit)
        }
    }

    func sifted(_ candidates: [ObjectKey], _ rest: BoundCondition, limit: Int) throws(FreeholdError) -> [ObjectKey] {
        var found: [ObjectKey] = []
        let context = QueryContext()
        do {
            try table.forEach(candidates) { row in
                guard let row else { return true }
                context.rows = [row]
                if try rest.holds(context) { found.append(row.key) }
                return found.count < limit
            }
        } catch let error as FreeholdError {
            throw error
        } catch {
            preconditionFailure("the body above throws nothing of its own")
        }
        return Array(found.prefix(limit))
    }

    private func countOfSelected() throws(FreeholdError) -> Int {
        if isEverything { return table.count }
        switch try AccessPath.chosen(for: condition, of: table) {
        case .nothing: return 0
        case .scan(let range): return try TableScan(table, condition, keys: range).count()
        case .index(let test, let question, let estimate, let rest):
            guard let rest else { return estimate }
            return try sifted(try table.keys(test.column, question), rest, limit: .max).count
        }
    }
}

extension Table {
    /// Looks the names of a query up.
    ///
    /// - Throws: `.unknownProperty`, `.unknownClass` or `.typeMismatch`, with the column of the text.
    public func prepare(_ query: ObjectQuery) throws(FreeholdError) -> PreparedQuery { try PreparedQuery(self, query) }

    /// The objects that a query asks for, in its order; errors as of `prepare`.
    ///
    /// ```swift
    /// let old = try people.keys(matching: ObjectQuery("age > $0 SORT(age DESC) LIMIT(10)", [.int(60)]))
    /// ```
    public func keys(matching query: ObjectQuery) throws(FreeholdError) -> [ObjectKey] { try prepare(query).keys() }

    /// How many objects a query asks for; errors as of `prepare`.
    public func count(matching query: ObjectQuery) throws(FreeholdError) -> Int { try prepare(query).count() }
}
