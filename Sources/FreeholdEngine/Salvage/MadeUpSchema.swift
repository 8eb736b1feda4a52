/// Classes and properties named by number, for files whose schema is lost.
///
/// A column's type is that of its first leaf: integers, bools and links have the same leaves and come out as int.
struct MadeUpSchema {
    private var types: [UInt32: [PropertyType?]] = [:]

    mutating func note(table: UInt32) { types[table, default: []] += [] }

    mutating func note(_ cluster: ClusterView, in access: BlockAccess) {
        let table = cluster.view.table
        var known = types[table] ?? []
        while known.count < cluster.view.referenceCount { known.append(nil) }
        for column in 0..<cluster.view.referenceCount where known[column] == nil && !cluster.leaf(column).isNull {
            if let view = try? access.view(cluster.leaf(column)) { known[column] = Self.type(of: view) }
        }
        types[table] = known
    }

    private static func type(of view: BlockView) -> PropertyType? {
        switch view.kind {
        case .integerLeaf: .int
        case .floatLeaf: .float
        case .doubleLeaf: .double
        case .dateLeaf: .date
        case .fixedLeaf: LeafHead(view.body).shape == 16 ? .uuid : .objectId
        case .textLeaf: TextLeaf(view.body).isText || TextLeaf(view.body).isCodes ? .string : .data
        default: nil
        }
    }

    /// The classes from number `first` on.
    func classes(from first: Int) -> [StoredClass] {
        guard let last = types.keys.max(), last < TopBlock.maximumTables, first <= Int(last) else { return [] }
        return (first...Int(last)).map { number in
            let columns = (types[UInt32(number)] ?? []).prefix(StoredClass.maximumProperties)
            let properties = columns.enumerated().map { column, type in
                StoredProperty(number: UInt32(column), name: "property\(column)", type: type ?? .int, isNullable: true, isIndexed: false,
                               isUnique: false, isObjectKey: false, linkTarget: nil)
            }
            return StoredClass(number: UInt32(number), name: "Class\(number)", properties: properties)
        }
    }
}
