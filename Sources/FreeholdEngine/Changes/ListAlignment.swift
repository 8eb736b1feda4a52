/// Aligns two versions of a list. A block that both share is skipped with everything below it, whatever its position;
/// what remains are gaps.
///
/// ```
/// old   ┌─ a ─┬─ b ─┬──── c ────┬─ d ─┐        a, d: the same nodes in both, at other positions
/// new   ┌─ a ─┬─ x ─┬─ y ─┬─ z ─┬─ d ─┐        b, c → x, y, z: a gap; their children are aligned in the same way, down to leaves
/// ```
/// Leaves stay leaves and nodes keep their level, so both trees are descended together, one level at a time. A change
/// never makes two blocks change places, so shared blocks come in the same order; one that does not is treated as
/// changed.
struct ListAlignment {
    /// A node of one of the trees, and the positions of its elements.
    struct Node {
        let reference: BlockReference
        let start: Int
        let count: Int
    }

    /// Adjacent elements of one version.
    struct Stretch {
        let positions: Range<Int>
        /// The leaves that hold the elements; nil for the values of a short collection, and if the other side of the
        /// gap is empty.
        let leaves: ArraySlice<Node>?
    }

    /// Elements of one version in place of others of the other version, as far as blocks tell.
    struct Gap {
        let old: Stretch
        let new: Stretch
    }

    private let old: ElementSource
    private let new: ElementSource
    private(set) var gaps: [Gap] = []
    /// The remaining number of nodes to visit. Every block has one parent: a walk that visits more nodes than exist
    /// follows blocks that share children. The file's length is asked for only by a walk that visits many.
    private var budget: UInt64 = 1_024
    private var isBudgetKnown = false

    init(_ old: ElementSource, _ new: ElementSource) throws(FreeholdError) {
        self.old = old
        self.new = new
        var left: [Node]?, right: [Node]?, leftLevel = 0, rightLevel = 0
        if case .tree(let tree) = old.content { (left, leftLevel) = (Self.root(tree), try Self.level(tree)) }
        if case .tree(let tree) = new.content { (right, rightLevel) = (Self.root(tree), try Self.level(tree)) }
        let bottom = left == nil || right == nil ? 0 : min(leftLevel, rightLevel)
        if old.count > 0, new.count > 0 {
            while let nodes = left, leftLevel > bottom { (left, leftLevel) = (try expand(nodes[...], leftLevel, old.access), leftLevel - 1) }
            while let nodes = right, rightLevel > bottom { (right, rightLevel) = (try expand(nodes[...], rightLevel, new.access), rightLevel - 1) }
        }
        if old.count > 0, new.count > 0, let left, let right {
            try align(left[...], 0, right[...], 0, bottom)
        } else if old.count + new.count > 0 {
            gaps.append(Gap(old: Stretch(positions: 0..<old.count, leaves: left?[...]), new: Stretch(positions: 0..<new.count, leaves: right?[...])))
        }
    }

    private static func root(_ tree: ListTree) -> [Node] { [Node(reference: tree.root, start: 0, count: tree.count)] }

    private static func level(_ tree: ListTree) throws(FreeholdError) -> Int {
        let view = try tree.access.view(tree.root)
        return ListInner.isInner(view) ? ListInner(view: view).level : 0
    }

    private mutating func hasBudget() -> Bool {
        if budget == 0, !isBudgetKnown {
            isBudgetKnown = true
            budget = 2 * (new.access.fileLength / UInt64(BlockLayout.granule) + 64)
            // Safe: the caller that made the access keeps its transaction's table alive.
            for access in [old.access, new.access] { budget += access.pending?.pointee.count ?? 0 }
        }
        return budget > 0
    }

    /// The children of adjacent nodes.
    private mutating func expand(_ nodes: ArraySlice<Node>, _ level: Int, _ access: BlockAccess) throws(FreeholdError) -> [Node] {
        var children: [Node] = []
        for node in nodes {
            let view = try access.view(node.reference)
            guard ListInner.isInner(view), ListInner(view: view).level == level, hasBudget() else {
                throw ListTree.damaged("the levels of its nodes do not decrease")
            }
            budget -= 1
            let inner = ListInner(view: view)
            if children.isEmpty { children.reserveCapacity(inner.count * nodes.count) }
            var start = node.start
            for index in 0..<inner.count {
                children.append(Node(reference: inner.child(index), start: start, count: inner.elements(index)))
                start += inner.elements(index)
            }
            guard start == node.start + node.count else { throw ListTree.damaged("a node's element count differs from its children's") }
        }
        return children
    }

    /// Finds the shared nodes of two rows of nodes of one level. Each row is without gaps, and begins at the given
    /// position.
    private mutating func align(_ left: ArraySlice<Node>, _ leftStart: Int, _ right: ArraySlice<Node>, _ rightStart: Int,
                                _ level: Int) throws(FreeholdError) {
        var left = left, right = right, leftStart = leftStart, rightStart = rightStart
        while let one = left.first, let other = right.first, one.reference.isSameBlock(as: other.reference) {
            (leftStart, rightStart) = (one.start + one.count, other.start + other.count)
            left.removeFirst()
            right.removeFirst()
        }
        while let one = left.last, let other = right.last, one.reference.isSameBlock(as: other.reference) {
            left.removeLast()
            right.removeLast()
        }
        for (one, other) in Self.common(left, right) {
            try close(left[left.startIndex..<one], leftStart, right[right.startIndex..<other], rightStart, level)
            (leftStart, rightStart) = (left[one].start + left[one].count, right[other].start + right[other].count)
            left = left[(one + 1)...]
            right = right[(other + 1)...]
        }
        try close(left, leftStart, right, rightStart, level)
    }

    /// The nodes that both rows have, by index, ascending in both.
    private static func common(_ left: ArraySlice<Node>, _ right: ArraySlice<Node>) -> [(Int, Int)] {
        if left.count <= 1 && right.count <= 1 || left.isEmpty || right.isEmpty { return [] }
        var places: [ElementKey: Int] = [:]
        for (place, node) in zip(left.indices, left) { places[key(node)] = place }
        var found: [(Int, Int)] = [], next = left.startIndex
        for (place, node) in zip(right.indices, right) {
            guard let other = places[key(node)], other >= next else { continue }
            found.append((other, place))
            next = other + 1
        }
        return found
    }

    private static func key(_ node: Node) -> ElementKey { .block(location: node.reference.location, birth: node.reference.birth) }

    /// A gap between nodes of one level; it is descended unless one side of it is empty.
    private mutating func close(_ left: ArraySlice<Node>, _ leftStart: Int, _ right: ArraySlice<Node>, _ rightStart: Int,
                                _ level: Int) throws(FreeholdError) {
        if left.isEmpty && right.isEmpty { return }
        if level > 0 && !left.isEmpty && !right.isEmpty {
            return try align(try expand(left, level, old.access)[...], leftStart, try expand(right, level, new.access)[...], rightStart, level - 1)
        }
        let isTwoSided = !left.isEmpty && !right.isEmpty
        func stretch(_ nodes: ArraySlice<Node>, _ start: Int) -> Stretch {
            Stretch(positions: start..<(nodes.last.map { $0.start + $0.count } ?? start), leaves: isTwoSided ? nodes : nil)
        }
        gaps.append(Gap(old: stretch(left, leftStart), new: stretch(right, rightStart)))
    }
}
