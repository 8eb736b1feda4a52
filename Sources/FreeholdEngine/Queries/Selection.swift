/// The objects of a table that meet a condition, however they are found.
struct Selection {
    let table: Table
    /// With comparisons of what lies behind links as tests, where that is cheaper.
    let condition: BoundCondition
    let tally: QueryTally?
    /// The way to the objects: chosen once, as choosing looks into indexes.
    let path: AccessPath

    /// - Parameter isCounting: whether only how many objects there are is asked.
    init(_ table: Table, _ condition: BoundCondition, _ tally: QueryTally? = nil, isCounting: Bool = false) throws(FreeholdError) {
        self.table = table
        self.tally = tally
        if case .constant(true) = condition {
            (self.condition, path) = (condition, .scan(.min ... .max))
            return
        }
        try table.writer?.noteQuestion()
        let first = try AccessPath.chosen(for: condition, of: table, isCounting: isCounting)
        var objects = table.state.count
        if case .index(let plan, _) = first { objects = plan.estimate }
        guard condition.followsLinks, let resolved = try LinkedTests(table: table).resolved(condition, objects: objects) else {
            (self.condition, path) = (condition, first)
            return
        }
        self.condition = resolved
        path = try AccessPath.chosen(for: resolved, of: table, isCounting: isCounting)
    }

    /// Whether every object meets the condition.
    var isEverything: Bool {
        if case .constant(true) = condition { return true }
        return false
    }

    /// Whether all objects are looked at.
    var isScan: Bool {
        guard case .scan(let range) = path else { return false }
        return range == .min ... .max
    }

    /// The objects, ascending, so many at most.
    func keys(limit: Int) throws(FreeholdError) -> [ObjectKey] {
        if isEverything { return try table.keys(limit: limit) }
        switch path {
        case .nothing: return []
        case .scan(let range): return try TableScan(table, condition, keys: range).keys(limit: limit, tally)
        case .index(let plan, let rest):
            let candidates = try plan.keys()
            tally?.indexed += candidates.count
            guard let rest else { return Array(candidates.prefix(limit)) }
            return try table.sifted(candidates, rest, limit: limit, tally)
        }
    }

    func count() throws(FreeholdError) -> Int {
        if isEverything { return table.count }
        switch path {
        case .nothing: return 0
        case .scan(let range): return try TableScan(table, condition, keys: range).count(tally)
        case .index(let plan, nil):
            let count = try plan.count()
            tally?.indexed += count
            return count
        case .index(let plan, let rest?):
            let candidates = try plan.keys()
            tally?.indexed += candidates.count
            return try table.sifted(candidates, rest, tally).count
        }
    }

    // MARK: the first of an order

    /// The first objects of an order, without ordering all; nil if there is no cheaper way than that.
    func first(_ limit: Int, by terms: [SortTerm]) throws(FreeholdError) -> [ObjectKey]? {
        guard let order = try order(limit, terms) else { return nil }
        let filter = isEverything ? nil : SortFilter(condition, tally)
        var found: [ObjectKey]?
        if let index = order.index {
            found = try table.candidates(along: index.span, descending: !order.terms[0].isAscending, isComplete: index.isComplete, limit: limit,
                                         most: isEverything ? nil : order.most, index.rest.map { SortFilter($0, tally) }, tailFilter: filter)
        }
        if found == nil, order.isScan { found = try TopObjects(table, order.terms, limit: limit, filter)?.candidates() }
        guard let found else { return nil }
        tally?.indexed += order.index == nil ? 0 : found.count
        return try sorted(table, keys: found, by: order.terms, limit: limit)
    }

    /// In words.
    func order(_ limit: Int, by terms: [SortTerm]) throws(FreeholdError) -> String? {
        guard let order = try order(limit, terms) else { return nil }
        if let index = order.index { return "in the order of the index of \(index.text), until \(limit) are found" }
        return TopObjects(table, order.terms, limit: limit) == nil ? nil : "the first \(limit), from the most promising clusters on"
    }

    private struct Order {
        let terms: [CheckedTerm]
        /// The index to walk along.
        let index: IndexChoice.Order?
        /// Whether no index names few candidates, so that clusters are looked through if that walk is too long.
        let isScan: Bool
        /// How many objects to look at along the index.
        let most: Int
    }

    /// Nil if the objects are few, or most of them are asked for.
    private func order(_ limit: Int, _ terms: [SortTerm]) throws(FreeholdError) -> Order? {
        let checked = try terms.map { term throws(FreeholdError) in try CheckedTerm(term, of: table) }
        let count = table.state.count
        guard limit > 0, limit < count / 8, let own = Self.own(checked) else { return nil }
        let index = try IndexChoice(table).ordered(by: own, isEverything ? [] : condition.parts, isAll: own.count == checked.count)
        switch path {
        case .nothing: return nil
        case .scan: return Order(terms: checked, index: index, isScan: true, most: count / 64 + 1024)
        case .index(let plan, _):
            guard let index, index.isSelected, plan.estimate > 16 * limit else { return nil }
            return Order(terms: checked, index: index, isScan: false, most: plan.estimate / 2)
        }
    }

    /// The terms as properties of the class itself; the first ones, up to one that is behind links. Nil if there is none.
    private static func own(_ terms: [CheckedTerm]) -> [(column: Int, isAscending: Bool)]? {
        let own = terms.prefix { $0.links.isEmpty }.map { (column: $0.column.index, isAscending: $0.isAscending) }
        return own.isEmpty ? nil : own
    }
}

extension SortFilter {
    /// Objects that meet a condition.
    init(_ condition: BoundCondition, _ tally: QueryTally?) {
        let context = QueryContext(tally)
        self.init { cluster, rows, state throws(FreeholdError) in
            tally?.clusters += 1
            return try condition.select(cluster, rows, in: state, context)
        } holds: { row throws(FreeholdError) in
            tally?.objects += 1
            context.rows = [row]
            return try condition.holds(context)
        }
    }
}

extension BoundCondition {
    /// Whether a part of it may be turned into a question about links.
    fileprivate var followsLinks: Bool {
        switch self {
        case .constant, .test: return false
        case .not(let part): return part.followsLinks
        case .all(let parts), .any(let parts): return parts.contains(where: \.followsLinks)
        case .comparison(let comparison):
            guard case .path(let path) = comparison.left, path.steps.count > 1, case .link = path.steps[0] else { return false }
            return true
        }
    }
}

extension Table {
    /// Of some objects those that meet a condition, in the order given, so many at most; those that are gone are left out.
    func sifted(_ candidates: [ObjectKey], _ rest: BoundCondition, limit: Int = .max, _ tally: QueryTally? = nil) throws(FreeholdError) -> [ObjectKey] {
        var found: [ObjectKey] = []
        let context = QueryContext(tally)
        do {
            try forEach(candidates) { row in
                guard let row else { return true }
                tally?.objects += 1
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
}
