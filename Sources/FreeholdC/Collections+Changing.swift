// Changing lists, sets and maps.
//
// Safe throughout: an out parameter is NULL or writable memory of the caller; arrays have as many elements as the
// caller states.
import CFreehold
import FreeholdEngine

extension Handles {
    /// The collection of a handle, which must be a list, with its writer and its class.
    fileprivate static func list(_ handle: OpaquePointer?) throws(FreeholdError) -> (collection: OpenCollection, writer: ListWriter, read: ReadClass) {
        let collection = try object(handle, OpenCollection.self), changing = try collection.changing()
        guard case .list(let writer) = changing.writer else { throw other(collection, than: .list) }
        return (collection, writer, changing.read)
    }

    fileprivate static func set(_ handle: OpaquePointer?) throws(FreeholdError) -> (collection: OpenCollection, writer: SetWriter, read: ReadClass) {
        let collection = try object(handle, OpenCollection.self), changing = try collection.changing()
        guard case .set(let writer) = changing.writer else { throw other(collection, than: .set) }
        return (collection, writer, changing.read)
    }

    fileprivate static func map(_ handle: OpaquePointer?) throws(FreeholdError) -> (collection: OpenCollection, writer: MapWriter, read: ReadClass) {
        let collection = try object(handle, OpenCollection.self), changing = try collection.changing()
        guard case .map(let writer) = changing.writer else { throw other(collection, than: .map) }
        return (collection, writer, changing.read)
    }

    private static func other(_ collection: OpenCollection, than kind: CollectionKind) -> FreeholdError {
        FreeholdError(.typeMismatch, "a \(kind.name) is needed; this is a \(collection.kind.name)")
    }
}

@c @implementation
public func freehold_list_insert(
    _ list: OpaquePointer?, _ position: UInt64, _ count: Int, _ values: UnsafePointer<freehold_value_t>?
) -> freehold_error_code_t {
    done {
        let (collection, writer, read) = try Handles.list(list), elements = try collection.elements(values, count, read)
        // Appending creates a declared list that does not exist yet.
        if position == .max { return try writer.append(contentsOf: elements) }
        try writer.insert(contentsOf: elements, at: try Given.count(position, "position"))
    }
}

@c @implementation
public func freehold_list_set(
    _ list: OpaquePointer?, _ position: UInt64, _ value: UnsafePointer<freehold_value_t>?
) -> freehold_error_code_t {
    done {
        let (collection, writer, read) = try Handles.list(list)
        let element = try collection.element(try Given.required(value, "value"), read)
        try writer.replace(at: try Given.count(position, "position"), with: element)
    }
}

@c @implementation
public func freehold_list_remove(_ list: OpaquePointer?, _ position: UInt64, _ count: UInt64) -> freehold_error_code_t {
    done {
        let writer = try Handles.list(list).writer, place = try Given.count(position, "position")
        try writer.remove(place..<place + (try Given.count(count, "number of elements")))
    }
}

@c @implementation
public func freehold_list_move(_ list: OpaquePointer?, _ position: UInt64, _ target: UInt64) -> freehold_error_code_t {
    done { try Handles.list(list).writer.move(from: try Given.count(position, "position"), to: try Given.count(target, "position")) }
}

@c @implementation
public func freehold_list_swap(_ list: OpaquePointer?, _ one: UInt64, _ other: UInt64) -> freehold_error_code_t {
    done { try Handles.list(list).writer.swap(try Given.count(one, "position"), try Given.count(other, "position")) }
}

@c @implementation
public func freehold_set_insert(
    _ set: OpaquePointer?, _ count: Int, _ values: UnsafePointer<freehold_value_t>?
) -> freehold_error_code_t {
    done {
        let (collection, writer, read) = try Handles.set(set)
        try writer.insert(contentsOf: try collection.elements(values, count, read))
    }
}

@c @implementation
public func freehold_set_remove(
    _ set: OpaquePointer?, _ count: Int, _ values: UnsafePointer<freehold_value_t>?
) -> freehold_error_code_t {
    done {
        let (collection, writer, read) = try Handles.set(set)
        try writer.remove(contentsOf: try collection.elements(values, count, read))
    }
}

@c @implementation
public func freehold_map_set(
    _ map: OpaquePointer?, _ key: UnsafePointer<CChar>?, _ key_length: Int, _ value: UnsafePointer<freehold_value_t>?
) -> freehold_error_code_t {
    done {
        let (collection, writer, read) = try Handles.map(map)
        let element = try collection.element(try Given.required(value, "value"), read)
        try writer.set(element, for: try text(key, key_length, "key"))
    }
}

@c @implementation
public func freehold_map_remove(_ map: OpaquePointer?, _ key: UnsafePointer<CChar>?, _ key_length: Int) -> freehold_error_code_t {
    outcome {
        let writer = try Handles.map(map).writer, key = try text(key, key_length, "key")
        guard try writer.view().position(of: key) != nil else { return Outcome.absent }
        try writer.remove(key)
        return Outcome.ok
    }
}

@c @implementation
public func freehold_collection_clear(_ collection: OpaquePointer?) -> freehold_error_code_t {
    done {
        switch try Handles.object(collection, OpenCollection.self).writer() {
        case .list(let writer): try writer.removeAll()
        case .set(let writer): try writer.removeAll()
        case .map(let writer): try writer.removeAll()
        }
    }
}

// MARK: embedded objects

/// The values of an object to be created, by name.
private func members(
    _ read: ReadClass, _ count: Int, _ properties: UnsafePointer<freehold_property_t>?, _ values: UnsafePointer<freehold_value_t>?
) throws(FreeholdError) -> [(String, Value)] {
    let list = try PropertyList(properties, count, of: read), values = try Given.array(values, count, "values")
    var members: [(String, Value)] = []
    for index in 0..<list.count {
        members.append((try read.name(of: list[index]), try values[index].engineValue(target: try read.target(list[index]), read.reader)))
    }
    return members
}

@c @implementation
public func freehold_object_embed(
    _ transaction: OpaquePointer?, _ object_class: freehold_class_t, _ key: freehold_key_t, _ property: freehold_property_t,
    _ embedded_class: freehold_class_t, _ count: Int, _ properties: UnsafePointer<freehold_property_t>?,
    _ values: UnsafePointer<freehold_value_t>?, _ embedded_key: UnsafeMutablePointer<freehold_key_t>?
) -> freehold_error_code_t {
    outcome {
        let held = try Handles.transaction(transaction), read = try held.reader.readClass(object_class)
        let embedded = try held.reader.readClass(embedded_class), column = try read.column(property)
        guard try read.table.contains(ObjectKey(key)) else { return Outcome.absent }
        let made = try held.transaction.embed(try members(embedded, count, properties, values), as: embedded.schema.name,
                                              in: ObjectKey(key), of: read.table, column)
        embedded_key?.pointee = made.rawValue
        return Outcome.ok
    }
}

@c @implementation
public func freehold_collection_embed(
    _ collection: OpaquePointer?, _ at: UnsafePointer<freehold_value_t>?, _ object_class: freehold_class_t, _ count: Int,
    _ properties: UnsafePointer<freehold_property_t>?, _ values: UnsafePointer<freehold_value_t>?,
    _ key: UnsafeMutablePointer<freehold_key_t>?
) -> freehold_error_code_t {
    done {
        let collection = try Handles.object(collection, OpenCollection.self), writer = try collection.writer()
        let embedded = try collection.reader.readClass(object_class)
        let members = try members(embedded, count, properties, values), place = at?.pointee
        let made: ObjectKey
        switch (writer, Int(place?.type ?? 0)) {
        case (.list(let list), FREEHOLD_TYPE_NULL): made = try list.embed(members, as: embedded.schema.name)
        case (.list(let list), FREEHOLD_TYPE_INT):
            made = try list.embed(members, as: embedded.schema.name, at: Int(place?.as.integer ?? 0))
        case (.map(let map), FREEHOLD_TYPE_STRING):
            made = try map.embed(members, as: embedded.schema.name, for: try place?.as.string.string("key") ?? "")
        default: throw FreeholdError(.typeMismatch, "objects are created in lists at a position (an int), and in maps under a key (a string)")
        }
        key?.pointee = made.rawValue
    }
}
