/// The nearest objects to a point.
extension Selection {
    /// The maximum number of objects that are found by an index without sorting all.
    private static let mostNearest = 10_000

    /// The nearest objects, the nearest first, without finding out about all; nil if there is no cheaper way than that.
    ///
    /// The objects within a circle around the point are found by an index of places. Are there too few, the circle grows.
    func nearest(_ limit: Int, by distance: BoundDistance) throws(FreeholdError) -> [ObjectKey]? {
        guard let tree = try treeOfNearest(limit, by: distance) else { return nil }
        var nearest = NearestObjects(distance, in: table, isEverything ? nil : condition, tally)
        // As many as wanted, were the places spread evenly; places are in heaps, so the first circle may have too many.
        var radius = 2 * (2 * Double(limit) / Double(max(1, table.state.count))).squareRoot()
        var (ranges, count) = try circle(radius, around: distance.point, in: tree)
        while count > 32 * limit + 256, radius > 1e-8 {
            radius /= 2
            (ranges, count) = try circle(radius, around: distance.point, in: tree)
        }
        while count <= table.state.count / 4 + 256 {
            if let found = try nearest.first(limit, within: radius, ranges, of: tree) { return found }
            radius *= 2
            if radius > ExactTrigonometry.pi { return nil }
            (ranges, count) = try circle(radius, around: distance.point, in: tree)
        }
        return nil
    }

    /// How the nearest objects are found, as text; nil if all are sorted.
    func nearestExplained(_ limit: Int, by distance: BoundDistance) throws(FreeholdError) -> String? {
        try treeOfNearest(limit, by: distance).map { _ in "the nearest \(limit), by the index of places" }
    }

    /// The index to use; nil if there is none, or few objects are to be sorted.
    private func treeOfNearest(_ limit: Int, by distance: BoundDistance) throws(FreeholdError) -> OrderedIndex? {
        guard limit > 0, limit <= Self.mostNearest, limit < table.state.count / 8, table.writer == nil else { return nil }
        switch path {
        case .nothing: return nil
        case .index(let plan, _): if plan.estimate < 16 * limit + 1024 { return nil }
        case .scan: break
        }
        return try PlaceIndexes.tree(for: distance.place, of: table)
    }

    /// The cells of a circle, and the number of their places.
    private func circle(_ radius: Double, around point: GeoPoint,
                        in tree: OrderedIndex) throws(FreeholdError) -> ([ClosedRange<UInt64>], Int) {
        let ranges = GeoCover(.circle(try GeoCircle(around: point, radians: radius))).ranges
        return (ranges, try PlaceEntries.count(tree, ranges))
    }
}

/// Objects in the order of their distance from a point.
private struct NearestObjects {
    private let distance: BoundDistance
    private let table: Table
    private let condition: BoundCondition?
    private let tally: QueryTally?
    private let context = QueryContext()

    private struct Entry {
        let meters: Double
        let key: ObjectKey

        static func precedes(_ left: Entry, _ right: Entry) -> Bool {
            left.meters != right.meters ? left.meters < right.meters : left.key.rawValue < right.key.rawValue
        }
    }

    /// The objects of the tail, which the index does not have.
    private var waiting: [Entry]?

    /// - Parameter condition: nil if all objects meet it.
    init(_ distance: BoundDistance, in table: Table, _ condition: BoundCondition?, _ tally: QueryTally?) {
        self.distance = distance
        self.table = table
        self.condition = condition
        self.tally = tally
    }

    /// The first objects of the order; nil if fewer than wanted are within an angle, which the ranges cover.
    mutating func first(_ limit: Int, within radius: Double, _ ranges: [ClosedRange<UInt64>],
                        of tree: OrderedIndex) throws(FreeholdError) -> [ObjectKey]? {
        // Beyond the circle there may be objects that the cells do not have.
        let reach = (radius - FiledPlaceTest.reach) * GeoPoint.earthRadius
        var found = try inTail()
        for range in ranges {
            var entries = try PlaceEntries(tree, range)
            while let entry = try entries.next() {
                if let entry = try self.entry(entry.object) { found.append(entry) }
            }
        }
        found.removeAll { $0.meters > reach }
        if found.count < limit { return nil }
        found.sort(by: Entry.precedes)
        return found.prefix(limit).map(\.key)
    }

    private mutating func inTail() throws(FreeholdError) -> [Entry] {
        if let waiting { return waiting }
        var keys: [ObjectKey] = [], found: [Entry] = []
        if table.state.hasRowsInTail { try table.state.forEachTailRow { keys.append(ObjectKey($0.key)) } }
        for key in keys {
            if let entry = try entry(key) { found.append(entry) }
        }
        waiting = found
        return found
    }

    /// An object with a place that meets the condition; nil for others.
    private func entry(_ key: ObjectKey) throws(FreeholdError) -> Entry? {
        if table.scope != nil, try !table.contains(key) { return nil }
        guard let row = try table.row(key) else { return nil }
        tally?.objects += 1
        context.look(at: row)
        guard case .double(let meters) = try distance.value(context) else { return nil }
        if let condition, try !condition.holds(context) { return nil }
        return Entry(meters: meters, key: key)
    }
}
