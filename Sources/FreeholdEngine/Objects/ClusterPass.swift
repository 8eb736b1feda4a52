extension Table {
    /// Calls `body` with each cluster that may have keys of a range, ascending, and with the state to read it by, until
    /// it returns false.
    ///
    /// - Parameters:
    ///   - column: the column whose leaves will be read, or -1.
    ///   - lines: the number of their cache lines that will be read.
    @inline(__always)
    func forEachCluster(
        _ keys: ClosedRange<Int64> = .min ... .max, reading column: Int = -1, lines: Int = ClusterCursor.wholeLeaf,
        _ body: (ClusterView, TableState) throws(FreeholdError) -> Bool
    ) throws(FreeholdError) {
        var pass = BlockPass(self), passed: Int64?
        defer { pass.end() }
        // One of many short parts would add its first cluster to what is too much already.
        if pass.isFull { _ = pass.rest() }
        var cursor = try ClusterCursor(pass.state.root.clusters, from: keys.lowerBound, reading: column, lines: lines, in: pass.state.access)
        while let cluster = try cursor.next() {
            let last = cluster.key(cluster.count - 1)
            // A walk from a key on begins with the cluster that may have it.
            if let passed, last <= passed { continue }
            if cluster.firstKey > keys.upperBound { break }
            guard try body(cluster, pass.state) else { break }
            guard pass.isFull, last < .max, pass.rest() else { continue }
            passed = last
            cursor = try ClusterCursor(pass.state.root.clusters, from: last + 1, reading: column, lines: lines, in: pass.state.access)
        }
        try state.access.requireIntactMapping()
    }
}
