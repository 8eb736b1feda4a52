// Look-ups through indexes, and backlinks.
//
// Safe throughout: an out parameter is NULL or writable memory of the caller; arrays have as many elements as the
// caller states.
import CFreehold
import FreeholdEngine

/// The destination of found keys.
private struct KeyPlaces {
    let capacity: Int
    let keys: UnsafeMutablePointer<freehold_key_t>?
    let count: UnsafeMutablePointer<UInt64>?

    init(_ capacity: Int, _ keys: UnsafeMutablePointer<freehold_key_t>?,
         _ count: UnsafeMutablePointer<UInt64>?) throws(FreeholdError) {
        guard capacity == 0 || capacity > 0 && keys != nil else {
            throw FreeholdError(.invalidArgument, "the keys array is NULL, or its capacity \(UInt(bitPattern: capacity)) is too large")
        }
        self.capacity = capacity
        self.keys = keys
        self.count = count
    }

    func fill(with found: [ObjectKey]) {
        for (index, key) in found.prefix(capacity).enumerated() { keys?[index] = key.rawValue }
        count?.pointee = UInt64(found.count)
    }
}

@c @implementation
public func freehold_index_count(
    _ reader: OpaquePointer?, _ object_class: freehold_class_t, _ property: freehold_property_t,
    _ value: UnsafePointer<freehold_value_t>?, _ count: UnsafeMutablePointer<UInt64>?
) -> freehold_error_code_t {
    done {
        let read = try Handles.reader(reader).readClass(object_class)
        let wanted = try read.engineValue(value, for: property)
        let found = try read.table.count(try read.column(property), equals: wanted)
        count?.pointee = UInt64(found)
    }
}

@c @implementation
public func freehold_index_equal(
    _ reader: OpaquePointer?, _ object_class: freehold_class_t, _ property: freehold_property_t,
    _ value: UnsafePointer<freehold_value_t>?, _ capacity: Int, _ keys: UnsafeMutablePointer<freehold_key_t>?,
    _ count: UnsafeMutablePointer<UInt64>?
) -> freehold_error_code_t {
    done {
        let read = try Handles.reader(reader).readClass(object_class)
        let places = try KeyPlaces(capacity, keys, count)
        let wanted = try read.engineValue(value, for: property)
        places.fill(with: try read.table.keys(try read.column(property), equals: wanted))
    }
}

@c @implementation
public func freehold_index_range(
    _ reader: OpaquePointer?, _ object_class: freehold_class_t, _ property: freehold_property_t,
    _ from: UnsafePointer<freehold_value_t>?, _ to: UnsafePointer<freehold_value_t>?, _ descending: Bool, _ capacity: Int,
    _ keys: UnsafeMutablePointer<freehold_key_t>?, _ count: UnsafeMutablePointer<UInt64>?
) -> freehold_error_code_t {
    done {
        let read = try Handles.reader(reader).readClass(object_class)
        let places = try KeyPlaces(capacity, keys, count)
        let low = from == nil ? nil : try read.engineValue(from, for: property)
        let high = to == nil ? nil : try read.engineValue(to, for: property)
        places.fill(with: try read.table.keys(try read.column(property), from: low, to: high, descending: descending,
                                              limit: capacity))
    }
}

@c @implementation
public func freehold_object_backlinks(
    _ reader: OpaquePointer?, _ key: freehold_key_t, _ origin: freehold_class_t, _ property: freehold_property_t,
    _ capacity: Int, _ keys: UnsafeMutablePointer<freehold_key_t>?, _ count: UnsafeMutablePointer<UInt64>?
) -> freehold_error_code_t {
    done {
        let read = try Handles.reader(reader).readClass(origin)
        let places = try KeyPlaces(capacity, keys, count)
        let column = try read.column(property)
        guard column.type == .link else {
            throw FreeholdError(.invalidArgument, "property number \(property) of class '\(read.schema.name)' is not a link")
        }
        if capacity == 0 {
            let found = try read.table.backlinkCount(to: ObjectKey(key), from: column)
            count?.pointee = UInt64(found)
        } else {
            places.fill(with: try read.table.backlinks(to: ObjectKey(key), from: column))
        }
    }
}
