/// The version that a salvage starts from: the newest one with a readable root.
struct SalvageOrigin {
    private(set) var root: Root?
    private(set) var top: Top?
    private(set) var notes: [String] = []
    /// The newest version that a record names, readable or not; blocks born later do not count.
    private(set) var newest = Root.versionLimit
    /// Whether there was, or may have been, a newer version than the one whose tree can be walked.
    var isBehind: Bool { root.map { $0.version < newest } ?? true }

    /// The references of a top block; the block itself may be released meanwhile.
    struct Top {
        let schema: BlockReference
        let space: BlockReference
        let tables: [BlockReference]
    }

    private static func top(_ reference: BlockReference, in file: DamagedFile) -> Top? {
        guard let block = try? TopBlock(reference, in: file.access) else { return nil }
        return Top(schema: block.schema, space: block.space, tables: (0..<block.tableCount).map { block.table($0) })
    }

    /// Reads the roots in the header pages.
    init(_ file: DamagedFile) {
        if file.header == nil { notes.append("the header is destroyed") }
        let named = file.roots
        if let newest = named.first { self.newest = newest.version }
        let readable = named.filter { (try? TopBlock($0.top, in: file.access)) != nil }
        guard var best = readable.first else {
            notes.append("no root can be read: objects were found block by block")
            return
        }
        if let newest = named.first, newest.version > best.version {
            notes.append("the top block of version \(newest.version) is destroyed; version \(best.version) is the newest whose tree "
                + "can be walked, and newer objects were found block by block")
        }
        if let durable = file.durable?.root, let older = Self.preferred(durable, to: best, in: file) {
            notes.append("version \(best.version) is incomplete, as after a power cut; the durable version \(older.version) was salvaged")
            best = older
            newest = older.version
        }
        take(best, in: file)
    }

    /// Chooses the best of the top blocks found by their form: the newest one whose commit finished, or else the
    /// newest.
    mutating func choose(among tops: [BlockReference], in file: DamagedFile) {
        let recent = tops.prefix(16)
        let finished = recent.first { top in
            (try? SpaceWalk.verify(top: top, bornAfter: top.birth - 1, access: file.access, path: file.path)) != nil
        }
        guard let chosen = finished ?? recent.first else { return }
        let length = UInt64(FileLayout.pages(holding: file.length))
        take(Root(version: chosen.birth, lastFull: chosen.birth, length: length, top: chosen, readFeatures: 0, writeFeatures: 0), in: file)
        notes.append("version \(chosen.birth) is the newest whose tree can be walked; newer objects were found block by block")
    }

    private mutating func take(_ root: Root, in file: DamagedFile) {
        top = Self.top(root.top, in: file)
        if top != nil { self.root = root }
    }

    /// The space map of the version, if all of it can be read.
    func spaceMap(in file: DamagedFile) -> SpaceMap? {
        guard let root, let top else { return nil }
        return try? SpaceMap.load(version: root.version, root: top.space, length: root.length, access: file.access, path: file.path)
    }

    /// The durable version, if the newest is one that recovery would not adopt and that yields no more objects;
    /// otherwise nil.
    private static func preferred(_ durable: Root, to newest: Root, in file: DamagedFile) -> Root? {
        guard durable.version < newest.version else { return nil }
        if (try? SpaceWalk.verify(top: newest.top, bornAfter: durable.version, access: file.access, path: file.path)) != nil { return nil }
        return readableObjects(of: durable, in: file) >= readableObjects(of: newest, in: file) ? durable : nil
    }

    /// The number of intact objects below a root.
    private static func readableObjects(of root: Root, in file: DamagedFile) -> Int {
        guard let top = top(root.top, in: file) else { return -1 }
        var count = 0
        for reference in top.tables {
            guard let table = try? TableRoot(reference, in: file.access) else { continue }
            for tail in table.tails { count += (try? TableState.tail(tail, in: file.access))?.count ?? 0 }
            var clusters: [BlockReference] = []
            let walk = ClusterWalk(access: file.access, onCluster: { _, reference in clusters.append(reference) }, onHole: { _ in })
            try? walk.run(table.clusters, objects: table.sealedCount)
            for reference in clusters {
                _ = file.rest()
                guard let view = try? file.access.view(reference) else { continue }
                let cluster = ClusterView(view: view)
                let isWhole = (0..<cluster.view.referenceCount).allSatisfy { column in
                    cluster.leaf(column).isNull || (try? file.access.view(cluster.leaf(column))) != nil
                }
                if isWhole { count += cluster.count }
            }
        }
        return count
    }
}
