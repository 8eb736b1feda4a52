// Descriptions of classes and properties, between C and the engine.
//
// Safe throughout: structures passed in lie one `size` apart, as many as the caller states; collections are bytes of a
// structure's own array.
import CFreehold
import FreeholdEngine

extension ReadClass {
    /// The description of a property, whose number was checked.
    func info(_ property: freehold_property_t) -> freehold_property_info_t {
        let described = schema.properties[Int(property)]
        var flags = 0
        if described.isNullable { flags |= FREEHOLD_PROPERTY_NULLABLE }
        if described.isIndexed { flags |= FREEHOLD_PROPERTY_INDEXED }
        if described.isUnique { flags |= FREEHOLD_PROPERTY_UNIQUE }
        if schema.primaryKeys.has(described.name) { flags |= FREEHOLD_PROPERTY_PRIMARY_KEY }
        if let rules = schema.syncRules {
            if rules.counters.has(described.name) { flags |= FREEHOLD_PROPERTY_COUNTER }
            if rules.merged.has(described.name) { flags |= FREEHOLD_PROPERTY_MERGED }
        }
        var info = freehold_property_info_t()
        info.name = kept(described.name)
        info.type = freehold_type_t(described.type.rawValue)
        info.flags = UInt32(flags)
        info.link_target = kept(described.linkTarget ?? "")
        info.delete_rule = freehold_delete_rule_t(described.deleteRule.rawValue)
        withUnsafeMutableBytes(of: &info.collections) { kinds in
            for (place, kind) in described.collections.prefix(kinds.count).enumerated() { kinds[place] = UInt8(kind.type) }
        }
        return info
    }

    /// The name of the topmost class that it extends, or its own.
    func topmost() throws(FreeholdError) -> String {
        var found = schema
        while let name = found.superclass { found = try reader.readClass(named: name).schema }
        return found.name
    }

    /// The superclass, or `none`.
    func superclass() throws(FreeholdError) -> freehold_class_t {
        guard let name = schema.superclass else { return Self.none }
        return try reader.readClass(named: name).number
    }
}

extension CollectionKind {
    /// The kind as a type number of C.
    var type: freehold_type_t { freehold_type_t(FREEHOLD_TYPE_LIST - 1) + freehold_type_t(rawValue) }

    init?(type: freehold_type_t) {
        guard type >= FREEHOLD_TYPE_LIST, type <= FREEHOLD_TYPE_MAP else { return nil }
        self.init(rawValue: UInt8(type) - UInt8(FREEHOLD_TYPE_LIST - 1))
    }
}

/// Converts a caller's class definitions.
func classSchemas(_ definitions: UnsafePointer<freehold_class_definition_t>?, _ count: Int) throws(FreeholdError) -> [ClassSchema] {
    var schemas: [ClassSchema] = [], kinds: [[(String, UInt32)]] = []
    guard count > 0 else { return schemas }
    guard var next = UnsafeRawPointer(definitions) else {
        throw FreeholdError(.invalidArgument, "the count is \(count), but the classes pointer is NULL")
    }
    for _ in 0..<count {
        let given = try Sized.read(next.assumingMemoryBound(to: freehold_class_definition_t.self), or: freehold_class_definition_t())
        var flagged: [(String, UInt32)] = []
        var schema = try classSchema(try given.name.string("class name"), given.properties, given.property_count) { name, flags in
            if flags & UInt32(FREEHOLD_PROPERTY_COUNTER | FREEHOLD_PROPERTY_MERGED) != 0 { flagged.append((name, flags)) }
        }
        let superclass = try given.superclass.string("superclass")
        if !superclass.isEmpty { schema.superclass = superclass }
        schema.isEmbedded = given.embedded
        schema.syncRules = try SyncRules(given: given.sync, schema.name)
        schemas.append(schema)
        kinds.append(flagged)
        next += given.size
    }
    // The topmost class has the rules of all that extend it.
    let declared = DeclaredClasses(schemas)
    for place in schemas.indices where schemas[place].syncRules != nil {
        for (heir, kinds) in zip(schemas, kinds) where declared.extends(heir, schemas[place]) {
            for (name, flags) in kinds { _ = schemas[place].syncRules?.note(name, flags) }
        }
    }
    return schemas
}

extension SyncRules {
    /// Converts a caller's choice; nil for a class that is not synced.
    fileprivate init?(given sync: freehold_sync_t, _ name: String) throws(FreeholdError) {
        switch Int(sync) {
        case FREEHOLD_SYNC_NONE: return nil
        case FREEHOLD_SYNC_DELETION_WINS: self.init()
        case FREEHOLD_SYNC_UPDATE_WINS: self.init(onConflict: .updateWins)
        default: throw FreeholdError(.invalidArgument, "\(sync) is none of FREEHOLD_SYNC_… (class '\(name)')")
        }
    }

    /// Notes the kind of a property that its flags say; false for an ordinary one.
    mutating func note(_ name: String, _ flags: UInt32) -> Bool {
        let isCounter = flags & UInt32(FREEHOLD_PROPERTY_COUNTER) != 0, isMerged = flags & UInt32(FREEHOLD_PROPERTY_MERGED) != 0
        if isCounter { counters.append(name) }
        if isMerged { merged.append(name) }
        return isCounter || isMerged
    }
}

extension SyncConflict {
    /// The number that C has for it.
    var given: freehold_sync_t {
        switch self {
        case .deletionWins: freehold_sync_t(FREEHOLD_SYNC_DELETION_WINS)
        case .updateWins: freehold_sync_t(FREEHOLD_SYNC_UPDATE_WINS)
        }
    }
}

/// Converts a caller's definition of a class.
///
/// - Parameter note: receives each property with its flags.
func classSchema(_ name: String, _ properties: UnsafePointer<freehold_property_info_t>?, _ count: Int,
                 noting note: (String, UInt32) -> Void = { _, _ in }) throws(FreeholdError) -> ClassSchema {
    var schema = ClassSchema(name, [])
    guard count > 0 else { return schema }
    guard var next = UnsafeRawPointer(properties) else {
        throw FreeholdError(.invalidArgument, "the count is \(count), but the properties pointer is NULL")
    }
    for _ in 0..<count {
        let info = try Sized.read(next.assumingMemoryBound(to: freehold_property_info_t.self), or: freehold_property_info_t())
        let property = try PropertySchema(info)
        if info.flags & UInt32(FREEHOLD_PROPERTY_PRIMARY_KEY) != 0 { schema.primaryKeys.append(property.name) }
        schema.properties.append(property)
        note(property.name, info.flags)
        next += info.size
    }
    return schema
}

extension PropertySchema {
    /// Converts a caller's definition of a property.
    init(_ info: freehold_property_info_t) throws(FreeholdError) {
        let name = try info.name.string("property name")
        guard let type = UInt8(exactly: info.type).flatMap({ PropertyType(rawValue: $0) }) else {
            throw FreeholdError(.invalidArgument, "\(info.type) is not a property type (property '\(name)')")
        }
        let known = FREEHOLD_PROPERTY_NULLABLE | FREEHOLD_PROPERTY_INDEXED | FREEHOLD_PROPERTY_PRIMARY_KEY | FREEHOLD_PROPERTY_UNIQUE
            | FREEHOLD_PROPERTY_COUNTER | FREEHOLD_PROPERTY_MERGED
        guard info.flags & ~UInt32(known) == 0 else {
            throw FreeholdError(.invalidArgument, "property '\(name)' has flags that this library does not know")
        }
        let target = try info.link_target.string("link target")
        guard (type == .link) == !target.isEmpty else {
            throw FreeholdError(.invalidArgument, "property '\(name)' needs a link target if and only if it is a link")
        }
        let collections = try Self.collections(info, name)
        if type == .link {
            self.init(name, linkTo: target, deleteRule: try DeleteRule(given: info.delete_rule), collections: collections)
            if !collections.isEmpty { isNullable = info.flags & UInt32(FREEHOLD_PROPERTY_NULLABLE) != 0 }
        } else {
            self.init(name, type, isNullable: info.flags & UInt32(FREEHOLD_PROPERTY_NULLABLE) != 0, collections: collections)
        }
        isIndexed = info.flags & UInt32(FREEHOLD_PROPERTY_INDEXED) != 0
        isUnique = info.flags & UInt32(FREEHOLD_PROPERTY_UNIQUE) != 0
    }

    private static func collections(_ info: freehold_property_info_t, _ name: String) throws(FreeholdError) -> [CollectionKind] {
        let bytes = withUnsafeBytes(of: info.collections) { Array($0) }
        var kinds: [CollectionKind] = []
        for byte in bytes.prefix(while: { $0 != 0 }) {
            guard let kind = CollectionKind(type: freehold_type_t(byte)) else {
                throw FreeholdError(.invalidArgument, "\(byte) is not a collection kind (property '\(name)')")
            }
            kinds.append(kind)
        }
        guard !bytes.dropFirst(kinds.count).contains(where: { $0 != 0 }) else {
            throw FreeholdError(.invalidArgument, "the collections of property '\(name)' have a gap")
        }
        return kinds
    }
}

extension DeleteRule {
    /// Converts a caller's delete rule.
    init(given rule: freehold_delete_rule_t) throws(FreeholdError) {
        guard let known = UInt8(exactly: rule).flatMap({ DeleteRule(rawValue: $0) }) else {
            throw FreeholdError(.invalidArgument, "\(rule) is not a delete rule")
        }
        self = known
    }
}
