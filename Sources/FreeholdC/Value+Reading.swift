// Conversion of an object's columns to C values.
//
// Safe throughout: bytes are returned under the rule at the top of freehold.h: they lie in a version that the reader
// holds, or in a copy that the reader keeps.
import CFreehold
import FreeholdEngine

extension Reader {
    /// The maximum length that is returned without a copy. The engine may read longer values into a buffer that it
    /// reuses. (It reads values up to a block's 60 KiB in place; half of that is safe.)
    private static let longestInPlace = 30 * 1024

    /// The value of one property of an object.
    @inline(__always)
    func value(_ row: Row, _ property: freehold_property_t, _ read: ReadClass) throws -> freehold_value_t {
        let column = try read.column(property)
        if column.isCollection { return try given(try row.value(column), target: read.targets[Int(property)], in: memory) }
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
        case .float, .date, .uuid, .objectId, .decimal, .mixed:
            return try given(try row.value(column), target: ReadClass.none, in: memory)
        }
        return value
    }

    private func bytes(_ row: Row, _ column: Column) throws -> freehold_text_t {
        try row.withBytes(column) { bytes in
            guard let start = bytes.baseAddress, bytes.count > 0 else { return freehold_text_t(bytes: emptyText, length: 0) }
            if bytes.count > Self.longestInPlace { return memory.text(bytes) }
            return freehold_text_t(bytes: UnsafeRawPointer(start).assumingMemoryBound(to: CChar.self), length: bytes.count)
        }
    }

    /// Converts a value of the engine, with its bytes and elements in `memory`; plain links lead to class `target`.
    @inline(never)
    func given(_ read: Value, target: freehold_class_t, in memory: ValueMemory) throws(FreeholdError) -> freehold_value_t {
        var value = freehold_value_t()
        value.type = freehold_type_t(read.type?.rawValue ?? 0)
        switch read {
        case .null: break
        case .bool(let flag): value.as.boolean = flag
        case .int(let number): value.as.integer = number
        case .float(let number): value.as.single = number
        case .double(let number): value.as.real = number
        case .decimal(let number): value.as.decimal = freehold_decimal_t(number)
        case .date(let date): value.as.date = freehold_date_t(seconds: date.seconds, nanoseconds: date.nanoseconds)
        case .string(let text): value.as.string = memory.text(text)
        case .data(let bytes): value.as.string = bytes.withUnsafeBytes { memory.text($0) }
        case .link(let key): value.as.link = freehold_link_t(key: key.rawValue, object_class: target)
        case .object(let object): value.as.link = try link(to: object)
        case .uuid(let id): value.setBytes(id.high, id.low)
        case .objectId(let id): value.setBytes(id.high, id.low)
        case .list(let elements): value.setElements(FREEHOLD_TYPE_LIST, try given(elements, target, memory))
        case .set(let elements): value.setElements(FREEHOLD_TYPE_SET, try given(elements, target, memory))
        case .map(let entries): try setEntries(entries, &value, target, memory)
        }
        return value
    }

    private func given(_ elements: [Value], _ target: freehold_class_t, _ memory: ValueMemory) throws(FreeholdError) -> freehold_values_t {
        var values: [freehold_value_t] = []
        values.reserveCapacity(elements.count)
        for element in elements { values.append(try given(element, target: target, in: memory)) }
        return freehold_values_t(values: memory.array(values), count: values.count)
    }

    private func setEntries(_ entries: TextMap<Value>, _ value: inout freehold_value_t, _ target: freehold_class_t,
                            _ memory: ValueMemory) throws(FreeholdError) {
        var given: [freehold_entry_t] = []
        for (key, element) in entries.sortedByKey {
            given.append(freehold_entry_t(key: memory.text(key), value: try self.given(element, target: target, in: memory)))
        }
        value.type = freehold_type_t(FREEHOLD_TYPE_MAP)
        value.as.map = freehold_entries_t(entries: memory.array(given), count: given.count)
    }
}

extension freehold_value_t {
    fileprivate mutating func setBytes<Low: FixedWidthInteger & BitwiseCopyable>(_ high: UInt64, _ low: Low) {
        withUnsafeMutableBytes(of: &self.as) { bytes in
            bytes.storeBytes(of: high.bigEndian, as: UInt64.self)
            bytes.storeBytes(of: low.bigEndian, toByteOffset: 8, as: Low.self)
        }
    }

    fileprivate mutating func setElements(_ kind: Int, _ elements: freehold_values_t) {
        type = freehold_type_t(kind)
        self.as.list = elements
    }
}
