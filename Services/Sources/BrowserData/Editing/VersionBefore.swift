import FreeholdEngine

/// The objects as they were before a request, for comparing what its tab knew.
struct VersionBefore {
    let snapshot: Snapshot

    init(_ snapshot: Snapshot) { self.snapshot = snapshot }

    /// An object of that version.
    struct Found {
        let snapshot: Snapshot
        let table: Table
        let row: Row

        /// The column of a property, by its place in the class.
        func column(_ place: Int) -> Column { table.columns[place] }
    }

    /// The object; nil if it did not exist then.
    func row(_ object: FoundObject) throws -> Found? {
        let table = try snapshot.table(object.entry.name)
        return try table.row(object.key).map { Found(snapshot: snapshot, table: table, row: $0) }
    }
}
