// Parts of long values, and streaming writes of long values.
//
// Safe throughout: an out parameter is NULL or writable memory of the caller; bytes are as many as the caller states.
import CFreehold
import FreeholdEngine

/// A long value that is being written, held by C programs through a handle.
final class HeldLargeValue: Handled {
    static let kind = HandleKind.largeValue
    let writer: LargeValueWriter

    init(_ writer: LargeValueWriter) { self.writer = writer }
}

/// A caller's bytes, `count` of them.
private func buffer(_ bytes: UnsafeRawPointer?, _ count: Int) throws(FreeholdError) -> UnsafeRawBufferPointer {
    guard count >= 0, bytes != nil || count == 0 else {
        throw FreeholdError(.invalidArgument, "the bytes are NULL, or their count \(UInt(bitPattern: count)) is too large")
    }
    return UnsafeRawBufferPointer(start: bytes, count: count)
}

@c @implementation
public func freehold_object_write_part(
    _ transaction: OpaquePointer?, _ object_class: freehold_class_t, _ key: freehold_key_t, _ property: freehold_property_t,
    _ offset: UInt64, _ bytes: UnsafeRawPointer?, _ count: Int
) -> freehold_error_code_t {
    outcome {
        let held = try Handles.transaction(transaction), read = try held.reader.readClass(object_class)
        let column = try read.column(property), bytes = try buffer(bytes, count)
        guard try read.table.contains(ObjectKey(key)) else { return Outcome.absent }
        if offset == UInt64.max {
            try held.transaction.append(bytes, to: ObjectKey(key), in: read.table, column)
        } else {
            try held.transaction.write(bytes, to: ObjectKey(key), in: read.table, column, at: Int(clamping: offset))
        }
        return Outcome.ok
    }
}

@c @implementation
public func freehold_object_truncate(
    _ transaction: OpaquePointer?, _ object_class: freehold_class_t, _ key: freehold_key_t, _ property: freehold_property_t,
    _ length: UInt64
) -> freehold_error_code_t {
    outcome {
        let held = try Handles.transaction(transaction), read = try held.reader.readClass(object_class)
        let column = try read.column(property)
        guard try read.table.contains(ObjectKey(key)) else { return Outcome.absent }
        try held.transaction.truncate(ObjectKey(key), in: read.table, column, to: Int(clamping: length))
        return Outcome.ok
    }
}

@c @implementation
public func freehold_large_value_open(
    _ database: OpaquePointer?, _ expected_length: UInt64, _ value: UnsafeMutablePointer<OpaquePointer?>?
) -> freehold_error_code_t {
    done {
        let place = try Handles.place(value)
        let expected = expected_length == 0 ? nil : Int(clamping: expected_length)
        place.pointee = try Handles.make(HeldLargeValue(try Handles.database(database).beginLargeValue(expectedByteCount: expected)))
    }
}

@c @implementation
public func freehold_large_value_write(_ value: OpaquePointer?, _ bytes: UnsafeRawPointer?, _ count: Int) -> freehold_error_code_t {
    done {
        let held = try Handles.object(value, HeldLargeValue.self)
        try held.writer.write(try buffer(bytes, count))
    }
}

@c @implementation
public func freehold_large_value_finish(_ value: OpaquePointer?) -> freehold_error_code_t {
    done { try Handles.object(value, HeldLargeValue.self).writer.finish() }
}

@c @implementation
public func freehold_large_value_close(_ value: OpaquePointer?) -> freehold_error_code_t {
    done {
        if value == nil { return }
        let held = try Handles.object(value, HeldLargeValue.self)
        try Handles.end(value, HeldLargeValue.self)
        held.writer.cancel()
    }
}

@c @implementation
public func freehold_object_set_large_value(
    _ transaction: OpaquePointer?, _ object_class: freehold_class_t, _ key: freehold_key_t, _ property: freehold_property_t,
    _ value: OpaquePointer?
) -> freehold_error_code_t {
    outcome {
        let held = try Handles.transaction(transaction), read = try held.reader.readClass(object_class)
        let column = try read.column(property), writer = try Handles.object(value, HeldLargeValue.self).writer
        guard try read.table.contains(ObjectKey(key)) else { return Outcome.absent }
        try held.transaction.set(ObjectKey(key), in: read.table, column, to: writer)
        return Outcome.ok
    }
}
