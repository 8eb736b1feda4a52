/// The replacement for one row of a leaf that is being created.
struct RowReplacement {
    let position: Int
    var value: Value
    /// A value with blocks of its own, which are already written; then `value` is null.
    var external: ExternalValue?
}

/// A value with blocks of its own.
struct ExternalValue {
    let reference: BlockReference
    let length: Int
}

/// Creates the leaves of a table's columns, from rows of old clusters and of the buffer.
///
/// 1. A leaf has a value for each row of its cluster; there is none where every row has the column's default.
/// 2. Values longer than a limit are in blocks of their own, to which the leaf refers; rows carried over keep theirs.
/// 3. It changes nothing of the table but its dictionaries, which grow by new strings.
final class ColumnLeaves {
    let table: WrittenTable
    /// Takes note of the codes that strings of rows get.
    let indexes: IndexQueue

    init(_ table: WrittenTable, indexes: IndexQueue) {
        self.table = table
        self.indexes = indexes
    }

    var state: TableState { table.state }
    var stored: StoredClass { table.state.stored }
    var layout: RowLayout { table.state.stored.layout }
    var buffer: RowBuffer { table.buffer }
    var pending: PendingBlocks { table.pending }
    var maker: LeafMaker { table.maker }

    /// The leaf of `column` for the rows `range` of `gather`; null where every row has the default.
    ///
    /// - Parameter replacing: a position in `gather` and the value to put there instead.
    func makeLeaf(_ column: Int, _ gather: RowGather, _ range: Range<Int>,
                  replacing: RowReplacement? = nil) throws(FreeholdError) -> BlockReference {
        let property = stored.properties[column]
        if property.isObjectKey { return .null }
        maker.externals.removeAll(keepingCapacity: true)
        if property.storageType.isBytes {
            return try makeTextLeaf(column, gather, range, replacing: replacing)
        }
        let builder = maker.builder(for: property.storageType)
        builder.removeAll()
        let old = try oldLeaf(column, gather)
        switch property.storageType.leaf {
        case .integers: appendIntegers(column, gather, range, old, isBool: property.storageType == .bool)
        case .doubles: appendReals(column, gather, range, old, maker.doubles)
        case .floats: appendReals(column, gather, range, old, maker.floats)
        case .dates: appendDates(column, gather, range, old)
        case .fixed: appendFixed(column, gather, range, old, property.storageType)
        case .texts: break
        }
        if let replacing { put(replacing.value, at: replacing.position - range.lowerBound, builder) }
        if property.defaultsToNull, builder.nullCount == builder.count { return .null }
        return maker.make(builder, .leaf(of: property.storageType), table: table.number, firstKey: gather.keys[range.lowerBound], in: pending)
    }

    /// The body of the old cluster's leaf, or nil if its rows have the default.
    func oldLeaf(_ column: Int, _ gather: RowGather) throws(FreeholdError) -> UnsafeRawPointer? {
        guard let old = gather.old else { return nil }
        return try state.leaf(old, old.count - 1, column)
    }

    /// Creates a leaf of these values, which fit the property; null if all of them are.
    func makeLeaf(of values: [Value], _ property: StoredProperty, firstKey: Int64) throws(FreeholdError) -> BlockReference {
        maker.externals.removeAll(keepingCapacity: true)
        let builder = maker.builder(for: property.type)
        builder.removeAll()
        let total = values.reduce(0) { $0 + min($1.byteCount, LeafMaker.inlineLimit) }
        let limit = total > LeafMaker.crowdedBytes ? LeafMaker.crowdedLimit : LeafMaker.inlineLimit
        for (row, value) in values.enumerated() {
            if let texts = builder as? TextColumnBuilder {
                var value = value
                if property.type == .mixed { value.becomeMixedBytes() }
                try appendReplacement(value, texts, limit, property)
            } else {
                builder.appendNull()
                put(value, at: row, builder)
            }
        }
        if property.defaultsToNull, builder.nullCount == builder.count { return .null }
        return maker.make(builder, .leaf(of: property.type), table: table.number, firstKey: firstKey, in: pending)
    }

    /// Frees the blocks of a column's large values whose rows are not carried over from `old`.
    func freeExternals(of old: ClusterView, _ column: Int, where isDropped: (Int) -> Bool) throws(FreeholdError) {
        let type = stored.properties[column].storageType
        guard type.isBytes, let body = try state.leaf(old, old.count - 1, column) else { return }
        let leaf = TextLeaf(body)
        guard !leaf.isCodes, leaf.hasExternal else { return }
        let view = try pending.access.view(old.leaf(column))
        for row in 0..<old.count where isDropped(row) && leaf.isExternal(row) {
            let place = leaf.external(row).reference
            guard place < view.referenceCount else { throw state.damagedLeaf(view, column) }
            try pending.freeTree(view.reference(place))
        }
    }
}
