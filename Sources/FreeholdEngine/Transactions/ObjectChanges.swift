/// The objects of a class that differ between two snapshots, in the order of keys; see `ClassChanges.cursor`.
public struct ObjectChanges {
    private var cursor: ChangeCursor
    private let before: TableState
    private let after: TableState
    // The snapshots hold the versions that the walk reads.
    private let older: Snapshot
    private let newer: Snapshot
    /// What the hidden column has for the class's objects; nil if all objects of the table are meant.
    private let tag: Int64?

    init(_ older: Snapshot, _ before: TableState, _ newer: Snapshot, _ after: TableState, _ wanted: Set<Int>?,
         tag: Int64?) throws(FreeholdError) {
        self.tag = tag
        self.older = older
        self.newer = newer
        self.before = before
        self.after = after
        let pairing = ColumnPairing(before.stored, after.stored) { wanted?.contains($0) ?? true }
        cursor = try ChangeCursor(old: before, new: after, pairing, since: min(older.root.version, newer.root.version))
    }

    /// The next object that differs, or nil at the end.
    public mutating func next() throws(FreeholdError) -> ObjectChange? {
        while let found = try cursor.next() {
            guard let kind = try kind(found) else { continue }
            let key = ObjectKey(found.key), old = kind == .inserted ? nil : found.old, new = kind == .deleted ? nil : found.new
            return ObjectChange(kind: kind, key: key,
                                before: old.map { Row(state: before, place: $0, key: key) },
                                after: new.map { Row(state: after, place: $0, key: key) },
                                columns: found.columns, stored: after.stored, access: after.access)
        }
        try after.access.requireIntactMapping()
        return nil
    }

    /// The kind of a difference for the class; nil if it concerns other classes only. An object replaced by another
    /// class's is deleted.
    private func kind(_ found: ObjectDifference) throws(FreeholdError) -> ObjectChange.Kind? {
        guard let tag else { return ObjectChange.Kind(found.kind) }
        let wasOurs = try found.old.map { place throws(FreeholdError) in try before.tag(place) == tag } ?? false
        let isOurs = try found.new.map { place throws(FreeholdError) in try after.tag(place) == tag } ?? false
        switch (wasOurs, isOurs) {
        case (false, false): return nil
        case (true, false): return .deleted
        case (false, true): return .inserted
        case (true, true): return ObjectChange.Kind(found.kind)
        }
    }

    /// How many objects differ that were not returned yet.
    func countRest() throws(FreeholdError) -> ChangeCounts {
        if tag != nil {
            var rest = self, sum = ChangeCounts()
            while let change = try rest.next() { sum.add(change.kind) }
            return sum
        }
        var rest = cursor
        let counts = try rest.count()
        try after.access.requireIntactMapping()
        return ChangeCounts(inserted: counts.inserted, deleted: counts.deleted, changed: counts.changed, replaced: counts.replaced)
    }
}

/// One object that differs between two snapshots.
public struct ObjectChange {
    /// What happened to the object.
    public enum Kind: Sendable {
        /// The newer snapshot has it, the older does not.
        case inserted
        /// The older snapshot has it, the newer does not.
        case deleted
        /// Both have it, with different values.
        case changed
        /// Both have an object under the key, but not the same one: it was deleted, and another one was created.
        case replaced

        init(_ kind: ObjectDifference.Kind) {
            self = switch kind {
            case .inserted: .inserted
            case .deleted: .deleted
            case .changed: .changed
            case .replaced: .replaced
            }
        }
    }

    /// What happened to the object.
    public let kind: Kind
    /// The object's key, the same in both snapshots.
    public let key: ObjectKey
    /// The object in the older snapshot; nil if it was inserted.
    public let before: Row?
    /// The object in the newer snapshot; nil if it was deleted.
    public let after: Row?
    let columns: ColumnSet
    let stored: StoredClass
    let access: BlockAccess

    /// Whether the property's value changed; false for every property of an object that was replaced by another one.
    ///
    /// - Parameter column: a property of the newer snapshot's class.
    public func didChange(_ column: Column) -> Bool {
        if column.stamp == stored.stamp { return columns.contains(column.index) }
        return (try? stored.index(of: column)).map { columns.contains($0) } ?? false
    }

    /// The names of the properties whose values changed, in the schema's order.
    ///
    /// - Parameter table: a class of the newer snapshot that has the object.
    public func changedProperties(of table: Table) -> [String] {
        zip(table.schema.properties, table.columns).filter { didChange($1) }.map(\.0.name)
    }

    /// The properties of the newer snapshot's class whose values changed, in the schema's order.
    public var changedColumns: [Column] {
        columns.isEmpty ? [] : stored.properties.indices.filter { columns.contains($0) }.map { stored.column($0) }
    }
}
