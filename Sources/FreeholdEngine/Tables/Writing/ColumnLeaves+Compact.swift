/// Re-encodes a cluster's leaves without deleted rows: a column at a time, not a row at a time.
///
/// Safe throughout: leaves were checked for kind and row count before they are read.
extension ColumnLeaves {
    /// The leaf of `column` with the rows of `mask`, or null where all of those have the default; nil if it needs the
    /// slow path, because values are in blocks of their own.
    func compactLeaf(_ column: Int, of old: ClusterView, keeping mask: UnsafePointer<UInt64>,
                     firstKey: Int64) throws(FreeholdError) -> BlockReference? {
        guard let body = try state.leaf(old, old.count - 1, column) else { return .null }
        let type = stored.properties[column].storageType
        maker.externals.removeAll(keepingCapacity: true)
        if type.isBytes {
            let leaf = TextLeaf(body)
            if leaf.isCodes {
                maker.integers.removeAll()
                maker.integers.append(leaf.codes, rows: 0..<old.count)
                maker.integers.keep(mask)
                return makeCodeLeaf(maker.integers, firstKey: firstKey)
            }
            if leaf.hasExternal { return nil }
        }
        let builder = maker.builder(for: type)
        builder.removeAll()
        maker.append(body, of: type, rows: 0..<old.count)
        builder.keep(mask)
        if stored.properties[column].defaultsToNull, builder.nullCount == builder.count { return .null }
        return maker.make(builder, .leaf(of: type), table: table.number, firstKey: firstKey, in: pending)
    }
}
