/// The objects to sort, position by position: their keys, and their values for each term.
///
/// All columns of the class are read in one pass; values behind links are read by key afterwards, link by link.
final class SortedObjects {
    private let table: Table
    /// The values, in the order of the terms.
    private let checked: [CheckedTerm]
    // Safe (all exclusivity below): one thread uses this, and nothing here re-enters it.
    @exclusivity(unchecked) private var keys: RowArray<Int64>
    /// The columns of the class itself: for each term its property, or the first link to it.
    @exclusivity(unchecked) private var own: [SortColumn] = []

    init(_ table: Table, _ terms: [CheckedTerm]) {
        self.table = table
        checked = terms
        keys = RowArray(capacity: 16)
    }

    var count: Int { keys.count }

    struct Term {
        let column: SortColumn
        let isAscending: Bool

        func levels(descending: Bool) -> [Sorter.Level] { column.levels(descending: descending) }
    }

    /// The terms; those behind links are read on demand.
    private(set) var terms: [Term] = []

    /// The keys of the objects in an order.
    ///
    /// Safe: positions of the order are those of the keys.
    func keys(in order: Sorter) -> [ObjectKey] {
        // An empty array's storage is shared by all threads, and filling none of it would still write to it.
        if order.places == 0 { return [] }
        let found = keys.start
        return Array(unsafeUninitializedCapacity: order.places) { room, count in
            for place in 0..<order.places { room.initializeElement(at: place, to: ObjectKey(found[order[place]])) }
            count = order.places
        }
    }

    // MARK: reading

    private func begin(_ counted: Int) {
        // The count comes from the file. Memory beyond this limit is allocated as rows come.
        let count = min(counted, 1 << 20)
        keys = RowArray(capacity: count)
        own = checked.map { term in SortColumn(term.links.first?.column ?? term.column, of: table, count: count) }
    }

    /// Reads the objects with these keys.
    func read(_ wanted: [ObjectKey]) throws(FreeholdError) {
        begin(wanted.count)
        for key in wanted { keys.append(key.rawValue) }
        try read(own, of: table, count: wanted.count, isRequired: true) { wanted[$0].rawValue }
        try followLinks()
    }

    /// Reads every object, in the order of the keys.
    func readAll() throws(FreeholdError) {
        begin(table.count)
        var waiting = try tailRows()[...]
        try table.forEachCluster(reading: own.first?.index ?? -1) { cluster, state throws(FreeholdError) in
            try append(cluster, &waiting, in: state)
            return true
        }
        for row in waiting { try append(row) }
        try followLinks()
    }

    /// The tail's objects, by key.
    private func tailRows() throws(FreeholdError) -> [RowView] {
        let state = table.state
        var rows: [RowView] = []
        try state.forEachTailRow { row throws(FreeholdError) in
            if let scope = table.scope, let family = state.stored.family, !scope.contains(state.tag(of: row, family)) { return }
            rows.append(row)
        }
        return rows.sorted { $0.key < $1.key }
    }

    /// Reads a cluster's rows, and those of the tail between or before them.
    private func append(_ cluster: ClusterView, _ waiting: inout ArraySlice<RowView>, in state: TableState) throws(FreeholdError) {
        let meant = try table.rowsMeant(of: cluster, in: state), choice = meant == .first(cluster.count) ? nil : meant
        if meant.isEmpty { return }
        var row = 0
        while let tail = waiting.first, tail.key < cluster.key(cluster.count - 1) {
            let place = cluster.lowerBound(tail.key)
            try append(cluster, row..<max(row, place), choice, in: state)
            try append(tail)
            row = max(row, place)
            waiting = waiting.dropFirst()
        }
        try append(cluster, row..<cluster.count, choice, in: state)
    }

    private func append(_ cluster: ClusterView, _ rows: Range<Int>, _ choice: RowMask?, in state: TableState) throws(FreeholdError) {
        for row in rows where choice?.contains(row) ?? true { keys.append(cluster.key(row)) }
        for column in own { try column.append(cluster, rows, mask: choice, in: state) }
    }

    private func append(_ row: RowView) throws(FreeholdError) {
        keys.append(row.key)
        for column in own { try column.append(.tail(row), row.key, in: table.state) }
    }

    /// Appends the values of the objects with the given keys to columns, in the order of positions.
    ///
    /// - Parameters:
    ///   - isRequired: whether every key must be an object's; otherwise keys without an object, and nil, are missing.
    ///   - key: the key at a position.
    private func read(_ columns: [SortColumn], of table: Table, count: Int, isRequired: Bool, key: (Int) -> Int64?) throws(FreeholdError) {
        var pass = BlockPass(table)
        defer { pass.end() }
        var finder = RowFinder(pass.state, reading: columns.first.map { table.state.stored.properties[$0.index].isObjectKey ? -1 : $0.index } ?? -1)
        var start = 0
        while start < count {
            let end = min(start + RowFinder.groupSize, count)
            for position in start..<end { finder.append(key(position)) }
            try finder.find()
            for position in start..<end {
                guard let wanted = key(position), let place = finder.place(position - start), try table.isMeant(place, in: pass.state) || !isRequired else {
                    if isRequired { throw FreeholdError(.noSuchObject, "class '\(table.schema.name)' has no object with key \(key(position) ?? 0)") }
                    for column in columns { column.appendNothing(SortRank.missing) }
                    continue
                }
                for column in columns { try column.append(place, wanted, in: pass.state) }
            }
            start = end
            if pass.isFull, pass.rest() { finder = RowFinder(pass.state, reading: columns.first?.index ?? -1) }
        }
    }

    private func followLinks() throws(FreeholdError) {
        for (term, first) in zip(checked, own) {
            var column = first
            for (step, link) in term.links.enumerated() {
                let next = step + 1 < term.links.count ? term.links[step + 1].column : term.column
                let source = column
                column = SortColumn(next, of: link.target, count: count)
                try read([column], of: link.target, count: count, isRequired: false) { source.link($0) }
            }
            if let collation = term.collation { column.collate(by: collation) }
            terms.append(Term(column: column, isAscending: term.isAscending))
        }
    }
}
