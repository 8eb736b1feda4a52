extension TableWriter {
    /// Switches to the class after a property was added: buffered rows are sealed in their old layout first, and the
    /// new property's tree is filled with the objects' values.
    ///
    /// - Parameter isNewClass: whether the properties are those of a new subclass, which has no objects.
    func adopt(_ stored: StoredClass, isNewClass: Bool = false) throws(FreeholdError) {
        try open()
        try seal()
        try compact()
        let old = state.stored.properties.count
        become(stored)
        if isNewClass { return }
        for column in old..<stored.properties.count where stored.properties[column].hasTree && stored.properties[column].shape == nil {
            try fillIndex(column)
        }
    }

    func fillIndex(_ column: Int) throws(FreeholdError) {
        var cursor = try ClusterCursor(state.root.clusters, in: pending.access)
        while let cluster = try cursor.next() {
            for row in 0..<cluster.count where !cluster.isDeleted(row) {
                let place = RowPlace.cluster(cluster, row), value = try state.value(place, column)
                if try state.files(place, column, value) { try record(insert: value, column: column, key: cluster.key(row)) }
            }
        }
    }
}
