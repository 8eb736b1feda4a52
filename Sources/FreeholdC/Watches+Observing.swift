// Adding queries and collections to a watch, with the property paths to observe in their objects.
//
// Safe throughout: an out parameter is NULL or writable memory of the caller; arrays have as many elements as the
// caller states.
import CFreehold
import FreeholdEngine

/// A query from its words and its arguments.
private func query(_ words: String, _ count: Int, _ arguments: UnsafePointer<freehold_value_t>?) throws(FreeholdError) -> ObjectQuery {
    var values: [Value] = []
    for value in try Given.array(arguments, count, "arguments") { values.append(try value.classlessValue()) }
    return try ObjectQuery(words, values)
}

/// A caller's paths of properties.
private func observed(_ paths: UnsafePointer<freehold_text_t>?, _ count: Int) throws(FreeholdError) -> [PropertyPath] {
    var all: [PropertyPath] = []
    for path in try Given.array(paths, count, "paths") {
        all.append(try PropertyPath(parsing: try text(path.bytes, path.length, "path")))
    }
    return all
}

@c @implementation
public func freehold_watch_query(
    _ watch: OpaquePointer?, _ class_name: UnsafePointer<CChar>?, _ class_name_length: Int, _ text: UnsafePointer<CChar>?,
    _ text_length: Int, _ argument_count: Int, _ arguments: UnsafePointer<freehold_value_t>?,
    _ answer: UnsafeMutablePointer<freehold_answer_t>?
) -> freehold_error_code_t {
    done {
        let watch = try Handles.object(watch, OpenWatch.self)
        let name = try FreeholdC.text(class_name, class_name_length, "class name")
        let words = try FreeholdC.text(text, text_length, "query")
        let made = try watch.follow(try query(words, argument_count, arguments), of: name, observing: nil)
        answer?.pointee = made
    }
}

@c @implementation
public func freehold_watch_query_observing(
    _ watch: OpaquePointer?, _ class_name: UnsafePointer<CChar>?, _ class_name_length: Int, _ text: UnsafePointer<CChar>?,
    _ text_length: Int, _ argument_count: Int, _ arguments: UnsafePointer<freehold_value_t>?, _ path_count: Int,
    _ paths: UnsafePointer<freehold_text_t>?, _ answer: UnsafeMutablePointer<freehold_answer_t>?
) -> freehold_error_code_t {
    done {
        let watch = try Handles.object(watch, OpenWatch.self)
        let name = try FreeholdC.text(class_name, class_name_length, "class name")
        let words = try FreeholdC.text(text, text_length, "query")
        let made = try watch.follow(try query(words, argument_count, arguments), of: name, observing: try observed(paths, path_count))
        answer?.pointee = made
    }
}

@c @implementation
public func freehold_watch_collection(
    _ watch: OpaquePointer?, _ class_name: UnsafePointer<CChar>?, _ class_name_length: Int, _ key: freehold_key_t,
    _ property: UnsafePointer<CChar>?, _ property_length: Int, _ answer: UnsafeMutablePointer<freehold_answer_t>?
) -> freehold_error_code_t {
    done {
        let watch = try Handles.object(watch, OpenWatch.self)
        let address = CollectionAddress(try text(property, property_length, "property name"), of: ObjectKey(key),
                                        in: try text(class_name, class_name_length, "class name"))
        let made = try watch.follow(address, observing: nil)
        answer?.pointee = made
    }
}

@c @implementation
public func freehold_watch_collection_observing(
    _ watch: OpaquePointer?, _ class_name: UnsafePointer<CChar>?, _ class_name_length: Int, _ key: freehold_key_t,
    _ property: UnsafePointer<CChar>?, _ property_length: Int, _ path_count: Int, _ paths: UnsafePointer<freehold_text_t>?,
    _ answer: UnsafeMutablePointer<freehold_answer_t>?
) -> freehold_error_code_t {
    done {
        let watch = try Handles.object(watch, OpenWatch.self)
        let address = CollectionAddress(try text(property, property_length, "property name"), of: ObjectKey(key),
                                        in: try text(class_name, class_name_length, "class name"))
        let made = try watch.follow(address, observing: try observed(paths, path_count))
        answer?.pointee = made
    }
}

/// The paths to observe; nil, for everything, if NULL was given.
private func observedIfAny(_ paths: UnsafePointer<freehold_text_t>?, _ count: Int) throws(FreeholdError) -> [PropertyPath]? {
    paths == nil && count == 0 ? nil : try observed(paths, count)
}

@c @implementation
public func freehold_watch_place(
    _ watch: OpaquePointer?, _ collection: OpaquePointer?, _ path_count: Int, _ paths: UnsafePointer<freehold_text_t>?,
    _ answer: UnsafeMutablePointer<freehold_answer_t>?
) -> freehold_error_code_t {
    done {
        let watch = try Handles.object(watch, OpenWatch.self), collection = try Handles.object(collection, OpenCollection.self)
        let made = try watch.follow(collection.address, observing: try observedIfAny(paths, path_count))
        answer?.pointee = made
    }
}

@c @implementation
public func freehold_watch_query_among(
    _ watch: OpaquePointer?, _ collection: OpaquePointer?, _ text: UnsafePointer<CChar>?, _ text_length: Int, _ argument_count: Int,
    _ arguments: UnsafePointer<freehold_value_t>?, _ path_count: Int, _ paths: UnsafePointer<freehold_text_t>?,
    _ answer: UnsafeMutablePointer<freehold_answer_t>?
) -> freehold_error_code_t {
    done {
        let watch = try Handles.object(watch, OpenWatch.self), collection = try Handles.object(collection, OpenCollection.self)
        let words = try FreeholdC.text(text, text_length, "query")
        let made = try watch.follow(try query(words, argument_count, arguments), of: try collection.targetName(), among: collection.address,
                                    observing: try observedIfAny(paths, path_count))
        answer?.pointee = made
    }
}
