import FreeholdEngine

/// Makes the classes that an import needs and does not find.
///
/// A class that is there keeps its properties and their types; what it lacks is added, nullable, since its older objects
/// have no value for it.
struct SchemaPreparation {
    private let transaction: WriteTransaction
    /// What the caller asked of the records' own class, which comes first.
    private let primaryKey: String?
    private let links: [String: String]
    private(set) var createdClasses: [String] = []
    private(set) var addedProperties: [String] = []

    init(_ transaction: WriteTransaction, primaryKey: String?, links: [String: String]) {
        self.transaction = transaction
        self.primaryKey = primaryKey
        self.links = links
    }

    /// Makes every class and property in `schemas` exist.
    mutating func adopt(_ schemas: [ClassSchema]) throws(FreeholdError) {
        var waiting: [(PropertySchema, className: String)] = []
        for schema in schemas {
            if let existing = transaction.classes.first(where: { $0.name == schema.name }) {
                if schema.name == schemas[0].name { try checkWishes(existing) }
                waiting += additions(schema, to: existing)
            } else {
                waiting += try create(schema)
            }
        }
        for (property, className) in waiting {
            try transaction.addProperty(property, to: className)
            if !createdClasses.contains(className) { addedProperties.append("\(className).\(property.name)") }
        }
    }

    /// Makes a class.
    /// - Returns: its links to classes that are not there yet, to be added last.
    private mutating func create(_ schema: ClassSchema) throws(FreeholdError) -> [(PropertySchema, className: String)] {
        let known = transaction.classes.map(\.name) + [schema.name]
        let isEarly = { (property: PropertySchema) in property.linkTarget.map { !known.contains($0) } ?? false }
        var first = schema
        first.properties.removeAll(where: isEarly)
        try transaction.createClass(first)
        createdClasses.append(schema.name)
        return schema.properties.filter(isEarly).map { ($0, schema.name) }
    }

    /// A class that is there is not changed: what was asked of it has to be so already.
    private func checkWishes(_ existing: ClassSchema) throws(FreeholdError) {
        if let primaryKey, existing.primaryKey != primaryKey {
            let own = existing.primaryKey.map { "'\($0)' as its primary key" } ?? "no primary key"
            throw FreeholdError(.schemaMismatch, "class '\(existing.name)' is there already and has \(own), not '\(primaryKey)'")
        }
        for property in existing.properties {
            guard let target = links[property.name], property.linkTarget != target else { continue }
            let own = property.linkTarget.map { "links to '\($0)'" } ?? "is a \(property.type.name)"
            throw FreeholdError(
                .schemaMismatch, "property '\(property.name)' of class '\(existing.name)' is there already and \(own), so it cannot link to '\(target)'")
        }
    }

    private func additions(
        _ schema: ClassSchema, to existing: ClassSchema
    ) -> [(PropertySchema, className: String)] {
        let known = Set(existing.properties.map(\.name))
        return schema.properties.filter { !known.contains($0.name) }.map { property in
            var property = property
            if property.collections.isEmpty { property.isNullable = true }
            return (property, schema.name)
        }
    }
}
