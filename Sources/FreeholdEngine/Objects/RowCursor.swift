/// A cursor over the objects of a class in ascending key order. (It is no `Sequence`, because a `Sequence` cannot
/// throw.)
///
/// ```swift
/// var cursor = try people.rows()
/// while let person = try cursor.next() { print(try person.string(name)) }
/// ```
/// Valid while the table's snapshot stays at its version, or until its transaction changes the class (`Row` says what
/// counts as a change).
public struct RowCursor {
    private let table: Table
    private var walk: RowWalk

    init(_ table: Table, from key: ObjectKey) throws(FreeholdError) {
        self.table = table
        walk = try RowWalk(table.state, from: key.rawValue)
    }

    /// The next object, or nil after the last.
    @inline(__always)
    public mutating func next() throws(FreeholdError) -> Row? {
        if table.scope == nil { return try walk.next() }
        while let row = try walk.next() {
            if try table.isMeant(row.place) { return row }
        }
        return nil
    }

    /// How many objects follow the last one within its cluster with consecutive keys: row and key of each are known
    /// without calling `next`.
    public var neighbours: Int { table.scope == nil ? walk.neighbours : 0 }

    /// Skips `count` of the `neighbours`.
    public mutating func skip(_ count: Int) { walk.skip(count) }
}

extension Table {
    /// A cursor over the objects in ascending key order, from `key` on.
    public func rows(from key: ObjectKey = ObjectKey(.min)) throws(FreeholdError) -> RowCursor { try RowCursor(self, from: key) }
}
