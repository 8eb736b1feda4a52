import ArgumentParser
import FreeholdEngine
import FreeholdImport

/// `property=value`: an empty value is null, `""` (two quotes) the empty string.
struct Assignment: ExpressibleByArgument {
    let property: String
    let text: String

    init?(argument: String) {
        guard let equals = argument.firstIndex(of: "="), equals > argument.startIndex else { return nil }
        property = String(argument[..<equals])
        text = String(argument[argument.index(after: equals)...])
    }

    /// Converts the value to its property's type; a link's value is the target's primary key, a collection's is JSON.
    func value(for schema: PropertySchema, in transaction: WriteTransaction) throws -> Value {
        if text.isEmpty { return .null }
        do {
            guard schema.collections.isEmpty else {
                return try ImportedValue.text(text).collection(schema.collections[...]) { try element($0, schema, transaction) }
            }
            return try element(.text(text == "\"\"" && schema.type == .string ? "" : text), schema, transaction)
        } catch let error as ConversionError {
            throw Failure("property '\(schema.name)': \(error.message)")
        }
    }

    private func element(_ imported: ImportedValue, _ schema: PropertySchema, _ transaction: WriteTransaction) throws -> Value {
        guard let target = schema.linkTarget else { return try imported.converted(to: schema.type) }
        let key = if case .text(let text) = imported { text } else { imported.jsonText }
        return .link(try ObjectLookup.object(key, in: try transaction.table(target)))
    }
}
