// Queries, and the rows of aggregates that they find.
//
// Safe throughout: an out parameter is NULL or writable memory of the caller; arrays have as many elements as the
// caller states.
import CFreehold
import FreeholdEngine

/// A query, held by C programs through a handle.
final class OpenQuery: Handled {
    static let kind = HandleKind.query
    let reader: Reader
    private let className: String
    private let query: ObjectQuery
    private var prepared: (generation: UInt64, query: PreparedQuery)?
    private var explanation: KeptText?
    private(set) lazy var text = KeptText(query.description)

    init(_ read: ReadClass, _ query: ObjectQuery) throws(FreeholdError) {
        reader = read.reader
        className = read.schema.name
        self.query = query
        let first = try read.table.prepare(query)
        if !reader.isTransaction { prepared = (reader.generation, first) }
    }

    /// Opens the query of another handle through another reader.
    convenience init(_ other: OpenQuery, through reader: Reader) throws(FreeholdError) {
        try self.init(try reader.readClass(named: other.className), other.query)
    }

    /// The query, prepared for the present version. It is prepared again in a transaction, which may have changed what
    /// it reads.
    func ready() throws(FreeholdError) -> PreparedQuery {
        try reader.use()
        if let prepared, prepared.generation == reader.generation, !reader.isTransaction { return prepared.query }
        let fresh = try reader.readClass(named: className).table.prepare(query)
        prepared = (reader.generation, fresh)
        return fresh
    }

    func results(_ keys: [ObjectKey]) throws(FreeholdError) -> OpenResults { OpenResults(reader, className, keys) }

    func explain(running: Bool) throws(FreeholdError) -> freehold_text_t {
        let text = KeptText(try ready().explanation(running: running))
        explanation = text
        return text.text
    }

    /// Runs the query for its groups. Plain links among the values have no class number, because their class cannot be
    /// determined.
    func groups() throws(FreeholdError) -> OpenGroups { try OpenGroups(try ready().groups(), reader) }
}

/// Groups with all their values, held by C programs through a handle.
final class OpenGroups: Handled {
    static let kind = HandleKind.groups
    private let memory = ValueMemory()
    let groups: [(values: freehold_values_t, figures: freehold_values_t)]

    init(_ found: [QueryGroup], _ reader: Reader) throws(FreeholdError) {
        var groups: [(values: freehold_values_t, figures: freehold_values_t)] = []
        groups.reserveCapacity(found.count)
        for group in found {
            let values = try reader.given(.list(group.values), target: ReadClass.none, in: memory)
            let figures = try reader.given(.list(group.figures), target: ReadClass.none, in: memory)
            groups.append((values.as.list, figures.as.list))
        }
        self.groups = groups
    }
}

/// Made once: the literal of a generic type costs more than the parsing of a name.
private let noNames: TextMap<Value> = [:]

@c @implementation
public func freehold_query_prepare(
    _ reader: OpaquePointer?, _ object_class: freehold_class_t, _ text: UnsafePointer<CChar>?, _ text_length: Int,
    _ argument_count: Int, _ arguments: UnsafePointer<freehold_value_t>?, _ named_count: Int,
    _ named: UnsafePointer<freehold_entry_t>?, _ query: UnsafeMutablePointer<OpaquePointer?>?
) -> freehold_error_code_t {
    done {
        let place = try Handles.place(query)
        let read = try Handles.reader(reader).readClass(object_class)
        let words = try FreeholdC.text(text, text_length, "query")
        var values: [Value] = []
        for value in try Given.array(arguments, argument_count, "arguments") {
            values.append(try value.engineValue(target: ReadClass.none, read.reader))
        }
        var names = noNames
        for entry in try Given.array(named, named_count, "named arguments") {
            names[try entry.key.string("argument's name")] = try entry.value.engineValue(target: ReadClass.none, read.reader)
        }
        place.pointee = try Handles.make(OpenQuery(read, try ObjectQuery(words, values, named: names)))
    }
}

@c @implementation
public func freehold_query_another(
    _ query: OpaquePointer?, _ reader: OpaquePointer?, _ another: UnsafeMutablePointer<OpaquePointer?>?
) -> freehold_error_code_t {
    done {
        let place = try Handles.place(another)
        place.pointee = try Handles.make(OpenQuery(try Handles.object(query), through: try Handles.reader(reader)))
    }
}

@c @implementation
public func freehold_query_text(_ query: OpaquePointer?, _ text: UnsafeMutablePointer<freehold_text_t>?) -> freehold_error_code_t {
    done { try give(Handles.object(query, OpenQuery.self).text.text, to: text) }
}

@c @implementation
public func freehold_query_count(_ query: OpaquePointer?, _ count: UnsafeMutablePointer<UInt64>?) -> freehold_error_code_t {
    done {
        let found = try Handles.object(query, OpenQuery.self).ready().count()
        count?.pointee = UInt64(found)
    }
}

@c @implementation
public func freehold_query_first(_ query: OpaquePointer?, _ key: UnsafeMutablePointer<freehold_key_t>?) -> freehold_error_code_t {
    outcome {
        guard let found = try Handles.object(query, OpenQuery.self).ready().first() else { return Outcome.absent }
        key?.pointee = found.rawValue
        return Outcome.ok
    }
}

@c @implementation
public func freehold_query_matches(_ query: OpaquePointer?, _ key: freehold_key_t) -> freehold_error_code_t {
    outcome {
        try Handles.object(query, OpenQuery.self).ready().matches(ObjectKey(key)) ? Outcome.ok : Outcome.absent
    }
}

@c @implementation
public func freehold_query_run(_ query: OpaquePointer?, _ results: UnsafeMutablePointer<OpaquePointer?>?) -> freehold_error_code_t {
    done {
        let place = try Handles.place(results)
        let query = try Handles.object(query, OpenQuery.self)
        place.pointee = try Handles.make(try query.results(try query.ready().keys()))
    }
}

@c @implementation
public func freehold_query_run_among(
    _ query: OpaquePointer?, _ count: Int, _ keys: UnsafePointer<freehold_key_t>?, _ results: UnsafeMutablePointer<OpaquePointer?>?
) -> freehold_error_code_t {
    done {
        let place = try Handles.place(results)
        let query = try Handles.object(query, OpenQuery.self)
        let among = try Given.array(keys, count, "keys").map { ObjectKey($0) }
        place.pointee = try Handles.make(try query.results(try query.ready().keys(among: among)))
    }
}

@c @implementation
public func freehold_query_explain(
    _ query: OpaquePointer?, _ running: Bool, _ text: UnsafeMutablePointer<freehold_text_t>?
) -> freehold_error_code_t {
    done {
        let explained = try Handles.object(query, OpenQuery.self).explain(running: running)
        text?.pointee = explained
    }
}

@c @implementation
public func freehold_query_groups(_ query: OpaquePointer?, _ groups: UnsafeMutablePointer<OpaquePointer?>?) -> freehold_error_code_t {
    done {
        let place = try Handles.place(groups)
        place.pointee = try Handles.make(try Handles.object(query, OpenQuery.self).groups())
    }
}

@c @implementation
public func freehold_query_close(_ query: OpaquePointer?) -> freehold_error_code_t {
    done { if query != nil { try Handles.end(query, OpenQuery.self) } }
}

@c @implementation
public func freehold_groups_count(_ groups: OpaquePointer?, _ count: UnsafeMutablePointer<UInt64>?) -> freehold_error_code_t {
    done { try give(UInt64(Handles.object(groups, OpenGroups.self).groups.count), to: count) }
}

@c @implementation
public func freehold_groups_get(
    _ groups: OpaquePointer?, _ number: UInt64, _ values: UnsafeMutablePointer<freehold_values_t>?,
    _ figures: UnsafeMutablePointer<freehold_values_t>?
) -> freehold_error_code_t {
    done {
        let all = try Handles.object(groups, OpenGroups.self).groups
        guard number < all.count else {
            throw FreeholdError(.invalidArgument, "there is no group number \(number); there are \(all.count)")
        }
        values?.pointee = all[Int(number)].values
        figures?.pointee = all[Int(number)].figures
    }
}

@c @implementation
public func freehold_groups_close(_ groups: OpaquePointer?) -> freehold_error_code_t {
    done { if groups != nil { try Handles.end(groups, OpenGroups.self) } }
}
