/// Compares single objects of two versions of a class: the differences that a `ChangeCursor` would find, for callers that know where
/// to look.
struct ObjectComparison {
    let old: TableState
    let new: TableState
    let pairing: ColumnPairing
    /// The older version's number.
    let since: UInt64

    /// What differs of the object, or nil if nothing does.
    func difference(_ key: Int64) throws(FreeholdError) -> ObjectDifference? {
        // A key that the older version has not given out yet is not looked for.
        let before = key >= old.root.nextKey && old.root.nextKey != .max ? nil : try old.find(key)
        guard let after = try new.find(key) else {
            return before.map { ObjectDifference(kind: .deleted, key: key, old: $0, new: nil, columns: ColumnSet()) }
        }
        guard let before else { return ObjectDifference(kind: .inserted, key: key, old: nil, new: after, columns: ColumnSet()) }
        if max(old.incarnation(before), new.incarnation(after)) > since {
            return ObjectDifference(kind: .replaced, key: key, old: before, new: after, columns: ColumnSet())
        }
        let columns = try PlaceComparison(old: old, new: new, pairing).columns(before, after)
        return columns.isEmpty ? nil : ObjectDifference(kind: .changed, key: key, old: before, new: after, columns: columns)
    }
}
