/// One row in the tail, read in place. Layout: `RowLayout`.
///
/// Safe throughout: a row is only created for bytes whose length was checked against their block or buffer, and `fits`
/// has compared its slots with that length; text is checked at each access.
struct RowView {
    let start: UnsafeRawPointer

    @inline(__always) var key: Int64 { start.loadUnaligned(fromByteOffset: RowLayout.key, as: Int64.self) }
    @inline(__always) var length: Int { Int(start.loadUnaligned(fromByteOffset: RowLayout.length, as: UInt32.self)) }
    @inline(__always) var columns: Int { Int(start.loadUnaligned(fromByteOffset: RowLayout.columns, as: UInt16.self)) }

    /// Whether every slot the row claims lies within its length and is known to `layout`.
    func fits(_ layout: RowLayout) -> Bool {
        let columns = columns
        guard columns <= layout.types.count else { return false }
        let end = columns == layout.types.count ? layout.slotBytes : layout.slots[columns]
        return RowLayout.slotStart(columns: columns) + end <= length
    }

    /// Whether the column is null. A column that was added after the row was written is null here; the caller applies
    /// its default.
    @inline(__always) func isNull(_ column: Int) -> Bool {
        start.load(fromByteOffset: RowLayout.nulls + column >> 3, as: UInt8.self) & (1 &<< UInt8(column & 7)) != 0
    }

    /// The address of the column's slot.
    @inline(__always) func slot(_ column: Int, _ layout: RowLayout) -> UnsafeRawPointer {
        start + RowLayout.slotStart(columns: columns) + layout.slots[column]
    }

    /// The bytes of a string or data column, or nil if its slot points outside the row.
    func text(_ column: Int, _ layout: RowLayout) -> UnsafeRawBufferPointer? {
        let slot = slot(column, layout)
        let offset = Int(slot.loadUnaligned(as: UInt32.self))
        let count = Int(slot.loadUnaligned(fromByteOffset: 4, as: UInt32.self))
        return offset + count <= length ? UnsafeRawBufferPointer(start: start + offset, count: count) : nil
    }

    /// The column's value; `type` is the layout's type of that column.
    func value(_ column: Int, _ layout: RowLayout, type: PropertyType) throws(FreeholdError) -> Value {
        if isNull(column) { return .null }
        let slot = slot(column, layout)
        switch type {
        case .mixed:
            guard let bytes = text(column, layout), let value = MixedBytes.decode(bytes) else { throw Self.damaged(key) }
            return value
        case .string, .data:
            guard let bytes = text(column, layout) else { throw Self.damaged(key) }
            return type == .string ? .string(String(decoding: bytes, as: UTF8.self)) : .data(Array(bytes))
        default: return Value(ValueWords(at: slot, width: type.width), of: type)
        }
    }

    static func damaged(_ key: Int64) -> FreeholdError {
        FreeholdError(.corrupt, "the tail row of object \(key) points outside itself; run `freehold check`")
    }
}
