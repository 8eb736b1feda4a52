/// Which objects are sorted: asked of a cluster's rows at once, or of one object.
struct SortFilter {
    /// Those of some rows of a cluster that are meant.
    let rows: (ClusterView, RowMask, TableState) throws(FreeholdError) -> RowMask
    let holds: (Row) throws(FreeholdError) -> Bool

    init(rows: @escaping (ClusterView, RowMask, TableState) throws(FreeholdError) -> RowMask, holds: @escaping (Row) throws(FreeholdError) -> Bool) {
        self.rows = rows
        self.holds = holds
    }
}
