/// Sets the properties of an object that is being created.
///
/// Safe throughout: a slot is written only after the column's type was compared with the class's own, so it is as wide as
/// the value. `insert` makes a writer and holds transaction, table and layout until its `fill` returns; as a writer can't be
/// copied, it does not outlive that. Its row is looked up by its place at each call, because rows move.
public struct RowWriter: ~Copyable {
    private unowned(unsafe) let transaction: WriteTransaction
    private unowned(unsafe) let writer: TableWriter
    private let rows: Unmanaged<RowBuffer>
    private let template: RowTemplate
    private let place: Int
    /// The stamp of the class; it does not change while an object is filled.
    private let stamp: UInt64
    private let number: UInt32

    /// - Parameter member: the object's class, if that extends the table's.
    init(transaction: WriteTransaction, writer: TableWriter, member: FamilyMember?, place: Int) {
        self.transaction = transaction
        self.writer = writer
        rows = Unmanaged.passUnretained(writer.buffer)
        template = member?.template ?? writer.template
        number = member?.number ?? writer.number
        self.place = place
        stamp = writer.state.stamp
    }

    /// Sets a property to any value that fits it.
    public mutating func set(_ column: Column, _ value: Value) throws(FreeholdError) {
        try transaction.fill(writer, place, writer.state.index(of: column), value)
    }

    /// Sets a property by name.
    public mutating func set(_ name: String, _ value: Value) throws(FreeholdError) {
        try transaction.fill(writer, place, try writer.stored.place(of: name, in: number), value)
    }

    /// Sets an int property.
    @inline(__always)
    public mutating func set(_ column: Column, int value: Int64) throws(FreeholdError) {
        if !store(column, .int, value) { try set(column, .int(value)) }
    }

    /// Sets a double property.
    @inline(__always)
    public mutating func set(_ column: Column, double value: Double) throws(FreeholdError) {
        if !store(column, .double, value) { try set(column, .double(value)) }
    }

    /// Sets a bool property.
    @inline(__always)
    public mutating func set(_ column: Column, bool value: Bool) throws(FreeholdError) {
        if !store(column, .bool, value ? 1 : 0 as UInt8) { try set(column, .bool(value)) }
    }

    /// Sets a date property.
    public mutating func set(_ column: Column, date value: Timestamp) throws(FreeholdError) {
        guard column.stamp == stamp else { return try set(column, .date(value)) }
        let slot = template.slot(column.index)
        guard slot.type == .date, slot.isPlain else { return try set(column, .date(value)) }
        rows._withUnsafeGuaranteedRef {
            let start = $0.mutableRow(place) + Int(slot.offset)
            start.storeBytes(of: value.seconds, as: Int64.self)
            start.storeBytes(of: value.nanoseconds, toByteOffset: 8, as: Int32.self)
            $0.setNull(place, column.index, false)
        }
    }

    /// Stores a number in the column's slot if the column has that type and accepts it unconverted.
    @inline(__always)
    private func store<Number: BitwiseCopyable>(_ column: Column, _ type: PropertyType, _ value: Number) -> Bool {
        guard column.stamp == stamp else { return false }
        let slot = template.slot(column.index)
        guard slot.type == type, slot.isPlain else { return false }
        rows._withUnsafeGuaranteedRef {
            ($0.mutableRow(place) + Int(slot.offset)).storeBytes(of: value, as: Number.self)
            $0.setNull(place, column.index, false)
        }
        return true
    }

    /// Sets a string property to UTF-8 bytes, or a data property to any bytes.
    public mutating func set(_ column: Column, bytes: UnsafeRawBufferPointer) throws(FreeholdError) {
        // Bytes of another row would be moved away during the call when memory has to grow.
        if rows._withUnsafeGuaranteedRef({ $0.holds(bytes) }) {
            let copy = ByteBuffer(capacity: bytes.count)
            copy.append(bytes)
            return try withExtendedLifetime(copy) { () throws(FreeholdError) in try set(column, bytes: copy.bytes) }
        }
        guard column.stamp == stamp else { return try set(writer.stored.column(writer.state.index(of: column)), bytes: bytes) }
        if storeText(column, template.slot(column.index).type, bytes) { return }
        try writer.refuseOverlong(bytes.count, column.index, place: place)
        try set(column, column.type == .data ? .data(Array(bytes)) : .string(String(decoding: bytes, as: UTF8.self)))
    }

    /// Sets a string property.
    public mutating func set(_ column: Column, string value: String) throws(FreeholdError) {
        var text = value
        if text.withUTF8({ storeText(column, .string, UnsafeRawBufferPointer($0)) }) { return }
        try set(column, .string(value))
    }

    /// Stores a string or data if the column has that type and accepts one of this length unconverted.
    private func storeText(_ column: Column, _ type: PropertyType, _ bytes: UnsafeRawBufferPointer) -> Bool {
        guard column.stamp == stamp else { return false }
        let slot = template.slot(column.index)
        guard slot.type == type, type == .string || type == .data, bytes.count <= Int(slot.longestText) else { return false }
        let isStored = rows._withUnsafeGuaranteedRef { $0.appendText(place, column.index, slot: Int(slot.offset), bytes) }
        if isStored { return true }
        guard writer.buffer.row(place).length + bytes.count <= RowLayout.maximumBytes else { return false }
        writer.buffer.setText(place, column.index, writer.layout, to: bytes)
        return true
    }
}
