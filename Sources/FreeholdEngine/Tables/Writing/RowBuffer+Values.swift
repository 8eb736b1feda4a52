extension RowBuffer {
    /// Sets or clears the null bit of a column.
    ///
    /// Safe: the row was created with room for a bit for each of its columns.
    @inline(__always) func setNull(_ index: Int, _ column: Int, _ isNull: Bool) {
        let byte = mutableRow(index) + RowLayout.nulls + column >> 3
        let bit = UInt8(1) << UInt8(column & 7)
        let old = byte.load(as: UInt8.self)
        byte.storeBytes(of: isNull ? old | bit : old & ~bit, as: UInt8.self)
    }

    /// The writable slot of a column.
    ///
    /// Safe: the row was created with this layout, so the slot lies within it.
    @inline(__always)
    func slot(_ index: Int, _ column: Int, _ layout: RowLayout) -> UnsafeMutableRawPointer {
        mutableRow(index) + RowLayout.slotStart(columns: layout.types.count) + layout.slots[column]
    }

    /// Sets a column of `StoredClass.plainTypes` if the value is of its type, and no longer than any index and row take; false if it is not.
    @inline(__always)
    func setPlain(_ index: Int, _ column: Int, _ type: PropertyType, _ layout: RowLayout, to value: Value) -> Bool {
        guard value.type == type else { return false }
        if type.isBytes, value.byteCount >= min(IndexLayout.maximumKeyBytes, RowLayout.maximumBytes - row(index).length) { return false }
        set(index, column, layout, to: value)
        return true
    }

    /// Sets any column to a value that has been checked against the property's type.
    ///
    /// Safe: the store is as wide as the slot of the type.
    func set(_ index: Int, _ column: Int, _ layout: RowLayout, to value: Value) {
        if layout.types[column] == .mixed, value != .null { return setMixed(index, column, layout, to: value) }
        switch value {
        case .null: return setNull(index, column, true)
        case .string(var text):
            return text.withUTF8 { setText(index, column, layout, to: UnsafeRawBufferPointer($0)) }
        case .data(let bytes):
            return bytes.withUnsafeBytes { setText(index, column, layout, to: $0) }
        default: break
        }
        if let type = layout.types[column], let words = value.words { words.store(to: slot(index, column, layout), width: type.width) }
        setNull(index, column, false)
    }

    private func setMixed(_ index: Int, _ column: Int, _ layout: RowLayout, to value: Value) {
        let bytes = ByteBuffer(capacity: 64)
        bytes.append(mixed: value)
        setText(index, column, layout, to: bytes.bytes)
    }
}
