/// The objects of a class that differ between two snapshots, in the order of keys; see `ClassChanges.cursor`.
public struct ObjectChanges {
    private var cursor: ChangeCursor
    private let before: TableState
    private let after: TableState
    // They hold the versions that the walk reads.
    private let older: Snapshot
    private let newer: Snapshot

    init(_ older: Snapshot, _ before: TableState, _ newer: Snapshot, _ after: TableState, _ wanted: Set<Int>?) throws(FreeholdError) {
        self.older = older
        self.newer = newer
        self.before = before
        self.after = after
        let pairing = ColumnPairing(before.stored, after.stored) { wanted?.contains($0) ?? true }
        cursor = try ChangeCursor(old: before, new: after, pairing, since: min(older.root.version, newer.root.version))
    }

    /// The next object that differs, or nil at the end.
    public mutating func next() throws(FreeholdError) -> ObjectChange? {
        guard let found = try cursor.next() else {
            try after.access.requireIntactMapping()
            return nil
        }
        let key = ObjectKey(found.key)
        return ObjectChange(kind: ObjectChange.Kind(found.kind), key: key,
                            before: found.old.map { Row(state: before, place: $0, key: key) },
                            after: found.new.map { Row(state: after, place: $0, key: key) },
                            columns: found.columns, stored: after.stored)
    }

    /// How many objects differ that have not been told yet.
    func countRest() throws(FreeholdError) -> ChangeCounts {
        var rest = cursor
        let counts = try rest.count()
        try after.access.requireIntactMapping()
        return ChangeCounts(inserted: counts.inserted, deleted: counts.deleted, changed: counts.changed, replaced: counts.replaced)
    }
}

/// One object that differs between two snapshots.
public struct ObjectChange {
    /// What became of the object.
    public enum Kind: Sendable {
        /// The newer snapshot has it, the older does not.
        case inserted
        /// The older snapshot has it, the newer does not.
        case deleted
        /// Both have it, with different values.
        case changed
        /// Both have an object under the key, but not the same one: it was deleted, and another one was made.
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

    /// What became of it.
    public let kind: Kind
    /// The object's key, the same in both snapshots.
    public let key: ObjectKey
    /// The object in the older snapshot; nil if it was inserted.
    public let before: Row?
    /// The object in the newer snapshot; nil if it was deleted.
    public let after: Row?
    let columns: ColumnSet
    let stored: StoredClass

    /// Whether the property's value changed; false for every property of an object that is another one.
    ///
    /// - Parameter column: a property of the newer snapshot's class.
    public func didChange(_ column: Column) -> Bool {
        if column.stamp == stored.stamp { return columns.contains(column.index) }
        return (try? stored.index(of: column)).map { columns.contains($0) } ?? false
    }

    /// The properties of the newer snapshot's class whose values changed, in the schema's order.
    public var changedColumns: [Column] {
        columns.isEmpty ? [] : stored.properties.indices.filter { columns.contains($0) }.map { stored.column($0) }
    }
}
