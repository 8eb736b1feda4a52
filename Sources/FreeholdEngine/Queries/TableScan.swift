/// Tests every object of a table, cluster by cluster, then those of the tail.
struct TableScan {
    let table: Table
    let condition: BoundCondition
    /// The range of keys to test.
    let keys: ClosedRange<Int64>
    /// The number of threads that test the sealed objects.
    private let threads: Int

    /// The estimated duration of a scan, in nanoseconds, from which waking other threads is worthwhile.
    private static let sharedFrom = 250_000

    /// - Parameter threads: nil for as many as are worthwhile.
    init(_ table: Table, _ condition: BoundCondition, keys: ClosedRange<Int64> = .min ... .max, threads: Int? = nil) {
        self.table = table
        self.condition = condition
        self.keys = keys
        let isLong = table.state.root.sealedCount * condition.scanCost / 2 >= Self.sharedFrom
        self.threads = keys == .min ... .max && condition.isOfOneTable ? threads ?? (isLong ? table.threadCount : 1) : 1
    }

    /// The number of objects that meet the condition.
    func count(_ tally: QueryTally? = nil) throws(FreeholdError) -> Int {
        var sum = 0
        let context = QueryContext(tally)
        if threads > 1, tally == nil {
            let parts = try table.shared(threads) { table, range throws(FreeholdError) in try sealedCount(table, range, condition.copy(), QueryContext()) }
            sum = parts.reduce(0, +)
        } else {
            sum = try sealedCount(table, keys, condition, context)
        }
        try forEachTailKey(context) { _ throws(FreeholdError) in sum += 1 }
        return sum
    }

    private func sealedCount(_ table: Table, _ range: ClosedRange<Int64>, _ condition: BoundCondition, _ context: QueryContext) throws(FreeholdError) -> Int {
        var sum = 0
        try table.forEachCluster(range, reading: condition.firstColumn) { cluster, state throws(FreeholdError) in
            sum += try rows(of: cluster, condition, in: state, context).population
            return true
        }
        return sum
    }

    /// The keys of the objects that meet the condition, ascending, at most `limit` of them.
    func keys(limit: Int, _ tally: QueryTally? = nil) throws(FreeholdError) -> [ObjectKey] {
        if limit <= 0 { return [] }
        let context = QueryContext(tally)
        var tail: [ObjectKey] = [], sealed: [ObjectKey]
        try forEachTailKey(context) { key throws(FreeholdError) in tail.append(key) }
        if threads > 1, tally == nil, limit == .max {
            let parts = try table.shared(threads) { table, range throws(FreeholdError) in
                try sealedKeys(table, range, condition.copy(), QueryContext(), limit: .max)
            }
            sealed = Array(parts.joined())
        } else {
            sealed = try sealedKeys(table, keys, condition, context, limit: limit)
        }
        if tail.isEmpty { return sealed }
        tail.sort { $0.rawValue < $1.rawValue }
        return Array(Self.merged(sealed, tail).prefix(limit))
    }

    private func sealedKeys(_ table: Table, _ range: ClosedRange<Int64>, _ condition: BoundCondition, _ context: QueryContext,
                            limit: Int) throws(FreeholdError) -> [ObjectKey] {
        var found: [ObjectKey] = []
        try table.forEachCluster(range, reading: condition.firstColumn) { cluster, state throws(FreeholdError) in
            let rows = try rows(of: cluster, condition, in: state, context)
            return try rows.forEach { row throws(FreeholdError) in
                found.append(ObjectKey(cluster.key(row)))
                return found.count < limit
            }
        }
        return found
    }

    private static func merged(_ sealed: [ObjectKey], _ tail: [ObjectKey]) -> [ObjectKey] {
        var all: [ObjectKey] = [], waiting = tail[...]
        all.reserveCapacity(sealed.count + tail.count)
        for key in sealed {
            while let next = waiting.first, next.rawValue < key.rawValue { all.append(waiting.removeFirst()) }
            all.append(key)
        }
        return all + waiting
    }

    @inline(__always)
    private func rows(of cluster: ClusterView, _ condition: BoundCondition, in state: TableState, _ context: QueryContext) throws(FreeholdError) -> RowMask {
        context.tally?.clusters += 1
        var candidates = try table.rowsMeant(of: cluster, in: state)
        if keys != .min ... .max {
            let high = keys.upperBound == .max ? cluster.count : cluster.lowerBound(keys.upperBound + 1)
            candidates &= .first(high) & ~.first(cluster.lowerBound(keys.lowerBound))
        }
        return candidates.isEmpty ? candidates : try condition.select(cluster, candidates, in: state, context)
    }

    private func forEachTailKey(_ context: QueryContext, _ body: (ObjectKey) throws(FreeholdError) -> Void) throws(FreeholdError) {
        let state = table.state
        try state.forEachTailRow { row throws(FreeholdError) in
            guard keys.contains(row.key), try table.isMeant(.tail(row)) else { return }
            context.tally?.objects += 1
            context.rows = [Row(state: state, place: .tail(row), key: ObjectKey(row.key))]
            if try condition.holds(context) { try body(ObjectKey(row.key)) }
        }
    }
}

extension BoundCondition {
    /// The column that is read first, or -1: its leaves are prefetched.
    var firstColumn: Int {
        switch self {
        case .test(let test): test.column.isObjectKey ? -1 : test.column.index
        case .all(let parts), .any(let parts): parts.first?.firstColumn ?? -1
        case .not(let part): part.firstColumn
        case .comparison(let comparison):
            if case .path(let path) = comparison.left, let column = path.column, !column.isObjectKey { column.index } else { -1 }
        case .search(let search): search.paths[0].column.map { $0.isObjectKey ? -1 : $0.index } ?? -1
        case .within(let within): within.place.paths[0].column.map { $0.isObjectKey ? -1 : $0.index } ?? -1
        case .constant: -1
        }
    }
}
