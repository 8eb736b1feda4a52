extension Table {
    /// Calls `body` with every object in ascending key order, until it returns false.
    public func forEach(_ body: (Row) throws -> Bool) throws {
        try forEach(from: ObjectKey(.min), body)
    }

    /// Calls `body` with every object whose key is at least `key`, in ascending key order, until it returns false.
    public func forEach(from key: ObjectKey, _ body: (Row) throws -> Bool) throws {
        var waiting = try tailRows(from: key.rawValue)[...]
        var cursor = try ClusterCursor(state.root.clusters, from: key.rawValue, in: state.access)
        while let cluster = try cursor.next() {
            for row in cluster.lowerBound(key.rawValue)..<cluster.count where !cluster.isDeleted(row) {
                let next = cluster.key(row)
                while let tail = waiting.first, tail.key < next {
                    waiting = waiting.dropFirst()
                    guard try body(Row(state: state, place: .tail(tail), key: ObjectKey(tail.key))) else { return }
                }
                guard try body(Row(state: state, place: .cluster(cluster, row), key: ObjectKey(next))) else { return }
            }
        }
        for tail in waiting {
            guard try body(Row(state: state, place: .tail(tail), key: ObjectKey(tail.key))) else { return }
        }
        try state.access.requireIntactMapping()
    }

    /// Keys in ascending order: at most `limit` of them, after skipping `offset`.
    public func keys(limit: Int = .max, offset: Int = 0) throws(FreeholdError) -> [ObjectKey] {
        var keys: [ObjectKey] = []
        var skip = offset
        do {
            try forEach { row in
                if keys.count >= limit { return false }
                if skip > 0 { skip -= 1 } else { keys.append(row.key) }
                return true
            }
        } catch let error as FreeholdError {
            throw error
        } catch {
            preconditionFailure("the body above throws nothing of its own")
        }
        return keys
    }

    /// The tail's rows from `key` on, by key.
    func tailRows(from key: Int64) throws(FreeholdError) -> [RowView] {
        var rows: [RowView] = []
        try state.forEachTailRow { row throws(FreeholdError) in
            if row.key >= key { rows.append(row) }
        }
        return rows.sorted { $0.key < $1.key }
    }
}
