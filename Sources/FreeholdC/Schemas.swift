// Listing and creating classes and properties.
//
// Safe throughout: an out parameter is NULL or writable memory of the caller; properties passed in lie one `size`
// apart, as many as the caller states.
import CFreehold
import FreeholdEngine

@c @implementation
public func freehold_class_count(_ reader: OpaquePointer?, _ count: UnsafeMutablePointer<UInt32>?) -> freehold_error_code_t {
    done { try give(UInt32(Handles.reader(reader).schemas().count), to: count) }
}

@c @implementation
public func freehold_class_find(
    _ reader: OpaquePointer?, _ name: UnsafePointer<CChar>?, _ name_length: Int,
    _ object_class: UnsafeMutablePointer<freehold_class_t>?
) -> freehold_error_code_t {
    outcome {
        let schemas = try Handles.reader(reader).schemas()
        let wanted = try text(name, name_length, "class name")
        guard let number = schemas.firstIndex(where: { $0.name.isSame(as: wanted) }) else { return Outcome.absent }
        object_class?.pointee = freehold_class_t(number)
        return Outcome.ok
    }
}

@c @implementation
public func freehold_class_info(
    _ reader: OpaquePointer?, _ object_class: freehold_class_t, _ info: UnsafeMutablePointer<freehold_class_info_t>?
) -> freehold_error_code_t {
    done {
        let read = try Handles.reader(reader).readClass(object_class)
        try Sized.fill(info, with: freehold_class_info_t(
            size: 0, name: read.kept(read.schema.name), property_count: UInt32(read.columns.count), primary_key: read.primaryKey,
            superclass: try read.superclass(), index_count: UInt32(read.schema.indexes.count), embedded: read.schema.isEmbedded,
            sync: read.schema.syncRules?.onConflict.given ?? freehold_sync_t(FREEHOLD_SYNC_NONE)))
    }
}

@c @implementation
public func freehold_class_index(
    _ reader: OpaquePointer?, _ object_class: freehold_class_t, _ number: UInt32, _ info: UnsafeMutablePointer<freehold_index_info_t>?
) -> freehold_error_code_t {
    done {
        let read = try Handles.reader(reader).readClass(object_class)
        guard number < read.schema.indexes.count else {
            throw FreeholdError(.invalidArgument, "class '\(read.schema.name)' has no index number \(number) over several properties")
        }
        let index = read.schema.indexes[Int(number)]
        var found = freehold_index_info_t()
        found.property_count = UInt32(index.properties.count)
        found.unique = index.isUnique
        let told = index.properties.prefix(Int(FREEHOLD_INDEX_LENGTH))
        let numbers = told.map { name in read.schema.properties.firstIndex { $0.name.isSame(as: name) } ?? 0 }
        withUnsafeMutableBytes(of: &found.properties) { place in
            for (at, number) in numbers.enumerated() {
                place.storeBytes(of: freehold_property_t(number), toByteOffset: at * MemoryLayout<freehold_property_t>.stride,
                                 as: freehold_property_t.self)
            }
        }
        try Sized.fill(info, with: found)
    }
}

@c @implementation
public func freehold_property_find(
    _ reader: OpaquePointer?, _ object_class: freehold_class_t, _ name: UnsafePointer<CChar>?, _ name_length: Int,
    _ property: UnsafeMutablePointer<freehold_property_t>?
) -> freehold_error_code_t {
    outcome {
        let read = try Handles.reader(reader).readClass(object_class)
        let wanted = try text(name, name_length, "property name")
        guard let number = read.schema.properties.firstIndex(where: { $0.name.isSame(as: wanted) }) else { return Outcome.absent }
        property?.pointee = freehold_property_t(number)
        return Outcome.ok
    }
}

@c @implementation
public func freehold_property_info(
    _ reader: OpaquePointer?, _ object_class: freehold_class_t, _ property: freehold_property_t,
    _ info: UnsafeMutablePointer<freehold_property_info_t>?
) -> freehold_error_code_t {
    done {
        let read = try Handles.reader(reader).readClass(object_class)
        guard property < read.columns.count else { throw read.unknown(property) }
        try Sized.fill(info, with: read.info(property))
    }
}

@c @implementation
public func freehold_class_create(
    _ transaction: OpaquePointer?, _ name: UnsafePointer<CChar>?, _ name_length: Int, _ property_count: Int,
    _ properties: UnsafePointer<freehold_property_info_t>?, _ object_class: UnsafeMutablePointer<freehold_class_t>?
) -> freehold_error_code_t {
    done {
        let held = try Handles.transaction(transaction)
        let wanted = try classSchema(try text(name, name_length, "class name"), properties, property_count)
        try held.transaction.createClass(wanted)
        held.reader.schemaChanged()
        let schemas = try held.reader.schemas()
        if let number = schemas.firstIndex(where: { $0.name.isSame(as: wanted.name) }) { object_class?.pointee = freehold_class_t(number) }
    }
}

@c @implementation
public func freehold_classes_create(
    _ transaction: OpaquePointer?, _ count: Int, _ definitions: UnsafePointer<freehold_class_definition_t>?
) -> freehold_error_code_t {
    done {
        let held = try Handles.transaction(transaction)
        let wanted = try classSchemas(definitions, count)
        var creation = ClassCreation(in: held.transaction)
        try held.transaction.nested { try creation.create(wanted) }
        held.reader.schemaChanged()
    }
}

@c @implementation
public func freehold_property_add(
    _ transaction: OpaquePointer?, _ object_class: freehold_class_t, _ info: UnsafePointer<freehold_property_info_t>?,
    _ property: UnsafeMutablePointer<freehold_property_t>?
) -> freehold_error_code_t {
    done {
        let held = try Handles.transaction(transaction)
        let read = try held.reader.readClass(object_class)
        let given = try Sized.read(info, or: freehold_property_info_t())
        guard given.flags & UInt32(FREEHOLD_PROPERTY_PRIMARY_KEY) == 0 else {
            throw FreeholdError(.invalidArgument, "a primary key cannot be added to an existing class; declare it when the class is created")
        }
        let added = try PropertySchema(given)
        try held.transaction.nested {
            try held.transaction.addProperty(added, to: read.schema.name)
            guard var rules = read.schema.syncRules, rules.note(added.name, given.flags) else { return }
            try held.transaction.sync.mark(try read.topmost(), rules)
        }
        held.reader.schemaChanged()
        property?.pointee = freehold_property_t(read.columns.count)
    }
}

@c @implementation
public func freehold_class_unmark_synced(_ transaction: OpaquePointer?, _ object_class: freehold_class_t) -> freehold_error_code_t {
    done {
        let held = try Handles.transaction(transaction)
        try held.transaction.sync.unmark(try held.reader.readClass(object_class).schema.name)
        held.reader.schemaChanged()
    }
}

@c @implementation
public func freehold_schema_version(_ reader: OpaquePointer?, _ version: UnsafeMutablePointer<UInt64>?) -> freehold_error_code_t {
    outcome {
        guard let found = try Handles.reader(reader).schemaVersion() else { return Outcome.absent }
        version?.pointee = found
        return Outcome.ok
    }
}

@c @implementation
public func freehold_schema_set_version(_ transaction: OpaquePointer?, _ version: UInt64) -> freehold_error_code_t {
    done {
        let held = try Handles.transaction(transaction)
        try held.transaction.setSchemaVersion(version)
        held.reader.schemaChanged()
    }
}
