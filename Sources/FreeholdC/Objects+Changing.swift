// Creating, setting and deleting objects.
//
// Safe throughout: an out parameter is NULL or writable memory of the caller; arrays have as many elements as the
// caller states.
import CFreehold
import FreeholdEngine

@c @implementation
public func freehold_object_create(
    _ transaction: OpaquePointer?, _ object_class: freehold_class_t, _ primary_key: UnsafePointer<freehold_value_t>?,
    _ count: Int, _ properties: UnsafePointer<freehold_property_t>?, _ values: UnsafePointer<freehold_value_t>?,
    _ key: UnsafeMutablePointer<freehold_key_t>?
) -> freehold_error_code_t {
    done {
        let held = try Handles.transaction(transaction)
        let read = try held.reader.readClass(object_class)
        let list = try PropertyList(properties, count, of: read)
        let values = try Given.array(values, count, "values")
        // Copied before the object is created: strings and data may lie in rows of the transaction, which then move.
        var given: [Value] = []
        given.reserveCapacity(list.count)
        for index in 0..<list.count {
            given.append(list[index] == read.primaryKey ? .null : try values[index].engineValue(target: read.target(list[index]), held.reader))
        }
        let made = try held.transaction.insert(into: read.table, primaryKey: try read.primaryKey(primary_key)) { row in
            for index in 0..<list.count where list[index] != read.primaryKey {
                try row.set(read.column(list[index]), given: given[index])
            }
        }
        key?.pointee = made.rawValue
    }
}

extension ReadClass {
    /// The primary key of an object to be created; nil for a class without one.
    fileprivate func primaryKey(_ value: UnsafePointer<freehold_value_t>?) throws(FreeholdError) -> Value? {
        guard let value else { return nil }
        guard primaryKey != Self.none else {
            throw FreeholdError(.invalidArgument, "class '\(schema.name)' has no primary key; pass NULL")
        }
        return try engineValue(value, for: primaryKey)
    }
}

@c @implementation
public func freehold_object_set(
    _ transaction: OpaquePointer?, _ object_class: freehold_class_t, _ key: freehold_key_t, _ count: Int,
    _ properties: UnsafePointer<freehold_property_t>?, _ values: UnsafePointer<freehold_value_t>?
) -> freehold_error_code_t {
    outcome {
        let held = try Handles.transaction(transaction)
        let read = try held.reader.readClass(object_class)
        guard try read.table.contains(ObjectKey(key)) else { return Outcome.absent }
        let list = try PropertyList(properties, count, of: read)
        let values = try Given.array(values, count, "values")
        var changes: [(column: Column, value: Value)] = []
        for index in 0..<list.count {
            let value = try values[index].engineValue(target: read.target(list[index]), held.reader)
            changes.append((try read.column(list[index]), value))
        }
        // Embedded objects are deleted with the value of their property, so setting the old value again would not
        // restore them.
        if changes.count > 1, changes.contains(where: { $0.column.isCollection || $0.column.type == .link }) {
            try held.transaction.nested { for change in changes { try held.transaction.set(ObjectKey(key), in: read.table, change.column, to: change.value) } }
        } else {
            try held.transaction.setAll(changes, of: ObjectKey(key), in: read.table)
        }
        return Outcome.ok
    }
}

extension WriteTransaction {
    /// Sets several properties of single values; if one is refused, those set before get their old values back.
    fileprivate func setAll(_ changes: [(column: Column, value: Value)], of key: ObjectKey,
                            in table: Table) throws(FreeholdError) {
        var before: [(column: Column, value: Value)] = []
        for change in changes {
            // Read first, so that after a failed change the old value of every property that was set is known.
            let old: Value? = changes.count > 1 ? try table.value(key, change.column) : nil
            do {
                try set(key, in: table, change.column, to: change.value)
            } catch {
                for old in before.reversed() { try set(key, in: table, old.column, to: old.value) }
                throw error
            }
            if let old { before.append((change.column, old)) }
        }
    }
}

@c @implementation
public func freehold_object_increment(
    _ transaction: OpaquePointer?, _ object_class: freehold_class_t, _ key: freehold_key_t, _ property: freehold_property_t,
    _ amount: Int64, _ sum: UnsafeMutablePointer<Int64>?
) -> freehold_error_code_t {
    outcome {
        let held = try Handles.transaction(transaction), read = try held.reader.readClass(object_class)
        let column = try read.column(property)
        guard try read.table.contains(ObjectKey(key)) else { return Outcome.absent }
        let made = try held.transaction.sync.increment(ObjectKey(key), in: read.table, column, by: amount)
        sum?.pointee = made
        return Outcome.ok
    }
}

@c @implementation
public func freehold_object_delete(
    _ transaction: OpaquePointer?, _ object_class: freehold_class_t, _ key: freehold_key_t
) -> freehold_error_code_t {
    outcome {
        let held = try Handles.transaction(transaction)
        let table = try held.reader.readClass(object_class).table
        guard try table.contains(ObjectKey(key)) else { return Outcome.absent }
        try held.transaction.delete(ObjectKey(key), from: table)
        return Outcome.ok
    }
}

@c @implementation
public func freehold_objects_delete(
    _ transaction: OpaquePointer?, _ object_class: freehold_class_t, _ key_count: Int, _ keys: UnsafePointer<freehold_key_t>?,
    _ count: UnsafeMutablePointer<UInt64>?
) -> freehold_error_code_t {
    done {
        let held = try Handles.transaction(transaction), table = try held.reader.readClass(object_class).table
        var there: Set<ObjectKey> = []
        for key in try Given.array(keys, key_count, "keys") where try table.contains(ObjectKey(key)) { there.insert(ObjectKey(key)) }
        try held.transaction.delete(there.sorted(), from: table)
        count?.pointee = UInt64(there.count)
    }
}
