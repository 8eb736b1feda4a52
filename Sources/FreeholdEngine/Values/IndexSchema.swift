/// An ordered index over several properties of a class, for look-ups by all their values, or by the first values and a
/// range of the next.
public struct IndexSchema: Sendable, Equatable, Hashable {
    /// The properties, the most significant first.
    public var properties: [String]
    /// Whether the values of all of them together must be unique.
    public var isUnique: Bool

    public init(_ properties: [String], isUnique: Bool = false) {
        self.properties = properties
        self.isUnique = isUnique
    }

    /// Whether both indexes are over the same properties; names are compared by their bytes.
    public static func == (left: IndexSchema, right: IndexSchema) -> Bool {
        left.isUnique == right.isUnique && left.properties.isSame(as: right.properties)
    }
}
