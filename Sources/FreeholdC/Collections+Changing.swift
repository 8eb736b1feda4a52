// Changing lists, sets and maps.
//
// Safe throughout: an out parameter is NULL or writable memory of the caller; arrays have as many elements as the
// caller states.
import CFreehold
import FreeholdEngine

extension OpenCollection {
    fileprivate func changeList<Result>(_ body: (ListWriter, ReadClass) throws -> Result) throws -> Result {
        try change { writer, read in try body(requiring(.list, writer).list, read) }
    }

    fileprivate func changeSet<Result>(_ body: (SetWriter, ReadClass) throws -> Result) throws -> Result {
        try change { writer, read in try body(requiring(.set, writer).set, read) }
    }

    fileprivate func changeMap<Result>(_ body: (MapWriter, ReadClass) throws -> Result) throws -> Result {
        try change { writer, read in try body(requiring(.map, writer).map, read) }
    }

    private func requiring(_ wanted: CollectionKind, _ writer: CollectionWriter) throws(FreeholdError) -> CollectionWriter {
        if kind == wanted { return writer }
        throw FreeholdError(.typeMismatch, "a \(wanted.name) is needed; this is a \(kind.name)")
    }
}

extension Handles {
    fileprivate static func collection(_ handle: OpaquePointer?) throws(FreeholdError) -> OpenCollection { try object(handle, OpenCollection.self) }
}

@c @implementation
public func freehold_list_insert(
    _ list: OpaquePointer?, _ position: UInt64, _ count: Int, _ values: UnsafePointer<freehold_value_t>?
) -> freehold_error_code_t {
    done {
        let collection = try Handles.collection(list)
        try collection.changeList { writer, read in
            let elements = try collection.elements(values, count, read)
            // Appending creates a declared list that does not exist yet.
            if position == .max { return try writer.append(contentsOf: elements) }
            try writer.insert(contentsOf: elements, at: try Given.count(position, "position"))
        }
    }
}

@c @implementation
public func freehold_list_set(
    _ list: OpaquePointer?, _ position: UInt64, _ value: UnsafePointer<freehold_value_t>?
) -> freehold_error_code_t {
    done {
        let collection = try Handles.collection(list)
        try collection.changeList { writer, read in
            let element = try collection.element(try Given.required(value, "value"), read)
            try writer.replace(at: try Given.count(position, "position"), with: element)
        }
    }
}

@c @implementation
public func freehold_list_remove(_ list: OpaquePointer?, _ position: UInt64, _ count: UInt64) -> freehold_error_code_t {
    done {
        try Handles.collection(list).changeList { writer, _ in
            let place = try Given.count(position, "position")
            try writer.remove(place..<place + (try Given.count(count, "number of elements")))
        }
    }
}

@c @implementation
public func freehold_list_move(_ list: OpaquePointer?, _ position: UInt64, _ target: UInt64) -> freehold_error_code_t {
    done {
        try Handles.collection(list).changeList { writer, _ in
            try writer.move(from: try Given.count(position, "position"), to: try Given.count(target, "position"))
        }
    }
}

@c @implementation
public func freehold_list_swap(_ list: OpaquePointer?, _ one: UInt64, _ other: UInt64) -> freehold_error_code_t {
    done {
        try Handles.collection(list).changeList { writer, _ in
            try writer.swap(try Given.count(one, "position"), try Given.count(other, "position"))
        }
    }
}

@c @implementation
public func freehold_set_insert(
    _ set: OpaquePointer?, _ count: Int, _ values: UnsafePointer<freehold_value_t>?
) -> freehold_error_code_t {
    done {
        let collection = try Handles.collection(set)
        try collection.changeSet { writer, read in try writer.insert(contentsOf: try collection.elements(values, count, read)) }
    }
}

@c @implementation
public func freehold_set_remove(
    _ set: OpaquePointer?, _ count: Int, _ values: UnsafePointer<freehold_value_t>?
) -> freehold_error_code_t {
    done {
        let collection = try Handles.collection(set)
        try collection.changeSet { writer, read in try writer.remove(contentsOf: try collection.elements(values, count, read)) }
    }
}

@c @implementation
public func freehold_map_set(
    _ map: OpaquePointer?, _ key: UnsafePointer<CChar>?, _ key_length: Int, _ value: UnsafePointer<freehold_value_t>?
) -> freehold_error_code_t {
    done {
        let collection = try Handles.collection(map)
        try collection.changeMap { writer, read in
            let element = try collection.element(try Given.required(value, "value"), read)
            try writer.set(element, for: try text(key, key_length, "key"))
        }
    }
}

@c @implementation
public func freehold_map_remove(_ map: OpaquePointer?, _ key: UnsafePointer<CChar>?, _ key_length: Int) -> freehold_error_code_t {
    outcome {
        try Handles.collection(map).changeMap { writer, _ in
            let key = try text(key, key_length, "key")
            guard try writer.view().position(of: key) != nil else { return Outcome.absent }
            try writer.remove(key)
            return Outcome.ok
        }
    }
}

@c @implementation
public func freehold_collection_clear(_ collection: OpaquePointer?) -> freehold_error_code_t {
    done { try Handles.collection(collection).change { writer, _ in try writer.removeAll() } }
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
        let collection = try Handles.collection(collection)
        let made = try collection.change { writer, read in
            let embedded = try read.reader.readClass(object_class)
            let members = try members(embedded, count, properties, values), place = at?.pointee
            switch (collection.kind, Int(place?.type ?? 0)) {
            case (.list, FREEHOLD_TYPE_NULL): return try writer.list.embed(members, as: embedded.schema.name)
            case (.list, FREEHOLD_TYPE_INT):
                return try writer.list.embed(members, as: embedded.schema.name, at: Int(place?.as.integer ?? 0))
            case (.map, FREEHOLD_TYPE_STRING):
                return try writer.map.embed(members, as: embedded.schema.name, for: try place?.as.string.string("key") ?? "")
            default: throw FreeholdError(.typeMismatch, "objects are created in lists at a position (an int), and in maps under a key (a string)")
            }
        }
        key?.pointee = made.rawValue
    }
}
