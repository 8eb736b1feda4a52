/// Objects that have the same values, and aggregates of them.
///
/// ```swift
/// let query = try ObjectQuery("GROUP(city) SELECT(@count, age.@avg)")
/// for group in try people.prepare(query).groups() { print(group.values[0], group.figures) }
/// ```
public struct QueryGroup: Sendable, Equatable {
    /// The values that the objects share, in the order of GROUP.
    public let values: [Value]
    /// The aggregates, in the order of SELECT.
    public let figures: [Value]
}

/// Groups objects one by one.
struct QueryGroups {
    private let paths: [BoundPath]
    private let figures: [(kind: AggregateKind, path: BoundPath?)]

    init(_ paths: [BoundPath], _ figures: [(kind: AggregateKind, path: BoundPath?)]) {
        self.paths = paths
        self.figures = figures
    }

    /// The groups in the order of their values; without paths, one group of all objects, even if there are none.
    func groups(of keys: [ObjectKey], in table: Table) throws(FreeholdError) -> [QueryGroup] {
        var places: [[DistinctValue]: Int] = [:], values: [[Value]] = [], sums: [[Figure]] = []
        if paths.isEmpty {
            places[[]] = 0
            values.append([])
            sums.append(figures.map { Figure($0.kind) })
        }
        let context = QueryContext()
        for key in keys {
            guard let row = try table.row(key) else { continue }
            context.rows = [row]
            var own: [Value] = []
            for path in paths { own.append(try path.value(context)) }
            let name = own.map { DistinctValue($0) }
            let place = places[name] ?? values.count
            if place == values.count {
                places[name] = place
                values.append(own)
                sums.append(figures.map { Figure($0.kind) })
            }
            try add(context, to: &sums[place])
        }
        return Self.ordered(values.indices.map { QueryGroup(values: values[$0], figures: sums[$0].map(\.value)) })
    }

    /// Sorts groups by the values their objects share.
    static func ordered(_ groups: [QueryGroup]) -> [QueryGroup] {
        let order = groups.indices.sorted { left, right in
            for (one, other) in zip(groups[left].values, groups[right].values) {
                let order = SortValue.order(.value(one), .value(other))
                if order != 0 { return order < 0 }
            }
            return left < right
        }
        return order.map { groups[$0] }
    }

    private func add(_ context: QueryContext, to sums: inout [Figure]) throws(FreeholdError) {
        for (place, figure) in figures.enumerated() {
            guard let path = figure.path else {
                sums[place].add(count: 1)
                continue
            }
            try path.forEach(context) { value throws(FreeholdError) in
                sums[place].add(value)
                return true
            }
        }
    }
}
