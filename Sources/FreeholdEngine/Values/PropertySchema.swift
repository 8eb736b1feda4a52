/// One property of a class.
///
/// ```swift
/// PropertySchema("tags", .string, collections: [.set])
/// PropertySchema("parts", linkTo: "Part", deleteRule: .cascade, collections: [.list])
/// ```
public struct PropertySchema: Sendable, Equatable {
    public var name: String
    /// The type of the value, or of a collection's innermost elements.
    public var type: PropertyType
    /// Whether null is an allowed value of this property, or an allowed element of its innermost collections. Plain
    /// links and mixed values, also in collections, always allow null.
    public var isNullable: Bool
    /// Whether an ordered index is kept, for equality, ranges, prefixes, sorting and minimum/maximum.
    public var isIndexed: Bool
    /// Whether no two objects may have the same value.
    public var isUnique: Bool
    /// The class a link points to; nil for every other type.
    public var linkTarget: String?
    /// The effect of deleting an object on the objects this property links to.
    public var deleteRule: DeleteRule
    /// The collections that hold the elements, from the outermost; empty for a plain value. A map from strings to lists
    /// of strings is a string in `[.map, .list]`.
    public var collections: [CollectionKind]

    public init(_ name: String, _ type: PropertyType, isNullable: Bool = false, isIndexed: Bool = false, isUnique: Bool = false,
                collections: [CollectionKind] = []) {
        self.name = name
        self.type = type
        self.isNullable = isNullable || type == .mixed || type == .link && collections.isEmpty
        self.isIndexed = isIndexed
        self.isUnique = isUnique
        linkTarget = nil
        deleteRule = .nullify
        self.collections = collections
    }

    /// A link to an object of any class, or a collection of such links.
    public init(_ name: String, linkTo target: String, isUnique: Bool = false, deleteRule: DeleteRule = .nullify,
                collections: [CollectionKind] = []) {
        self.init(name, .link, isUnique: isUnique, collections: collections)
        linkTarget = target
        self.deleteRule = deleteRule
    }
}

extension PropertySchema {
    /// Whether both properties declare the same; names are compared by their bytes.
    public static func == (left: PropertySchema, right: PropertySchema) -> Bool {
        left.name.isSame(as: right.name) && left.type == right.type && left.isNullable == right.isNullable && left.isIndexed == right.isIndexed
            && left.isUnique == right.isUnique && left.linkTarget.isSame(as: right.linkTarget) && left.deleteRule == right.deleteRule
            && left.collections == right.collections
    }
}
