import FreeholdEngine
import FreeholdImport
import FreeholdTools

/// Looks up properties by name, and objects by their primary key.
enum ObjectLookup {
    /// The position of a property in its class.
    static func property(_ name: String, of schema: ClassSchema) throws(Failure) -> Int {
        if let place = schema.properties.firstIndex(where: { $0.name.isSame(as: name) }) { return place }
        let names = schema.properties.map(\.name)
        throw Failure(Suggestion.unknown("property", name, among: names, in: "class '\(schema.name)'"))
    }

    /// Finds the object with this primary key, or, in a class without one, with this object key.
    static func object(_ text: String, in table: Table) throws -> ObjectKey {
        let schema = table.schema
        let key = schema.properties.first { $0.name.isSame(as: schema.primaryKey) }
        let value: Value
        do {
            value = try ImportedValue.text(text).converted(to: key?.type ?? .int)
        } catch {
            throw Failure("the \(key == nil ? "object key" : "primary key '\(key?.name ?? "")'") of class '\(schema.name)': \(error.message)")
        }
        if key != nil {
            if let found = try table.key(primaryKey: value) { return found }
        } else if case .int(let number) = value, try table.contains(ObjectKey(number)) {
            return ObjectKey(number)
        }
        throw Failure("class '\(schema.name)' has no object '\(text)'")
    }
}
