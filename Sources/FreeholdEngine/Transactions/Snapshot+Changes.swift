extension Snapshot {
    /// Compares this snapshot with `older`: what changed, by whichever processes. The cost follows the change.
    ///
    /// ```swift
    /// let before = try database.snapshot()
    /// // … commits of this process or others …
    /// let now = try database.snapshot()
    /// for people in try now.changes(since: before).classes where people.name == "Person" {
    ///     try people.forEach { change in
    ///         print(change.kind, change.key)
    ///         return true
    ///     }
    /// }
    /// ```
    /// Hidden classes are left out: a class that is shown now, and was hidden in `older`, counts as created with its objects.
    ///
    /// The result is valid while both snapshots stay at their versions. `older` may also be the newer of the two: then
    /// the result describes the way back.
    ///
    /// - Throws: `.invalidArgument` if the snapshots are of different databases, `.closed` if one of them has ended.
    public func changes(since older: Snapshot) throws(FreeholdError) -> DatabaseChanges {
        guard older.core === core || older.core.session.file.identity == core.session.file.identity else {
            throw FreeholdError(.invalidArgument, "changes are computed between two snapshots of one database; the other one is of "
                + "'\(older.core.path)'", path: core.path)
        }
        let before = try older.contents(), after = try contents()
        var classes: [ClassChanges] = []
        for number in 0..<max(before.schema.classes.count, after.schema.classes.count) {
            let old = ChangedClass(number, before.schema), new = ChangedClass(number, after.schema)
            guard let table = (new ?? old)?.table.number else { continue }
            let isSameData = before.top.table(Int(table)).isSameBlock(as: after.top.table(Int(table)))
            if isSameData, old?.table == new?.table, isDescribedAlike(number, before.schema, after.schema) { continue }
            classes.append(ClassChanges(older: older, newer: self, number: number, old: old, new: new))
        }
        return DatabaseChanges(classes: classes)
    }

    /// Whether a class that both schemas store alike is also described alike: a class that its links point to may have
    /// another name.
    private func isDescribedAlike(_ number: Int, _ before: StoredSchema, _ after: StoredSchema) -> Bool {
        if before === after { return true }
        guard after.find(number: number) != nil else { return true }
        return before.publicClass(number) == after.publicClass(number)
    }
}

/// What changed between two snapshots of a database.
public struct DatabaseChanges {
    /// Classes whose objects or properties may have changed, and those created or dropped; every other class is
    /// unchanged.
    public let classes: [ClassChanges]

    /// The changes of the class with this name in either version, or nil if it did not change.
    public subscript(name: String) -> ClassChanges? { classes.first { $0.after?.name.isSame(as: name) ?? false } ?? classes.first { $0.before?.name.isSame(as: name) ?? false } }
}

/// What changed in one class between two snapshots: in objects of the class itself. Objects of a subclass are reported
/// for the subclass, with the properties of both.
public struct ClassChanges {
    private let older: Snapshot
    private let newer: Snapshot
    private let number: Int
    private let old: ChangedClass?
    private let new: ChangedClass?
    private let versions: (UInt64, UInt64)

    init(older: Snapshot, newer: Snapshot, number: Int, old: ChangedClass?, new: ChangedClass?) {
        self.older = older
        self.newer = newer
        self.number = number
        self.old = old
        self.new = new
        versions = (older.root.version, newer.root.version)
    }

    /// The class in the older snapshot; nil if it was created since.
    public var before: ClassSchema? { old.flatMap { _ in try? older.schema().publicClass(number) } }

    /// The class in the newer snapshot; nil if it was dropped.
    public var after: ClassSchema? { new.flatMap { _ in try? newer.schema().publicClass(number) } }

    /// The class's name: the present one, unless it was dropped.
    public var name: String { new?.name ?? old?.name ?? "" }

    /// The properties of the class in the newer snapshot (in the older one, if it was dropped), to be passed to
    /// `ObjectChange.didChange` and to the rows of its `after`.
    public var columns: [Column] { (new ?? old).map { side in side.columns.map { side.table.column($0) } } ?? [] }

    /// Properties that were added (no `before`), dropped (no `after`) or changed, a change of name included. One whose type
    /// changed is a property dropped and another added.
    public var properties: [(before: PropertySchema?, after: PropertySchema?)] {
        let was = before?.properties ?? [], now = after?.properties ?? []
        var changes: [(before: PropertySchema?, after: PropertySchema?)] = []
        for (place, property) in (old?.properties ?? []).enumerated() {
            let other = new?.properties.firstIndex { $0.number == property.number }
            if other.map({ now[$0] != was[place] }) ?? true { changes.append((was[place], other.map { now[$0] })) }
        }
        for (place, property) in (new?.properties ?? []).enumerated()
        where old?.properties.contains(where: { $0.number == property.number }) != true {
            changes.append((nil, now[place]))
        }
        return changes
    }

    /// Calls `body` with every object that differs, in the order of keys, until it returns false.
    ///
    /// A change that was reverted is not reported, however many commits it took. A property that the older version does
    /// not have counts there as null, or as the type's zero.
    ///
    /// - Parameter properties: names of the newer version. Objects in which only other properties changed are left out,
    ///   and the other properties are not read. Nil: all properties. An empty array reports only created and deleted
    ///   objects.
    public func forEach(properties: [String]? = nil, _ body: (ObjectChange) throws -> Bool) throws {
        var changes = try cursor(properties: properties)
        while let change = try changes.next() {
            guard try body(change) else { return }
        }
    }

    /// A cursor over the objects that `forEach` passes, at the caller's pace.
    public func cursor(properties: [String]? = nil) throws(FreeholdError) -> ObjectChanges {
        guard older.root.version == versions.0, newer.root.version == versions.1 else {
            throw FreeholdError(.invalidArgument, "a snapshot has moved since these changes were opened; open them again")
        }
        let shown = new ?? old!
        var wanted: Set<Int>?
        if let properties {
            wanted = []
            for name in properties { wanted?.insert(try shown.table.place(of: name, in: UInt32(number))) }
        }
        let table = shown.table, place = Int(table.number)
        let before = try older.state(place, as: old?.table ?? table), after = try newer.state(place, as: new?.table ?? table)
        guard before.stored.family != nil || after.stored.family != nil else { return try ObjectChanges(older, before, newer, after, wanted, tag: nil) }
        return try ObjectChanges(older, before, newer, after, wanted ?? Set(shown.columns), tag: number == place ? 0 : Int64(number))
    }

    /// How many objects were inserted, deleted and changed. Large groups of objects that are only on one side are counted
    /// without reading each.
    public func counts(properties: [String]? = nil) throws(FreeholdError) -> ChangeCounts {
        try cursor(properties: properties).countRest()
    }
}

/// A class of one version.
struct ChangedClass {
    let name: String
    /// The class whose table has its objects: itself, or a class that it extends.
    let table: StoredClass
    /// The table's columns that its objects have, and those of them that it declares itself.
    let columns: [Int]
    let properties: [StoredProperty]

    /// Nil if the version does not have the class, or hides it.
    init?(_ number: Int, _ schema: StoredSchema) {
        guard let stored = schema.find(number: number), !ClassSchema.isHidden(stored.name) else { return nil }
        name = stored.name
        table = schema.classes[schema.table(of: number)]
        columns = table.columns(of: UInt32(number))
        let owner = stored.superclass == nil ? nil : UInt32(number)
        properties = table.properties.filter { $0.owner == owner && !$0.isClass }
    }
}

/// How many objects of a class differ between two snapshots.
public struct ChangeCounts: Sendable, Equatable {
    /// Objects that only the newer snapshot has.
    public var inserted = 0
    /// Objects that only the older snapshot has.
    public var deleted = 0
    /// Objects that both have, with different values.
    public var changed = 0
    /// Keys under which both have an object, but not the same one.
    public var replaced = 0

    mutating func add(_ kind: ObjectChange.Kind) {
        switch kind {
        case .inserted: inserted += 1
        case .deleted: deleted += 1
        case .changed: changed += 1
        case .replaced: replaced += 1
        }
    }

    /// Creates counts, for tests to compare with.
    public init(inserted: Int = 0, deleted: Int = 0, changed: Int = 0, replaced: Int = 0) {
        self.inserted = inserted
        self.deleted = deleted
        self.changed = changed
        self.replaced = replaced
    }
}
