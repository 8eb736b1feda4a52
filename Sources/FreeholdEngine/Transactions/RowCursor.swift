/// The objects of a class one after the other in ascending key order, for callers who ask for each: a `Sequence` cannot throw.
///
/// ```swift
/// var cursor = try people.rows()
/// while let person = try cursor.next() { print(try person.string(name)) }
/// ```
/// Good while the table's snapshot stays at its version, or until its transaction changes the class (`Row` says what counts as such).
public struct RowCursor {
    private let table: Table
    private var walk: RowWalk

    init(_ table: Table, from key: ObjectKey) throws(FreeholdError) {
        self.table = table
        walk = try RowWalk(table.state, from: key.rawValue)
    }

    /// The next object, or nil behind the last.
    @inline(__always)
    public mutating func next() throws(FreeholdError) -> Row? {
        if table.scope == nil { return try walk.next() }
        while let row = try walk.next() {
            if try table.isMeant(row.place) { return row }
        }
        return nil
    }

    /// How many objects follow the last one within its cluster, their keys counting up by one: row and key of each are known without
    /// asking for it.
    public var neighbours: Int { table.scope == nil ? walk.neighbours : 0 }

    /// Passes over so many `neighbours`.
    public mutating func skip(_ count: Int) { walk.skip(count) }
}

extension Table {
    /// Objects in ascending key order, from a key on.
    public func rows(from key: ObjectKey = ObjectKey(.min)) throws(FreeholdError) -> RowCursor { try RowCursor(self, from: key) }
}
