/// Reads strings and data: in the leaf, as a dictionary code, or in blocks of their own.
///
/// Safe throughout: as for the other columns; what a reference leads to is checked by kind and length.
extension TableState {
    /// The bytes of a string or data column of a sealed row that is not null. Only a value of several blocks is copied;
    /// the copy is valid until this state reads the next such value.
    func text(_ cluster: ClusterView, _ row: Int, _ column: Int) throws(FreeholdError) -> UnsafeRawBufferPointer {
        guard let body = try leaf(cluster, row, column) else { return UnsafeRawBufferPointer(start: nil, count: 0) }
        let leaf = TextLeaf(body)
        if leaf.isNull(row) { return UnsafeRawBufferPointer(start: nil, count: 0) }
        if leaf.isCodes { return try dictionary(column).bytes(leaf.codes[row]) }
        if leaf.isExternal(row) { return try external(leaf.external(row), cluster, column) }
        return leaf[row]
    }

    private func external(_ entry: (length: UInt64, reference: Int), _ cluster: ClusterView,
                          _ column: Int) throws(FreeholdError) -> UnsafeRawBufferPointer {
        let view = try access.view(cluster.leaf(column))
        guard entry.reference < view.referenceCount else { throw damagedLeaf(view, column) }
        let reference = view.reference(entry.reference)
        let value = try access.view(reference)
        if value.kind == .largeValue {
            guard UInt64(value.bodyLength) == entry.length else { throw damagedLeaf(view, column) }
            return UnsafeRawBufferPointer(start: value.body, count: value.bodyLength)
        }
        let bytes = try LargeValue.read(reference, in: access)
        guard UInt64(bytes.count) == entry.length else { throw damagedLeaf(view, column) }
        assembled.removeAll()
        bytes.withUnsafeBytes { assembled.append($0) }
        return assembled.bytes
    }

    /// The bytes of a string or data column; empty when null.
    func bytes(_ place: RowPlace, _ column: Int) throws(FreeholdError) -> UnsafeRawBufferPointer {
        switch place {
        case .cluster(let cluster, let row): return try text(cluster, row, column)
        case .tail(let row):
            guard column < row.columns, !row.isNull(column) else { return UnsafeRawBufferPointer(start: nil, count: 0) }
            guard let bytes = row.text(column, stored.layout) else { throw RowView.damaged(row.key) }
            return bytes
        }
    }

    /// The dictionary of a column, opened at first use.
    func dictionary(_ column: Int) throws(FreeholdError) -> ColumnDictionary {
        if column < dictionaries.count, let open = dictionaries[column] { return open }
        let opened = try ColumnDictionary(root.auxiliary(.dictionary, column), in: access)
        setDictionary(column, opened)
        return opened
    }

    /// The length in bytes of a string or data column; 0 when null. Does not read a value that is in blocks of its own.
    func byteCount(_ place: RowPlace, _ column: Int) throws(FreeholdError) -> Int {
        guard let entry = try external(place, column) else { return try bytes(place, column).count }
        return Int(clamping: entry.length)
    }

    /// The bytes of a string or data column at the offsets in `part`.
    func bytes(_ place: RowPlace, _ column: Int, part: Range<Int>) throws(FreeholdError) -> [UInt8] {
        guard let entry = try external(place, column) else {
            let all = try bytes(place, column)
            return Array(all[part.clamped(to: all.indices)])
        }
        return try LargeValue.read(entry.value, part: part.clamped(to: 0..<Int(clamping: entry.length)), in: access)
    }

    /// The reference and the length of a value that has blocks of its own.
    func external(_ place: RowPlace, _ column: Int) throws(FreeholdError) -> (value: BlockReference, length: UInt64)? {
        guard case .cluster(let cluster, let row) = place, let body = try leaf(cluster, row, column) else { return nil }
        let leaf = TextLeaf(body)
        guard !leaf.isCodes, !leaf.isNull(row), leaf.isExternal(row) else { return nil }
        let entry = leaf.external(row), view = try access.view(cluster.leaf(column))
        guard entry.reference < view.referenceCount else { throw damagedLeaf(view, column) }
        return (view.reference(entry.reference), entry.length)
    }
}
