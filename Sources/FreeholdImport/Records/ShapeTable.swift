import Glibc

/// Finds the shape of an object while its names are being parsed: a tree whose paths are sequences of names.
///
/// Reading the same names again costs one comparison per name. The tree is dropped when it holds `limit` names, which
/// bounds the memory for text that never repeats a name.
struct ShapeTable {
    private struct Node {
        var name: String
        var parent: Int
        var depth: Int
        var firstChild = 0
        var nextSibling = 0
        var nameStart: Int
        var nameCount: Int
        var shape: RecordShape?
    }

    /// The node of the object without names.
    static let root = 0
    private static let limit = 1 << 12

    private var nodes: [Node] = []
    private var nameBytes: [UInt8] = []

    init() { reset() }

    /// Drops the tree if it has grown too large. Call only between records: nodes in use would be lost.
    mutating func trim() {
        if nodes.count >= Self.limit { reset() }
    }

    /// The node for the names of `node` and one more; nil if that name is not UTF-8.
    @inline(__always)
    mutating func child(of node: Int, named bytes: UnsafeBufferPointer<UInt8>) -> Int? {
        var candidate = nodes[node].firstChild
        while candidate != 0 {
            if isName(of: candidate, bytes) { return candidate }
            candidate = nodes[candidate].nextSibling
        }
        return add(bytes, to: node)
    }

    /// The shape of a node.
    mutating func shape(of node: Int) -> RecordShape {
        if let shape = nodes[node].shape { return shape }
        var names: [String] = []
        var at = node
        while at != Self.root {
            names.append(nodes[at].name)
            at = nodes[at].parent
        }
        let shape = RecordShape(names.reversed())
        nodes[node].shape = shape
        return shape
    }

    /// Number of names of a node.
    @inline(__always)
    func count(of node: Int) -> Int { nodes[node].depth }

    private mutating func reset() {
        nodes = [Node(name: "", parent: 0, depth: 0, nameStart: 0, nameCount: 0)]
        nameBytes = []
    }

    @inline(__always)
    private func isName(of node: Int, _ bytes: UnsafeBufferPointer<UInt8>) -> Bool {
        guard nodes[node].nameCount == bytes.count else { return false }
        guard let start = bytes.baseAddress else { return true }
        // Safe: both ranges hold `bytes.count` bytes; the node's lies within `nameBytes`.
        return nameBytes.withUnsafeBufferPointer { all in
            all.baseAddress.map { memcmp($0 + nodes[node].nameStart, start, bytes.count) == 0 } ?? true
        }
    }

    @inline(never)
    private mutating func add(_ bytes: UnsafeBufferPointer<UInt8>, to parent: Int) -> Int? {
        guard let name = String(utf8: bytes) else { return nil }
        let node = nodes.count
        nodes.append(
            Node(
                name: name, parent: parent, depth: nodes[parent].depth + 1, nextSibling: nodes[parent].firstChild,
                nameStart: nameBytes.count, nameCount: bytes.count))
        nameBytes.append(contentsOf: bytes)
        nodes[parent].firstChild = node
        return node
    }
}
