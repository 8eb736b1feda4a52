/// Sealed objects deleted by a transaction: a mark in their cluster, all other work deferred.
///
/// ```
///   delete             record(in:)                  compaction
///   ──────► marked ───────────────► in the trees' ────────────► gone
///           in its     cluster by    operations     cluster by
///           cluster    cluster                      cluster
/// ```
/// 1. `clusters` names each cluster with marks, by its first key: none of them reaches the file.
/// 2. `unrecorded`, a part of `clusters`, names each cluster once that has marks which the trees over columns have not
/// recorded. They are recorded before the trees are used and before any insertion is, so that for one object and value
/// the last operation stays the last.
/// 3. `marking` is the cluster marked last, so that the next of ascending keys is found without a walk. It is pending,
/// has room for marks, and is in `clusters`; code that replaces clusters, and a new savepoint, end the marking.
struct Tombstones {
    private(set) var clusters: Set<Int64> = []
    private(set) var unrecorded: [Int64] = []
    private(set) var marking: ClusterView?

    var isEmpty: Bool { clusters.isEmpty }

    /// Forgets all clusters: they were compacted, or are not those of the table any more.
    mutating func removeAll() {
        clusters.removeAll()
        unrecorded.removeAll()
        marking = nil
    }

    /// Ends the marking of one cluster.
    @inline(__always) mutating func stopMarking() { marking = nil }

    /// Deletes a sealed object; false if there is none with this key. The caller handles links to it.
    ///
    /// - Parameter hasFamily: whether the table's class has subclasses, which are counted.
    mutating func delete(_ key: Int64, in table: WrittenTable, hasFamily: Bool) throws(FreeholdError) -> Bool {
        if let marking, let row = marking.position(key) { return try Self.mark(row, of: marking, in: table, hasFamily: hasFamily) }
        guard let cluster = try ClusterTree.cluster(for: key, root: table.state.root.clusters, in: table.pending.access),
              let row = cluster.position(key), !cluster.isDeleted(row) else { return false }
        return try Self.mark(row, of: try startMarking(key, in: table), in: table, hasFamily: hasFamily)
    }

    /// Sets the row's bit; false if it is already set.
    ///
    /// Safe: the cluster is pending, and the bits lie in the body, which has room for them.
    @inline(__always)
    private static func mark(_ row: Int, of cluster: ClusterView, in table: WrittenTable, hasFamily: Bool) throws(FreeholdError) -> Bool {
        let byte = UnsafeMutableRawPointer(mutating: cluster.tombstones) + row >> 3
        let bit = UInt8(1) &<< UInt8(row & 7), old = byte.load(as: UInt8.self)
        if old & bit != 0 { return false }
        if hasFamily { table.state.root.count(-1, of: try table.state.tag(.cluster(cluster, row))) }
        byte.storeBytes(of: old | bit, as: UInt8.self)
        table.state.root.sealedCount -= 1
        return true
    }

    /// Makes the cluster of `key` the one being marked, before a row of it is marked.
    private mutating func startMarking(_ key: Int64, in table: WrittenTable) throws(FreeholdError) -> ClusterView {
        var block = try ClusterTree.edit(for: key, root: &table.state.root.clusters, in: table.pending)
        if !ClusterView(view: block.view).isTombstoned {
            block = try Self.addRoom(to: block, key: key, in: table)
            clusters.insert(block.view.firstKey)
        }
        let cluster = ClusterView(view: block.view)
        if !cluster.hasUnrecorded && table.stored.hasTrees { unrecorded.append(cluster.firstKey) }
        marking = cluster
        return cluster
    }

    /// Replaces the pending cluster of `key` by one with room for tombstones.
    ///
    /// Safe: the new body has room for the old one and the marks.
    private static func addRoom(to block: MutableBlock, key: Int64, in table: WrittenTable) throws(FreeholdError) -> MutableBlock {
        let old = block.view
        let keys = ClusterView.keyBytes(count: old.count, width: ClusterView(view: old).keyWidth)
        let (reference, new) = table.pending.make(
            .cluster, variant: old.variant | ClusterView.tombstoned, table: table.number, firstKey: old.firstKey,
            count: old.count, references: old.referenceCount, body: old.bodyLength + ClusterView.markBytes)
        for index in 0..<old.referenceCount { new.setReference(index, old.reference(index)) }
        new.body.copyMemory(from: old.body, byteCount: keys)
        (new.body + (keys + ClusterView.markBytes)).copyMemory(from: old.body + keys, byteCount: old.bodyLength - keys)
        try ClusterTree.replace(clusterOf: key, by: reference, root: &table.state.root.clusters, in: table.pending)
        return new
    }

    /// Records for the trees over columns all deletions since the last call.
    @inline(__always)
    mutating func record(in indexes: IndexQueue) throws(FreeholdError) {
        if !unrecorded.isEmpty { try recordAll(in: indexes) }
    }

    private mutating func recordAll(in indexes: IndexQueue) throws(FreeholdError) {
        let table = indexes.table, firsts = unrecorded
        marking = nil
        unrecorded.removeAll(keepingCapacity: true)
        var marked: [ClusterView] = []
        for first in firsts { marked.append(try Self.cluster(marked: first, in: table)) }
        try indexes.record(deletionsIn: marked)
        for first in firsts { try Self.noteRecorded(first, in: table) }
    }

    /// The cluster with this first key, which has marks. In an intact tree it stays until it is compacted; where nodes
    /// claim each other's keys, another cluster may be found instead.
    private static func cluster(marked first: Int64, in table: WrittenTable) throws(FreeholdError) -> ClusterView {
        let found = try ClusterTree.cluster(for: first, root: table.state.root.clusters, in: table.pending.access)
        guard let found, found.isTombstoned else {
            throw FreeholdError(.corrupt, "two clusters of class '\(table.stored.name)' claim the object key \(first); run `freehold check`")
        }
        return found
    }

    /// Safe: the cluster is pending and has room for both sets of bits.
    private static func noteRecorded(_ first: Int64, in table: WrittenTable) throws(FreeholdError) {
        let cluster = ClusterView(view: try ClusterTree.edit(for: first, root: &table.state.root.clusters, in: table.pending).view)
        let bits = UnsafeMutableRawPointer(mutating: cluster.tombstones)
        (bits + ClusterView.tombstoneBytes).copyMemory(from: bits, byteCount: ClusterView.tombstoneBytes)
    }
}
