/// Checks one class's tree of objects and its tail.
struct ClusterChecker {
    let state: TableState
    var report: CheckReport
    private var lastKey: Int64?
    private var sealed = 0
    /// The number of objects in clusters by the value of the hidden class column, and the columns that only some
    /// classes have.
    var counts: [Int64: Int] = [:]
    let ownedColumns: [Int]

    private var place: String { "class \(state.stored.name)" }

    /// Called with the number of objects checked so far.
    private let progress: (Int) -> Void

    init(state: TableState, report: CheckReport, progress: @escaping (Int) -> Void = { _ in }) {
        self.progress = progress
        self.state = state
        self.report = report
        ownedColumns = state.stored.properties.indices.filter { state.stored.properties[$0].owner != nil }
    }

    mutating func run() throws(FreeholdError) {
        if !state.root.clusters.isNull { try visit(state.root.clusters, level: nil, bounds: (.min, nil), objects: nil) }
        if sealed != state.root.sealedCount {
            report.report(.brokenTable, place, "its clusters hold \(sealed) objects, its root counts \(state.root.sealedCount)")
        }
        checkCounts()
        try checkTail()
        if !ClassSchema.isHidden(state.stored.name) { report.objects += state.count }
    }

    /// - Parameters:
    ///   - level: the level that the parent states; nil for the root.
    ///   - bounds: the range of keys allowed here, the upper one excluded.
    private mutating func visit(_ reference: BlockReference, level: Int?, bounds: (Int64, Int64?), objects: Int?) throws(FreeholdError) {
        let view = try state.access.view(reference)
        if view.kind == .clusterInner {
            let inner = ClusterInner(view: view)
            if let level, inner.level != level { return complain("a node has level \(inner.level), expected \(level)", bounds.0) }
            let total = (0..<inner.count).reduce(0) { $0 + inner.objects($1) }
            if let objects, objects != total { complain("a node has \(total) objects, its parent counts \(objects)", bounds.0) }
            try visitChildren(of: inner, bounds)
        } else if view.kind == .cluster, level == nil || level == 0 {
            let cluster = ClusterView(view: view)
            if let objects, objects != cluster.count { complain("a cluster of \(cluster.count) is counted as \(objects)", bounds.0) }
            guard cluster.firstKey >= bounds.0, bounds.1.map({ cluster.key(cluster.count - 1) < $0 }) ?? true else {
                return complain("object \(cluster.firstKey) and its neighbours are out of order", cluster.firstKey)
            }
            try check(cluster, bounds)
        } else {
            throw ClusterTree.wrongKind(view)
        }
    }

    /// Visits the children whose keys do not overlap: following blocks that share children would make the walk endless.
    private mutating func visitChildren(of inner: ClusterInner, _ bounds: (Int64, Int64?)) throws(FreeholdError) {
        var low = bounds.0
        let children = (0..<inner.count).map { (reference: inner.child($0), firstKey: inner.firstKey($0), objects: inner.objects($0)) }
        let level = inner.level - 1
        for (index, child) in children.enumerated() {
            // Decrypted memory is released between two children: the node itself is not read any more.
            if state.access.shadow?.rest() == true { try state.readTails() }
            let high = index + 1 < children.count ? children[index + 1].firstKey : bounds.1
            let isWithin = high.map { high in low < high && (bounds.1.map { high <= $0 } ?? true) } ?? true
            guard isWithin else { return complain("separators do not ascend", low) }
            try visit(child.reference, level: level, bounds: (low, high), objects: child.objects)
            low = high ?? low
        }
    }

    private mutating func check(_ cluster: ClusterView, _ bounds: (Int64, Int64?)) throws(FreeholdError) {
        sealed += cluster.count
        progress(sealed)
        for row in 0..<cluster.count {
            let key = cluster.key(row)
            if let lastKey, key <= lastKey { complain("keys do not ascend", key) }
            if let high = bounds.1, key >= high { complain("object \(key) is in the wrong cluster", key) }
            if key >= state.root.nextKey && key != .max { complain("object \(key) is beyond the next key", key) }
            lastKey = key
        }
        for column in state.stored.properties.indices where !cluster.leaf(column).isNull {
            try checkLeaf(cluster, column)
        }
        if state.stored.family == nil { return }
        for row in 0..<cluster.count { try checkClass(.cluster(cluster, row)) }
    }

    private mutating func checkLeaf(_ cluster: ClusterView, _ column: Int) throws(FreeholdError) {
        let property = state.stored.properties[column]
        guard let body = try state.leaf(cluster, cluster.count - 1, column) else { return }
        if LeafHead(body).count != cluster.count {
            complain("the leaf of '\(property.name)' has \(LeafHead(body).count) rows for \(cluster.count) objects", cluster.firstKey)
        }
        let problem = AnyLeaf(body, property.storageType.leaf).problem()
        if let problem { complain("the leaf of '\(property.name)': \(problem)", cluster.firstKey) }
        if property.shape != nil {
            for row in 0..<cluster.count { checkCollection(.cluster(cluster, row), column, cluster.key(row)) }
            return
        }
        for row in 0..<cluster.count {
            let isNull = try state.isNull(.cluster(cluster, row), column)
            if isNull && !property.isNullable && property.owner == nil { complain("'\(property.name)' is null but required", cluster.key(row)) }
            if property.type.isBytes { _ = try state.text(cluster, row, column) }
            if property.type == .mixed { _ = try state.value(.cluster(cluster, row), column) }
        }
    }

    private mutating func checkTail() throws(FreeholdError) {
        var keys: Set<Int64> = []
        var rows: [RowView] = []
        try state.forEachTailRow { row throws(FreeholdError) in rows.append(row) }
        if rows.count != state.root.tailCount { complain("\(rows.count) rows in a tail of \(state.root.tailCount)", nil) }
        for row in rows {
            if !keys.insert(row.key).inserted { complain("object \(row.key) is in the tail twice", row.key) }
            if row.key >= state.root.nextKey && row.key != .max { complain("object \(row.key) is beyond the next key", row.key) }
            if let cluster = try ClusterTree.cluster(for: row.key, root: state.root.clusters, in: state.access),
               cluster.position(row.key) != nil {
                complain("object \(row.key) is in the tail and in a cluster", row.key)
            }
            try checkClass(.tail(row))
            for (column, type) in state.stored.layout.types.enumerated() where column < row.columns {
                guard let type else { continue }
                if state.stored.properties[column].shape != nil {
                    checkCollection(.tail(row), column, row.key)
                    continue
                }
                let value = try row.value(column, state.stored.layout, type: type)
                if value == .null && !state.stored.properties[column].isNullable && state.stored.properties[column].owner == nil {
                    complain("'\(state.stored.properties[column].name)' is null but required", row.key)
                }
            }
        }
    }

    private mutating func checkCollection(_ place: RowPlace, _ column: Int, _ key: Int64) {
        let property = state.stored.properties[column]
        guard let shape = property.shape else { return }
        var checker = CollectionChecker(access: state.access)
        do throws(FreeholdError) {
            let cell = try state.cell(place, column)
            if case .tail = place, case .tree = cell { complain("'\(property.name)' is a tree in a row of the tail", key) }
            checker.check(cell, shape)
        } catch {
            complain("'\(property.name)': \(error.message)", key)
        }
        for problem in checker.problems { complain("'\(property.name)': \(problem)", key) }
        report.collections += checker.collections
        report.elements += checker.elements
    }

    mutating func complain(_ message: String, _ key: Int64?) {
        report.report(.brokenTable, key.map { "\(place), near object \($0)" } ?? place, message)
    }
}
