// Reading lists, sets and maps.
//
// Safe throughout: an out parameter is NULL or writable memory of the caller; arrays have as many elements as the
// caller states.
import CFreehold
import FreeholdEngine

@c @implementation
public func freehold_collection_open(
    _ reader: OpaquePointer?, _ object_class: freehold_class_t, _ key: freehold_key_t, _ property: freehold_property_t,
    _ collection: UnsafeMutablePointer<OpaquePointer?>?
) -> freehold_error_code_t {
    outcome {
        let place = try Handles.place(collection)
        let read = try Handles.reader(reader).readClass(object_class)
        guard let opened = try OpenCollection(read, property, ObjectKey(key)) else { return Outcome.absent }
        place.pointee = try Handles.make(opened)
        return Outcome.ok
    }
}

@c @implementation
public func freehold_collection_inner(
    _ collection: OpaquePointer?, _ at: UnsafePointer<freehold_value_t>?, _ inner: UnsafeMutablePointer<OpaquePointer?>?
) -> freehold_error_code_t {
    done {
        let place = try Handles.place(inner)
        let collection = try Handles.object(collection, OpenCollection.self)
        place.pointee = try Handles.make(try collection.inner(try step(try Given.required(at, "position or key"))))
    }
}

/// A caller's position or key in a collection.
private func step(_ at: freehold_value_t) throws(FreeholdError) -> CollectionStep {
    switch Int(at.type) {
    case FREEHOLD_TYPE_INT: .position(Int(at.as.integer))
    case FREEHOLD_TYPE_STRING: .key(try at.as.string.string("key"))
    default: throw FreeholdError(.invalidArgument, "a position (an int) or a key (a string) is needed")
    }
}

@c @implementation
public func freehold_collection_another(
    _ collection: OpaquePointer?, _ reader: OpaquePointer?, _ another: UnsafeMutablePointer<OpaquePointer?>?
) -> freehold_error_code_t {
    outcome {
        let place = try Handles.place(another), known = try Handles.object(collection, OpenCollection.self)
        guard let made = try known.another(through: try Handles.reader(reader)) else { return Outcome.absent }
        place.pointee = try Handles.make(made)
        return Outcome.ok
    }
}

@c @implementation
public func freehold_collection_kind(
    _ collection: OpaquePointer?, _ kind: UnsafeMutablePointer<freehold_type_t>?
) -> freehold_error_code_t {
    done { try give(Handles.object(collection, OpenCollection.self).kind.type, to: kind) }
}

@c @implementation
public func freehold_collection_count(
    _ collection: OpaquePointer?, _ count: UnsafeMutablePointer<UInt64>?
) -> freehold_error_code_t {
    done {
        let collection = try Handles.object(collection, OpenCollection.self)
        let found = try collection.view(try collection.readClass()).count
        count?.pointee = UInt64(found)
    }
}

extension CollectionView {
    /// The first position of a value, or of a map's key.
    fileprivate func position(of value: Value) throws(FreeholdError) -> Int? {
        switch self {
        case .set(let set): return try set.position(of: value)
        case .map(let map):
            guard case .string(let key) = value else {
                throw FreeholdError(.typeMismatch, "a map is looked up by its keys, which are strings")
            }
            return try map.position(of: key)
        case .list(let list):
            var walk = list.walk()
            while let element = try walk.next() {
                if element == value { return walk.position - 1 }
            }
            return nil
        }
    }
}

@c @implementation
public func freehold_collection_get(
    _ collection: OpaquePointer?, _ first: UInt64, _ capacity: Int, _ keys: UnsafeMutablePointer<freehold_text_t>?,
    _ values: UnsafeMutablePointer<freehold_value_t>?, _ filled: UnsafeMutablePointer<Int>?
) -> freehold_error_code_t {
    done {
        guard capacity >= 0 else { throw FreeholdError(.invalidArgument, "the capacity is too large") }
        let collection = try Handles.object(collection, OpenCollection.self), read = try collection.readClass()
        let view = try collection.view(read), memory = collection.memory, start = Int(min(first, UInt64(view.count)))
        let range = start..<start + min(capacity, view.count - start)
        memory.clear()
        if let keys {
            guard case .map(let map) = view else {
                throw FreeholdError(.typeMismatch, "a \(collection.kind.name) has no keys; pass NULL")
            }
            for (place, position) in range.enumerated() { keys[place] = memory.text(try map.key(at: position)) }
        }
        if let values {
            let target = collection.target(read)
            for (place, value) in try view.values(in: range).enumerated() {
                values[place] = try collection.reader.given(value, target: target, in: memory)
            }
        }
        filled?.pointee = range.count
    }
}

@c @implementation
public func freehold_collection_find(
    _ collection: OpaquePointer?, _ value: UnsafePointer<freehold_value_t>?, _ position: UnsafeMutablePointer<UInt64>?
) -> freehold_error_code_t {
    outcome {
        let collection = try Handles.object(collection, OpenCollection.self), read = try collection.readClass()
        let given = try Given.required(value, "value")
        let wanted = try collection.kind == .map ? given.engineValue(target: ReadClass.none, collection.reader) : collection.wanted(given, read)
        guard let found = try collection.view(read).position(of: wanted) else { return Outcome.absent }
        position?.pointee = UInt64(found)
        return Outcome.ok
    }
}

@c @implementation
public func freehold_collection_close(_ collection: OpaquePointer?) -> freehold_error_code_t {
    done { if collection != nil { try Handles.end(collection, OpenCollection.self) } }
}
