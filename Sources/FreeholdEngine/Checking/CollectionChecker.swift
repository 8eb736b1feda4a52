/// Checks one collection and those nested in it: the nodes of its tree, their counts, the order of sets and of maps'
/// keys, nulls.
struct CollectionChecker {
    let access: BlockAccess
    private(set) var problems: [String] = []
    private(set) var collections = 0
    private(set) var elements = 0

    init(access: BlockAccess) { self.access = access }

    mutating func check(_ cell: CollectionCell, _ shape: CollectionShape) {
        do throws(FreeholdError) {
            switch cell {
            case .empty: break
            case .inline: try check(try CollectionReader(cell, shape, access).value(), shape)
            case .tree(let reference):
                collections += 1
                let root = try CollectionRoot(reference, shape.kind, in: access)
                elements += root.count
                let values = root.elements(shape, in: access)
                let isWhole = try check(values, isOrdered: shape.kind == .set)
                if isWhole, shape.keepsOccurrences { try checkOccurrences(root, values) }
                if isWhole, !shape.isPlain {
                    try values.forEachLeaf(in: 0..<values.count) { leaf, rows throws(FreeholdError) in
                        for row in rows {
                            if case .cell(let cell) = try leaf.element(row), let inner = shape.inner { check(cell, inner) }
                        }
                        return true
                    }
                }
                if shape.kind == .map { _ = try check(root.keys(in: access), isOrdered: true) }
            }
        } catch {
            report(error.message)
        }
    }

    private mutating func report(_ problem: String) { if problems.count < CheckReport.problemLimit { problems.append(problem) } }

    /// Checks a short collection.
    private mutating func check(_ value: Value, _ shape: CollectionShape) throws(FreeholdError) {
        collections += 1
        elements += value.elementCount
        if value.elementCount == 0 { report("an empty collection has bytes") }
        let values: [Value]
        switch value {
        case .list(let all): values = all
        case .set(let all):
            values = all
            if !ascend(all, shape.type) { report("the elements of a set do not ascend") }
            if all.contains(where: { $0.collectionKind != nil }) { report("an element of a set is a collection") }
        case .map(let entries): values = entries.sortedByKey.map(\.value)
        default: values = []
        }
        for value in values {
            if let inner = shape.inner, value.elementCount > 0 { try check(value, inner) }
        }
    }

    /// Whether each value has a greater key than the one before. Keys are compared because NaN equals nothing, itself
    /// included.
    private func ascend(_ values: [Value], _ type: PropertyType) -> Bool {
        let key = ByteBuffer()
        var last: [UInt8]?
        for value in values {
            key.setIndexKey(value, of: type)
            if let last, !last.lexicographicallyPrecedes(key.array) { return false }
            last = key.array
        }
        return true
    }

    /// Checks that the tree's nodes are as its owner says, that its leaves follow their layout, and that its elements
    /// ascend if they must.
    private mutating func check(_ tree: ListTree, isOrdered: Bool) throws(FreeholdError) -> Bool {
        var found = 0
        _ = try visit(tree.root, level: nil, tree, &found)
        guard found == tree.count else {
            report("its tree holds \(found) elements, its root counts \(tree.count)")
            return false
        }
        let shape = tree.shape, access = access
        var last: [UInt8]?
        var complaints: [String] = []
        let key = ByteBuffer()
        try tree.forEachLeaf(in: 0..<tree.count) { leaf, rows throws(FreeholdError) in
            for row in rows {
                // Reads the whole value: long strings are followed.
                let value = shape.isPlain ? try leaf.value(row, in: access) : .bool(true)
                if value == .null, !shape.isNullable { complaints.append("an element is null but required") }
                if isOrdered {
                    key.setIndexKey(value, of: shape.type)
                    if value.collectionKind != nil { complaints.append("an element of a set is a collection") }
                    if let last, !last.lexicographicallyPrecedes(key.array) { complaints.append("elements do not ascend") }
                    last = key.array
                }
            }
            return complaints.isEmpty
        }
        for complaint in complaints { report(complaint) }
        return complaints.isEmpty
    }

    /// Returns the number of elements below the node, and adds it to `sum`. Nodes that share children would make the
    /// walk endless, so it ends when there are more elements than the tree's owner says.
    private mutating func visit(_ reference: BlockReference, level: Int?, _ tree: ListTree, _ sum: inout Int) throws(FreeholdError) -> Int {
        let view = try access.view(reference)
        guard ListInner.isInner(view) else {
            if let level, level != 0 { report("a leaf was found, expected a node of level \(level)") }
            let leaf = try ListLeaf(view, tree.shape)
            if let problem = leaf.problem() { report("a leaf: \(problem)") }
            sum += leaf.count
            guard leaf.count > 0, sum <= tree.count else { throw ListTree.damaged("its tree does not hold the \(tree.count) elements that its root counts") }
            if leaf.count > ListEditor.leafElements { report("a leaf has \(leaf.count) elements") }
            if leaf.count != view.count { report("a leaf of \(leaf.count) elements is counted as \(view.count)") }
            return leaf.count
        }
        let inner = ListInner(view: view)
        // A level that does not descend would make the walk endless.
        if let level, inner.level != level { throw ListTree.damaged("a node of level \(inner.level) was found, expected one of level \(level)") }
        if level == nil, inner.count == 1 { report("its top node has one child") }
        for index in 0..<inner.count {
            let found = try visit(inner.child(index), level: inner.level - 1, tree, &sum)
            if found != inner.elements(index) { report("a node counts \(inner.elements(index)) elements in a child that has \(found)") }
        }
        return inner.total
    }
}

/// Checks of the index of links that is kept for long lists and maps.
extension CollectionChecker {
    private mutating func checkOccurrences(_ root: CollectionRoot, _ tree: ListTree) throws(FreeholdError) {
        let isLong = ListInner.isInner(try access.view(tree.root))
        guard let kept = root.occurrences(in: access) else {
            if isLong { report("it has no index of its links") }
            return
        }
        if !isLong { return report("it is short and has an index of its links") }
        let index = OrderedIndex(root: kept.root, access: access)
        for problem in index.verify() { report("its index of links: \(problem)") }
        var walk = OccurrenceWalk(index: index, numbers: [root.numbering.top], next: root.numbering.next)
        try walk.visit(ListChild(reference: tree.root, count: tree.count, number: root.numbering.top), tree.shape)
        for problem in walk.problems { report(problem) }
        let count = try index.count()
        if count != walk.expected { report("its index of links has \(count) entries, expected \(walk.expected)") }
    }
}

/// Compares the kept index of a list's links with its tree, whose nodes are known to be intact.
private struct OccurrenceWalk {
    let index: OrderedIndex
    var numbers: Set<UInt64>
    let next: UInt64
    var expected = 0
    var problems: [String] = []
    private let key = ByteBuffer(capacity: 16)

    init(index: OrderedIndex, numbers: Set<UInt64>, next: UInt64) {
        self.index = index
        self.numbers = numbers
        self.next = next
    }

    mutating func visit(_ node: ListChild, _ shape: CollectionShape) throws(FreeholdError) {
        let view = try index.access.view(node.reference), place = ObjectKey(Int64(bitPattern: node.number))
        if node.number == 0 || node.number >= next { problems.append("a node has number \(node.number), which was never assigned") }
        guard ListInner.isInner(view) else {
            let leaf = try ListLeaf(view, shape)
            let targets = Set(try leaf.targets(0..<leaf.count, in: index.access))
            expected += targets.count
            for target in targets.sorted() {
                Occurrences.setKey(key, target: target)
                if try !index.contains(key.bytes, place) { problems.append("its index of links lacks the link of leaf \(node.number) to \(target.key)") }
            }
            return
        }
        expected += view.count
        for child in ListInner(view: view).children {
            Occurrences.setKey(key, child: child.number)
            if !numbers.insert(child.number).inserted { problems.append("two nodes have number \(child.number)") }
            if try !index.contains(key.bytes, place) { problems.append("its index of links lacks the parent of node \(child.number), which is \(node.number)") }
            try visit(child, shape)
        }
    }
}

extension ListLeaf {
    /// The first rule of its layout that the leaf breaks, or nil.
    fileprivate func problem() -> String? { AnyLeaf(body, shape.leafType.leaf).problem() }
}
