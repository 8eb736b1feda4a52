/// Adjacent rows of an old and a new cluster with the same keys, compared column by column.
struct ComparedRun {
    private let leaves: LeafComparison
    private let oldRow: Int
    private let newRow: Int
    /// The number of rows.
    let count: Int
    /// The rows that differ and have not been returned, counted from the first of the run.
    var changed = RowMask()
    private var replaced = RowMask()
    private var columns: [(column: Int, rows: RowMask)] = []

    /// Compares as many rows from `oldRow` and `newRow` on as have the same keys, all below `limit`; the first row
    /// does.
    init(_ leaves: LeafComparison, _ oldRow: Int, _ newRow: Int, below limit: Int64?, _ pairing: ColumnPairing,
         since: UInt64) throws(FreeholdError) {
        self.leaves = leaves
        self.oldRow = oldRow
        self.newRow = newRow
        var most = min(leaves.left.count - oldRow, leaves.right.count - newRow)
        if let limit { most = min(most, leaves.right.lowerBound(limit) - newRow) }
        count = max(1, leaves.left.sameKeys(from: oldRow, as: leaves.right, from: newRow, atMost: most))
        for pair in pairing.pairs {
            let rows = try leaves.differences(pair, oldRow, newRow, count)
            if rows.isEmpty { continue }
            changed |= rows
            columns.append((pair.new, rows))
        }
        guard leaves.left.hasIncarnations || leaves.right.hasIncarnations else { return }
        for row in 0..<count where max(leaves.left.incarnation(oldRow + row), leaves.right.incarnation(newRow + row)) > since {
            replaced.insert(row)
        }
        changed |= replaced
    }

    func difference(_ row: Int) -> ObjectDifference {
        var set = ColumnSet()
        let isReplaced = replaced.contains(row)
        for (column, rows) in columns where !isReplaced && rows.contains(row) { set.insert(column) }
        return ObjectDifference(kind: isReplaced ? .replaced : .changed, key: leaves.right.key(newRow + row), old: .cluster(leaves.left, oldRow + row),
                                new: .cluster(leaves.right, newRow + row), columns: set)
    }
}
