/// The changes from one version of a database to a later one, found once for all live queries that take the step.
///
/// ```swift
/// let step = try VersionStep(from: before, to: now)
/// for query in queries { show(try query.advance(step)) }
/// ```
/// It is valid while both snapshots stay at their versions. Use it on their thread.
public final class VersionStep {
    /// The version to move from.
    public let older: Snapshot
    /// The version to move to.
    public let newer: Snapshot
    /// The caller's guarantee that, since this version, nothing has changed within the reach of those that take the
    /// step; nil: they must be at the older version. So an observer that a step does not touch (`changedTables`) need
    /// not take it.
    public var untouchedSince: Version?
    let versions: (older: UInt64, newer: UInt64)
    /// Whether classes and properties are the same, not only of the same name: one that was dropped and added again has
    /// another number.
    let hasSameSchema: Bool
    /// Whether the schemas are the same without having been compared: then they are also stored alike.
    var isOfOneSchema: Bool { before.schema === after.schema }
    private let before: (schema: StoredSchema, top: TopBlock)
    private let after: (schema: StoredSchema, top: TopBlock)
    // Safe: a step is used on one thread, and nothing here re-enters it.
    @exclusivity(unchecked) private var known: [Int: [ObjectDifference]] = [:]
    @exclusivity(unchecked) private var classes: TextMap<ClassStep> = [:]
    @exclusivity(unchecked) private var modifiedKeys: [Int: Set<ObjectKey>] = [:]

    /// - Throws: `.invalidArgument` if the snapshots are of different databases, `.closed` if one of them has ended.
    public init(from older: Snapshot, to newer: Snapshot) throws(FreeholdError) {
        guard older.core === newer.core || older.core.session.file.identity == newer.core.session.file.identity else {
            throw FreeholdError(.invalidArgument, "a step is between two versions of one database; the other one is of '\(older.core.path)'",
                                path: newer.core.path)
        }
        self.older = older
        self.newer = newer
        before = try older.contents()
        after = try newer.contents()
        versions = (older.root.version, newer.root.version)
        hasSameSchema = before.schema === after.schema || before.schema.classes == after.schema.classes
    }

    /// Whether an answer of a version may take the step.
    func mayBegin(at version: Version) -> Bool {
        guard older.root.version == versions.older else { return false }
        return version == older.version || untouchedSince.map { version >= $0 && version < older.version } ?? false
    }

    /// Whether objects of a table may have changed; at almost no cost.
    func hasChanged(table: Int) -> Bool {
        if !hasSameSchema, before.schema.find(number: table) != after.schema.find(number: table) || after.schema.find(number: table) == nil { return true }
        return !before.top.table(table).isSameBlock(as: after.top.table(table))
    }

    /// The objects of a table that differ, of any of its classes, in key order.
    func differences(inTable table: Int) throws(FreeholdError) -> [ObjectDifference] {
        guard older.root.version == versions.older, newer.root.version == versions.newer else {
            throw FreeholdError(.invalidArgument, "a snapshot has moved on since this step was made; make another one")
        }
        if let found = known[table] { return found }
        guard hasChanged(table: table), let stored = after.schema.find(number: table) ?? before.schema.find(number: table) else { return [] }
        let old = try older.state(table, as: stored), new = try newer.state(table, as: stored)
        var cursor = try ChangeCursor(old: old, new: new, ColumnPairing(old.stored, new.stored), since: min(versions.older, versions.newer))
        var found: [ObjectDifference] = []
        while let difference = try cursor.next() { found.append(difference) }
        try new.access.requireIntactMapping()
        known[table] = found
        return found
    }

    /// The rows of an object that differs, in the older version and the newer.
    func rows(_ difference: ObjectDifference, inTable table: Int) throws(FreeholdError) -> (before: Row?, after: Row?) {
        guard let stored = after.schema.find(number: table) ?? before.schema.find(number: table) else { return (nil, nil) }
        let old = try older.state(table, as: stored), new = try newer.state(table, as: stored), key = ObjectKey(difference.key)
        return (difference.kind == .inserted ? nil : difference.old.map { Row(state: old, place: $0, key: key) },
                difference.kind == .deleted ? nil : difference.new.map { Row(state: new, place: $0, key: key) })
    }
}

/// A class in both versions of a step.
final class ClassStep {
    let older: Table
    let newer: Table
    // Safe: used on one thread, like the step that has it.
    /// Its objects that differ; nil until they are requested.
    @exclusivity(unchecked) fileprivate var objects: [DifferingObject]?

    fileprivate init(_ older: Table, _ newer: Table) {
        self.older = older
        self.newer = newer
    }
}

/// An object of a class that differs between two versions.
struct DifferingObject {
    let difference: ObjectDifference
    /// The old row; nil if the object did not exist, or was not of the class.
    let before: Row?
    /// The new row; nil if the object does not exist, or is not of the class.
    let after: Row?
}

/// Results found once for all that take a step.
extension VersionStep {
    /// The tables of a class. Throws `.unknownClass` if a version does not have it.
    func tables(of className: String) throws(FreeholdError) -> ClassStep {
        if let known = classes[className] { return known }
        let found = ClassStep(try older.table(className), try newer.table(className))
        classes[className] = found
        return found
    }

    /// The objects of a class that differ, with their old and new rows.
    func objects(in tables: ClassStep) throws(FreeholdError) -> [DifferingObject] {
        if let known = tables.objects { return known }
        var found: [DifferingObject] = []
        for difference in try differences(inTable: tables.newer.tableNumber) {
            let key = ObjectKey(difference.key), before = try tables.older.row(key), after = try tables.newer.row(key)
            if before != nil || after != nil { found.append(DifferingObject(difference: difference, before: before, after: after)) }
        }
        tables.objects = found
        return found
    }

    /// The keys of the objects that differ in a reach of everything, found once for a table.
    func modified(_ everything: Reach) throws(FreeholdError) -> Set<ObjectKey> {
        let table = everything.places[0].table
        if let known = modifiedKeys[table] { return known }
        let found = try everything.objects(touchedBy: self)
        modifiedKeys[table] = found
        return found
    }
}
