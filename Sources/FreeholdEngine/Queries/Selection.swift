/// The objects of a table that meet a condition, however they are found.
struct Selection {
    let table: Table
    /// The condition, with comparisons over links replaced by tests where that is cheaper.
    let condition: BoundCondition
    let tally: QueryTally?
    /// The access path: chosen once, because choosing reads indexes.
    let path: AccessPath

    /// - Parameter isCounting: whether only the number of objects is needed.
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

    /// Whether all objects are tested.
    var isScan: Bool {
        guard case .scan(let range) = path else { return false }
        return range == .min ... .max
    }

    /// The matching objects, ascending, at most `limit` of them.
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

    /// The first `limit` objects in sort order, without sorting all; nil if there is no cheaper way than that.
    func first(_ limit: Int, by terms: [SortTerm]) throws(FreeholdError) -> [ObjectKey]? {
        guard let order = try order(limit, terms) else { return nil }
        if isEverything, order.index?.isCollation == true, let walk = try CollatedWalk(table, nil, order.terms) {
            let found = try walk.keys(limit: limit)
            tally?.indexed += found.count
            return found
        }
        let filter = isEverything ? nil : SortFilter(condition, tally)
        var found: [ObjectKey]?
        if let index = order.index, let candidates = try table.candidates(
            along: index.part, descending: !order.terms[0].isAscending, isComplete: index.isComplete,
            isExact: order.terms.allSatisfy(\.hasExactKeys), cut: index.cut, limit: limit, most: isEverything ? nil : order.most,
            index.rest.map { SortFilter($0, tally) }, tailFilter: filter
        ) {
            if candidates.isSorted {
                tally?.indexed += candidates.keys.count
                try table.state.access.requireIntactMapping()
                return candidates.keys
            }
            found = candidates.keys
        }
        if found == nil, order.isScan { found = try TopObjects(table, order.terms, limit: limit, filter)?.candidates() }
        guard let found else { return nil }
        tally?.indexed += order.index == nil ? 0 : found.count
        return try sorted(table, keys: found, by: order.terms, limit: limit)
    }

    /// How the first `limit` objects in sort order are found, as text; nil if there is no cheaper way than sorting all.
    func order(_ limit: Int, by terms: [SortTerm]) throws(FreeholdError) -> String? {
        guard let order = try order(limit, terms) else { return nil }
        if let index = order.index { return "in the order of the index of \(index.text), until \(limit) are found" }
        return TopObjects(table, order.terms, limit: limit) == nil ? nil : "the first \(limit), starting with the most promising clusters"
    }

    private struct Order {
        let terms: [CheckedTerm]
        /// The index to walk along.
        let index: IndexChoice.Order?
        /// Whether no index names few candidates, so that the clusters are scanned if the walk is too long.
        let isScan: Bool
        /// The maximum number of objects to test along the index.
        let most: Int
    }

    /// Nil if there are few objects, or most of them are needed.
    private func order(_ limit: Int, _ terms: [SortTerm]) throws(FreeholdError) -> Order? {
        let checked = try terms.map { term throws(FreeholdError) in try CheckedTerm(term, of: table) }
        let count = table.state.count
        guard limit > 0, limit < count / 8, checked.first?.links.isEmpty == true else { return nil }
        let own = Self.own(checked)
        let choice = IndexChoice(table)
        var index = try choice.ordered(by: own, isEverything ? [] : condition.parts, isAll: own.count == checked.count)
        if index == nil { index = try choice.collated(by: checked, isEverything ? nil : condition) }
        switch path {
        case .nothing: return nil
        case .scan: return Order(terms: checked, index: index, isScan: true, most: count / 64 + 1024)
        case .index(let plan, _):
            guard let index, plan.estimate > 16 * limit else { return nil }
            // Of an index in a collation, so many objects are tested until enough are found; else all that match are sorted.
            let tested = count / max(1, plan.estimate) * limit
            guard index.isSelected || index.isCollation && tested < plan.estimate / 4 else { return nil }
            return Order(terms: checked, index: index, isScan: false, most: plan.estimate / 2)
        }
    }

    /// The leading terms that an index can order: properties of the class itself, up to the first one over links or in
    /// the order of a language.
    private static func own(_ terms: [CheckedTerm]) -> [(column: Int, isAscending: Bool)] {
        terms.prefix { $0.links.isEmpty && $0.collation == nil }.map { (column: $0.column.index, isAscending: $0.isAscending) }
    }
}

extension SortFilter {
    /// A filter for the objects that meet a condition. It counts what it reads in the tally.
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
    /// Whether a part of the condition may be rewritten as a test of links.
    fileprivate var followsLinks: Bool {
        switch self {
        case .constant, .test: return false
        case .not(let part): return part.followsLinks
        case .all(let parts), .any(let parts): return parts.contains(where: \.followsLinks)
        case .comparison(let comparison):
            guard case .path(let path) = comparison.left, path.steps.count > 1, case .link = path.steps[0] else { return false }
            return true
        case .search, .within: return false
        }
    }
}

extension Table {
    /// Filters the candidates by a condition, in the order given, at most `limit` of them; deleted objects are left
    /// out.
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
