// Counting, finding and reading objects.
//
// Safe throughout: an out parameter is NULL or writable memory of the caller; arrays have as many elements as the
// caller states.
import CFreehold
import FreeholdEngine

@c @implementation
public func freehold_object_count(
    _ reader: OpaquePointer?, _ object_class: freehold_class_t, _ count: UnsafeMutablePointer<UInt64>?
) -> freehold_error_code_t {
    done { try give(UInt64(Handles.reader(reader).readClass(object_class).table.count), to: count) }
}

@c @implementation
public func freehold_object_exists(
    _ reader: OpaquePointer?, _ object_class: freehold_class_t, _ key: freehold_key_t
) -> freehold_error_code_t {
    outcome {
        let read = try Handles.reader(reader).readClass(object_class)
        return try read.table.contains(ObjectKey(key)) ? Outcome.ok : Outcome.absent
    }
}

@c @implementation
public func freehold_object_find(
    _ reader: OpaquePointer?, _ object_class: freehold_class_t, _ primary_key: UnsafePointer<freehold_value_t>?,
    _ key: UnsafeMutablePointer<freehold_key_t>?
) -> freehold_error_code_t {
    outcome {
        let read = try Handles.reader(reader).readClass(object_class)
        guard read.primaryKey != ReadClass.none else {
            throw FreeholdError(.invalidArgument, "class '\(read.schema.name)' has no primary key")
        }
        guard let found = try read.table.key(primaryKey: try read.engineValue(primary_key, for: read.primaryKey)) else {
            return Outcome.absent
        }
        key?.pointee = found.rawValue
        return Outcome.ok
    }
}

@c @implementation
public func freehold_object_get(
    _ reader: OpaquePointer?, _ object_class: freehold_class_t, _ key: freehold_key_t, _ count: Int,
    _ properties: UnsafePointer<freehold_property_t>?, _ values: UnsafeMutablePointer<freehold_value_t>?
) -> freehold_error_code_t {
    if let recent = Handles.recentRows(reader), recent.pointee.read(object_class, key, count, properties, values) { return Outcome.ok }
    return outcome {
        let reader = try Handles.reader(reader)
        let read = try reader.readClass(object_class)
        guard let row = try read.table.row(ObjectKey(key)) else { return Outcome.absent }
        let list = try PropertyList(properties, count, of: read)
        guard let values else {
            guard count == 0 else { throw FreeholdError(.invalidArgument, "the count is \(count), but the values pointer is NULL") }
            return Outcome.ok
        }
        for index in 0..<list.count { values[index] = try reader.value(row, list[index], read) }
        reader.recentRows?.pointee.note(row, read, list)
        return Outcome.ok
    }
}

@c @implementation
public func freehold_object_read_part(
    _ reader: OpaquePointer?, _ object_class: freehold_class_t, _ key: freehold_key_t, _ property: freehold_property_t,
    _ offset: UInt64, _ bytes: UnsafeMutableRawPointer?, _ capacity: Int, _ count: UnsafeMutablePointer<Int>?,
    _ length: UnsafeMutablePointer<UInt64>?
) -> freehold_error_code_t {
    outcome {
        let read = try Handles.reader(reader).readClass(object_class)
        let column = try read.column(property)
        guard let row = try read.table.row(ObjectKey(key)) else { return Outcome.absent }
        guard capacity >= 0, bytes != nil || capacity == 0 else {
            throw FreeholdError(.invalidArgument, "the buffer is NULL, or its capacity \(UInt(bitPattern: capacity)) is too large")
        }
        let whole = try row.byteCount(column), start = Int(clamping: offset)
        length?.pointee = UInt64(whole)
        guard let bytes, start < whole, capacity > 0 else {
            count?.pointee = 0
            return Outcome.ok
        }
        let part = try row.read(column, start..<start + min(capacity, whole - start))
        part.withUnsafeBytes { bytes.copyMemory(from: $0.baseAddress ?? UnsafeRawPointer(bytes), byteCount: $0.count) }
        count?.pointee = part.count
        return Outcome.ok
    }
}

@c @implementation
public func freehold_object_class(
    _ reader: OpaquePointer?, _ object_class: freehold_class_t, _ key: freehold_key_t,
    _ own_class: UnsafeMutablePointer<freehold_class_t>?
) -> freehold_error_code_t {
    outcome {
        let reader = try Handles.reader(reader)
        guard let row = try reader.readClass(object_class).table.row(ObjectKey(key)) else { return Outcome.absent }
        let found = try reader.readClass(named: try row.className).number
        own_class?.pointee = found
        return Outcome.ok
    }
}
