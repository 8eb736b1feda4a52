/// An index in a collation as a class declares it: a string property, and the language in whose order its values are kept.
///
/// ```swift
/// let index = CollationIndex("name", collation: "de-u-kn")
/// ```
/// A class has at most one index over a property in a collation, and may have several collations of one property.
public struct CollationIndex: Sendable, Hashable {
    /// A property of type string.
    public let property: String
    /// The language and its options as a BCP 47 tag, in one spelling: options in the order of their names, `kn` for `kn-true`.
    public let collation: String

    public init(_ property: String, collation: String) {
        self.property = property
        self.collation = CollationTag.normal(collation)
    }

    /// The index, as messages show it: `name COLLATE "de"`.
    public var order: String { "\(property) COLLATE \"\(collation)\"" }

    /// Whether both keep the same order of the same property; names are compared by their bytes.
    public static func == (left: CollationIndex, right: CollationIndex) -> Bool {
        left.property.isSame(as: right.property) && left.collation.isSame(as: right.collation)
    }
}
