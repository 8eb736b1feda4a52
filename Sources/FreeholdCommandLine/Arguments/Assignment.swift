import ArgumentParser
import FreeholdEngine
import FreeholdImport

/// `property=value`: an empty value is null, `""` (two quotes) the empty text.
struct Assignment: ExpressibleByArgument {
    let property: String
    let text: String

    init?(argument: String) {
        guard let equals = argument.firstIndex(of: "="), equals > argument.startIndex else { return nil }
        property = String(argument[..<equals])
        text = String(argument[argument.index(after: equals)...])
    }

    /// The value for its property in a class; a link's is the target's primary key.
    func value(for schema: PropertySchema, in transaction: WriteTransaction) throws -> Value {
        if text.isEmpty { return .null }
        if let target = schema.linkTarget {
            return .link(try ObjectLookup.object(text, in: try transaction.table(target)))
        }
        let imported = ImportedValue.text(text == "\"\"" && schema.type == .string ? "" : text)
        do {
            return try imported.converted(to: schema.type)
        } catch {
            throw Failure("property '\(schema.name)': \(error.message)")
        }
    }
}
