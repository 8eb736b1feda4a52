/// Scores objects by the nearness of their vectors, and finds the nearest.
///
/// Vectors of sealed objects are read by several threads, if no step before has chosen the objects.
struct VectorScores {
    let nearest: BoundNearest
    let table: Table

    init(_ nearest: BoundNearest, _ table: Table) {
        self.nearest = nearest
        self.table = table
    }

    /// The scores of objects, in any order; NaN for keys without an object, and for objects without a vector.
    func scores(of keys: [ObjectKey]) throws(FreeholdError) -> [Double] {
        let context = QueryContext()
        var lengths = VectorLengths(), scores: [Double] = []
        scores.reserveCapacity(keys.count)
        for key in keys {
            guard let row = try table.row(key) else {
                scores.append(.nan)
                continue
            }
            context.look(at: row)
            scores.append(try nearest.score(context, &lengths) ?? .nan)
        }
        return scores
    }

    /// The nearest objects, the nearest first; of equally near ones those with the lower keys.
    ///
    /// - Parameters:
    ///   - keys: the objects to choose from; nil for all of the table.
    ///   - requiringLength: whether to throw if values were read and none has the length of the wanted vector.
    ///   - firstRound: how many objects an index of sign bits has measured at first, all if `.max`; nil for as many as are worthwhile.
    func best(of keys: [ObjectKey]?, requiringLength: Bool, firstRound: Int? = nil, _ tally: QueryTally? = nil) throws(FreeholdError)
        -> [ObjectKey] {
        if nearest.count == 0 { return [] }
        var part = Part(nearest)
        if try sketches(for: keys)?.add(keys, firstRound: firstRound, to: &part) != true {
            part = Part(nearest)
            if let keys { try part.add(keys, nearest, of: table) } else { part = try whole() }
        }
        tally?.vectors += part.count
        if requiringLength { try part.lengths.requireWanted(nearest) }
        return part.best.keys
    }

    /// The index of sign bits to use; nil if there is none, or few objects are to be measured.
    private func sketches(for keys: [ObjectKey]?) throws(FreeholdError) -> VectorSketches? {
        guard VectorSketches.areWorthwhile(for: keys?.count ?? table.count) else { return nil }
        // Steps before may have left objects in another order, and a collection may have some twice.
        if let keys, !zip(keys, keys.dropFirst()).allSatisfy({ $0.rawValue < $1.rawValue }) { return nil }
        return try VectorSketches(nearest, table)
    }

    /// How the nearest of an expected number of objects are found, as text; nil if all are measured.
    func explained(among count: Int) throws(FreeholdError) -> String? {
        guard VectorSketches.areWorthwhile(for: count), try VectorSketches(nearest, table) != nil else { return nil }
        return "the nearest \(nearest.count), starting with those that an index of sign bits finds near"
    }

    struct Part {
        var best: BestObjects
        var lengths = VectorLengths()
        /// The number of objects read.
        private(set) var count = 0
        private let context = QueryContext()

        init(_ nearest: BoundNearest) { best = BestObjects(limit: nearest.count) }

        mutating func add(_ row: Row, _ nearest: BoundNearest) throws(FreeholdError) {
            context.look(at: row)
            count += 1
            if let score = try nearest.score(context, &lengths) { best.add(row.key, score) }
        }

        mutating func add(_ keys: [ObjectKey], _ nearest: BoundNearest, of table: Table) throws(FreeholdError) {
            var rows: [Row] = [], seen = 0
            try VectorScores.reading { () throws in
                try table.forEach(keys, reading: nearest.path.column) { row in
                    if let row {
                        try nearest.approach(row)
                        rows.append(row)
                    }
                    seen += 1
                    // The rows of a group of keys are there until the next group is looked for.
                    if seen % RowFinder.groupSize == 0 || seen == keys.count {
                        for row in rows { try add(row, nearest) }
                        rows.removeAll(keepingCapacity: true)
                    }
                    return true
                }
            }
        }

        mutating func add(_ more: Part) {
            lengths.add(more.lengths)
            count += more.count
            best.add(more.best)
        }
    }

    private func whole() throws(FreeholdError) -> Part {
        let duration = table.state.root.sealedCount * (100 + nearest.measure.byteCount / 8)
        let threads = duration >= Self.sharedFrom && nearest.path.isOfOneTable ? table.threadCount : 1
        if threads == 1 { return try part(of: table, .min ... .max) }
        var part = Part(nearest)
        let parts = try table.shared(threads) { table, range throws(FreeholdError) in try self.part(of: table, range) }
        for more in parts { part.add(more) }
        // The pieces have the sealed objects.
        let state = table.state
        try state.forEachTailRow { row throws(FreeholdError) in
            guard try table.isMeant(.tail(row)) else { return }
            try part.add(Row(state: state, place: .tail(row), key: ObjectKey(row.key)), nearest)
        }
        return part
    }

    private func part(of table: Table, _ range: ClosedRange<Int64>) throws(FreeholdError) -> Part {
        var part = Part(nearest)
        try Self.reading { () throws in
            try table.forEach(from: ObjectKey(range.lowerBound)) { row in
                guard row.key.rawValue <= range.upperBound else { return false }
                try part.add(row, nearest)
                return true
            }
        }
        return part
    }

    fileprivate static func reading(_ body: () throws -> Void) throws(FreeholdError) {
        do { try body() } catch let error as FreeholdError {
            throw error
        } catch {
            preconditionFailure("the body above throws nothing of its own")
        }
    }

    /// The estimated duration, in nanoseconds, from which waking other threads is worthwhile.
    private static let sharedFrom = 500_000
}
