import FreeholdEngine

/// A class's table at the version that the realm shows, and what was found in it.
struct FoundRows {
    private(set) var table: HeldTable?
    /// Finds the rows of the table, as long as the realm shows that version.
    private(set) var lookup: KeyLookup?
    /// The row found last in that version, and the value of `RealmCore.changes` then: classes of a family share the
    /// memory of their rows, so that a change of one moves the rows of another.
    var last: (row: Row, changes: UInt64)?

    mutating func hold(_ held: HeldTable) {
        table = held
        lookup = KeyLookup(held.table)
    }

    mutating func forget() { (table, lookup, last) = (nil, nil, nil) }
}

/// A table at one epoch of a realm. A class, because passing the table itself would count five references.
final class HeldTable {
    let table: Table
    let epoch: UInt64

    init(_ table: Table, _ epoch: UInt64) {
        self.table = table
        self.epoch = epoch
    }
}

/// What was found last of a class of a frozen realm.
struct FrozenFinds {
    /// The positions of the class's objects.
    var positions: TablePositions?
    private var collection: (key: ObjectKey, property: Int, path: [CollectionStep], view: CollectionView)?

    func collection(_ key: ObjectKey, _ property: Int, _ path: [CollectionStep]) -> CollectionView? {
        guard let found = collection, found.key == key, found.property == property, found.path == path else { return nil }
        return found.view
    }

    mutating func note(_ view: CollectionView, _ key: ObjectKey, _ property: Int, _ path: [CollectionStep]) {
        collection = (key, property, path, view)
    }
}
