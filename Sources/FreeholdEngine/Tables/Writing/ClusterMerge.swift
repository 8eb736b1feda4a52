/// One pass over a cluster tree that adds rows and drops deleted ones.
///
/// Rows are passed in key order. The pass visits only clusters that get rows or have tombstones, rebuilds those, and
/// replaces the inner nodes above them; every replaced block is freed. Rows past the end of the tree fill the last
/// cluster completely (ascending keys leave no half-empty clusters); rows in between split evenly.
struct ClusterMerge {
    let writer: TableWriter
    /// Positions in the writer's buffer, by ascending key.
    let places: [Int]
    /// First keys of clusters with tombstones, ascending.
    let compacting: [Int64]

    private var pending: PendingBlocks { writer.pending }

    init(writer: TableWriter, places: [Int], compacting: [Int64]) {
        self.writer = writer
        self.places = places
        self.compacting = compacting
    }

    /// The tree with the rows added; null if it is empty.
    mutating func apply(to root: BlockReference) throws(FreeholdError) -> BlockReference {
        var level = 0
        var children: [ClusterChild]
        if root.isNull {
            children = try build(nil, places[...], isLast: true)
        } else {
            let view = try pending.access.view(root)
            level = view.kind == .clusterInner ? ClusterInner(view: view).level : 0
            let first = level == 0 ? ClusterView(view: view).firstKey : view.firstKey
            let child = ClusterChild(firstKey: first, objects: 0, reference: root)
            children = try merge(child, places[...], compacting[...], isLast: true, depth: 0)
        }
        while children.count > 1 {
            level += 1
            children = group(children, level: level)
        }
        return children.first?.reference ?? .null
    }

    private func group(_ children: [ClusterChild], level: Int) -> [ClusterChild] {
        stride(from: 0, to: children.count, by: ClusterInner.fanOut).map { start in
            ClusterInner.make(children[start..<min(start + ClusterInner.fanOut, children.count)], level: level,
                              table: writer.number, in: pending)
        }
    }

    /// Merges one node; returns the nodes of the same level that replace it.
    private func merge(_ node: ClusterChild, _ rows: ArraySlice<Int>, _ dirty: ArraySlice<Int64>, isLast: Bool,
                       depth: Int) throws(FreeholdError) -> [ClusterChild] {
        let view = try pending.access.view(node.reference)
        guard depth <= ClusterTree.maximumDepth else { throw ClusterTree.wrongKind(view) }
        if view.kind == .cluster {
            defer { pending.free(node.reference) }
            return try build(ClusterView(view: view), rows, isLast: isLast)
        }
        guard view.kind == .clusterInner else { throw ClusterTree.wrongKind(view) }
        let inner = ClusterInner(view: view)
        var rest = rows, unclean = dirty
        var children: [ClusterChild] = []
        for index in 0..<inner.count {
            let child = ClusterChild(firstKey: inner.firstKey(index), objects: inner.objects(index),
                                     reference: inner.child(index))
            let bound = index + 1 < inner.count ? inner.firstKey(index + 1) : nil
            let mine = take(&rest, below: bound)
            let marks = unclean.prefix { bound == nil || $0 < bound! }
            unclean = unclean.dropFirst(marks.count)
            if mine.isEmpty && marks.isEmpty {
                children.append(child)
            } else {
                children += try merge(child, mine, marks, isLast: isLast && bound == nil, depth: depth + 1)
            }
        }
        pending.free(node.reference)
        return group(children, level: inner.level)
    }

    private func take(_ rows: inout ArraySlice<Int>, below bound: Int64?) -> ArraySlice<Int> {
        guard let bound else {
            defer { rows = [] }
            return rows
        }
        var low = rows.startIndex, high = rows.endIndex
        while low < high {
            let middle = (low + high) / 2
            if writer.buffer.keys[rows[middle]] < bound { low = middle + 1 } else { high = middle }
        }
        defer { rows = rows[low...] }
        return rows[..<low]
    }

    /// Builds the clusters that hold the remaining rows of `old` and the new rows.
    private func build(_ old: ClusterView?, _ rows: ArraySlice<Int>, isLast: Bool) throws(FreeholdError) -> [ClusterChild] {
        if rows.isEmpty, let old { return try compact(old) }
        let gather = RowGather(old: old, rows: rows, buffer: writer.buffer)
        let total = gather.sources.count
        let appended = isLast && gather.isAppend
        let pieces = (total + ClusterView.maximumRows - 1) / ClusterView.maximumRows
        var children: [ClusterChild] = []
        var start = 0
        for piece in 0..<pieces {
            let even = total * (piece + 1) / pieces
            let end = appended ? min(start + ClusterView.maximumRows, total) : even
            children.append(try makeCluster(gather, start..<end))
            start = end
        }
        if let old { try freeLeaves(of: old) }
        return children
    }

    /// The cluster without its deleted rows; empty if no row remains.
    private func compact(_ old: ClusterView) throws(FreeholdError) -> [ClusterChild] {
        var mask: [UInt64] = []
        var keys: [Int64] = []
        keys.reserveCapacity(old.count)
        for word in 0..<Bitmap.words(old.count) {
            let rows = min(64, old.count - word * 64)
            var kept = ~old.deleted(word: word) & (~0 >> UInt64(64 - rows))
            mask.append(kept)
            while kept != 0 {
                keys.append(old.key(word * 64 + kept.trailingZeroBitCount))
                kept &= kept - 1
            }
        }
        var children: [ClusterChild] = []
        if let first = keys.first {
            var leaves: [BlockReference] = []
            for column in writer.stored.properties.indices {
                // Safe: the mask has a bit for every row, and the pointer is not kept.
                let leaf = try mask.withUnsafeBufferPointer { mask throws(FreeholdError) in
                    try writer.leaves.compactLeaf(column, of: old, keeping: mask.baseAddress!, firstKey: first)
                }
                if let leaf { leaves.append(leaf) } else {
                    let gather = RowGather(old: old, rows: [], buffer: writer.buffer)
                    leaves.append(try writer.leaves.makeLeaf(column, gather, 0..<keys.count))
                }
            }
            var incarnations = Incarnations()
            if old.hasIncarnations {
                let floor = pending.oldestHeld
                var place = 0
                for row in 0..<old.count where !old.isDeleted(row) {
                    if old.incarnation(row) > floor { incarnations.note(place, old.incarnation(row)) }
                    place += 1
                }
            }
            children.append(makeCluster(keys[...], leaves, incarnations))
        }
        try freeLeaves(of: old)
        return children
    }

    private func freeLeaves(of cluster: ClusterView) throws(FreeholdError) {
        for column in 0..<cluster.view.referenceCount {
            if cluster.isTombstoned { try writer.leaves.freeExternals(of: cluster, column) { cluster.isDeleted($0) } }
            pending.free(cluster.view.reference(column))
        }
    }

    private func makeCluster(_ gather: RowGather, _ range: Range<Int>) throws(FreeholdError) -> ClusterChild {
        var leaves: [BlockReference] = []
        for column in writer.stored.properties.indices { leaves.append(try writer.leaves.makeLeaf(column, gather, range)) }
        return makeCluster(gather.keys[range], leaves, incarnations(gather, range))
    }

    /// The incarnations of rows, except those that no held version can query.
    private func incarnations(_ gather: RowGather, _ range: Range<Int>) -> Incarnations {
        var incarnations = Incarnations()
        let fromBuffer = writer.buffer.incarnations, old = gather.old.flatMap { $0.hasIncarnations ? $0 : nil }
        if old == nil, fromBuffer.isEmpty { return incarnations }
        let floor = pending.oldestHeld
        for position in range {
            let source = gather.sources[position]
            let version = source >= 0 ? old?.incarnation(source) ?? 0 : fromBuffer[gather.keys[position]] ?? 0
            if version > floor { incarnations.note(position - range.lowerBound, version) }
        }
        return incarnations
    }

    /// Creates the cluster with these keys and leaves.
    private func makeCluster(_ keys: ArraySlice<Int64>, _ leaves: [BlockReference], _ incarnations: Incarnations) -> ClusterChild {
        let first = keys.first!, last = keys.last!
        // Safe: wraps by design: the span of two Int64 keys as an unsigned number.
        let span = UInt64(bitPattern: last &- first)
        let isDense = span == UInt64(keys.count - 1)
        let width = isDense ? 0 : span < 1 << 8 ? 1 : span < 1 << 16 ? 2 : span < 1 << 32 ? 4 : 8
        let keyBytes = ClusterView.keyBytes(count: keys.count, width: width)
        let (reference, block) = pending.make(
            .cluster, variant: UInt8(width) | (incarnations.isEmpty ? 0 : ClusterView.incarnated), table: writer.number,
            firstKey: first, count: keys.count, references: leaves.count, body: keyBytes + incarnations.byteCount)
        incarnations.store(block.body + keyBytes)
        for (column, leaf) in leaves.enumerated() { block.setReference(column, leaf) }
        store(keys, width: width, first: first, into: block.body)
        return ClusterChild(firstKey: first, objects: keys.count, reference: reference)
    }

    /// Safe: the body was sized for that many keys of this width.
    private func store(_ keys: ArraySlice<Int64>, width: Int, first: Int64, into body: UnsafeMutableRawPointer) {
        if width == 0 { return }
        for (index, key) in keys.enumerated() {
            let offset = UInt64(bitPattern: key &- first)
            switch width {
            case 1: body.storeBytes(of: UInt8(offset), toByteOffset: index, as: UInt8.self)
            case 2: body.storeBytes(of: UInt16(offset), toByteOffset: index * 2, as: UInt16.self)
            case 4: body.storeBytes(of: UInt32(offset), toByteOffset: index * 4, as: UInt32.self)
            default: body.storeBytes(of: offset, toByteOffset: index * 8, as: UInt64.self)
            }
        }
    }
}
