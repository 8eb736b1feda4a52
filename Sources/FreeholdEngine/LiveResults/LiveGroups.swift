/// The groups of a query that ends with GROUP(…) SELECT(…), kept up to date: re-evaluated after a change that could
/// affect them, and then compared.
///
/// ```swift
/// let cities = try LiveGroups(ObjectQuery("age >= 18 GROUP(city) SELECT(@count)"), of: "Person", at: before)
/// let changes = try cities.advance(VersionStep(from: before, to: now))
/// print(changes.insertions.map { cities.groups[$0].values })
/// ```
/// A remaining group with different aggregates is modified. It holds no version: the caller keeps the current one until
/// the groups have moved on. Use it on one thread at a time.
public final class LiveGroups {
    /// The query.
    public let query: ObjectQuery
    /// The class of the queried objects.
    public let className: String
    // Safe (all exclusivity below): one thread uses this, and nothing here re-enters it.
    /// The version that the last step led to.
    @exclusivity(unchecked) public private(set) var version: Version
    /// The groups, in the query's order.
    @exclusivity(unchecked) public private(set) var groups: [QueryGroup]
    /// How the last step was taken: never `followed`.
    @exclusivity(unchecked) public private(set) var effort = LiveQuery.Effort.none
    @exclusivity(unchecked) private var reach: Reach

    /// - Throws: the errors of `Table.prepare`; `.malformedInput` for a query without groups.
    public init(_ query: ObjectQuery, of className: String, at snapshot: Snapshot) throws(FreeholdError) {
        self.query = query
        self.className = className
        version = snapshot.version
        (groups, reach) = try Self.ask(query, className, snapshot, isContinued: false)
    }

    /// What the groups depend on: every table that the query reads.
    public var interest: Interest { Interest(tables: Set(reach.places.map(\.table))) }

    /// Moves to the step's newer version and returns the changes, by position among the groups. Errors are those of
    /// `LiveQuery.advance`.
    public func advance(_ step: VersionStep) throws(FreeholdError) -> PositionChanges {
        try step.requireBegin(at: version)
        if step.hasSameSchema, !reach.isTouched(by: step) {
            effort = .none
            version = step.newer.version
            return PositionChanges()
        }
        return try restart(at: step.newer)
    }

    /// Moves to a version without the one before.
    public func restart(at snapshot: Snapshot) throws(FreeholdError) -> PositionChanges {
        let old = groups
        (groups, reach) = try Self.ask(query, className, snapshot, isContinued: true)
        effort = .anew(objects: try snapshot.table(className).count)
        version = snapshot.version
        return PositionChanges(from: old, to: groups)
    }

    private static func ask(_ query: ObjectQuery, _ className: String, _ snapshot: Snapshot, isContinued: Bool) throws(FreeholdError)
        -> ([QueryGroup], Reach) {
        let table = try snapshot.table(className)
        var prepared = try table.prepare(query)
        prepared.isContinued = isContinued
        var reach = Reach(table: table.tableNumber, in: try snapshot.schema())
        for condition in prepared.conditions { try reach.add(condition) }
        for path in prepared.stepPaths { try reach.add(path) }
        return (try prepared.groups(), reach)
    }
}

extension PositionChanges {
    /// The changes between two sequences of groups; a group is identified by its values.
    fileprivate init(from old: [QueryGroup], to new: [QueryGroup]) {
        var numbers: [[DistinctValue]: Int] = [:]
        func key(_ group: QueryGroup) -> ObjectKey {
            let name = group.values.map { DistinctValue($0) }
            if let known = numbers[name] { return ObjectKey(Int64(known)) }
            numbers[name] = numbers.count
            return ObjectKey(Int64(numbers.count - 1))
        }
        let before = old.map(key), after = new.map(key)
        var figures: [ObjectKey: QueryGroup] = [:]
        for (key, group) in zip(after, new) { figures[key] = group }
        let modified = zip(before, old).filter { key, group in
            guard let now = figures[key] else { return false }
            return !zip(now.values + now.figures, group.values + group.figures).allSatisfy { $0.isIdentical(to: $1) }
        }
        self.init(from: before, to: after, replaced: [], modified: Set(modified.map(\.0)))
    }
}
