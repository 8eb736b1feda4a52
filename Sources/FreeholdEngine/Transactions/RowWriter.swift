/// Sets the properties of an object being made.
///
/// Safe throughout: a slot is written only after the column's type was compared, so it is as wide as the value.
public struct RowWriter {
    let transaction: WriteTransaction
    let writer: TableWriter
    let place: Int

    /// Sets a property to any value that fits it.
    public mutating func set(_ column: Column, _ value: Value) throws(FreeholdError) {
        try transaction.fill(writer, place, column.index, value)
    }

    /// Sets a property by name.
    public mutating func set(_ name: String, _ value: Value) throws(FreeholdError) {
        try transaction.fill(writer, place, try writer.stored.index(of: name), value)
    }

    /// Sets an int property.
    @inline(__always)
    public mutating func set(_ column: Column, int value: Int64) throws(FreeholdError) {
        guard column.type == .int, !column.isObjectKey else { return try set(column, .int(value)) }
        writer.buffer.slot(place, column.index, writer.layout).storeBytes(of: value, as: Int64.self)
        if column.isNullable { writer.buffer.setNull(place, column.index, false) }
    }

    /// Sets a double property.
    @inline(__always)
    public mutating func set(_ column: Column, double value: Double) throws(FreeholdError) {
        guard column.type == .double else { return try set(column, .double(value)) }
        writer.buffer.slot(place, column.index, writer.layout).storeBytes(of: value, as: Double.self)
        if column.isNullable { writer.buffer.setNull(place, column.index, false) }
    }

    /// Sets a bool property.
    @inline(__always)
    public mutating func set(_ column: Column, bool value: Bool) throws(FreeholdError) {
        guard column.type == .bool else { return try set(column, .bool(value)) }
        writer.buffer.slot(place, column.index, writer.layout).storeBytes(of: value ? 1 : 0, as: UInt8.self)
        if column.isNullable { writer.buffer.setNull(place, column.index, false) }
    }

    /// Sets a string property to UTF-8 bytes, or a data property to any bytes.
    public mutating func set(_ column: Column, bytes: UnsafeRawBufferPointer) throws(FreeholdError) {
        let property = writer.stored.properties[column.index]
        guard column.type == .string || column.type == .data, !property.mustLookAt(bytes.count) else {
            return try set(column, column.type == .data ? .data(Array(bytes)) : .string(String(decoding: bytes, as: UTF8.self)))
        }
        writer.buffer.setText(place, column.index, writer.layout, to: bytes)
    }

    /// Sets a string property.
    public mutating func set(_ column: Column, string value: String) throws(FreeholdError) {
        guard column.type == .string, !writer.stored.properties[column.index].mustLookAt(value.utf8.count) else {
            return try set(column, .string(value))
        }
        var text = value
        text.withUTF8 { writer.buffer.setText(place, column.index, writer.layout, to: UnsafeRawBufferPointer($0)) }
    }
}
