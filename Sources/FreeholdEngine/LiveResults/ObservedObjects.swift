/// Objects of a class, looked at as far as some paths lead, or as a whole and four links deep: tells which of them look different after a
/// step.
///
/// ```swift
/// let people = try ObservedObjects(of: "Person", observing: [PropertyPath("home", "city")], at: before)
/// for key in try people.touched(by: VersionStep(from: before, to: now)) { redraw(key) }
/// ```
/// It holds no version, and what a step touches is looked for once, so that many may ask. A step between whose versions classes changed is to
/// be followed by making it anew. Use it on one thread at a time.
public final class ObservedObjects {
    private let reach: Reach
    private weak var lastStep: VersionStep?
    private var lastTouched: Set<ObjectKey> = []
    /// The tables that are looked at, and those that `chosenBy` looks at; nothing else can make a difference.
    public let tables: Set<Int>

    /// - Parameters:
    ///   - paths: as of `LiveQuery`; nil for everything.
    ///   - query: what chooses the objects; its tables are counted among those that are looked at.
    /// - Throws: errors as of `Table.prepare`.
    public init(of className: String, observing paths: [PropertyPath]?, chosenBy query: ObjectQuery = ObjectQuery(),
                at snapshot: Snapshot) throws(FreeholdError) {
        let bound = try BoundLiveQuery(query, AnswerWindow(query.steps), of: className, at: snapshot)
        let looked = try LiveReach(bound, paths, at: snapshot)
        reach = looked.observed
        tables = looked.tables
    }

    /// Whether some may look different; costs next to nothing.
    func mayBeTouched(by step: VersionStep) -> Bool { reach.isTouched(by: step) }

    /// The keys of those that look different, also of ones that are gone or were not there.
    public func touched(by step: VersionStep) throws(FreeholdError) -> Set<ObjectKey> {
        if lastStep === step { return lastTouched }
        lastTouched = reach.isTouched(by: step) ? try reach.objects(touchedBy: step) : []
        lastStep = step
        return lastTouched
    }
}

/// What many look at: the same for all who look alike, so that what a step touches is looked for once.
///
/// Use it on one thread at a time.
public final class SharedObservedObjects {
    private struct Looks: Hashable {
        let className: String
        let paths: [PropertyPath]?
    }

    private var known: [Looks: ObservedObjects] = [:]
    /// The classes that they look at.
    private var schema: Schema?

    public init() {}

    /// How many different ones there are.
    public var count: Int { known.count }

    /// Objects of a class as some paths look at them. Where classes have changed all are made anew.
    public func objects(of className: String, observing paths: [PropertyPath]?, at snapshot: Snapshot) throws(FreeholdError) -> ObservedObjects {
        let now = try snapshot.schema()
        if now !== schema { (schema, known) = (now, [:]) }
        let looks = Looks(className: className, paths: paths)
        if let known = known[looks] { return known }
        let made = try ObservedObjects(of: className, observing: paths, at: snapshot)
        known[looks] = made
        return made
    }

    /// Forgets all: nobody looks any more.
    public func forget() { (schema, known) = (nil, [:]) }
}

extension LiveReach {
    var tables: Set<Int> { Set(answer.places.map(\.table)).union(observed.places.map(\.table)) }
}

extension LiveQuery {
    /// The tables that it looks at: a step in which none of these changed leaves answer and objects as they are.
    public var tables: Set<Int> { reach.tables }
}

extension Snapshot {
    /// The number of the table that has a class's objects, which those of other classes may share. It never changes.
    public func tableNumber(of className: String) throws(FreeholdError) -> Int { try table(className).tableNumber }
}

extension VersionStep {
    /// The tables in which something may have changed, found at a cost next to nothing; nil if classes did, so that anything may have.
    public func changedTables() throws(FreeholdError) -> Set<Int>? {
        guard hasSameSchema else { return nil }
        let schema = try newer.schema()
        return Set(schema.classes.indices.filter { schema.tables[$0] == $0 && hasChanged(table: $0) })
    }

    /// The keys of all objects of a table that differ, in their order.
    public func changedKeys(inTable table: Int) throws(FreeholdError) -> [ObjectKey] { try differences(inTable: table).map { ObjectKey($0.key) } }

    /// How one object differs; nil if it does not, or is in neither version.
    ///
    /// - Throws: `.unknownClass` if the newer version does not have the class.
    public func change(of key: ObjectKey, in className: String) throws(FreeholdError) -> ObjectChange? {
        let table = try newer.table(className)
        guard hasSameSchema else { return try changeByName(of: key, in: className, as: table) }
        guard let found = try difference(of: key, inTable: table.tableNumber) else { return nil }
        return try change(found, as: table)
    }
}
