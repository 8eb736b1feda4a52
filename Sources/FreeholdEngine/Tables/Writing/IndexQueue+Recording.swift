/// Records single operations, and those of all rows of the buffer when it is sealed.
extension IndexQueue {
    /// Records every row of the buffer for all trees.
    func recordRows() throws(FreeholdError) {
        for column in stored.treeColumns { try recordInserts(column, stored.properties[column]) }
        for index in stored.indexes { try recordInserts(index) }
    }

    /// Records the newly deleted rows of clusters for all trees.
    func record(deletionsIn clusters: [ClusterView]) throws(FreeholdError) {
        for column in stored.treeColumns {
            if try !recordNumbered(deletionsIn: clusters, column) {
                for cluster in clusters {
                    for row in cluster.unrecordedRows { try record(removalOf: cluster, row, column, key: cluster.key(row)) }
                }
            }
            try mergeIfMany(column)
        }
        for index in stored.indexes {
            for cluster in clusters {
                for row in cluster.unrecordedRows { try record(removalOf: .cluster(cluster, row), index, key: cluster.key(row)) }
            }
            try mergeIfMany(index.column)
        }
    }

    /// Records that a sealed row leaves a column's tree under a value, and under the objects in it.
    func record(remove value: Value, column: Int, key: Int64) throws(FreeholdError) {
        let property = stored.properties[column]
        guard property.files(value) else { return }
        keyBytes.setIndexKey(value, of: property.type)
        try waiting(column).remove(keyBytes.bytes, ObjectKey(key))
        if property.type != .mixed { return }
        for object in value.nestedReferences {
            keyBytes.setNestedKey(object)
            try waiting(column).remove(keyBytes.bytes, ObjectKey(key))
        }
    }

    /// Records that a sealed row leaves a column's tree.
    func record(removalOf cluster: ClusterView, _ row: Int, _ column: Int, key: Int64) throws(FreeholdError) {
        let place = RowPlace.cluster(cluster, row)
        if stored.properties[column].shape != nil {
            return try state.forEachLink(place, column) { target throws(FreeholdError) in
                try record(remove: target.value, column: column, key: key)
            }
        }
        guard stored.properties[column].type == .string else {
            let value = try state.value(place, column)
            if try state.files(place, column, value) { try record(remove: value, column: column, key: key) }
            return
        }
        // Read directly from the leaf: a `Value` would allocate a string only to discard it.
        keyBytes.removeAll()
        if try state.isNull(place, column) {
            if try !state.has(place, column) { return }
        } else { keyBytes.appendIndexText(try state.text(cluster, row, column)) }
        try waiting(column).remove(keyBytes.bytes, ObjectKey(key))
    }

    /// Records that a sealed row enters a column's tree under a value, and under the objects in it.
    func record(insert value: Value, column: Int, key: Int64) throws(FreeholdError) {
        let property = stored.properties[column]
        guard property.files(value) else { return }
        keyBytes.setIndexKey(value, of: property.type)
        try checkLength(column)
        try waiting(column).insert(keyBytes.bytes, ObjectKey(key))
        if property.type != .mixed { return }
        for object in value.nestedReferences {
            keyBytes.setNestedKey(object)
            try waiting(column).insert(keyBytes.bytes, ObjectKey(key))
        }
    }

    /// Records every row of the buffer for one column's tree.
    private func recordInserts(_ column: Int, _ property: StoredProperty) throws(FreeholdError) {
        if property.shape != nil { return try recordLinks(column) }
        var others: [Int]?
        if let codes = codesOfRows[column] { others = try recordNumbered(insertsOf: codes, column) }
        if others?.isEmpty == true { return }
        let waiting = try waiting(column), skipsNull = property.type == .link
        for place in others ?? Array(0..<buffer.count) {
            let row = buffer.row(place)
            if row.isNull(column) {
                if skipsNull { continue }
                if property.owner != nil, try !state.has(.tail(row), column) { continue }
            }
            if property.type == .mixed {
                try record(insert: row.value(column, layout, type: .mixed), column: column, key: row.key)
                continue
            }
            try keyBytes.setIndexKey(row, column, layout, type: property.type)
            if keyBytes.count > IndexLayout.maximumKeyBytes { try checkLength(column) }
            waiting.insert(keyBytes.bytes, ObjectKey(row.key))
        }
    }

    private func checkLength(_ column: Int) throws(FreeholdError) {
        if keyBytes.count <= IndexLayout.maximumKeyBytes { return }
        throw stored.properties[column].tooLong(keyBytes.count, class: stored.name)
    }

    /// Records for the tree over the column which links an object has lost and gained.
    func recordLinks(of key: Int64, _ column: Int, gone: Set<LinkTarget>, isComplete: Bool, come: [LinkTarget],
                             in new: CollectionReader) throws(FreeholdError) {
        // When every link to a target was removed, there is none left to look for.
        let missing = if isComplete { gone } else { try new.missing(gone) }
        for target in missing { try record(remove: target.value, column: column, key: key) }
        for target in come {
            try record(insert: target.value, column: column, key: key)
        }
    }

    /// Records the links of every row of the buffer.
    private func recordLinks(_ column: Int) throws(FreeholdError) {
        for place in 0..<buffer.count {
            let row = buffer.row(place)
            try state.forEachLink(.tail(row), column) { target throws(FreeholdError) in
                try record(insert: target.value, column: column, key: row.key)
            }
        }
    }

    /// Records all sealed objects for a column's tree.
    func fill(_ column: Int) throws(FreeholdError) {
        var cursor = try ClusterCursor(state.root.clusters, in: table.pending.access)
        while let cluster = try cursor.next() {
            for row in 0..<cluster.count where !cluster.isDeleted(row) {
                let place = RowPlace.cluster(cluster, row), value = try state.value(place, column)
                if try state.files(place, column, value) { try record(insert: value, column: column, key: cluster.key(row)) }
            }
        }
    }
}
