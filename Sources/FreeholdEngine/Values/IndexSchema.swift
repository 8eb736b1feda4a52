/// An ordered index over several properties of a class: for look-ups of all their values, or of the first ones and a range
/// of the next.
public struct IndexSchema: Sendable, Equatable, Hashable {
    /// The properties, the most significant first.
    public var properties: [String]
    /// Whether no two objects may have the same values of all of them.
    public var isUnique: Bool

    public init(_ properties: [String], isUnique: Bool = false) {
        self.properties = properties
        self.isUnique = isUnique
    }

    /// Whether both are over the same properties; names are told apart by their bytes.
    public static func == (left: IndexSchema, right: IndexSchema) -> Bool {
        left.isUnique == right.isUnique && left.properties.isSame(as: right.properties)
    }
}
