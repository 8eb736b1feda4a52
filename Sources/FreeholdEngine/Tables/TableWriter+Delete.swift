extension TableWriter {
    /// Deletes the object; false if there is none. Links to it are the caller's business.
    func delete(_ key: Int64) throws(FreeholdError) -> Bool {
        try open()
        if buffer.count > 1024 { try seal() }
        if let place = try bufferPlace(key) {
            buffer.remove(at: place)
            uniqueRows.removeAll()
            return true
        }
        guard let cluster = try ClusterTree.cluster(for: key, root: state.root.clusters, in: pending.access),
              let row = cluster.position(key), !cluster.isDeleted(row) else { return false }
        for column in stored.treeColumns {
            try record(removalOf: cluster, row, column, key: key)
        }
        try mark(key, row: row)
        state.root.sealedCount -= 1
        return true
    }

    /// Sets the row's bit in its cluster, whose body first gets room for the bits.
    ///
    /// Safe: the cluster is pending, and the bits lie in the body just sized for them.
    private func mark(_ key: Int64, row: Int) throws(FreeholdError) {
        var block = try ClusterTree.edit(for: key, root: &state.root.clusters, in: pending)
        if !ClusterView(view: block.view).isTombstoned {
            block = try addTombstones(to: block, key: key)
            tombstoned.insert(block.view.firstKey)
        }
        let bits = UnsafeMutableRawPointer(mutating: ClusterView(view: block.view).tombstones)
        let byte = bits + row >> 3
        byte.storeBytes(of: byte.load(as: UInt8.self) | 1 << UInt8(row & 7), as: UInt8.self)
    }

    /// Replaces the pending cluster of `key` by one with room for tombstones.
    private func addTombstones(to block: MutableBlock, key: Int64) throws(FreeholdError) -> MutableBlock {
        let old = block.view
        let keys = ClusterView.keyBytes(count: old.count, width: Int(old.variant))
        let (reference, new) = pending.make(
            .cluster, variant: old.variant | ClusterView.tombstoned, table: number, firstKey: old.firstKey,
            count: old.count, references: old.referenceCount, body: keys + ClusterView.tombstoneBytes)
        for index in 0..<old.referenceCount { new.setReference(index, old.reference(index)) }
        new.body.copyMemory(from: old.body, byteCount: keys)
        try replaceCluster(key: key, by: reference)
        return new
    }

    /// Points the (already pending) parent of `key`'s cluster to another block.
    func replaceCluster(key: Int64, by reference: BlockReference) throws(FreeholdError) {
        guard case let root = try pending.access.view(state.root.clusters), root.kind == .clusterInner else {
            state.root.clusters = reference
            return
        }
        var parent = try pending.edit(&state.root.clusters)
        while true {
            let inner = ClusterInner(view: parent.view)
            let index = inner.index(of: key)
            if inner.level == 1 { return parent.setReference(index, reference) }
            var child = inner.child(index)
            parent = try pending.edit(&child)
        }
    }
}
