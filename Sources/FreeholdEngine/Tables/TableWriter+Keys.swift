/// What a change of the primary key needs of a table.
extension TableWriter {
    /// Whether every object's value in an integer column is its object key.
    func allAreKeyed(by column: Int) throws(FreeholdError) -> Bool {
        try open()
        try seal()
        try compact()
        var cursor = try ClusterCursor(state.root.clusters, in: pending.access)
        while let cluster = try cursor.next() {
            for row in 0..<cluster.count where !cluster.isDeleted(row) {
                if try state.value(.cluster(cluster, row), column) != .int(cluster.key(row)) { return false }
            }
        }
        return true
    }

    /// Goes on without the values of a column that are the object keys.
    func leaveToKeys(_ column: Int, becoming new: StoredClass) throws(FreeholdError) {
        try settleForReshaping()
        try rewriteClusters { cluster throws(FreeholdError) in
            cluster.leaf(column).isNull ? nil : try leaves(of: cluster, column, .null)
        }
        try dropTrees(of: column)
        become(new)
        state.forgetDictionaries(count: new.properties.count)
    }
}
