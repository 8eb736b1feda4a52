/// Reads one property of one object, in place.
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
        if view.kindByte == BlockKind.fixedLeaf.rawValue, LeafHead(body).shape != RowLayout.slotBytes(stored.layout.types[column]) {
            throw damagedLeaf(view, column)
        }
        return body
    }

    /// The leaf of a column of packed integers; throws if it is not one that has the row.
    @inline(__always)
    private func packed(_ reference: BlockReference, _ row: Int, _ column: Int) throws(FreeholdError) -> PackedIntegers {
        let view = try access.view(reference)
        // The kind is a constant here: reading it from the class would count references.
        if row >= LeafHead(view.body).count || view.kindByte != BlockKind.integerLeaf.rawValue { try requireDate(view, row, column) }
        // Not before the check: it could not be created from a block of another kind.
        return PackedIntegers(view.body)
    }

    /// Date leaves begin with packed integers as well: their seconds.
    @inline(never)
    private func requireDate(_ view: BlockView, _ row: Int, _ column: Int) throws(FreeholdError) {
        guard row < LeafHead(view.body).count, view.kind == .dateLeaf, stored.leafKinds[column] == view.kindByte else {
            throw unfitLeaf(view, row, column)
        }
    }

    /// The leaf of a column of reals; throws if it is not one that has the row.
    @inline(__always)
    private func reals(_ reference: BlockReference, _ row: Int, _ column: Int) throws(FreeholdError) -> RealLeaf {
        let view = try access.view(reference)
        let leaf = RealLeaf(view.body)
        let kind = leaf.isDouble ? BlockKind.doubleLeaf : .floatLeaf
        guard row < leaf.count, view.kindByte == kind.rawValue else { throw unfitLeaf(view, row, column) }
        return leaf
    }

    /// The reason why a leaf is not of the requested kind: it is damaged, or the column is of another type.
    @inline(never)
    private func unfitLeaf(_ view: BlockView, _ row: Int, _ column: Int) -> FreeholdError {
        guard row < LeafHead(view.body).count, view.kindByte == stored.leafKinds[column] else { return damagedLeaf(view, column) }
        return otherType(column)
    }

    @inline(never)
    private func otherType(_ column: Int) -> FreeholdError {
        let property = stored.properties[column]
        return FreeholdError(.typeMismatch, "property '\(property.name)' of class '\(stored.name)' is a \(property.type.name)")
    }

    func damagedLeaf(_ view: BlockView, _ column: Int) -> FreeholdError {
        FreeholdError(.corrupt, "a leaf of property '\(stored.properties[column].name)' of class '\(stored.name)' does "
            + "not fit its cluster; run `freehold check`")
    }

    func isNull(_ place: RowPlace, _ column: Int) throws(FreeholdError) -> Bool {
        switch place {
        case .tail(let row):
            return column < row.columns ? row.isNull(column) : stored.properties[column].defaultsToNull
        case .cluster(let cluster, let row):
            guard let body = try leaf(cluster, row, column) else { return stored.properties[column].defaultsToNull }
            return try isNull(body, row, column)
        }
    }

    private func isNull(_ body: UnsafeRawPointer, _ row: Int, _ column: Int) throws(FreeholdError) -> Bool {
        AnyLeaf(body, stored.properties[column].storageType.leaf).isNull(row)
    }

    /// A bool, int or link column, or a date's seconds; 0 when null.
    @inline(__always)
    func integer(_ place: RowPlace, _ column: Int) throws(FreeholdError) -> Int64 {
        switch place {
        case .cluster(let cluster, let row):
            let reference = cluster.leaf(column)
            if reference.isNull { return 0 }
            let leaf = try packed(reference, row, column)
            return leaf.head.hasNulls && leaf.isNull(row) ? 0 : leaf[row]
        case .tail(let row):
            guard column < row.columns else { return 0 }
            let slot = row.slot(column, stored.layout)
            switch stored.layout.types[column] {
            case .int, .link, .date: return row.isNull(column) ? 0 : slot.loadUnaligned(as: Int64.self)
            case .bool: return row.isNull(column) ? 0 : Int64(slot.load(as: UInt8.self))
            default: throw otherType(column)
            }
        }
    }

    /// A column of links: the target's key, or nil.
    @inline(__always)
    func link(_ place: RowPlace, _ column: Int) throws(FreeholdError) -> Int64? {
        guard case .cluster(let cluster, let row) = place else {
            return try isNull(place, column) ? nil : try integer(place, column)
        }
        let reference = cluster.leaf(column)
        if reference.isNull { return nil }
        let leaf = try packed(reference, row, column)
        return leaf.head.hasNulls && leaf.isNull(row) ? nil : leaf[row]
    }

    /// A float or double column; 0 when null.
    @inline(__always)
    func real(_ place: RowPlace, _ column: Int) throws(FreeholdError) -> Double {
        switch place {
        case .cluster(let cluster, let row):
            let reference = cluster.leaf(column)
            return reference.isNull ? 0 : try reals(reference, row, column)[row]
        case .tail(let row):
            guard column < row.columns else { return 0 }
            let slot = row.slot(column, stored.layout)
            switch stored.layout.types[column] {
            case .double: return row.isNull(column) ? 0 : slot.loadUnaligned(as: Double.self)
            case .float: return row.isNull(column) ? 0 : Double(slot.loadUnaligned(as: Float.self))
            default: throw otherType(column)
            }
        }
    }

    /// Any column.
    func value(_ place: RowPlace, _ column: Int) throws(FreeholdError) -> Value {
        let type = stored.properties[column].type
        if let collection = try collection(place, column) { return try collection.value() }
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
        case .string: return .string(String(decoding: try text(cluster, row, column), as: UTF8.self))
        case .data: return .data(Array(try text(cluster, row, column)))
        case .mixed:
            guard let value = MixedBytes.decode(try text(cluster, row, column)) else {
                throw damagedLeaf(try access.view(cluster.leaf(column)), column)
            }
            return value
        default: return Value(AnyLeaf(body, type.leaf).words(row), of: type)
        }
    }
}
