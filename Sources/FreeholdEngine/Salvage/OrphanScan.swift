/// Blocks that appear to be parts of a class, found by their form alone, whatever refers to them.
struct Orphans {
    struct Cluster {
        var reference: BlockReference
        var first: Int64
        var last: Int64
    }

    var clusters: [UInt32: [Cluster]] = [:]
    var tails: [UInt32: [BlockReference]] = [:]
    var tableRoots: [UInt32: [BlockReference]] = [:]
    var dictionaries: [UInt32: [BlockReference]] = [:]
    var schemas: [BlockReference] = []
    var tops: [BlockReference] = []

    /// The numbers of all classes of which anything was found.
    var tables: Set<UInt32> { Set(clusters.keys).union(tails.keys).union(tableRoots.keys) }
}

/// Searches every granule that the root does not reach for the beginning of a block.
///
/// A block alone does not show whether its bytes are those that were written. A cluster found here counts if a leaf
/// matches the checksum in the cluster's reference to it, since its references are then intact. Blocks of an encrypted
/// file show it themselves, and when they were written.
struct OrphanScan {
    let file: DamagedFile
    /// The maximum birth of a block that counts.
    let newest: UInt64
    private(set) var evidence: PageEvidence
    private(set) var orphans = Orphans()

    init(_ file: DamagedFile, evidence: PageEvidence, newest: UInt64) {
        self.file = file
        self.evidence = evidence
        self.newest = newest
    }

    /// Marks every reachable block below `top` as claimed.
    mutating func claimTree(_ top: BlockReference) {
        var open = [top]
        while let reference = open.popLast() {
            guard !reference.isNull, !evidence.isClaimed(Int(reference.granuleIndex)) else { continue }
            evidence.claim(reference)
            _ = file.rest()
            guard let view = try? file.access.view(reference) else { continue }
            evidence.noteBirth(reference)
            for index in 0..<view.referenceCount { open.append(view.reference(index)) }
        }
    }

    mutating func run() {
        for granule in stride(from: FileLayout.firstData / BlockLayout.granule, to: file.length / BlockLayout.granule, by: 1)
        where !evidence.isClaimed(granule) { look(at: granule) }
        settleBirths()
    }

    private static let kinds: Set<BlockKind> = [
        .top, .tableRoot, .clusterInner, .cluster, .tail, .dictionary, .largeValue, .largeValueIndex,
    ]

    private mutating func look(at granule: Int) {
        guard let reference = file.block(at: granule, of: Self.kinds) else { return }
        _ = file.rest()
        guard let view = try? file.access.view(reference) else { return }
        if reference.birth != 0 { evidence.noteBirth(reference) }
        switch view.kind {
        case .top: if vouches(view) > 0 { orphans.tops.append(reference) }
        case .tableRoot: if vouches(view) > 0 { orphans.tableRoots[view.table, default: []].append(reference) }
        case .clusterInner: _ = vouches(view)
        case .dictionary: if vouches(view) > 0 { orphans.dictionaries[view.table, default: []].append(reference) }
        case .cluster: add(cluster: view, reference)
        case .tail: orphans.tails[view.table, default: []].append(reference)
        default: if view.table == 0, isSchema(reference, view) { orphans.schemas.append(reference) }
        }
    }

    /// The number of a block's children that match their references, plus one in an encrypted file, where the block
    /// itself is verified. The births of their pages are noted.
    private mutating func vouches(_ view: BlockView) -> Int {
        var intact = file.isEncrypted ? 1 : 0
        for index in 0..<view.referenceCount {
            let child = view.reference(index)
            guard !child.isNull, (try? file.access.view(child)) != nil else { continue }
            evidence.noteBirth(child)
            intact += 1
        }
        return intact
    }

    private mutating func add(cluster view: BlockView, _ reference: BlockReference) {
        let cluster = ClusterView(view: view)
        let leaves = (0..<view.referenceCount).contains { !view.reference($0).isNull }
        guard vouches(view) > 0 || !leaves else { return }
        orphans.clusters[view.table, default: []].append(
            Orphans.Cluster(reference: reference, first: cluster.firstKey, last: cluster.key(cluster.count - 1)))
    }

    /// Safe: a block that `block(at:)` found has its body, here of eight bytes at least.
    private func isSchema(_ reference: BlockReference, _ view: BlockView) -> Bool {
        if view.kind == .largeValue, view.bodyLength < 8 || view.body.loadUnaligned(as: UInt32.self) != 0 { return false }
        guard let schema = try? SchemaCodec.decode(LargeValue.read(reference, in: file.access)) else { return false }
        return !schema.classes.isEmpty
    }

    /// Gives each block its birth: that of its page, or else the newest among its children's. Drops blocks that are too
    /// young.
    private mutating func settleBirths() {
        for (table, found) in orphans.clusters {
            orphans.clusters[table] = found.compactMap { cluster in
                var cluster = cluster
                guard let reference = born(cluster.reference) else { return nil }
                cluster.reference = reference
                return cluster
            }
        }
        for (table, found) in orphans.tails { orphans.tails[table] = found.compactMap(born) }
        for (table, found) in orphans.tableRoots { orphans.tableRoots[table] = newestFirst(found.compactMap(born)) }
        orphans.schemas = newestFirst(orphans.schemas.compactMap(born))
        orphans.tops = newestFirst(orphans.tops.compactMap(born))
    }

    private func newestFirst(_ found: [BlockReference]) -> [BlockReference] { found.sorted { $0.birth > $1.birth } }

    private func born(_ reference: BlockReference) -> BlockReference? {
        var born = reference
        if reference.birth != 0 { return reference.birth <= newest ? reference : nil }
        if let birth = evidence.birth(ofGranule: Int(reference.granuleIndex)) {
            born.birth = birth
        } else if let view = try? file.access.view(reference) {
            born.birth = (0..<view.referenceCount).map { view.reference($0).birth }.max() ?? 0
        }
        return born.birth <= newest ? born : nil
    }
}
