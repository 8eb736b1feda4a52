// Listing and making classes and properties.
//
// Safe throughout: an out parameter is NULL or the caller's to be written; properties passed in lie one `size` behind the
// other, as many as the caller says.
import CFreehold
import FreeholdEngine

@c @implementation
public func freehold_class_count(_ reader: OpaquePointer?, _ count: UnsafeMutablePointer<UInt32>?) -> freehold_error_code_t {
    done { count?.pointee = UInt32(try Handles.reader(reader).schemas().count) }
}

@c @implementation
public func freehold_class_find(
    _ reader: OpaquePointer?, _ name: UnsafePointer<CChar>?, _ name_length: Int,
    _ object_class: UnsafeMutablePointer<freehold_class_t>?
) -> freehold_error_code_t {
    outcome {
        let schemas = try Handles.reader(reader).schemas()
        let wanted = try text(name, name_length, "class name")
        guard let number = schemas.firstIndex(where: { $0.name == wanted }) else { return Outcome.absent }
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
            size: 0, name: read.kept(read.schema.name), property_count: UInt32(read.columns.count),
            primary_key: read.primaryKey))
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
        guard let number = read.schema.properties.firstIndex(where: { $0.name == wanted }) else { return Outcome.absent }
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

extension ReadClass {
    /// What is told of a property; its number was checked.
    fileprivate func info(_ property: freehold_property_t) -> freehold_property_info_t {
        let described = schema.properties[Int(property)]
        var flags = 0
        if described.isNullable { flags |= FREEHOLD_PROPERTY_NULLABLE }
        if described.isIndexed { flags |= FREEHOLD_PROPERTY_INDEXED }
        if property == primaryKey { flags |= FREEHOLD_PROPERTY_PRIMARY_KEY }
        return freehold_property_info_t(
            size: 0, name: kept(described.name), type: freehold_type_t(described.type.rawValue), flags: UInt32(flags),
            link_target: kept(described.linkTarget ?? ""))
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
        if let number = schemas.firstIndex(where: { $0.name == wanted.name }) { object_class?.pointee = freehold_class_t(number) }
    }
}

private func classSchema(_ name: String, _ properties: UnsafePointer<freehold_property_info_t>?,
                         _ count: Int) throws(FreeholdError) -> ClassSchema {
    var schema = ClassSchema(name, [])
    guard count > 0 else { return schema }
    guard var next = UnsafeRawPointer(properties) else {
        throw FreeholdError(.invalidArgument, "\(count) properties are announced; NULL was given")
    }
    for _ in 0..<count {
        let info = try Sized.read(next.assumingMemoryBound(to: freehold_property_info_t.self), or: freehold_property_info_t())
        let property = try PropertySchema(info)
        if info.flags & UInt32(FREEHOLD_PROPERTY_PRIMARY_KEY) != 0 {
            guard schema.primaryKey == nil else {
                throw FreeholdError(.invalidArgument, "class '\(name)' has two primary keys")
            }
            schema.primaryKey = property.name
        }
        schema.properties.append(property)
        next += info.size
    }
    return schema
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
            throw FreeholdError(.invalidArgument, "a primary key can't be added to a class; it is made with it")
        }
        try held.transaction.addProperty(try PropertySchema(given), to: read.schema.name)
        held.reader.schemaChanged()
        property?.pointee = freehold_property_t(read.columns.count)
    }
}

extension PropertySchema {
    /// A property as a caller describes it.
    fileprivate init(_ info: freehold_property_info_t) throws(FreeholdError) {
        let name = try info.name.string("property name")
        guard let type = UInt8(exactly: info.type).flatMap({ PropertyType(rawValue: $0) }) else {
            throw FreeholdError(.invalidArgument, "\(info.type) is no type of a property ('\(name)')")
        }
        let known = FREEHOLD_PROPERTY_NULLABLE | FREEHOLD_PROPERTY_INDEXED | FREEHOLD_PROPERTY_PRIMARY_KEY
        guard info.flags & ~UInt32(known) == 0 else {
            throw FreeholdError(.invalidArgument, "property '\(name)' has flags that this library does not know")
        }
        let target = try info.link_target.string("link target")
        guard (type == .link) == !target.isEmpty else {
            throw FreeholdError(.invalidArgument, "property '\(name)' needs a link target if and only if it is a link")
        }
        if type == .link {
            self.init(name, linkTo: target)
            isIndexed = info.flags & UInt32(FREEHOLD_PROPERTY_INDEXED) != 0
        } else {
            self.init(name, type, isNullable: info.flags & UInt32(FREEHOLD_PROPERTY_NULLABLE) != 0,
                      isIndexed: info.flags & UInt32(FREEHOLD_PROPERTY_INDEXED) != 0)
        }
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
