/// The fold: the state of all pages after some version, as a copy-on-write tree of packed leaves.
///
/// A leaf (level 0) holds the 1,024 pages of one chunk of the table; an inner node of level n has up to 64 children
/// of level n − 1 at fixed positions. A null child holds reusable pages only.
///
/// 1. Only leaves with a page touched since the last fold are written anew, and the nodes above them.
/// 2. A fold created by commit n shows version n − 1; the record of n is in the log like any other.
/// 3. It ends with the file: children beyond it are freed, so that a file grown again finds no old states.
struct SpaceFold {
    static let fanOut = 64
    static let maximumLevel = 4

    let map: SpaceMap
    let pending: PendingBlocks
    /// The page from which on nodes are written anew too.
    let shrinkLine: Int
    /// The blocks created, children before parents.
    private(set) var made: [BlockReference] = []

    init(map: SpaceMap, pending: PendingBlocks, shrinkLine: Int) {
        self.map = map
        self.pending = pending
        self.shrinkLine = shrinkLine
    }

    /// Number of pages below a node of this level.
    static func pages(level: Int) -> Int { PageTable.chunkPages << (6 * level) }

    /// Creates the fold that shows the map's version, and frees the blocks it replaces.
    mutating func make(pageCount: Int) throws(FreeholdError) -> BlockReference {
        assert(pageCount > 0 && pageCount <= PageTable.maximumPages, "a fold shows the pages of a file")
        let old = map.log.fold
        var level = 0
        while Self.pages(level: level) < pageCount { level += 1 }
        let oldLevel = old.isNull ? level : try self.level(of: old)
        return try rebuild(old, oldLevel: oldLevel, level: max(level, oldLevel), first: 0)
    }

    private func level(of node: BlockReference) throws(FreeholdError) -> Int {
        let view = try pending.access.view(node)
        return view.kind == .spaceInner ? Int(view.variant) : 0
    }

    private mutating func rebuild(_ old: BlockReference, oldLevel: Int, level: Int, first: Int)
        throws(FreeholdError) -> BlockReference {
        assert(first % Self.pages(level: level) == 0 && first < map.table.count, "a node of level \(level) at page \(first)")
        if level == 0 {
            pending.free(old)
            let leaf = SpaceLeaf.pack(map.table, chunk: first / PageTable.chunkPages, into: pending)
            if let leaf { made.append(leaf) }
            return leaf ?? .null
        }
        var children = try self.children(of: old, oldLevel: oldLevel, level: level)
        let span = Self.pages(level: level - 1)
        for child in 0..<Self.fanOut {
            let start = first + child * span
            if start >= map.table.count {
                try pending.freeTree(children[child])
                children[child] = .null
                continue
            }
            // A fold that was lower hangs below child 0 alone.
            let childLevel = child == 0 ? min(oldLevel, level - 1) : level - 1
            if isTouched(start, span) || children[child].lastPage >= shrinkLine
                || (childLevel < level - 1 && !children[child].isNull) {
                children[child] = try rebuild(children[child], oldLevel: childLevel, level: level - 1, first: start)
            }
        }
        return makeInner(children, level: level, first: first)
    }

    /// The 64 children of a node; an old root below this level becomes the first child. The node itself is freed.
    private func children(of old: BlockReference, oldLevel: Int, level: Int) throws(FreeholdError) -> [BlockReference] {
        var children = [BlockReference](repeating: .null, count: Self.fanOut)
        if old.isNull { return children }
        if oldLevel < level {
            children[0] = old
            return children
        }
        let view = try pending.access.view(old)
        guard view.kind == .spaceInner, Int(view.variant) == level, view.referenceCount <= Self.fanOut else {
            throw map.damaged("a node of the fold stands at a wrong level")
        }
        for child in 0..<view.referenceCount { children[child] = view.reference(child) }
        pending.free(old)
        return children
    }

    private mutating func makeInner(_ children: [BlockReference], level: Int, first: Int) -> BlockReference {
        guard let last = children.lastIndex(where: { !$0.isNull }) else { return .null }
        assert(level > 0 && level <= Self.maximumLevel, "an inner node of the fold at level \(level)")
        let (reference, block) = pending.make(.spaceInner, variant: UInt8(level), firstKey: Int64(first), count: last + 1,
                                              references: last + 1, body: 0)
        for child in 0...last { block.setReference(child, children[child]) }
        made.append(reference)
        return reference
    }

    private func isTouched(_ start: Int, _ span: Int) -> Bool {
        let end = min(start + span, map.table.count)
        let chunks = start / PageTable.chunkPages...(end - 1) / PageTable.chunkPages
        return chunks.contains { map.table.isTouched(chunk: $0) }
    }
}
