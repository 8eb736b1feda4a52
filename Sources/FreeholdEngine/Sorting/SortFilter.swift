/// Selects the objects to sort: tests a cluster's rows together, or one object.
struct SortFilter {
    /// Returns the selected ones of some rows of a cluster.
    let rows: (ClusterView, RowMask, TableState) throws(FreeholdError) -> RowMask
    let holds: (Row) throws(FreeholdError) -> Bool

    init(rows: @escaping (ClusterView, RowMask, TableState) throws(FreeholdError) -> RowMask, holds: @escaping (Row) throws(FreeholdError) -> Bool) {
        self.rows = rows
        self.holds = holds
    }
}
