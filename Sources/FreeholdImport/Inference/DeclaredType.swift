import FreeholdEngine

/// A type that the caller declares instead of having it inferred: `int`, or `int?` if null is allowed.
public struct DeclaredType: Sendable, Equatable {
    /// The type of the values.
    public let type: PropertyType
    /// Whether a value may be missing.
    public let isNullable: Bool

    /// Parses a type's name, followed by `?` if null is allowed; nil if the type is unknown.
    public init?(_ text: String) {
        isNullable = text.hasSuffix("?")
        let name = isNullable ? String(text.dropLast()) : text
        guard let type = PropertyType.allCases.first(where: { $0.name.lowercased() == name.lowercased() }), type != .link else {
            return nil
        }
        self.type = type
    }
}
