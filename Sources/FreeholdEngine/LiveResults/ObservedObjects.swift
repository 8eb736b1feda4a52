/// Objects of a class, observed along some paths, or as a whole and four links deep. It finds which of them a step
/// modified.
///
/// ```swift
/// let people = try ObservedObjects(of: "Person", observing: [PropertyPath("home", "city")], at: before)
/// for key in try people.touched(by: VersionStep(from: before, to: now)) { redraw(key) }
/// ```
/// It holds no version, and finds what a step touches once for all callers. After a step whose versions have different
/// classes, create a new one. Use it on one thread at a time.
public final class ObservedObjects {
    private let reach: Reach
    private weak var lastStep: VersionStep?
    private var lastTouched: Set<ObjectKey> = []
    /// The observed tables, and those that `chosenBy` reads; changes in other tables have no effect.
    public let tables: Set<Int>

    /// - Parameters:
    ///   - paths: as in `LiveQuery`; nil for everything.
    ///   - query: the query that chooses the objects; its tables are included in `tables`.
    /// - Throws: the errors of `Table.prepare`.
    public init(of className: String, observing paths: [PropertyPath]?, chosenBy query: ObjectQuery = ObjectQuery(),
                at snapshot: Snapshot) throws(FreeholdError) {
        let bound = try BoundLiveQuery(query, AnswerWindow(query.steps), of: className, at: snapshot)
        let looked = try LiveReach(bound, paths, at: snapshot)
        reach = looked.observed
        tables = looked.tables
    }

    /// Whether some objects may be modified; at almost no cost.
    func mayBeTouched(by step: VersionStep) -> Bool { reach.isTouched(by: step) }

    /// The keys of the modified objects, including deleted and inserted ones.
    public func touched(by step: VersionStep) throws(FreeholdError) -> Set<ObjectKey> {
        if lastStep === step { return lastTouched }
        lastTouched = reach.isTouched(by: step) ? try reach.objects(touchedBy: step) : []
        lastStep = step
        return lastTouched
    }
}

/// Observed objects shared by callers with the same class and paths, so that what a step touches is found once.
///
/// Use it on one thread at a time.
public final class SharedObservedObjects {
    private struct Looks: Hashable {
        let className: String
        let paths: [PropertyPath]?
    }

    private var known: [Looks: ObservedObjects] = [:]
    /// The schema of the observed classes.
    private var schema: StoredSchema?

    public init() {}

    /// The number of different observed objects.
    public var count: Int { known.count }

    /// The observed objects of a class for some paths. After a change of classes, all are created again.
    public func objects(of className: String, observing paths: [PropertyPath]?, at snapshot: Snapshot) throws(FreeholdError) -> ObservedObjects {
        let now = try snapshot.schema()
        if now !== schema { (schema, known) = (now, [:]) }
        let looks = Looks(className: className, paths: paths)
        if let known = known[looks] { return known }
        let made = try ObservedObjects(of: className, observing: paths, at: snapshot)
        known[looks] = made
        return made
    }

    /// Discards all observed objects: nobody uses them any more.
    public func forget() { (schema, known) = (nil, [:]) }
}

extension LiveReach {
    var tables: Set<Int> { Set(answer.places.map(\.table)).union(observed.places.map(\.table)) }
}

extension Snapshot {
    /// The number of the table that has a class's objects, which other classes may share. It never changes.
    public func tableNumber(of className: String) throws(FreeholdError) -> Int { try table(className).tableNumber }
}

extension VersionStep {
    /// The tables in which something may have changed, found at almost no cost; nil if classes changed, so that any
    /// table may have.
    public func changedTables() throws(FreeholdError) -> Set<Int>? {
        guard hasSameSchema else { return nil }
        let schema = try newer.schema()
        return Set(schema.classes.indices.filter { schema.tables[$0] == $0 && hasChanged(table: $0) })
    }

    /// The keys of all objects of a table that differ, in key order.
    public func changedKeys(inTable table: Int) throws(FreeholdError) -> [ObjectKey] { try differences(inTable: table).map { ObjectKey($0.key) } }

    /// The change of one object; nil if it does not differ, or is in neither version.
    ///
    /// - Throws: `.unknownClass` if the newer version does not have the class.
    public func change(of key: ObjectKey, in className: String) throws(FreeholdError) -> ObjectChange? {
        let table = try newer.table(className)
        guard hasSameSchema else { return try changeByName(of: key, in: className, as: table) }
        guard let found = try difference(of: key, inTable: table.tableNumber) else { return nil }
        return try change(found, as: table)
    }
}
