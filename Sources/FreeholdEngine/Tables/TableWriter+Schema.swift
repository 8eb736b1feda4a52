extension TableWriter {
    /// Goes on with the class as it is after a property was added: rows waiting are sealed in their old layout first,
    /// and the new property's tree is filled with what the objects have.
    func adopt(_ stored: StoredClass) throws(FreeholdError) {
        try open()
        try seal()
        try compact()
        let old = state.stored.properties.count
        become(stored)
        for column in old..<stored.properties.count where stored.properties[column].hasTree && stored.properties[column].shape == nil {
            try fillIndex(column)
        }
    }

    func fillIndex(_ column: Int) throws(FreeholdError) {
        var cursor = try ClusterCursor(state.root.clusters, in: pending.access)
        while let cluster = try cursor.next() {
            for row in 0..<cluster.count where !cluster.isDeleted(row) {
                try record(insert: try state.value(.cluster(cluster, row), column), column: column, key: cluster.key(row))
            }
        }
    }
}
