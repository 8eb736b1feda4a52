// Sequences of a class.
//
// Safe throughout: an out parameter is NULL or writable memory of the caller.
import CFreehold
import FreeholdEngine

@c @implementation
public func freehold_sequence_next(
    _ transaction: OpaquePointer?, _ object_class: freehold_class_t, _ name: UnsafePointer<CChar>?, _ name_length: Int,
    _ number: UnsafeMutablePointer<Int64>?
) -> freehold_error_code_t {
    done {
        let held = try Handles.transaction(transaction), read = try held.reader.readClass(object_class)
        let next = try held.transaction.next(try text(name, name_length, "sequence name"), of: read.table)
        number?.pointee = next
    }
}

@c @implementation
public func freehold_sequence_set(
    _ transaction: OpaquePointer?, _ object_class: freehold_class_t, _ name: UnsafePointer<CChar>?, _ name_length: Int, _ last: Int64
) -> freehold_error_code_t {
    done {
        let held = try Handles.transaction(transaction), read = try held.reader.readClass(object_class)
        try held.transaction.set(try text(name, name_length, "sequence name"), of: read.table, toLast: last)
    }
}

@c @implementation
public func freehold_sequence_last(
    _ reader: OpaquePointer?, _ object_class: freehold_class_t, _ name: UnsafePointer<CChar>?, _ name_length: Int,
    _ last: UnsafeMutablePointer<Int64>?
) -> freehold_error_code_t {
    outcome {
        let read = try Handles.reader(reader).readClass(object_class)
        guard let found = read.table.lastNumber(of: try text(name, name_length, "sequence name")) else { return Outcome.absent }
        last?.pointee = found
        return Outcome.ok
    }
}
