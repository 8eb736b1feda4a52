/// The nearest objects by an index of sign bits, of a table or of many of its objects.
///
/// ```
/// index ─► the distance of each object's bits from the wanted ones ─► rounds, the least distance first ─► vectors measured ─► best
/// tail ─► measured ──────────────────────────────────────────────────────────────────────────────────────────────────────────┘
/// ```
/// 1. Scores are those of the vectors; the bits decide only which vectors are measured.
/// 2. From the score of the last of the best follows the angle that a better vector has at most, and from that the distance that
///    its bits have, but for a small probability (`SignShape.mostDistance`). Rounds end at this distance.
/// 3. If that would measure more vectors than are read in the same time in the order of keys, all are read, and nothing is missed:
///    so do vectors that have no near ones.
/// 4. Each round takes all objects of an equal distance, so the answer does not depend on the form of the tree.
struct VectorSketches {
    private let nearest: BoundNearest
    private let table: Table
    private let tree: SignTree
    private let extent: VectorExtent
    private let wanted: [UInt64]

    /// Nil if no index of the table has the property with the query's dimensions, elements and metric, complete and as this
    /// program makes it. A transaction has not filed what it has changed.
    init?(_ nearest: BoundNearest, _ table: Table) throws(FreeholdError) {
        guard table.writer == nil, let column = nearest.path.column,
              let found = try Self.find(in: table, table.state.stored.properties[column.index].number, nearest.measure) else { return nil }
        self.nearest = nearest
        self.table = table
        let shape = SignShape(dimensions: nearest.measure.wanted.count)
        tree = SignTree(tree: found.tree, shape: shape)
        extent = found.extent
        // Safe: the bytes are used within the call.
        wanted = nearest.measure.wanted.withUnsafeBytes { shape.row($0, width: 4).signs }
    }

    private static func find(in table: Table, _ property: UInt32, _ measure: VectorMeasure)
        throws(FreeholdError) -> (tree: OrderedIndex, extent: VectorExtent)? {
        for index in declared(over: property, of: table) {
            let reference = table.state.root.auxiliary(.derived, index.column)
            guard VectorsKind.shape(of: index) == measure.shape, !reference.isNull else { continue }
            do throws(FreeholdError) {
                let root = try DerivedRoot(reference, of: index, in: table.state.access)
                guard root.state == .complete, root.versions == VectorsKind().versions else { continue }
                return (try VectorsKind.tree(root.contents, table.state.access), VectorsKind.extent(root.contents))
            } catch { throw DerivedKinds.explained(error, table.state.stored, "read") }
        }
        return nil
    }

    /// The indexes over a property that have all objects of the table.
    private static func declared(over property: UInt32, of table: Table) -> [StoredDerived] {
        table.state.stored.derived.filter { index in
            guard index.isVectors, index.fields[0].property == property else { return false }
            return index.owner.map { table.schemaOf.lineage(of: Int(table.number)).contains(Int($0)) } ?? true
        }
    }

    /// Why vectors are all measured although there is an index of them, a sentence each; empty if there is none, or one that can
    /// be used.
    static func notes(on nearest: BoundNearest, of table: Table) throws(FreeholdError) -> [String] {
        guard let column = nearest.path.column else { return [] }
        let name = "the index of vectors over '\(nearest.path.text)'"
        var notes: [String] = []
        for index in declared(over: table.state.stored.properties[column.index].number, of: table) {
            let entry = try DerivedEntry(index, of: table.state.stored, table.state.root, in: table.state.access)
            let shape = VectorsKind.shape(of: index)
            guard shape == nearest.measure.shape else {
                let other = "\(shape.dimensions) dimensions, \(shape.elements.rawValue), \(shape.metric.rawValue)"
                notes.append("\(name) is not used: it is for \(other)")
                continue
            }
            switch entry.state {
            case .complete:
                if table.writer == nil { return [] }
                return ["\(name) is not used within a write transaction"]
            case .building: notes.append("\(name) is not used yet: it is being built, \(entry.percent) %")
            // Only full-text indexes need more than this program.
            case .unavailable: break
            case .older: notes.append("\(name) is not used: an older Freehold made it in another way; build the indexes anew")
            case .newer: notes.append("\(name) is not used: a newer Freehold made it in another way")
            }
        }
        return notes
    }

    /// Whether the bits of as many objects are read sooner than the vectors.
    static func areWorthwhile(for count: Int) -> Bool { count > 2_000 }

    /// The most vectors that are measured of all objects of a table, before all are: one that is looked for takes as long as about
    /// ten that are read in the order of keys.
    private var mostMeasured: Int { table.count / 10 }

    /// Adds the nearest of some objects, which ascend, or of all to a part; false if all are better measured.
    ///
    /// - Parameter firstRound: how many objects are measured at first, without a limit to all of them; nil for as many as are
    ///   worthwhile. Each further round has twice as many.
    func add(_ keys: [ObjectKey]?, firstRound: Int?, to part: inout VectorScores.Part) throws(FreeholdError) -> Bool {
        let distances = SignDistances(tree.shape)
        try measure(among: keys, distances)
        try addTail(among: keys, to: &part)
        let most = keys == nil && firstRound == nil ? mostMeasured : .max
        var size = firstRound ?? max(64, 4 * nearest.count), from = 0, measured = 0
        while true {
            let last = part.best.isFull
                ? tree.shape.mostDistance(cosine: nearest.measure.leastCosine(of: part.best.least, extent)) : tree.shape.bits
            if measured + distances.count(from..<max(from, last + 1)) > most, part.best.isFull { return false }
            let round = distances.round(from: from, through: firstRound == .max ? tree.shape.bits : last, size: size)
            if round.count == 0 { return true }
            measured += round.count
            if measured > most { return false }
            try add(distances.objects(from..<round.end), to: &part)
            from = round.end
            size = size > .max / 2 ? .max : size * 2
        }
    }

    private func measure(among keys: [ObjectKey]?, _ distances: SignDistances) throws(FreeholdError) {
        // The closures below capture these alone: a copy of all of this for each group takes as long as measuring it.
        let shape = tree.shape, tree = tree, wanted = wanted
        guard let keys else {
            return try tree.forEachGroup { group throws(FreeholdError) in
                distances.add(group, group.present, from: wanted)
                return .min
            }
        }
        // Rows are measured when their memory has come, some leaves later.
        try tree.tree.access.keepingBlocks { () throws(FreeholdError) in
            var place = 0
            try tree.forEachGroup { group throws(FreeholdError) in
                while place < keys.count, shape.group(of: keys[place].rawValue) < group.number { place += 1 }
                var chosen: UInt64 = 0
                while place < keys.count, shape.group(of: keys[place].rawValue) == group.number {
                    chosen |= 1 << UInt64(shape.place(of: keys[place].rawValue))
                    place += 1
                }
                distances.add(group, chosen & group.present, from: wanted)
                return place < keys.count ? shape.group(of: keys[place].rawValue) : nil
            }
            distances.measureAwaited(from: wanted)
        }
    }

    private func add(_ round: [ObjectKey], to part: inout VectorScores.Part) throws(FreeholdError) {
        var keys = round
        if table.scope != nil {
            keys = []
            for key in round where try table.contains(key) { keys.append(key) }
        }
        try part.add(keys, nearest, of: table)
    }

    private func addTail(among keys: [ObjectKey]?, to part: inout VectorScores.Part) throws(FreeholdError) {
        let state = table.state
        try state.forEachTailRow { row throws(FreeholdError) in
            guard try table.isMeant(.tail(row)) else { return }
            let key = ObjectKey(row.key)
            if let keys, !keys.has(key) { return }
            try part.add(Row(state: state, place: .tail(row), key: key), nearest)
        }
    }
}

extension [ObjectKey] {
    /// Whether an array that ascends has a key.
    fileprivate func has(_ key: ObjectKey) -> Bool {
        var low = 0, high = count
        while low < high {
            let middle = (low + high) / 2
            if self[middle].rawValue < key.rawValue { low = middle + 1 } else { high = middle }
        }
        return low < count && self[low] == key
    }
}

extension VectorMeasure {
    /// What an index has to be declared for.
    fileprivate var shape: VectorShape { VectorShape(dimensions: wanted.count, elements: elements, metric: metric) }
}
