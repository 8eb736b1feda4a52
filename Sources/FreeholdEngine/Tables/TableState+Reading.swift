/// Reading one property of one object, in place.
///
/// Safe throughout: a leaf's structure was checked on first touch, and its row count is compared here; a row's slots
/// were compared with its length when it was found.
extension TableState {
    /// The leaf's body if the column has one for this row; nil where every row has the default.
    @inline(__always)
    func leaf(_ cluster: ClusterView, _ row: Int, _ column: Int) throws(FreeholdError) -> UnsafeRawPointer? {
        let reference = cluster.leaf(column)
        if reference.isNull { return nil }
        let view = try access.view(reference)
        let body = view.body
        guard row < LeafHead(body).count, view.kindByte == stored.leafKinds[column] else {
            throw damagedLeaf(view, column)
        }
        return body
    }

    func damagedLeaf(_ view: BlockView, _ column: Int) -> FreeholdError {
        FreeholdError(.corrupt, "a leaf of property '\(stored.properties[column].name)' of class '\(stored.name)' does "
            + "not fit its cluster; run `freehold check`")
    }

    func isNull(_ place: RowPlace, _ column: Int) throws(FreeholdError) -> Bool {
        switch place {
        case .tail(let row):
            return column < row.columns ? row.isNull(column) : stored.properties[column].isNullable
        case .cluster(let cluster, let row):
            guard let body = try leaf(cluster, row, column) else { return stored.properties[column].isNullable }
            return try isNull(body, row, column)
        }
    }

    private func isNull(_ body: UnsafeRawPointer, _ row: Int, _ column: Int) throws(FreeholdError) -> Bool {
        switch stored.properties[column].type {
        case .bool, .int, .link, .date: PackedIntegers(body).isNull(row)
        case .float, .double: RealLeaf(body).isNull(row)
        case .uuid, .objectId: FixedLeaf(body).isNull(row)
        case .string, .data: TextLeaf(body).isNull(row)
        }
    }

    /// A bool, int or link column; 0 when null.
    @inline(__always)
    func integer(_ place: RowPlace, _ column: Int) throws(FreeholdError) -> Int64 {
        switch place {
        case .cluster(let cluster, let row):
            guard let body = try leaf(cluster, row, column) else { return 0 }
            let leaf = PackedIntegers(body)
            return leaf.head.hasNulls && leaf.isNull(row) ? 0 : leaf[row]
        case .tail(let row):
            guard column < row.columns, !row.isNull(column) else { return 0 }
            let slot = row.slot(column, stored.layout)
            return stored.layout.types[column] == .bool ? Int64(slot.load(as: UInt8.self)) : slot.loadUnaligned(as: Int64.self)
        }
    }

    /// A float or double column; 0 when null.
    @inline(__always)
    func real(_ place: RowPlace, _ column: Int) throws(FreeholdError) -> Double {
        switch place {
        case .cluster(let cluster, let row):
            guard let body = try leaf(cluster, row, column) else { return 0 }
            return RealLeaf(body)[row]
        case .tail(let row):
            guard column < row.columns, !row.isNull(column) else { return 0 }
            let slot = row.slot(column, stored.layout)
            return stored.layout.types[column] == .float ? Double(slot.loadUnaligned(as: Float.self))
                : slot.loadUnaligned(as: Double.self)
        }
    }

    /// Any column.
    func value(_ place: RowPlace, _ column: Int) throws(FreeholdError) -> Value {
        let type = stored.properties[column].type
        switch place {
        case .tail(let row):
            if column >= row.columns { return stored.properties[column].defaultValue }
            return try row.value(column, stored.layout, type: type)
        case .cluster(let cluster, let row):
            guard let body = try leaf(cluster, row, column) else { return stored.properties[column].defaultValue }
            if try isNull(body, row, column) { return .null }
            return try value(body, row, column, type, in: cluster)
        }
    }

    private func value(_ body: UnsafeRawPointer, _ row: Int, _ column: Int, _ type: PropertyType,
                       in cluster: ClusterView) throws(FreeholdError) -> Value {
        switch type {
        case .bool: return .bool(PackedIntegers(body)[row] != 0)
        case .int: return .int(PackedIntegers(body)[row])
        case .link: return .link(ObjectKey(PackedIntegers(body)[row]))
        case .float: return .float(RealLeaf(body).float(row))
        case .double: return .double(RealLeaf(body).double(row))
        case .date:
            let date = DateLeaf(body)[row]
            return .date(Timestamp(seconds: date.seconds, nanoseconds: date.nanoseconds))
        case .uuid:
            let id = FixedLeaf(body).wide(row)
            return .uuid(UniqueIdentifier(high: id.high, low: id.low))
        case .objectId:
            let id = FixedLeaf(body).narrow(row)
            return .objectId(ObjectIdentifier12(high: id.high, low: id.low))
        case .string: return .string(String(decoding: try text(cluster, row, column), as: UTF8.self))
        case .data: return .data(Array(try text(cluster, row, column)))
        }
    }
}

extension BlockKind {
    /// The kind of leaf that holds values of a type.
    static func leaf(of type: PropertyType) -> BlockKind {
        switch type {
        case .bool, .int, .link: .integerLeaf
        case .float: .floatLeaf
        case .double: .doubleLeaf
        case .string, .data: .textLeaf
        case .date: .dateLeaf
        case .uuid, .objectId: .fixedLeaf
        }
    }
}
