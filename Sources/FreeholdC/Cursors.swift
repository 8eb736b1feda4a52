// Iterating over the objects of a class.
//
// Safe throughout: an out parameter is NULL or writable memory of the caller; arrays have as many elements as the
// caller states.
import CFreehold
import FreeholdEngine

/// A cursor over the objects of a class, held by C programs through a handle; its position is between two keys.
final class OpenCursor: Handled {
    static let kind = HandleKind.cursor
    private let reader: Reader
    private let number: freehold_class_t
    private let properties: [freehold_property_t]
    /// The minimum key not passed yet; nil after the maximum of all keys.
    private var next: Int64? = .min

    init(_ reader: Reader, _ read: ReadClass, _ list: PropertyList) throws(FreeholdError) {
        self.reader = reader
        number = read.number
        var properties: [freehold_property_t] = []
        for index in 0..<list.count {
            _ = try read.column(list[index])
            properties.append(list[index])
        }
        self.properties = properties
    }

    func seek(_ key: Int64) { next = key }

    /// Fills the arrays with the next objects; returns their number.
    func fill(_ capacity: Int, _ keys: UnsafeMutablePointer<freehold_key_t>?,
              _ values: UnsafeMutablePointer<freehold_value_t>?) throws -> Int {
        try reader.use()
        guard let start = next, capacity > 0 else { return 0 }
        let read = try reader.readClass(number)
        var filled = 0
        var last = start
        try read.table.forEach(from: ObjectKey(start), keepingBytes: true) { row in
            keys?[filled] = row.key.rawValue
            if let values {
                for (index, property) in properties.enumerated() {
                    values[filled * properties.count + index] = try reader.value(row, property, read)
                }
            }
            filled += 1
            last = row.key.rawValue
            return filled < capacity
        }
        if filled > 0 { next = last == .max ? nil : last + 1 }
        return filled
    }
}

@c @implementation
public func freehold_cursor_open(
    _ reader: OpaquePointer?, _ object_class: freehold_class_t, _ count: Int,
    _ properties: UnsafePointer<freehold_property_t>?, _ cursor: UnsafeMutablePointer<OpaquePointer?>?
) -> freehold_error_code_t {
    done {
        let place = try Handles.place(cursor)
        let reader = try Handles.reader(reader)
        let read = try reader.readClass(object_class)
        place.pointee = try Handles.make(OpenCursor(reader, read, try PropertyList(properties, count, of: read)))
    }
}

@c @implementation
public func freehold_cursor_seek(_ cursor: OpaquePointer?, _ key: freehold_key_t) -> freehold_error_code_t {
    done { try Handles.object(cursor, OpenCursor.self).seek(key) }
}

@c @implementation
public func freehold_cursor_next(
    _ cursor: OpaquePointer?, _ capacity: Int, _ keys: UnsafeMutablePointer<freehold_key_t>?,
    _ values: UnsafeMutablePointer<freehold_value_t>?, _ filled: UnsafeMutablePointer<Int>?
) -> freehold_error_code_t {
    done {
        guard capacity >= 0 else { throw FreeholdError(.invalidArgument, "the capacity is too large") }
        let count = try Handles.object(cursor, OpenCursor.self).fill(capacity, keys, values)
        filled?.pointee = count
    }
}

@c @implementation
public func freehold_cursor_close(_ cursor: OpaquePointer?) -> freehold_error_code_t {
    done { if cursor != nil { try Handles.end(cursor, OpenCursor.self) } }
}
