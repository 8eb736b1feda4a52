/// Deletes objects: sets a mark in the cluster, and defers all other work.
///
/// 1. `marking` is the cluster marked last, so that the next of ascending keys is found without a walk. It is pending
/// and has room for marks; code that replaces clusters resets it.
/// 2. The trees over columns record deleted rows cluster by cluster (`recordDeletions`), before they are used and
/// before any insertion is recorded, so that for one object and value the last operation stays the last.
/// 3. `unrecorded` names each cluster that has deleted rows that the trees have not recorded, once.
extension TableWriter {
    /// Deletes the object; false if there is none. The caller handles links to it.
    func delete(_ key: Int64) throws(FreeholdError) -> Bool {
        try open()
        if buffer.count > 1024 { try seal() }
        if state.hasRowsInTail, let place = try bufferPlace(key) {
            buffer.remove(at: place)
            claims.forget()
            return true
        }
        if let marking, let row = marking.position(key) { return try mark(row, of: marking) }
        guard let cluster = try ClusterTree.cluster(for: key, root: state.root.clusters, in: pending.access),
              let row = cluster.position(key), !cluster.isDeleted(row) else { return false }
        return try mark(row, of: try startMarking(key))
    }

    /// Sets the row's bit; false if it is already set.
    ///
    /// Safe: the cluster is pending, and the bits lie in the body, which has room for them.
    @inline(__always)
    private func mark(_ row: Int, of cluster: ClusterView) throws(FreeholdError) -> Bool {
        let byte = UnsafeMutableRawPointer(mutating: cluster.tombstones) + row >> 3
        let bit = UInt8(1) &<< UInt8(row & 7), old = byte.load(as: UInt8.self)
        if old & bit != 0 { return false }
        if hasFamily { state.root.count(-1, of: try state.tag(.cluster(cluster, row))) }
        byte.storeBytes(of: old | bit, as: UInt8.self)
        state.root.sealedCount -= 1
        return true
    }

    /// Makes the cluster of `key` the one being marked, before a row of it is marked.
    private func startMarking(_ key: Int64) throws(FreeholdError) -> ClusterView {
        var block = try ClusterTree.edit(for: key, root: &state.root.clusters, in: pending)
        if !ClusterView(view: block.view).isTombstoned {
            block = try addTombstones(to: block, key: key)
            tombstoned.insert(block.view.firstKey)
        }
        let cluster = ClusterView(view: block.view)
        if !cluster.hasUnrecorded && stored.hasTrees { unrecorded.append(cluster.firstKey) }
        marking = cluster
        return cluster
    }

    /// Replaces the pending cluster of `key` by one with room for tombstones.
    private func addTombstones(to block: MutableBlock, key: Int64) throws(FreeholdError) -> MutableBlock {
        let old = block.view
        let keys = ClusterView.keyBytes(count: old.count, width: ClusterView(view: old).keyWidth)
        let (reference, new) = pending.make(
            .cluster, variant: old.variant | ClusterView.tombstoned, table: number, firstKey: old.firstKey,
            count: old.count, references: old.referenceCount, body: old.bodyLength + ClusterView.markBytes)
        for index in 0..<old.referenceCount { new.setReference(index, old.reference(index)) }
        new.body.copyMemory(from: old.body, byteCount: keys)
        (new.body + (keys + ClusterView.markBytes)).copyMemory(from: old.body + keys, byteCount: old.bodyLength - keys)
        try replaceCluster(key: key, by: reference)
        return new
    }

    /// Points the (already pending) parent of `key`'s cluster to another block.
    func replaceCluster(key: Int64, by reference: BlockReference) throws(FreeholdError) {
        marking = nil
        var block = try pending.edit(&state.root.clusters)
        var place: (parent: MutableBlock, index: Int)?
        while block.view.kindByte == BlockKind.clusterInner.rawValue {
            let inner = ClusterInner(view: block.view)
            let index = inner.index(of: key)
            var child = inner.child(index)
            place = (block, index)
            block = try pending.edit(&child)
        }
        guard let place else {
            state.root.clusters = reference
            return
        }
        place.parent.setReference(place.index, reference)
    }

    /// Records for the trees over columns all deletions since the last call.
    func recordDeletions() throws(FreeholdError) {
        if unrecorded.isEmpty { return }
        marking = nil
        let firsts = unrecorded
        unrecorded.removeAll(keepingCapacity: true)
        var clusters: [ClusterView] = []
        for first in firsts { clusters.append(try cluster(marked: first)) }
        try indexes.record(deletionsIn: clusters)
        for first in firsts { try noteRecorded(first) }
    }

    /// The cluster with this first key, which has marks. In an intact tree it stays until it is compacted; where nodes
    /// claim each other's keys, another cluster may be found instead.
    func cluster(marked first: Int64) throws(FreeholdError) -> ClusterView {
        let found = try ClusterTree.cluster(for: first, root: state.root.clusters, in: pending.access)
        guard let found, found.isTombstoned else {
            throw FreeholdError(.corrupt, "two clusters of class '\(stored.name)' claim the object key \(first); run `freehold check`")
        }
        return found
    }

    /// Safe: the cluster is pending and has room for both sets of bits.
    private func noteRecorded(_ first: Int64) throws(FreeholdError) {
        let cluster = ClusterView(view: try ClusterTree.edit(for: first, root: &state.root.clusters, in: pending).view)
        let bits = UnsafeMutableRawPointer(mutating: cluster.tombstones)
        (bits + ClusterView.tombstoneBytes).copyMemory(from: bits, byteCount: ClusterView.tombstoneBytes)
    }
}
