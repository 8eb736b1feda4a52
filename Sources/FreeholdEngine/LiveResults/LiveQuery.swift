/// A query whose answer is kept up to date: moved from one version to a later one by the changes between them.
///
/// ```swift
/// let before = try database.snapshot()
/// let adults = try LiveQuery(ObjectQuery("age >= 18 SORT(name ASC)"), of: "Person", at: before)
/// // … commits of this process or others …
/// let now = try database.snapshot()
/// let changes = try adults.advance(VersionStep(from: before, to: now))
/// print(changes.insertions.map { adults[$0] })
/// ```
/// Only objects that changed within the reach of the query are tested again, and found by their position in its order.
/// If that would cost more than a new run, the query is re-evaluated (`effort`). It holds no version itself: the caller
/// keeps the current one until the query has moved on. Eight bytes are kept for each object that meets the condition,
/// also with a LIMIT; with DISTINCT, each value as well. Use it on one thread at a time.
public final class LiveQuery {
    /// How an answer was brought up to date.
    public enum Effort: Hashable, Sendable, CustomStringConvertible {
        /// Nothing within the reach of the query changed.
        case none
        /// This number of objects was tested.
        case followed(objects: Int)
        /// The query was re-evaluated: this number of objects had changed, or the classes had.
        case anew(objects: Int)

        public var description: String {
            switch self {
            case .none: "nothing to do"
            case .followed(let objects): "followed \(objects) \(objects == 1 ? "object" : "objects")"
            case .anew(let objects): "asked anew about \(objects) \(objects == 1 ? "object" : "objects")"
            }
        }
    }

    /// The query.
    public let query: ObjectQuery
    /// The class of the queried objects.
    public let className: String
    /// The collection whose elements are queried; nil for all objects of the class.
    public let source: CollectionAddress?
    /// The paths that decide whether an object of the answer was modified; nil for everything, and four links deep.
    public let observed: [PropertyPath]?
    // Safe (all exclusivity below): one thread uses this, and nothing here re-enters it.
    /// How the last step was taken.
    @exclusivity(unchecked) public internal(set) var effort = Effort.none
    /// The version that the last step led to. A later step that touches nothing within the `interest` need not be taken.
    @exclusivity(unchecked) public internal(set) var version: Version
    /// All objects that meet the condition, sorted; if `window` is nil, the answer itself.
    @exclusivity(unchecked) var order: LiveOrder
    /// The first object of each value in `order`, if the query keeps only these.
    @exclusivity(unchecked) var firsts: LiveFirsts?
    /// The part of the order, or of the first objects, that is the answer; nil if the answer is not such a part.
    let window: AnswerWindow?
    @exclusivity(unchecked) var reach: LiveReach
    /// Names resolved once for all versions with the same schema; nil if they must be resolved in every version.
    @exclusivity(unchecked) var names: LiveNames?
    /// The table of the object with the source collection; nil without a source.
    @exclusivity(unchecked) var sourceTable: Int?
    /// Whether the object with the source collection was deleted.
    @exclusivity(unchecked) var hasLostSource = false

    /// Runs the query.
    ///
    /// - Parameters:
    ///   - className: a class of the snapshot.
    ///   - source: a collection of links to such objects, to query only these, in its order and with duplicates; the
    ///     answer is empty once the collection's object is deleted.
    ///   - observed: paths of properties, as `SORT` takes them or to many values; an object counts as modified if one
    ///     of them leads to something else than before.
    /// - Throws: the errors of `Table.prepare` and of `LiveCollection`; `.malformedInput` for a query with groups
    ///   (`LiveGroups`).
    public init(_ query: ObjectQuery, of className: String, among source: CollectionAddress? = nil, at snapshot: Snapshot,
                observing observed: [PropertyPath]? = nil) throws(FreeholdError) {
        self.query = query
        self.className = className
        self.source = source
        self.observed = observed
        version = snapshot.version
        window = source == nil ? AnswerWindow(query.steps) : nil
        let bound = try BoundLiveQuery(query, window, of: className, among: source, at: snapshot)
        reach = try LiveReach(bound, observed, at: snapshot)
        names = bound.names
        (order, firsts) = try bound.orders(isContinued: false)
        sourceTable = bound.source?.table
        hasLostSource = bound.source?.hasOwner == false
    }

    /// The number of objects in the answer.
    public var count: Int { visible.count }

    /// The object at a position below `count`.
    public subscript(position: Int) -> ObjectKey { whole[visible.lowerBound + position] }

    /// The objects at the given positions, in order.
    public func keys(in range: Range<Int>) -> [ObjectKey] { whole.keys(in: visible.lowerBound + range.lowerBound..<visible.lowerBound + range.upperBound) }

    /// All objects of the answer, in order.
    public var keys: [ObjectKey] { whole.keys(in: visible) }

    /// A description of how the answer is kept up to date, and how the last step was taken.
    public var explanation: String {
        let way = switch (source, window) {
        case (.some, _): "asked anew when an element of '\(source?.property ?? "")' or what it looks at has changed"
        case (nil, nil): "asked anew when what it looks at has changed, as its steps depend on all objects before"
        case (nil, .some(let window)) where window.isEverything: "followed object by object" + (window.isDistinct ? ", as the first of each value" : "")
        default: "followed object by object, as a part of all that meet the condition"
        }
        return "\(way); last: \(effort)"
    }

    /// The order that the answer is a part of.
    private var whole: LiveOrder { _read { if firsts == nil { yield order } else { yield firsts!.order } } }

    /// The positions in `whole` that are the answer.
    var visible: Range<Int> { window?.range(of: whole.count) ?? 0..<whole.count }
}

/// The part of an order that DISTINCT, OFFSET and LIMIT leave.
struct AnswerWindow: Hashable {
    /// Whether only the first object of each value is kept.
    private(set) var isDistinct = false
    private var skipped = 0
    private var limit = Int.max

    /// Nil if the steps do more than sort, apply DISTINCT once, and then take a part; or if they sort by a score, which changes
    /// with objects that the answer does not have.
    init?(_ steps: [QueryStep]) {
        if steps.contains(where: \.isByScore) { return nil }
        var rest = steps.drop(while: \.isSort)
        if case .distinct = rest.first {
            isDistinct = true
            rest = rest.dropFirst()
        }
        for step in rest {
            switch step {
            case .limit(let count): limit = min(limit, count)
            case .offset(let count):
                skipped += min(count, limit, .max - skipped)
                limit -= limit == .max ? 0 : min(count, limit)
            case .sort, .distinct, .nearest, .fuse, .group: return nil
            }
        }
    }

    var isEverything: Bool { skipped == 0 && limit == .max }

    func range(of count: Int) -> Range<Int> {
        let start = min(skipped, count)
        return start..<start + min(limit, count - start)
    }
}

extension QueryStep {
    var isSort: Bool { if case .sort = self { true } else { false } }

    var isByScore: Bool {
        guard case .sort(let keys) = self else { return false }
        return keys.contains { $0.path.steps.last == .score }
    }
}

/// A live query with names resolved in one version.
struct BoundLiveQuery {
    let table: Table
    /// The query whose answer is kept: without OFFSET and LIMIT, where these take a part of an order.
    let base: PreparedQuery
    let order: ObjectOrder
    /// The values by which DISTINCT compares objects; nil if the first objects are not kept.
    let distinct: DistinctValues?
    /// The collection whose elements are queried; nil for all objects of the class.
    let source: FoundCollection?

    init(_ query: ObjectQuery, _ window: AnswerWindow?, of className: String, among source: CollectionAddress? = nil,
         at snapshot: Snapshot) throws(FreeholdError) {
        table = try snapshot.table(className)
        self.source = try source.map { source throws(FreeholdError) in try source.find(at: snapshot) }
        if let source, self.source?.target != table.tableNumber {
            throw FreeholdError(.typeMismatch, "the elements of '\(source.property)' of class '\(source.className)' are no links to class '\(className)'")
        }
        var steps = query.steps
        if let window { steps = Array(steps.prefix(steps.prefix { $0.isSort }.count + (window.isDistinct ? 1 : 0))) }
        base = try table.prepare(ObjectQuery(query.condition, steps))
        try base.requireObjects()
        order = ObjectOrder(table, base.sortTerms)
        distinct = window?.isDistinct == true ? base.lastDistinct : nil
    }

    /// Creates the query from names that were resolved in another version.
    init(_ names: LiveNames, _ window: AnswerWindow?, _ table: Table, among source: CollectionAddress?, at snapshot: Snapshot) throws(FreeholdError) {
        self.table = table
        self.source = try source.map { source throws(FreeholdError) in try source.find(at: snapshot) }
        base = PreparedQuery(table, names)
        order = ObjectOrder(table, base.sortTerms)
        distinct = window?.isDistinct == true ? base.lastDistinct : nil
    }

    /// The names that are valid in other versions with the same schema, too.
    var names: LiveNames? { LiveNames(base, in: table.schemaOf) }

    /// The answer, or the order that it is a part of; and the first object of each value in that order.
    func orders(isContinued: Bool) throws(FreeholdError) -> (LiveOrder, LiveFirsts?) {
        var base = base
        base.isContinued = isContinued
        if let source { return (LiveOrder(try base.keys(among: try source.reader?.linkedKeys() ?? [])), nil) }
        guard let distinct else { return (LiveOrder(try base.keys()), nil) }
        let all = try base.keys(base.steps.filter(\.isSort), nil)
        return (LiveOrder(all), try LiveFirsts(all, distinct))
    }
}

/// The reach of a live query.
struct LiveReach {
    /// What decides which objects are in the answer, and at which positions.
    var answer: Reach
    /// What decides whether an object of the answer was modified.
    var observed: Reach

    init(_ bound: BoundLiveQuery, _ paths: [PropertyPath]?, at snapshot: Snapshot) throws(FreeholdError) {
        answer = Reach(table: bound.table.tableNumber, in: try snapshot.schema())
        for condition in bound.base.conditions { try answer.add(condition) }
        for path in bound.base.stepPaths { try answer.add(path) }
        guard let paths else {
            observed = Reach(everythingOf: bound.table.tableNumber, in: try snapshot.schema())
            return
        }
        observed = Reach(table: bound.table.tableNumber, in: try snapshot.schema())
        for path in paths { try observed.add(QueryBinder(bound.table).boundPath(path, path.steps[...])) }
    }

    func isTouched(by step: VersionStep) -> Bool { answer.isTouched(by: step) || observed.isTouched(by: step) }
}

extension PreparedQuery {
    /// The terms of the leading sorts: the last sort is the major one.
    var sortTerms: [BoundSort] {
        var terms: [BoundSort] = []
        for step in steps {
            guard case .sort(let keys) = step else { break }
            terms = keys + terms
        }
        return terms
    }

    /// The values that the last step compares; nil if it is not DISTINCT.
    var lastDistinct: DistinctValues? {
        guard case .distinct(let paths) = steps.last else { return nil }
        return DistinctValues(table, paths)
    }
}
