// From an object's columns to C values.
//
// Safe throughout: bytes are given out as the law at the top of freehold.h says: they lie in a version that the reader
// holds, or in a copy that the reader keeps.
import CFreehold
import FreeholdEngine

extension Reader {
    /// The engine gives longer values from a buffer that it uses again, or may; they are copied. (It reads a value in place
    /// up to the 60 KiB of a block; half of that is safe.)
    private static let longestInPlace = 30 * 1024

    /// One property of an object.
    @inline(__always)
    func value(_ row: Row, _ property: freehold_property_t, _ read: ReadClass) throws -> freehold_value_t {
        let column = try read.column(property)
        if column.isCollection {
            throw FreeholdError(.typeMismatch, "a collection is no single value; this interface does not read collections yet")
        }
        var value = freehold_value_t()
        if column.isNullable, try row.isNull(column) { return value }
        value.type = freehold_type_t(column.type.rawValue)
        switch column.type {
        case .int: value.as.integer = try row.int(column)
        case .double: value.as.real = try row.double(column)
        case .bool: value.as.boolean = try row.bool(column)
        case .string, .data: value.as.string = try bytes(row, column)
        case .link:
            value.as.link = freehold_link_t(key: try row.int(column), object_class: read.targets[Int(property)])
        case .float, .date, .uuid, .objectId, .decimal, .mixed: setRare(&value, try row.value(column))
        }
        return value
    }

    private func bytes(_ row: Row, _ column: Column) throws -> freehold_text_t {
        try row.withBytes(column) { bytes in
            guard let start = bytes.baseAddress, bytes.count > 0 else { return freehold_text_t(bytes: emptyText, length: 0) }
            let place = bytes.count > Self.longestInPlace ? keep(bytes) : UnsafeRawPointer(start)
            return freehold_text_t(bytes: place.assumingMemoryBound(to: CChar.self), length: bytes.count)
        }
    }

    @inline(never)
    private func setRare(_ value: inout freehold_value_t, _ read: Value) {
        value.type = freehold_type_t(read.type?.rawValue ?? 0)
        switch read {
        case .null, .link, .list, .set, .map: value = freehold_value_t()
        case .bool(let flag): value.as.boolean = flag
        case .int(let number): value.as.integer = number
        case .double(let number): value.as.real = number
        case .string(var text): value.as.string = text.withUTF8 { kept(UnsafeRawBufferPointer($0)) }
        case .data(let bytes): value.as.string = bytes.withUnsafeBytes { kept($0) }
        case .object(let object):
            value.as.link = freehold_link_t(key: object.key.rawValue, object_class: freehold_class_t(object.classNumber))
        case .decimal(let number): value.as.decimal = freehold_decimal_t(number)
        case .float(let number): value.as.single = number
        case .date(let date): value.as.date = freehold_date_t(seconds: date.seconds, nanoseconds: date.nanoseconds)
        case .uuid(let id):
            withUnsafeMutableBytes(of: &value.as) { bytes in
                bytes.storeBytes(of: id.high.bigEndian, as: UInt64.self)
                bytes.storeBytes(of: id.low.bigEndian, toByteOffset: 8, as: UInt64.self)
            }
        case .objectId(let id):
            withUnsafeMutableBytes(of: &value.as) { bytes in
                bytes.storeBytes(of: id.high.bigEndian, as: UInt64.self)
                bytes.storeBytes(of: id.low.bigEndian, toByteOffset: 8, as: UInt32.self)
            }
        }
    }

    private func kept(_ bytes: UnsafeRawBufferPointer) -> freehold_text_t {
        guard bytes.count > 0 else { return freehold_text_t(bytes: emptyText, length: 0) }
        return freehold_text_t(bytes: keep(bytes).assumingMemoryBound(to: CChar.self), length: bytes.count)
    }
}

private nonisolated(unsafe) let emptyText = KeptText.forEver("")
