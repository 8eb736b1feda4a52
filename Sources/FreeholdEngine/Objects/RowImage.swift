/// Where a cluster keeps one property of its objects, for readers of many objects: fields of equal width in 64-bit words.
///
/// The field of the object at position `i` of its cluster begins at bit `i << shift` counted from `words` and never
/// crosses a word. It holds `(field & mask) + base`; of a double or float, its bits. No value is null. Valid as long as
/// the row it was taken from.
public struct RowImage {
    public let words: UnsafeRawPointer
    public let base: Int64
    public let mask: UInt64
    public let shift: UInt64

    init(_ words: UnsafeRawPointer, base: Int64, width: Int) {
        self.words = words
        self.base = base
        mask = width == 0 ? 0 : ~0 >> UInt64(64 - width)
        shift = UInt64(width == 0 ? 0 : width.trailingZeroBitCount)
    }

    /// The image of a cluster whose objects all have 0, or +0.
    fileprivate static func zero(in cluster: ClusterView) -> RowImage { RowImage(cluster.view.body, base: 0, width: 0) }

    /// The bytes 0 to 255: the positions of a cluster's objects.
    // Safe: written here, before anything can read it, and never freed.
    nonisolated(unsafe) private static let positions: UnsafeRawPointer = {
        let bytes = UnsafeMutableBufferPointer<UInt8>.allocate(capacity: ClusterView.maximumRows)
        _ = bytes.initialize(from: (0..<ClusterView.maximumRows).map { UInt8($0) })
        return UnsafeRawPointer(bytes.baseAddress!)
    }()

    /// An image of the object keys of a cluster.
    fileprivate static func keys(of cluster: ClusterView) -> RowImage {
        cluster.keyWidth == 0 ? RowImage(positions, base: cluster.firstKey, width: 8)
            : RowImage(cluster.view.body, base: cluster.firstKey, width: cluster.keyWidth * 8)
    }
}

/// Safe throughout: a leaf was found with as many rows as its cluster, so words lie within it; a leaf's words begin at a multiple of 8
/// and end at one, as its keys do.
extension Row {
    /// Identifies the object's cluster within its version; nil for an object of the tail, which is in no cluster.
    public var cluster: UnsafeRawPointer? {
        guard case .cluster(let cluster, _) = place else { return nil }
        return cluster.view.body
    }

    /// The object's position in its cluster; 0 in the tail.
    public var position: Int {
        guard case .cluster(_, let row) = place else { return 0 }
        return row
    }

    /// The version that created the object, if its key may have belonged to another object before; 0 for all others. A
    /// program that keeps a key can check by it whether the object is still the same one.
    public var incarnation: UInt64 {
        get throws(FreeholdError) { try reading { state, place throws(FreeholdError) in state.incarnation(place) } }
    }

    /// Where the object's cluster keeps a property. Nil if the property is not a number, bool or link, if some object
    /// has null there, if the object is in the tail, or if its memory may be given back before the version
    /// (`Table.forEach` of an encrypted file).
    public func image(_ column: Column) throws(FreeholdError) -> RowImage? {
        try reading { state, place throws(FreeholdError) in
            guard case .cluster(let cluster, _) = place, !state.hasWindow else { return nil }
            if column.isObjectKey { return .keys(of: cluster) }
            let index = try state.index(of: column), property = state.stored.properties[index]
            guard property.shape == nil, [.bool, .int, .link, .double, .float].contains(property.storageType) else { return nil }
            guard let body = try state.leaf(cluster, cluster.count - 1, index) else {
                return property.defaultsToNull ? nil : .zero(in: cluster)
            }
            if LeafHead(body).hasNulls { return nil }
            if property.storageType == .double || property.storageType == .float {
                let leaf = RealLeaf(body)
                return RowImage(leaf.rows, base: 0, width: leaf.isDouble ? 64 : 32)
            }
            let leaf = PackedIntegers(body)
            return RowImage(leaf.words, base: leaf.base, width: leaf.width)
        }
    }
}

/// The objects of one cluster by their keys, which ascend; valid as long as the row it was taken from.
public struct RowNeighbours {
    /// Identifies the cluster within its version, as `Row.cluster` does.
    public let cluster: UnsafeRawPointer
    public let count: Int
    public let firstKey: Int64
    public let lastKey: Int64
    /// Their keys.
    public let keys: RowImage

    /// Whether no key between the first and the last is missing.
    // Safe: a span too great for an Int64 wraps to a negative number.
    public var areConsecutive: Bool { lastKey &- firstKey == Int64(count - 1) }
}

extension Table {
    /// The objects of the row's cluster; nil if the cluster may have objects that are not the table's, or is still
    /// being changed.
    public func neighbours(of row: Row) -> RowNeighbours? {
        guard scope == nil, writer == nil, !state.hasWindow, case .cluster(let cluster, _) = row.place else { return nil }
        return RowNeighbours(
            cluster: cluster.view.body, count: cluster.count, firstKey: cluster.firstKey, lastKey: cluster.key(cluster.count - 1),
            keys: .keys(of: cluster))
    }
}
