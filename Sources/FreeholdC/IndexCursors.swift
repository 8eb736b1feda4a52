// Iterating over the objects of an index in its order.
//
// Safe throughout: an out parameter is NULL or writable memory of the caller; arrays have as many elements as the
// caller states.
import CFreehold
import FreeholdEngine

/// A cursor over an index, held by C programs through a handle; its position is after the last object that it returned.
final class OpenIndexCursor: Handled {
    static let kind = HandleKind.indexCursor
    private let reader: Reader
    private let number: freehold_class_t
    private let property: freehold_property_t
    private let from: Value?
    private let to: Value?
    private let descending: Bool
    private var place: IndexPlace?

    init(_ reader: Reader, _ number: freehold_class_t, _ property: freehold_property_t, from: UnsafePointer<freehold_value_t>?,
         to: UnsafePointer<freehold_value_t>?, descending: Bool) throws(FreeholdError) {
        let read = try reader.readClass(number)
        self.reader = reader
        self.number = number
        self.property = property
        self.from = from == nil ? nil : try read.engineValue(from, for: property)
        self.to = to == nil ? nil : try read.engineValue(to, for: property)
        self.descending = descending
        // Reports errors at once.
        _ = try next(0)
    }

    /// The next keys, fewer than `capacity` only at the end.
    func next(_ capacity: Int) throws(FreeholdError) -> [ObjectKey] {
        let read = try reader.readClass(number)
        return try read.table.keys(try read.column(property), from: from, to: to, descending: descending, after: &place, limit: capacity)
    }

    /// Fills `keys` with the next keys, for a call on the cursor itself; returns their number.
    func fill(_ capacity: Int, _ keys: UnsafeMutablePointer<freehold_key_t>?) throws(FreeholdError) -> Int {
        try reader.use()
        let found = try next(capacity)
        for (index, key) in found.enumerated() { keys?[index] = key.rawValue }
        return found.count
    }
}

@c @implementation
public func freehold_index_cursor_open(
    _ reader: OpaquePointer?, _ object_class: freehold_class_t, _ property: freehold_property_t,
    _ from: UnsafePointer<freehold_value_t>?, _ to: UnsafePointer<freehold_value_t>?, _ descending: Bool,
    _ cursor: UnsafeMutablePointer<OpaquePointer?>?
) -> freehold_error_code_t {
    done {
        let place = try Handles.place(cursor)
        place.pointee = try Handles.make(OpenIndexCursor(try Handles.reader(reader), object_class, property, from: from, to: to,
                                                         descending: descending))
    }
}

@c @implementation
public func freehold_index_cursor_next(
    _ cursor: OpaquePointer?, _ capacity: Int, _ keys: UnsafeMutablePointer<freehold_key_t>?, _ filled: UnsafeMutablePointer<Int>?
) -> freehold_error_code_t {
    done {
        let cursor = try Handles.object(cursor, OpenIndexCursor.self)
        guard capacity >= 0, keys != nil || capacity == 0 else {
            throw FreeholdError(.invalidArgument, "the keys array is NULL, or its capacity \(UInt(bitPattern: capacity)) is too large")
        }
        let count = try cursor.fill(capacity, keys)
        filled?.pointee = count
    }
}

@c @implementation
public func freehold_index_cursor_close(_ cursor: OpaquePointer?) -> freehold_error_code_t {
    done { if cursor != nil { try Handles.end(cursor, OpenIndexCursor.self) } }
}
