/// A walk through one version's tree of clusters, a node at a time, so that it can be compared with the other
/// version's.
///
/// Safe throughout: places are below their node's count.
struct TreeWalk {
    /// The next node, not entered yet.
    struct Head {
        let reference: BlockReference
        let firstKey: Int64
        /// 0 for a cluster.
        let level: Int
    }

    private let access: BlockAccess
    /// Nodes entered, from the root; the head is the child of the last one at its position.
    private var path: [(node: ClusterInner, place: Int)] = []
    /// The root before it is entered.
    private var root: Head?
    /// The first key of the node entered last, by level: they ascend, so the walk ends.
    private var entered: [Int64?]

    init(_ reference: BlockReference, in access: BlockAccess) throws(FreeholdError) {
        self.access = access
        entered = []
        if reference.isNull { return }
        let view = try access.view(reference)
        let level = view.kind == .clusterInner ? ClusterInner(view: view).level : 0
        entered = Array(repeating: nil, count: level + 1)
        root = Head(reference: reference, firstKey: view.firstKey, level: level)
    }

    var head: Head? {
        @inline(__always) get {
            if let (node, place) = path.last {
                return Head(reference: node.child(place), firstKey: node.firstKey(place), level: node.level - 1)
            }
            return root
        }
    }

    /// The number of objects below the head.
    func objectsOfHead() throws(FreeholdError) -> Int {
        if let (node, place) = path.last { return node.objects(place) }
        return try root.map { root throws(FreeholdError) in try ClusterTree.objects(root.reference, in: access) } ?? 0
    }

    /// Skips the head.
    mutating func skip() {
        root = nil
        while let (node, place) = path.popLast() {
            if place + 1 < node.count { return path.append((node, place + 1)) }
        }
    }

    /// Enters the head: its first child becomes the head.
    mutating func enter(_ head: Head) throws(FreeholdError) {
        let view = try access.view(head.reference)
        guard view.kind == .clusterInner, ClusterInner(view: view).level == head.level else { throw ClusterTree.wrongKind(view) }
        try note(view, head.level)
        root = nil
        path.append((ClusterInner(view: view), 0))
    }

    /// Returns the head, which is a cluster, and moves to the next node.
    mutating func take(_ head: Head) throws(FreeholdError) -> ClusterView {
        let view = try access.view(head.reference)
        guard view.kind == .cluster else { throw ClusterTree.wrongKind(view) }
        try note(view, 0)
        skip()
        return ClusterView(view: view)
    }

    private mutating func note(_ view: BlockView, _ level: Int) throws(FreeholdError) {
        if let last = entered[level], view.firstKey <= last { throw ClusterTree.outOfOrder(view) }
        entered[level] = view.firstKey
    }

    /// Skips the children that both walks share, as long as they are next in both.
    static func skipCommon(_ left: inout TreeWalk, _ right: inout TreeWalk) {
        guard let (leftNode, leftPlace) = left.path.last, let (rightNode, rightPlace) = right.path.last else { return }
        var step = 0
        let most = min(leftNode.count - leftPlace, rightNode.count - rightPlace)
        while step < most, leftNode.child(leftPlace + step).isSameBlock(as: rightNode.child(rightPlace + step)) { step += 1 }
        if step == 0 { return }
        left.advance(to: leftPlace + step)
        right.advance(to: rightPlace + step)
    }

    private mutating func advance(to place: Int) {
        path[path.count - 1].place = place - 1
        skip()
    }
}

extension BlockReference {
    /// Whether both refer to one block: position, length and birth decide.
    @inline(__always) func isSameBlock(as other: BlockReference) -> Bool { location == other.location && birth == other.birth }
}
