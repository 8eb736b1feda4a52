// The objects that a query found.
//
// Safe throughout: an out parameter is NULL or writable memory of the caller; arrays have as many elements as the
// caller states. The keys lie in memory of the results, which is filled before its address is returned, and freed with
// them.
import CFreehold
import FreeholdEngine

/// Results of a query, held by C programs through a handle.
final class OpenResults: Handled {
    static let kind = HandleKind.results
    let reader: Reader
    let className: String
    let count: Int
    let keys: UnsafePointer<freehold_key_t>

    init(_ reader: Reader, _ className: String, _ found: [ObjectKey]) {
        self.reader = reader
        self.className = className
        count = found.count
        let copy = UnsafeMutablePointer<freehold_key_t>.allocate(capacity: max(found.count, 1))
        for (place, key) in found.enumerated() { (copy + place).initialize(to: key.rawValue) }
        keys = UnsafePointer(copy)
    }

    /// Opens results with the same objects through another reader.
    init(_ other: OpenResults, through reader: Reader) throws(FreeholdError) {
        _ = try reader.readClass(named: other.className)
        (self.reader, className, count) = (reader, other.className, other.count)
        let copy = UnsafeMutablePointer<freehold_key_t>.allocate(capacity: max(other.count, 1))
        copy.initialize(from: other.keys, count: other.count)
        keys = UnsafePointer(copy)
    }

    deinit { keys.deallocate() }

    /// The class in the reader's present version.
    func readClass() throws(FreeholdError) -> ReadClass {
        try reader.use()
        return try reader.readClass(named: className)
    }

    /// A range of at most `capacity` positions in the results, from `first` on.
    func range(from first: UInt64, _ capacity: Int) throws(FreeholdError) -> Range<Int> {
        guard capacity >= 0 else { throw FreeholdError(.invalidArgument, "the capacity is too large") }
        guard first < UInt64(count) else { return 0..<0 }
        return Int(first)..<Int(first) + min(capacity, count - Int(first))
    }

    /// The keys of the objects at a range of positions.
    func keys(_ range: Range<Int>) -> [ObjectKey] { range.map { ObjectKey(keys[$0]) } }

    func deleted(_ key: ObjectKey) -> FreeholdError {
        FreeholdError(.objectDeleted, "object \(key) of class '\(className)' was deleted; run the query again")
    }
}

@c @implementation
public func freehold_results_keys(
    _ results: OpaquePointer?, _ keys: UnsafeMutablePointer<UnsafePointer<freehold_key_t>?>?, _ count: UnsafeMutablePointer<UInt64>?
) -> freehold_error_code_t {
    done {
        let results = try Handles.object(results, OpenResults.self)
        keys?.pointee = results.keys
        count?.pointee = UInt64(results.count)
    }
}

@c @implementation
public func freehold_results_get(
    _ results: OpaquePointer?, _ first: UInt64, _ capacity: Int, _ count: Int, _ properties: UnsafePointer<freehold_property_t>?,
    _ values: UnsafeMutablePointer<freehold_value_t>?, _ filled: UnsafeMutablePointer<Int>?
) -> freehold_error_code_t {
    done {
        let results = try Handles.object(results, OpenResults.self), read = try results.readClass()
        let list = try PropertyList(properties, count, of: read), keys = results.keys(try results.range(from: first, capacity))
        guard let values else {
            guard count == 0 || capacity == 0 else { throw FreeholdError(.invalidArgument, "the values pointer is NULL") }
            filled?.pointee = keys.count
            return
        }
        var place = 0
        try read.table.forEach(keys, reading: list.count > 0 ? try read.column(list[0]) : nil) { row in
            guard let row else { throw results.deleted(keys[place]) }
            for index in 0..<list.count { values[place * list.count + index] = try results.reader.value(row, list[index], read) }
            place += 1
            return true
        }
        filled?.pointee = keys.count
    }
}

@c @implementation
public func freehold_results_another(
    _ results: OpaquePointer?, _ reader: OpaquePointer?, _ another: UnsafeMutablePointer<OpaquePointer?>?
) -> freehold_error_code_t {
    done {
        let place = try Handles.place(another)
        place.pointee = try Handles.make(OpenResults(try Handles.object(results), through: try Handles.reader(reader)))
    }
}

@c @implementation
public func freehold_results_delete(
    _ results: OpaquePointer?, _ transaction: OpaquePointer?, _ count: UnsafeMutablePointer<UInt64>?
) -> freehold_error_code_t {
    done {
        let results = try Handles.object(results, OpenResults.self), held = try Handles.transaction(transaction)
        guard results.reader === held.reader else {
            throw FreeholdError(.invalidArgument, "these results belong to another reader than this transaction's")
        }
        let table = try results.readClass().table
        // Results among given objects may contain duplicates.
        var there: Set<ObjectKey> = []
        for key in results.keys(0..<results.count) where try table.contains(key) { there.insert(key) }
        try held.transaction.delete(there.sorted(), from: table)
        count?.pointee = UInt64(there.count)
    }
}

@c @implementation
public func freehold_results_close(_ results: OpaquePointer?) -> freehold_error_code_t {
    done { if results != nil { try Handles.end(results, OpenResults.self) } }
}
