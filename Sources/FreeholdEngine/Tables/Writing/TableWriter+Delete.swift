extension TableWriter {
    /// Deletes the object; false if there is none. The caller handles links to it.
    func delete(_ key: Int64) throws(FreeholdError) -> Bool {
        try open()
        touched.note(key)
        if buffer.count > 1024 { try seal() }
        if state.hasRowsInTail, let place = try bufferPlace(key) {
            buffer.remove(at: place)
            claims.forget()
            assert(checkInvariants(), "the invariants hold")
            return true
        }
        let isDeleted = try tombstones.delete(key, in: table, hasFamily: shape.hasFamily)
        assert(checkInvariants(), "the invariants hold")
        return isDeleted
    }

    /// Points the (already pending) parent of `key`'s cluster to another block.
    func replaceCluster(key: Int64, by reference: BlockReference) throws(FreeholdError) {
        tombstones.stopMarking()
        try ClusterTree.replace(clusterOf: key, by: reference, root: &state.root.clusters, in: pending)
    }
}
