/// Up to 256 objects that lie together.
struct RealmCluster {
    /// References to the leaves of the columns; the first element is the keys.
    let leaves: RealmNode
    /// The objects' keys, ascending.
    let keys: [Int64]
}

/// A node of the tree of a table's objects.
///
/// ```
///   leaf    keys: a number of objects whose keys are 0, 1, …, or a reference to their keys; then a reference for each column
///   inner   keys of the children, or nothing if they are 0, 1, … · 256^depth; depth; number of objects; the children
/// ```
/// Keys are relative to that of the node. An inner node is at depth 1 above leaves.
struct RealmClusterNode {
    static let maximumCount = 256
    /// Depths above this are not needed for keys of 63 bits, even with two children a node.
    private static let maximumDepth: Int64 = 63

    let node: RealmNode
    /// 0 for a leaf.
    let depth: Int64
    /// The first key of each child, or the keys of the objects.
    let keys: [Int64]

    init(_ pages: RealmPages, _ reference: Int64, offset: Int64, below parent: Int64?) throws(SourceError) {
        let node = try pages.references(reference)
        let first = try node.required(0), depth = node.isInner ? try node.tagged(1) ?? 0 : 0
        guard depth <= Self.maximumDepth, depth > 0 || !node.isInner, parent.map({ depth < $0 }) ?? true else {
            throw .damaged("a node of a tree of objects is not below its parent", node.reference)
        }
        let count = node.isInner ? node.count - 3 : first & 1 == 1 ? Int(first >> 1) : nil
        if let count, count < (node.isInner ? 1 : 0) || count > Self.maximumCount {
            throw .damaged("a node of a tree of objects has \(count) of them", node.reference)
        }
        self.node = node
        self.depth = depth
        let isCompact = first & 1 == 1 || first == 0 && node.isInner
        if isCompact, let count {
            guard depth < 8 else { throw .damaged("the keys of objects are too large", node.reference) }
            var keys: [Int64] = []
            keys.reserveCapacity(count)
            for place in 0..<Int64(count) { keys.append(try Self.sum(offset, UInt64(place << (8 * depth)), node)) }
            self.keys = keys
        } else {
            keys = try Self.keys(pages, first, count: count, offset: offset, node)
        }
    }

    private static func keys(
        _ pages: RealmPages, _ reference: Int64, count: Int?, offset: Int64, _ node: RealmNode
    ) throws(SourceError) -> [Int64] {
        let stored = try pages.integers(reference)
        guard stored.count <= maximumCount, stored.count >= count ?? 0 else {
            throw .damaged("a cluster has \(stored.count) keys", node.reference)
        }
        var keys: [Int64] = []
        for place in 0..<(count ?? stored.count) {
            let key = try sum(offset, stored.unsigned(place), node)
            if let last = keys.last, key <= last { throw .damaged("the keys of objects do not ascend", stored.reference) }
            keys.append(key)
        }
        return keys
    }

    private static func sum(_ offset: Int64, _ key: UInt64, _ node: RealmNode) throws(SourceError) -> Int64 {
        let (sum, isTooLarge) = offset.addingReportingOverflow(Int64(clamping: key))
        guard !isTooLarge, key <= UInt64(Int64.max) else { throw .damaged("the key of an object is too large", node.reference) }
        return sum
    }

    /// The reference to a child.
    func child(_ place: Int) -> Int64 { node.integer(3 + place) }

    /// The place of the last key that is not above another one; nil if there is none.
    func place(notAbove key: Int64) -> Int? {
        var low = 0, high = keys.count
        while low < high {
            let middle = (low + high) / 2
            if keys[middle] <= key { low = middle + 1 } else { high = middle }
        }
        return low == 0 ? nil : low - 1
    }
}

/// Walks through the clusters of a table in the order of keys.
struct RealmClusterWalk {
    private let pages: RealmPages
    private var root: Int64?
    private let first: Int64
    private var open: [(node: RealmClusterNode, next: Int)] = []
    /// No tree has more nodes than fit into the file.
    private var nodesLeft: Int
    private var lastKey: Int64 = -1

    /// - Parameter key: the last key that is not wanted; nil for all.
    init(_ pages: RealmPages, root: Int64, after key: Int64?) {
        self.pages = pages
        self.root = root
        first = key.map { $0 == .max ? .max : $0 + 1 } ?? 0
        nodesLeft = pages.count / 16 + 1
        if key == .max { self.root = nil }
    }

    /// The next cluster that has objects; nil at the end. It may begin with objects that are not wanted.
    mutating func next() throws(SourceError) -> RealmCluster? {
        if let root {
            self.root = nil
            if let cluster = try enter(root, offset: 0, below: nil) { return cluster }
        }
        while let top = open.last {
            guard top.next < top.node.keys.count else {
                open.removeLast()
                continue
            }
            open[open.count - 1].next += 1
            let offset = top.node.keys[top.next]
            if let cluster = try enter(top.node.child(top.next), offset: offset, below: top.node.depth) { return cluster }
        }
        return nil
    }

    private mutating func enter(_ reference: Int64, offset: Int64, below depth: Int64?) throws(SourceError) -> RealmCluster? {
        nodesLeft -= 1
        guard nodesLeft >= 0 else {
            throw .damaged("a tree of objects has more nodes than the file has room for", Int(clamping: reference))
        }
        let node = try RealmClusterNode(pages, reference, offset: offset, below: depth)
        if node.depth > 0 {
            open.append((node, node.place(notAbove: first) ?? 0))
            return nil
        }
        guard let least = node.keys.first, let greatest = node.keys.last else { return nil }
        guard least > lastKey else { throw .damaged("the keys of objects do not ascend", node.node.reference) }
        lastKey = greatest
        return greatest < first ? nil : RealmCluster(leaves: node.node, keys: node.keys)
    }
}

extension RealmPages {
    /// The number of objects that the root of a tree of objects says it has.
    func clusterCount(_ root: Int64) throws(SourceError) -> Int {
        let node = try references(root)
        let first = try node.required(0)
        let count = node.isInner ? try node.tagged(2) ?? 0 : first & 1 == 1 ? first >> 1 : Int64(try integers(first).count)
        guard count >= 0, count <= Int64(self.count) * 16 else {
            throw .damaged("a table of \(count) objects does not fit into the file", node.reference)
        }
        return Int(count)
    }

    /// The cluster that has the object with a key, if any does.
    func cluster(_ root: Int64, with key: Int64) throws(SourceError) -> RealmCluster? {
        var node = try RealmClusterNode(self, root, offset: 0, below: nil)
        while node.depth > 0 {
            guard let place = node.place(notAbove: key) else { return nil }
            node = try RealmClusterNode(self, node.child(place), offset: node.keys[place], below: node.depth)
        }
        return RealmCluster(leaves: node.node, keys: node.keys)
    }
}
