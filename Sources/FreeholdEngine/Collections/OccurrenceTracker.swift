/// Follows a change to a tree with an index of links (`Occurrences`): numbers its nodes, and records changed links and
/// nodes.
///
/// Of two records for the same entry the last one counts. A node that is encoded again first loses all entries and then
/// gets its present ones under the same number, so unchanged entries are not touched.
final class OccurrenceTracker {
    private(set) var numbering: ListNumbering
    /// Nil while the tree is short and has no index.
    private let operations: IndexOperations?
    private let key = ByteBuffer(capacity: 16)

    init(_ numbering: ListNumbering, noting operations: IndexOperations?) {
        self.numbering = numbering
        self.operations = operations
    }

    var isNoting: Bool { operations != nil }

    var top: UInt64 {
        get { numbering.top }
        set { numbering.top = newValue }
    }

    /// Numbers the children: the first one keeps the number of the node that they replace, if any.
    func numbered(_ children: [ListChild], keeping number: UInt64) -> [ListChild] {
        var children = children
        for index in children.indices { children[index].number = index == 0 && number != 0 ? number : fresh() }
        return children
    }

    /// Safe: 2⁶⁴ numbers are not used up; a forged one makes answers wrong, and nothing else.
    func fresh() -> UInt64 {
        defer { numbering.next &+= 1 }
        return numbering.next
    }

    // MARK: Links

    /// Records links that the leaf has, or no longer has.
    func note(_ targets: [LinkTarget], in leaf: UInt64, isGone: Bool = false) {
        guard let operations else { return }
        for target in targets {
            Occurrences.setKey(key, target: target)
            if isGone { operations.remove(key.bytes, ObjectKey(Int64(bitPattern: leaf))) } else { operations.insert(key.bytes, ObjectKey(Int64(bitPattern: leaf))) }
        }
    }

    // MARK: Nodes

    /// Records nodes that are below another one, or no longer exist.
    func note(_ children: some Sequence<ListChild>, below parent: UInt64, isGone: Bool = false) {
        guard let operations else { return }
        for child in children {
            Occurrences.setKey(key, child: child.number)
            if isGone { operations.remove(key.bytes, ObjectKey(Int64(bitPattern: parent))) } else { operations.insert(key.bytes, ObjectKey(Int64(bitPattern: parent))) }
        }
    }

    /// Records a node and everything below it: it is removed, or recorded for the first time.
    func note(all child: ListChild, _ shape: CollectionShape, isGone: Bool, below level: Int = ListInner.maximumLevel + 1,
              in access: BlockAccess) throws(FreeholdError) {
        guard isNoting else { return }
        let view = try access.view(child.reference)
        guard ListInner.isInner(view) else {
            let leaf = try ListLeaf(view, shape)
            return note(try leaf.targets(0..<leaf.count, in: access), in: child.number, isGone: isGone)
        }
        let inner = ListInner(view: view)
        guard inner.level < level else { throw ListTree.damaged("the levels of its nodes do not decrease") }
        note(inner.children, below: child.number, isGone: isGone)
        for next in inner.children { try note(all: next, shape, isGone: isGone, below: inner.level, in: access) }
    }
}
