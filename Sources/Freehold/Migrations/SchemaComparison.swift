import FreeholdEngine

/// The differences between the classes of a file and those of the program.
struct SchemaComparison {
    private(set) var changes: [SchemaChange] = []
    /// Classes of the file that the program does not have.
    let others: [String]

    init(_ stored: [ClassSchema], _ schema: ModelSchema) {
        let known = TextMap(uniqueKeysWithValues: stored.map { ($0.name, $0) })
        others = stored.map(\.name).filter { schema.place(named: $0) == nil }
        for wanted in schema.classSchemas {
            if let present = known[wanted.name] { compare(present, wanted) } else { changes.append(.newClass(wanted)) }
        }
    }

    /// The changes of one kind, in the order of the classes.
    func of(_ kind: SchemaChange.Kind) -> [SchemaChange] { changes.filter { $0.kind == kind } }

    private mutating func compare(_ present: ClassSchema, _ wanted: ClassSchema) {
        if present == wanted { return }
        let name = wanted.name
        if !present.superclass.isSame(as: wanted.superclass) { return changes.append(.superclass(present.superclass, wanted.superclass, of: name)) }
        if present.isEmbedded != wanted.isEmbedded, wanted.superclass == nil { changes.append(.embedded(wanted.isEmbedded, name)) }
        if !present.primaryKeys.isSame(as: wanted.primaryKeys) {
            changes.append(.primaryKey(Self.said(present.primaryKeys), Self.said(wanted.primaryKeys), of: name))
        }
        let old = TextMap(uniqueKeysWithValues: present.properties.map { ($0.name, $0) })
        for property in wanted.properties {
            if let old = old[property.name] { compare(old, property, name) } else { changes.append(.newProperty(property, of: name)) }
        }
        let new = Set(exact: wanted.properties.map(\.name))
        for property in present.properties where !new.contains(property.name) { changes.append(.oldProperty(property, of: name)) }
    }

    private static func said(_ keys: [String]) -> String? { keys.isEmpty ? nil : keys.joined(separator: ", ") }

    /// The difference between the values of two properties; nil if there is none.
    static func difference(_ old: PropertySchema, _ new: PropertySchema, _ name: String) -> SchemaChange? {
        if old.type != new.type || old.collections != new.collections || !old.linkTarget.isSame(as: new.linkTarget) { return .type(old, new, of: name) }
        let goesWithoutSaying = old.type == .mixed || old.type == .link
        return old.isNullable != new.isNullable && !goesWithoutSaying ? .optional(new, of: name) : nil
    }

    private mutating func compare(_ old: PropertySchema, _ new: PropertySchema, _ name: String) {
        if old == new { return }
        if let change = Self.difference(old, new, name) { changes.append(change) }
        if old.deleteRule != new.deleteRule, old.type == .link, new.type == .link { changes.append(.deleteRule(old, new, of: name)) }
        if old.isUnique != new.isUnique { changes.append(.unique(new, of: name)) }
        if new.isIndexed, !old.isIndexed, !new.isUnique { changes.append(.newIndex(new.name, of: name)) }
        if old.isIndexed, !new.isIndexed, !new.isUnique { changes.append(.oldIndex(new.name, of: name)) }
    }
}
