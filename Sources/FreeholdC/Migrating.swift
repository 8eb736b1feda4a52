// Changing the schema.
//
// Safe throughout: a callback receives a value that lives until it returns; the value that it stores there is copied
// before the next call.
import CFreehold
import FreeholdEngine

/// Changes a class, and discards the reader's cached schema.
func change(
    _ transaction: OpaquePointer?, _ object_class: freehold_class_t, _ body: (WriteTransaction, ReadClass) throws -> Void
) -> freehold_error_code_t {
    done {
        let held = try Handles.transaction(transaction)
        let read = try held.reader.readClass(object_class)
        try body(held.transaction, read)
        held.reader.schemaChanged()
    }
}

/// Changes a property of a class; `body` receives the property's name.
private func change(
    _ transaction: OpaquePointer?, _ object_class: freehold_class_t, _ property: freehold_property_t,
    _ body: (WriteTransaction, ReadClass, String) throws -> Void
) -> freehold_error_code_t {
    change(transaction, object_class) { transaction, read in try body(transaction, read, try read.name(of: property)) }
}

extension ReadClass {
    /// The name of a property.
    func name(of property: freehold_property_t) throws(FreeholdError) -> String {
        guard property < schema.properties.count else { throw unknown(property) }
        return schema.properties[Int(property)].name
    }

    /// The class that declares a property: this one, or one of its superclasses.
    func declarer(of name: String) throws(FreeholdError) -> String {
        let all = try reader.schemas()
        var at = schema.name
        while let declared = all.first(where: { $0.name.isSame(as: at) }), !declared.properties.contains(where: { $0.name.isSame(as: name) }),
              let above = declared.superclass { at = above }
        return at
    }
}

@c @implementation
public func freehold_class_rename(
    _ transaction: OpaquePointer?, _ object_class: freehold_class_t, _ name: UnsafePointer<CChar>?, _ name_length: Int
) -> freehold_error_code_t {
    change(transaction, object_class) { transaction, read in
        try transaction.renameClass(read.schema.name, to: try text(name, name_length, "class name"))
    }
}

@c @implementation
public func freehold_class_drop(_ transaction: OpaquePointer?, _ object_class: freehold_class_t) -> freehold_error_code_t {
    change(transaction, object_class) { transaction, read in try transaction.dropClass(read.schema.name) }
}

@c @implementation
public func freehold_class_set_primary_key(
    _ transaction: OpaquePointer?, _ object_class: freehold_class_t, _ property: freehold_property_t
) -> freehold_error_code_t {
    change(transaction, object_class) { transaction, read in
        try transaction.setPrimaryKey(property == ReadClass.none ? nil : try read.name(of: property), of: read.schema.name)
    }
}

@c @implementation
public func freehold_class_set_embedded(
    _ transaction: OpaquePointer?, _ object_class: freehold_class_t, _ embedded: Bool
) -> freehold_error_code_t {
    change(transaction, object_class) { transaction, read in try transaction.setEmbedded(embedded, read.schema.name) }
}

@c @implementation
public func freehold_class_add_index(
    _ transaction: OpaquePointer?, _ object_class: freehold_class_t, _ count: Int, _ properties: UnsafePointer<freehold_property_t>?,
    _ unique: Bool
) -> freehold_error_code_t {
    change(transaction, object_class) { transaction, read in
        var names: [String] = []
        for property in try Given.array(properties, count, "properties") { names.append(try read.name(of: property)) }
        guard (1...Int(FREEHOLD_INDEX_LENGTH)).contains(names.count) else {
            throw FreeholdError(.invalidArgument, "an index is over 1 to \(FREEHOLD_INDEX_LENGTH) properties, not \(names.count)")
        }
        try transaction.addIndex(IndexSchema(names, isUnique: unique), to: read.schema.name)
    }
}

@c @implementation
public func freehold_property_rename(
    _ transaction: OpaquePointer?, _ object_class: freehold_class_t, _ property: freehold_property_t, _ name: UnsafePointer<CChar>?,
    _ name_length: Int
) -> freehold_error_code_t {
    change(transaction, object_class, property) { transaction, read, old in
        try transaction.renameProperty(old, to: try text(name, name_length, "property name"), in: try read.declarer(of: old))
    }
}

@c @implementation
public func freehold_property_drop(
    _ transaction: OpaquePointer?, _ object_class: freehold_class_t, _ property: freehold_property_t
) -> freehold_error_code_t {
    change(transaction, object_class, property) { transaction, read, name in
        try transaction.dropProperty(name, from: try read.declarer(of: name))
    }
}

@c @implementation
public func freehold_property_set_indexed(
    _ transaction: OpaquePointer?, _ object_class: freehold_class_t, _ property: freehold_property_t, _ indexed: Bool
) -> freehold_error_code_t {
    change(transaction, object_class, property) { transaction, read, name in
        try transaction.setIndexed(indexed, name, in: try read.declarer(of: name))
    }
}

@c @implementation
public func freehold_property_end_uniqueness(
    _ transaction: OpaquePointer?, _ object_class: freehold_class_t, _ property: freehold_property_t
) -> freehold_error_code_t {
    change(transaction, object_class, property) { transaction, read, name in
        try transaction.endUniqueness(of: name, in: try read.declarer(of: name))
    }
}

@c @implementation
public func freehold_property_set_nullable(
    _ transaction: OpaquePointer?, _ object_class: freehold_class_t, _ property: freehold_property_t, _ nullable: Bool,
    _ replacement: UnsafePointer<freehold_value_t>?
) -> freehold_error_code_t {
    change(transaction, object_class, property) { transaction, read, name in
        let value = try replacement == nil ? nil : read.engineValue(replacement, for: property)
        try transaction.setNullable(nullable, name, in: try read.declarer(of: name), replacingNullsBy: value)
    }
}

@c @implementation
public func freehold_property_set_type(
    _ transaction: OpaquePointer?, _ object_class: freehold_class_t, _ property: freehold_property_t, _ type: freehold_type_t,
    _ nullable: Bool, _ convert: freehold_convert_callback_t?, _ context: UnsafeMutableRawPointer?
) -> freehold_error_code_t {
    change(transaction, object_class, property) { transaction, read, name in
        guard let wanted = UInt8(exactly: type).flatMap({ PropertyType(rawValue: $0) }) else {
            throw FreeholdError(.invalidArgument, "\(type) is not a property type")
        }
        var conversion: ((Value) -> Value?)?
        if let convert { conversion = { old in converted(old, read, convert, context) } }
        let declarer = try read.declarer(of: name)
        try read.reader.change { try transaction.changeType(of: name, in: declarer, to: wanted, isNullable: nullable, conversion) }
    }
}

/// The value that a callback converts another value to; nil if it cannot.
private func converted(_ old: Value, _ read: ReadClass, _ convert: freehold_convert_callback_t,
                       _ context: UnsafeMutableRawPointer?) -> Value? {
    let memory = ValueMemory()
    return withExtendedLifetime(memory) {
        guard var value = try? read.reader.given(old, target: ReadClass.none, in: memory), convert(context, &value) else { return nil }
        return try? value.engineValue(target: ReadClass.none, read.reader)
    }
}

@c @implementation
public func freehold_property_set_delete_rule(
    _ transaction: OpaquePointer?, _ object_class: freehold_class_t, _ property: freehold_property_t, _ rule: freehold_delete_rule_t
) -> freehold_error_code_t {
    change(transaction, object_class, property) { transaction, read, name in
        try transaction.setDeleteRule(try DeleteRule(given: rule), of: name, in: try read.declarer(of: name))
    }
}
