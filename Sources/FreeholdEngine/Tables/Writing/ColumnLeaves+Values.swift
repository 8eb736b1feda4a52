/// Collects a column's values of fixed width from old leaves and rows of the buffer.
///
/// Safe throughout: slots are read from rows of the buffer, which have the class's present layout; old leaves are
/// checked for kind and row count before their rows are read.
extension ColumnLeaves {
    /// Calls `old` with each old row and `new` with each new row's slot, in order; null and missing ones go to `none`.
    @inline(__always)
    func forEachSource(_ column: Int, _ gather: RowGather, _ range: Range<Int>, old: (Int) -> Void,
                       new: (UnsafeRawPointer, RowView) -> Void, null: () -> Void) {
        let slot = RowLayout.slotStart(columns: layout.types.count) + layout.slots[column]
        for position in range {
            let source = gather.sources[position]
            if source >= 0 {
                old(source)
            } else {
                let row = buffer.row(~source)
                if row.isNull(column) { null() } else { new(row.start + slot, row) }
            }
        }
    }

    func appendIntegers(_ column: Int, _ gather: RowGather, _ range: Range<Int>, _ old: UnsafeRawPointer?, isBool: Bool) {
        let builder = maker.integers
        let isNullable = stored.properties[column].defaultsToNull
        let leaf = old.map { PackedIntegers($0) }
        forEachSource(column, gather, range, old: { row in
            if let leaf, !leaf.isNull(row) { builder.append(leaf[row]) }
            else if leaf != nil || isNullable { builder.appendNull() } else { builder.append(0) }
        }, new: { slot, _ in
            builder.append(isBool ? Int64(slot.load(as: UInt8.self)) : slot.loadUnaligned(as: Int64.self))
        }, null: { builder.appendNull() })
    }

    func appendReals<Real: LeafReal>(_ column: Int, _ gather: RowGather, _ range: Range<Int>,
                                            _ old: UnsafeRawPointer?, _ builder: RealColumnBuilder<Real>) {
        let isNullable = stored.properties[column].defaultsToNull
        let leaf = old.map { RealLeaf($0) }
        forEachSource(column, gather, range, old: { row in
            if let leaf, !leaf.isNull(row) { builder.append(Real.value(leaf, row)) }
            else if leaf != nil || isNullable { builder.appendNull() } else { builder.append(0) }
        }, new: { slot, _ in builder.append(slot.loadUnaligned(as: Real.self)) }, null: { builder.appendNull() })
    }

    func appendDates(_ column: Int, _ gather: RowGather, _ range: Range<Int>, _ old: UnsafeRawPointer?) {
        let builder = maker.dates
        let isNullable = stored.properties[column].defaultsToNull
        let leaf = old.map { DateLeaf($0) }
        forEachSource(column, gather, range, old: { row in
            if let leaf, !leaf.isNull(row) { builder.append(seconds: leaf[row].seconds, nanoseconds: leaf[row].nanoseconds) }
            else if leaf != nil || isNullable { builder.appendNull() } else { builder.append(seconds: 0, nanoseconds: 0) }
        }, new: { slot, _ in
            builder.append(seconds: slot.loadUnaligned(as: Int64.self),
                           nanoseconds: slot.loadUnaligned(fromByteOffset: 8, as: Int32.self))
        }, null: { builder.appendNull() })
    }

    func appendFixed(_ column: Int, _ gather: RowGather, _ range: Range<Int>, _ old: UnsafeRawPointer?, _ type: PropertyType) {
        let isNullable = stored.properties[column].defaultsToNull
        let leaf = old.map { FixedLeaf($0) }
        let wide = maker.wides, narrow = maker.narrows
        let isWide = type.width == 16, zero = type.zero.words ?? ValueWords(0)
        forEachSource(column, gather, range, old: { row in
            if let leaf, !leaf.isNull(row) {
                if isWide { wide.append(FixedRow16(high: leaf.wide(row).high, low: leaf.wide(row).low)) }
                else { narrow.append(FixedRow12(high: leaf.narrow(row).high, low: leaf.narrow(row).low)) }
            } else if leaf != nil || isNullable {
                if isWide { wide.appendNull() } else { narrow.appendNull() }
            } else {
                if isWide { wide.append(FixedRow16(zero)) } else { narrow.append(FixedRow12(zero)) }
            }
        }, new: { slot, _ in
            let high = slot.loadUnaligned(as: UInt64.self)
            if isWide { wide.append(FixedRow16(high: high, low: slot.loadUnaligned(fromByteOffset: 8, as: UInt64.self))) }
            else { narrow.append(FixedRow12(high: high, low: slot.loadUnaligned(fromByteOffset: 8, as: UInt32.self))) }
        }, null: { if isWide { wide.appendNull() } else { narrow.appendNull() } })
    }

    /// Overwrites one row of the builder of the value's type.
    func put(_ value: Value, at row: Int, _ builder: any ColumnBuilder) {
        if let type = value.type, let words = value.words { maker.set(words, of: type, at: row) } else if value == .null { builder.setNull(row) }
    }
}
