import FreeholdEngine

/// Creates the classes that an import needs and does not find.
///
/// An existing class keeps its properties and their types; missing ones are added as nullable, because older objects
/// have no value for them.
struct SchemaPreparation {
    private let transaction: WriteTransaction
    /// The caller's options.
    private let options: ImportOptions
    private(set) var createdClasses: [String] = []
    private(set) var addedProperties: [String] = []

    init(_ transaction: WriteTransaction, _ options: ImportOptions) {
        self.transaction = transaction
        self.options = options
    }

    /// Creates every missing class and property of `schemas`.
    mutating func adopt(_ schemas: [ClassSchema]) throws(FreeholdError) {
        var missing: [ClassSchema] = [], waiting: [(PropertySchema, className: String)] = []
        for schema in schemas {
            if let existing = transaction.classes.first(where: { $0.name.isSame(as: schema.name) }) {
                try checkWishes(existing, isRoot: schema.name.isSame(as: schemas[0].name))
                waiting += try additions(schema, to: existing, heirs: schemas.filter { $0.superclass.isSame(as: schema.name) })
            } else {
                missing.append(try withoutInherited(schema))
            }
        }
        var creation = ClassCreation(in: transaction)
        try creation.create(missing)
        createdClasses = missing.map(\.name)
        for (property, className) in waiting {
            try transaction.addProperty(property, to: className)
            if !createdClasses.has(className) { addedProperties.append("\(className).\(property.name)") }
        }
    }

    /// A class that does not exist yet, without the properties that its superclass has in the file.
    private func withoutInherited(_ schema: ClassSchema) throws(FreeholdError) -> ClassSchema {
        guard let superclass = schema.superclass else { return schema }
        var own = schema
        let inherited = try names(of: superclass)
        own.properties.removeAll { inherited.contains($0.name) }
        return own
    }

    /// An existing class is not changed, so it must already match the options.
    private func checkWishes(_ existing: ClassSchema, isRoot: Bool) throws(FreeholdError) {
        if let primaryKey = isRoot ? options.primaryKey : options.nestedKeys[existing.name], !existing.primaryKey.isSame(as: primaryKey) {
            let own = existing.primaryKey.map { "'\($0)' as its primary key" } ?? "no primary key"
            throw FreeholdError(.schemaMismatch, "class '\(existing.name)' already exists with \(own), not '\(primaryKey)'")
        }
        for property in existing.properties {
            let own = property.linkTarget.map { "links to '\($0)'" } ?? "is a \(property.collections.map { "\($0.name) of " }.joined())\(property.type.name)"
            let start = "property '\(property.name)' of class '\(existing.name)' already exists and \(own)"
            let wanted = options.declaredTypes["\(existing.name).\(property.name)"] ?? (isRoot ? options.declaredTypes[property.name] : nil)
            if let wanted, wanted.type != property.type || !property.collections.isEmpty {
                throw FreeholdError(.schemaMismatch, "\(start), so it cannot be a \(wanted.type.name)")
            }
            if isRoot, let target = options.links[property.name], !property.linkTarget.isSame(as: target) {
                throw FreeholdError(.schemaMismatch, "\(start), so it cannot link to '\(target)'")
            }
        }
    }

    /// The properties that a class lacks. A property that only subclasses have stays theirs and is added to those
    /// subclasses that lack it.
    private func additions(
        _ schema: ClassSchema, to existing: ClassSchema, heirs: [ClassSchema]
    ) throws(FreeholdError) -> [(PropertySchema, className: String)] {
        let known = try names(of: existing.name)
        var additions: [(PropertySchema, className: String)] = []
        for property in schema.properties where !known.contains(property.name) {
            var property = property
            if property.collections.isEmpty { property.isNullable = true }
            var lacking: [String] = []
            for heir in heirs where try !names(of: heir.name).contains(property.name) { lacking.append(heir.name) }
            if lacking.count == heirs.count { additions.append((property, schema.name)) } else { additions += lacking.map { (property, $0) } }
        }
        return additions
    }

    /// The properties of a class's objects, including inherited ones; none if the class does not exist.
    private func names(of className: String) throws(FreeholdError) -> Set<ExactText> {
        guard transaction.classes.contains(where: { $0.name.isSame(as: className) }) else { return [] }
        return Set(exact: try transaction.table(className).schema.properties.map(\.name))
    }
}
