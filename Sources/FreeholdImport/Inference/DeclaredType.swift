import FreeholdEngine

/// A type that the caller states instead of leaving it to inference: `int`, or `int?` where null is allowed.
public struct DeclaredType: Sendable, Equatable {
    /// The type of the values.
    public let type: PropertyType
    /// Whether a value may be missing.
    public let isNullable: Bool

    /// Reads a type's name, with `?` behind it where null is allowed; nil if there is no such type.
    public init?(_ text: String) {
        isNullable = text.hasSuffix("?")
        let name = isNullable ? String(text.dropLast()) : text
        guard let type = PropertyType.allCases.first(where: { $0.name.lowercased() == name.lowercased() }), type != .link else {
            return nil
        }
        self.type = type
    }
}
