import FreeholdEngine

/// The classes of a realm, or of a file.
///
/// ```swift
/// print(realm.schema["Person"]?.primaryKeyProperty?.name ?? "no key")
/// ```
public struct Schema: Equatable, Sendable, CustomStringConvertible {
    /// The classes, by name.
    public let objectSchema: [ObjectSchema]

    init(_ classes: [ObjectSchema]) { objectSchema = classes.sorted { $0.className.precedes($1.className) } }

    /// The class with a name; nil if there is none.
    public subscript(className: String) -> ObjectSchema? { objectSchema.first { $0.className.isSame(as: className) } }

    public var description: String { "Schema {\n\(objectSchema.map { ObjectSchema.indented($0.description) + "\n" }.joined())}" }
}
