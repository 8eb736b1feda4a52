/// Changes one list's tree. One operation replaces a range of elements by others; all others are built from it.
///
/// 1. Committed blocks are copied and freed, pending ones changed in place: only the returned root may be used
///    afterwards.
/// 2. Leaves hold up to 256 elements and inner nodes up to 64 children. Elements appended at the end fill them; others
///    split them evenly. A leaf or node below a quarter is merged with a neighbour.
/// 3. The blocks of removed elements are freed with them, unless `keepsElements` is set because they are about to be
///    inserted elsewhere.
/// 4. With a tracker nodes have numbers: when a node is split, the first part keeps its number.
struct ListEditor {
    let shape: CollectionShape
    let table: UInt32
    let pending: PendingBlocks
    let maker: LeafMaker
    var keepsElements = false
    /// For lists with an index of links (`Occurrences`).
    var tracker: OccurrenceTracker?

    static let leafElements = 256
    static let smallLeaf = 64
    static let smallNode = 16
    /// A leaf of strings is full at this many bytes…
    static let leafBytes = 12 * 1024
    /// …and is small only below this many.
    static let smallLeafBytes = 2 * 1024
    /// A longer string or data gets blocks of its own.
    static let inlineText = 1024

    init(_ shape: CollectionShape, table: UInt32, _ maker: LeafMaker, in pending: PendingBlocks) {
        self.shape = shape
        self.table = table
        self.pending = pending
        self.maker = maker
    }

    /// Replaces the elements of `range`, which must lie within the tree; null if nothing is left.
    func replace(_ range: Range<Int>, by elements: ListRun, in root: BlockReference) throws(FreeholdError) -> BlockReference {
        assert(range.lowerBound >= 0 && (!root.isNull || range.isEmpty), "elements \(range) of an empty list")
        var level = 0
        var children: [ListChild]
        if root.isNull {
            children = numbered(try emit([.run(elements)], fills: true, reusing: .null), keeping: 0)
        } else {
            let view = try pending.access.view(root)
            level = ListInner.isInner(view) ? Int(view.variant) : 0
            children = try splice(ListChild(reference: root, count: 0, number: tracker?.top ?? 0), range, elements, isLast: true,
                                  below: ListInner.maximumLevel + 1)
        }
        while children.count > 1 {
            level += 1
            children = group(children, level: level, fills: true, keeping: 0)
        }
        guard let only = children.first else { return .null }
        return try lowest(only)
    }

    func numbered(_ children: [ListChild], keeping number: UInt64) -> [ListChild] { tracker?.numbered(children, keeping: number) ?? children }

    /// Skips nodes with one child.
    private func lowest(_ child: ListChild) throws(FreeholdError) -> BlockReference {
        var top = child
        var view = try pending.access.view(top.reference)
        while ListInner.isInner(view), view.count == 1 {
            let children = ListInner(view: view).children
            tracker?.note(children, below: top.number, isGone: true)
            pending.free(top.reference)
            top = children[0]
            view = try pending.access.view(top.reference)
        }
        tracker?.top = top.number
        return top.reference
    }

    /// Replaces elements below one node; returns the nodes of the same level that replace it.
    private func splice(_ node: ListChild, _ range: Range<Int>, _ run: ListRun, isLast: Bool, below level: Int) throws(FreeholdError) -> [ListChild] {
        let view = try pending.access.view(node.reference)
        guard ListInner.isInner(view) else { return try spliceLeaf(node, ListLeaf(view, shape), range, run, isLast: isLast) }
        let inner = ListInner(view: view)
        guard inner.level < level, tracker == nil || inner.isNumbered else { throw ListTree.damaged("the levels of its nodes do not decrease, or its nodes have no numbers") }
        var start = 0, isPlaced = run.isEmpty
        var children: [ListChild] = [], changed: Range<Int>?
        for index in 0..<inner.count {
            let child = ListChild(reference: inner.child(index), count: inner.elements(index), number: inner.number(index))
            let low = start, high = start + child.count
            start = high
            let cut = max(low, range.lowerBound)..<max(max(low, range.lowerBound), min(high, range.upperBound))
            let takesRun = !isPlaced && range.lowerBound <= high
            if cut.isEmpty && !takesRun {
                children.append(child)
                continue
            }
            isPlaced = isPlaced || takesRun
            let first = changed?.lowerBound ?? children.count
            if cut.count == child.count && !takesRun && !keepsElements {
                try tracker?.note(all: child, shape, isGone: true, below: inner.level, in: pending.access)
                try pending.freeTree(child.reference)
            } else {
                let within = cut.isEmpty ? range.lowerBound - low..<range.lowerBound - low : cut.lowerBound - low..<cut.upperBound - low
                children += try splice(child, within, takesRun ? run : ListRun(), isLast: isLast && index + 1 == inner.count,
                                       below: inner.level)
            }
            changed = first..<children.count
        }
        guard let changed else { return [ListChild(reference: node.reference, count: start, number: node.number)] }
        if changed.count == 1, children.count == inner.count, try !isSmall(children[changed.lowerBound], inner.level - 1) {
            return [try update(node, changed.lowerBound, to: children[changed.lowerBound], before: start)]
        }
        try joinSmall(&children, around: changed, level: inner.level - 1)
        tracker?.note(inner.children, below: node.number, isGone: true)
        pending.free(node.reference)
        return group(children, level: inner.level, fills: isLast, keeping: node.number)
    }

    /// Points a node to the replacement of one child, which keeps its number.
    private func update(_ node: ListChild, _ index: Int, to child: ListChild, before total: Int) throws(FreeholdError) -> ListChild {
        var reference = node.reference
        let block = try pending.edit(&reference)
        let old = ListInner(view: block.view).elements(index)
        block.setReference(index, child.reference)
        // Safe: the node has a count for each child.
        block.body.storeBytes(of: UInt64(child.count), toByteOffset: index * 8, as: UInt64.self)
        return ListChild(reference: reference, count: total - old + child.count, number: node.number)
    }

    /// Creates the nodes of the level above; the first one gets the given free number, if it is not 0.
    private func group(_ children: [ListChild], level: Int, fills: Bool, keeping number: UInt64) -> [ListChild] {
        var made: [ListChild] = []
        var start = 0
        assert(!children.isEmpty && level > 0, "nodes above no children")
        let pieces = (children.count + ListInner.fanOut - 1) / ListInner.fanOut
        for piece in 0..<pieces {
            let end = fills ? min(start + ListInner.fanOut, children.count) : children.count * (piece + 1) / pieces
            made.append(makeInner(children[start..<end], level: level, number: piece == 0 && number != 0 ? number : tracker?.fresh() ?? 0))
            start = end
        }
        return made
    }

    /// Safe: the body is made with a count, and with a number if there are such, for each child.
    private func makeInner(_ children: ArraySlice<ListChild>, level: Int, number: UInt64) -> ListChild {
        assert(!children.isEmpty && children.count <= ListInner.fanOut, "an inner node with \(children.count) children (2)")
        assert(tracker == nil || number != 0, "a node without a number, where nodes have some (4)")
        let (reference, block) = pending.make(.listInner, variant: UInt8(level), table: table, count: children.count,
                                              references: children.count, body: children.count * (tracker == nil ? 8 : 16))
        let body = block.body
        var total = 0
        for (index, child) in children.enumerated() {
            block.setReference(index, child.reference)
            body.storeBytes(of: UInt64(child.count), toByteOffset: index * 8, as: UInt64.self)
            if tracker != nil { body.storeBytes(of: child.number, toByteOffset: (children.count + index) * 8, as: UInt64.self) }
            total += child.count
        }
        tracker?.note(children, below: number)
        return ListChild(reference: reference, count: total, number: number)
    }

    // MARK: Merging

    private func isSmall(_ child: ListChild, _ level: Int) throws(FreeholdError) -> Bool {
        let view = try pending.access.view(child.reference)
        if level > 0 { return view.count < Self.smallNode }
        return child.count < Self.smallLeaf && view.bodyLength < Self.smallLeafBytes
    }

    /// Merges children that have become small with their neighbours.
    private func joinSmall(_ children: inout [ListChild], around changed: Range<Int>, level: Int) throws(FreeholdError) {
        // A removal between two children may leave both unchanged; each changed one is examined once.
        var index = max(0, changed.lowerBound - 1), end = min(children.count, changed.upperBound + 1)
        while index < end, children.count > 1 {
            guard try isSmall(children[index], level) else {
                index += 1
                continue
            }
            let left = index + 1 < children.count ? index : index - 1
            let joined = try join(children[left], children[left + 1], level)
            assert(joined.count <= 2, "two neighbours became \(joined.count) nodes")
            children.replaceSubrange(left...left + 1, with: joined)
            end = min(end, children.count)
            index = left + max(1, joined.count)
        }
    }

    /// One or two nodes with the contents of two neighbours.
    private func join(_ left: ListChild, _ right: ListChild, _ level: Int) throws(FreeholdError) -> [ListChild] {
        let one = try pending.access.view(left.reference), other = try pending.access.view(right.reference)
        if level > 0 {
            let children = ListInner(view: one).children + ListInner(view: other).children
            tracker?.note(ListInner(view: one).children, below: left.number, isGone: true)
            tracker?.note(ListInner(view: other).children, below: right.number, isGone: true)
            pending.free(left.reference)
            pending.free(right.reference)
            return group(children, level: level, fills: false, keeping: left.number)
        }
        if one.bodyLength + other.bodyLength > Self.leafBytes { return [left, right] }
        let leaves = [try ListLeaf(one, shape), try ListLeaf(other, shape)]
        let made = numbered(try emit(leaves.map { .rows($0, 0..<$0.count) }, fills: false, reusing: .null), keeping: left.number)
        if let tracker, tracker.isNoting {
            for (leaf, number) in zip(leaves, [left.number, right.number]) { tracker.note(try leaf.targets(0..<leaf.count, in: pending.access), in: number, isGone: true) }
            try noteLinks(of: made, tracker)
        }
        pending.free(left.reference)
        pending.free(right.reference)
        return made
    }
}

/// Elements to be inserted into a list, in the caller's form.
struct ListRun {
    /// Values other than collections…
    var values: ArraySlice<Value> = []
    /// …or any elements.
    var elements: ArraySlice<ListElement> = []

    init() {}
    init(values: [Value]) { self.values = values[...] }
    init(elements: [ListElement]) { self.elements = elements[...] }

    var isEmpty: Bool { values.isEmpty && elements.isEmpty }
    var count: Int { values.count + elements.count }

    /// The targets of links among them.
    func targets(_ shape: CollectionShape, in access: BlockAccess) throws(FreeholdError) -> [LinkTarget] {
        var targets: [LinkTarget] = []
        for value in values {
            if case .link(let target) = value { targets.append(LinkTarget(target.rawValue)) } else { value.forEachLink { targets.append($0) } }
        }
        for element in elements {
            switch element {
            case .value(let value): value.forEachLink { targets.append($0) }
            case .large(_, let reference) where shape.leafType == .mixed:
                try ListLeaf.mixedValue(at: reference, in: access)?.forEachLink { targets.append($0) }
            case .large, .cell: break
            }
        }
        return targets
    }
}
