/// Changes the primary key of a table.
extension TableReshaping {
    /// Whether every object's value in an integer column equals its object key.
    func allAreKeyed(by column: Int) throws(FreeholdError) -> Bool {
        try writer.open()
        try writer.seal()
        try writer.compact()
        var cursor = try ClusterCursor(state.root.clusters, in: pending.access)
        while let cluster = try cursor.next() {
            for row in 0..<cluster.count where !cluster.isDeleted(row) {
                if try state.value(.cluster(cluster, row), column) != .int(cluster.key(row)) { return false }
            }
        }
        return true
    }

    /// Switches to a class in which a column whose values equal the object keys is no longer stored.
    func leaveToKeys(_ column: Int, becoming new: StoredClass) throws(FreeholdError) {
        try settleForReshaping()
        try rewriteClusters { cluster throws(FreeholdError) in
            cluster.leaf(column).isNull ? nil : try references(of: cluster, column, .null)
        }
        try dropTrees(of: column)
        writer.become(new)
        state.forgetDictionaries(count: new.properties.count)
    }
}
