/// Groups the objects that meet a condition, cluster by cluster: each row's group has a number, under which its
/// aggregates accumulate.
struct GroupScan {
    private let table: Table
    private let condition: BoundCondition?
    private let columns: [GroupColumn]
    private let figures: [GroupAggregate]
    private let tally: QueryTally?

    /// Nil if groups or aggregates are not over plain properties of the objects themselves.
    ///
    /// - Parameter condition: nil for all objects.
    init?(_ table: Table, _ condition: BoundCondition?, _ paths: [BoundPath], _ figures: [(kind: AggregateKind, path: BoundPath?)], _ tally: QueryTally?) {
        let columns = paths.compactMap { GroupColumn($0) }, sums = figures.compactMap { GroupAggregate($0.kind, $0.path) }
        guard columns.count == paths.count, sums.count == figures.count else { return nil }
        self.table = table
        self.condition = condition
        self.columns = columns
        self.figures = sums
        self.tally = tally
    }

    /// The groups, in no particular order.
    ///
    /// Safe: numbers of values and groups have a place for each row of a cluster.
    func groups() throws(FreeholdError) -> [QueryGroup] {
        if columns.isEmpty, condition == nil, tally == nil {
            var all: [Value] = []
            for figure in figures { all.append(try figure.ofAll(table)) }
            return [QueryGroup(values: [], figures: all)]
        }
        var names = GroupNames()
        let context = QueryContext(tally)
        let groups = UnsafeMutablePointer<Int>.allocate(capacity: 2 * ClusterView.maximumRows), numbers = groups + ClusterView.maximumRows
        groups.initialize(repeating: 0, count: 2 * ClusterView.maximumRows)
        defer { groups.deallocate() }
        if columns.isEmpty { grow(to: 1) }
        try table.forEachCluster(reading: condition?.firstColumn ?? columns.first?.index ?? -1) { cluster, state throws(FreeholdError) in
            tally?.clusters += 1
            var rows = try table.rowsMeant(of: cluster, in: state)
            if let condition, !rows.isEmpty { rows = try condition.select(cluster, rows, in: state, context) }
            if rows.isEmpty { return true }
            for (place, column) in columns.enumerated() {
                try column.number(cluster, rows, in: state, place == 0 ? groups : numbers)
                if place > 0 { try names.join(groups, numbers, rows, level: place) }
            }
            grow(to: columns.count > 1 ? names.count(columns.count - 1) : columns.first?.values.count ?? 1)
            for figure in figures { try figure.add(cluster, rows, in: state, groups) }
            return true
        }
        try addTail(&names, context)
        let count = columns.isEmpty ? 1 : columns.count > 1 ? names.count(columns.count - 1) : columns[0].values.count
        return (0..<count).map { group in QueryGroup(values: values(group, names), figures: figures.map { $0.value(group) }) }
    }

    private func grow(to count: Int) { for figure in figures { figure.grow(to: count) } }

    private func addTail(_ names: inout GroupNames, _ context: QueryContext) throws(FreeholdError) {
        var rows: [RowView] = []
        try table.state.forEachTailRow { row throws(FreeholdError) in if try table.isMeant(.tail(row)) { rows.append(row) } }
        for view in rows.sorted(by: { $0.key < $1.key }) {
            let row = Row(state: table.state, place: .tail(view), key: ObjectKey(view.key))
            context.rows = [row]
            if let condition, try !condition.holds(context) { continue }
            tally?.objects += 1
            var group = 0
            for (place, column) in columns.enumerated() {
                let number = column.number(of: try table.state.value(.tail(view), column.index))
                group = place == 0 ? number : names.join(group, number, level: place)
            }
            grow(to: group + 1)
            for figure in figures { try figure.add(row, to: group) }
        }
    }

    private func values(_ group: Int, _ names: GroupNames) -> [Value] {
        var values: [Value] = [], rest = group
        for place in columns.indices.dropFirst().reversed() {
            let (first, last) = names.parts(rest, level: place)
            values.insert(columns[place].values[last], at: 0)
            rest = first
        }
        if let first = columns.first { values.insert(first.values[rest], at: 0) }
        return values
    }
}

/// Groups by several properties: each level combines a group of the level before with the number of one more value.
private struct GroupNames {
    private var levels: [[Pair: Int]] = []
    private var names: [[Pair]] = []

    private struct Pair: Hashable {
        let first: Int
        let last: Int
    }

    func count(_ level: Int) -> Int { level <= names.count ? names[level - 1].count : 0 }

    func parts(_ group: Int, level: Int) -> (first: Int, last: Int) {
        let pair = names[level - 1][group]
        return (pair.first, pair.last)
    }

    mutating func join(_ first: Int, _ last: Int, level: Int) -> Int {
        while levels.count < level {
            levels.append([:])
            names.append([])
        }
        let pair = Pair(first: first, last: last)
        if let known = levels[level - 1][pair] { return known }
        names[level - 1].append(pair)
        levels[level - 1][pair] = names[level - 1].count - 1
        return names[level - 1].count - 1
    }

    /// Safe: rows of a cluster, for each of which both have a place.
    mutating func join(_ groups: UnsafeMutablePointer<Int>, _ numbers: UnsafeMutablePointer<Int>, _ rows: RowMask, level: Int) throws(FreeholdError) {
        try rows.forEach { row in
            groups[row] = join(groups[row], numbers[row], level: level)
            return true
        }
    }
}
