/// Looks at every object of a table, cluster by cluster, then at those of the tail.
struct TableScan {
    let table: Table
    let condition: BoundCondition
    /// Between these keys only.
    let keys: ClosedRange<Int64>
    /// Which of the table's objects are of the class asked, if not all.
    private let members: BoundMembers?

    init(_ table: Table, _ condition: BoundCondition, keys: ClosedRange<Int64> = .min ... .max) {
        self.table = table
        self.condition = condition
        self.keys = keys
        members = table.scope.flatMap { scope in table.state.stored.family.map { BoundMembers(scope, $0) } }
    }

    /// How many objects meet the condition.
    func count() throws(FreeholdError) -> Int {
        var sum = 0
        let context = QueryContext()
        try forEachCluster(reading: condition.firstColumn) { cluster, state throws(FreeholdError) in
            sum += try rows(of: cluster, in: state, context).population
            return true
        }
        try forEachTailKey(context) { _ throws(FreeholdError) in sum += 1 }
        return sum
    }

    /// The keys of those that do, ascending, so many at most.
    func keys(limit: Int) throws(FreeholdError) -> [ObjectKey] {
        if limit <= 0 { return [] }
        var tail: [ObjectKey] = []
        let context = QueryContext()
        try forEachTailKey(context) { key throws(FreeholdError) in tail.append(key) }
        tail.sort { $0.rawValue < $1.rawValue }
        var found: [ObjectKey] = [], waiting = tail[...]
        try forEachCluster(reading: condition.firstColumn) { cluster, state throws(FreeholdError) in
            let rows = try rows(of: cluster, in: state, context)
            return try rows.forEach { row throws(FreeholdError) in
                let key = cluster.key(row)
                while let next = waiting.first, next.rawValue < key, found.count < limit { found.append(waiting.removeFirst()) }
                if found.count < limit { found.append(ObjectKey(key)) }
                return found.count < limit
            }
        }
        return found + waiting.prefix(limit - found.count)
    }

    @inline(__always)
    private func rows(of cluster: ClusterView, in state: TableState, _ context: QueryContext) throws(FreeholdError) -> ClusterRows {
        var candidates = ClusterRows.first(cluster.count)
        if cluster.isTombstoned { for word in 0..<4 { candidates[word] &= ~cluster.deleted(word: word) } }
        if keys != .min ... .max {
            let high = keys.upperBound == .max ? cluster.count : cluster.lowerBound(keys.upperBound + 1)
            candidates &= .first(high) & ~.first(cluster.lowerBound(keys.lowerBound))
        }
        if let members { candidates = try members.select(cluster, candidates, in: state) }
        return candidates.isEmpty ? candidates : try condition.select(cluster, candidates, in: state, context)
    }

    private func forEachCluster(
        reading column: Int, _ body: (ClusterView, TableState) throws(FreeholdError) -> Bool
    ) throws(FreeholdError) {
        var pass = BlockPass(table), passed: Int64?
        defer { pass.end() }
        var cursor = try ClusterCursor(table.state.root.clusters, from: keys.lowerBound, reading: column, in: table.state.access)
        while let cluster = try cursor.next() {
            let last = cluster.key(cluster.count - 1)
            if let passed, last <= passed { continue }
            if cluster.firstKey > keys.upperBound { break }
            guard try body(cluster, pass.state) else { break }
            guard pass.isFull, last < .max, pass.rest() else { continue }
            passed = last
            cursor = try ClusterCursor(pass.state.root.clusters, from: last + 1, reading: column, in: pass.state.access)
        }
        try table.state.access.requireIntactMapping()
    }

    private func forEachTailKey(_ context: QueryContext, _ body: (ObjectKey) throws(FreeholdError) -> Void) throws(FreeholdError) {
        let state = table.state
        try state.forEachTailRow { row throws(FreeholdError) in
            guard keys.contains(row.key), try table.isMeant(.tail(row)) else { return }
            context.rows = [Row(state: state, place: .tail(row), key: ObjectKey(row.key))]
            if try condition.holds(context) { try body(ObjectKey(row.key)) }
        }
    }
}

/// Which rows of a cluster are objects of some of the classes that share the table.
///
/// Safe: the leaf was made sure to have a row for each of the cluster's.
private struct BoundMembers {
    private let scope: ClassScope
    private let column: Int

    init(_ scope: ClassScope, _ family: Family) {
        self.scope = scope
        column = family.classColumn
    }

    func select(_ cluster: ClusterView, _ candidates: ClusterRows, in state: TableState) throws(FreeholdError) -> ClusterRows {
        guard let body = try state.leaf(cluster, cluster.count - 1, column) else { return scope.contains(0) ? candidates : .none }
        let leaf = PackedIntegers(body)
        guard scope.mayMeet(leaf) else { return .none }
        if scope.holdsAll(of: leaf) { return candidates }
        var found = ClusterRows.none
        _ = try candidates.forEach { row throws(FreeholdError) in
            if scope.contains(leaf.isNull(row) ? 0 : leaf[row]) { found.insert(row) }
            return true
        }
        return found
    }
}

extension BoundCondition {
    /// The column that is read first, or -1: its leaves are asked for ahead.
    var firstColumn: Int {
        switch self {
        case .test(let test): test.column.isObjectKey ? -1 : test.column.index
        case .all(let parts), .any(let parts): parts.first?.firstColumn ?? -1
        case .not(let part): part.firstColumn
        case .comparison(let comparison):
            if case .path(let path) = comparison.left, let column = path.column, !column.isObjectKey { column.index } else { -1 }
        case .constant: -1
        }
    }
}
