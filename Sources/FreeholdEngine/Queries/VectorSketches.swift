/// The nearest objects by an index of sign bits, of a table or of many of its objects.
///
/// ```
/// index ─► the distance of each object's bits from the wanted ones ─► rounds, the least distance first ─► vectors measured ─► best
/// tail ─► measured ──────────────────────────────────────────────────────────────────────────────────────────────────────────┘
/// ```
/// 1. Scores are those of the vectors; the bits decide only which vectors are measured.
/// 2. Rounds end when one has changed none of the best. Each takes the next objects by distance, and all of an equal distance, so
///    the answer does not depend on the form of the tree.
/// 3. With a first round of all objects the answer is that without the index.
struct VectorSketches {
    private let nearest: BoundNearest
    private let table: Table
    private let tree: OrderedIndex
    private let shape: SignShape
    private let wanted: [UInt64]

    /// Nil if no index of the table has the property with the query's dimensions, elements and metric, complete and as this
    /// program makes it. A transaction has not filed what it has changed.
    init?(_ nearest: BoundNearest, _ table: Table) throws(FreeholdError) {
        guard table.writer == nil, let column = nearest.path.column,
              let tree = try Self.tree(of: table, table.state.stored.properties[column.index].number, nearest.measure) else { return nil }
        self.nearest = nearest
        self.table = table
        self.tree = tree
        shape = SignShape(dimensions: nearest.measure.wanted.count)
        // Safe: the bytes are used within the call.
        wanted = nearest.measure.wanted.withUnsafeBytes { [shape] in shape.row($0, width: 4) }
    }

    private static func tree(of table: Table, _ property: UInt32, _ measure: VectorMeasure) throws(FreeholdError) -> OrderedIndex? {
        let wanted = VectorShape(dimensions: measure.wanted.count, elements: measure.elements, metric: measure.metric)
        for index in table.state.stored.derived where index.isVectors && index.fields[0].property == property {
            if let owner = index.owner, !table.schemaOf.lineage(of: Int(table.number)).contains(Int(owner)) { continue }
            let reference = table.state.root.auxiliary(.derived, index.column)
            guard VectorsKind.shape(of: index) == wanted, !reference.isNull else { continue }
            let root = try DerivedRoot(reference, of: index, in: table.state.access)
            guard root.state == .complete, root.versions == VectorsKind().versions else { continue }
            return try VectorsKind.tree(root.contents, table.state.access)
        }
        return nil
    }

    /// Whether the bits of all objects are read sooner than the vectors of some.
    static func areWorthwhile(for count: Int, of table: Table) -> Bool { count > 2_000 && count > table.state.root.sealedCount / 16 }

    /// The number of objects that the first round measures; the next ones measure as many.
    var firstRound: Int { max(200, 20 * nearest.count) }

    /// Adds the nearest of some objects, which ascend, or of all to a part.
    func add(_ keys: [ObjectKey]?, firstRound: Int, to part: inout VectorScores.Part) throws(FreeholdError) {
        var estimates = VectorEstimates(most: nearest.measure.wanted.count)
        try estimate(among: keys, &estimates)
        try addTail(among: keys, to: &part)
        var rounds = estimates.rounds(of: firstRound)
        while let round = rounds.next() {
            let before = part.best.keys
            try measure(round, into: &part)
            if part.best.isFull, part.best.keys == before { return }
        }
    }

    private func estimate(among keys: [ObjectKey]?, _ estimates: inout VectorEstimates) throws(FreeholdError) {
        var cursor = try tree.cursor(), place = 0, key: [UInt8] = []
        var distances = [UInt32](repeating: 0, count: 64)
        while try cursor.next() {
            try cursor.copyKey(into: &key)
            guard let (group, present) = shape.head(key) else { throw VectorsKind.damaged(table.state.access) }
            // Safe: the head has told how many rows follow, at most 64 of them.
            key.withUnsafeBytes { bytes in
                shape.measure(bytes.baseAddress! + SignShape.headBytes, present.nonzeroBitCount, from: wanted, &distances)
            }
            var left = present, row = 0
            while left != 0 {
                let object = shape.object(group, left.trailingZeroBitCount)
                left &= left - 1
                row += 1
                if let keys {
                    while place < keys.count, keys[place].rawValue < object { place += 1 }
                    guard place < keys.count else { return }
                    if keys[place].rawValue != object { continue }
                }
                estimates.add(object, distances[row - 1])
            }
        }
    }

    private func measure(_ round: [ObjectKey], into part: inout VectorScores.Part) throws(FreeholdError) {
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

/// Objects by the distance of their bits.
struct VectorEstimates {
    private var objects: [Int64] = []
    private var distances: [UInt32] = []
    /// How many objects have each distance.
    private var counts: [Int]

    init(most: Int) { counts = Array(repeating: 0, count: most + 1) }

    mutating func add(_ object: Int64, _ distance: UInt32) {
        objects.append(object)
        distances.append(distance)
        counts[min(Int(distance), counts.count - 1)] += 1
    }

    /// The objects in the order of distance, in rounds of at least `size`, the keys of each ascending.
    func rounds(of size: Int) -> Rounds { Rounds(estimates: self, size: size) }

    struct Rounds {
        fileprivate let estimates: VectorEstimates
        fileprivate let size: Int
        fileprivate var from = 0

        mutating func next() -> [ObjectKey]? {
            var end = from, count = 0
            while end < estimates.counts.count, count < size {
                count += estimates.counts[end]
                end += 1
            }
            if count == 0 { return nil }
            var keys: [ObjectKey] = []
            keys.reserveCapacity(count)
            for (place, distance) in estimates.distances.enumerated() where distance >= from && distance < end {
                keys.append(ObjectKey(estimates.objects[place]))
            }
            from = end
            return keys
        }
    }
}
