/// A class of objects: its name, its properties in order, and which of them is the primary key.
///
/// ```swift
/// let person = ClassSchema("Person", primaryKey: "id", [
///     PropertySchema("id", .int), PropertySchema("name", .string, isIndexed: true),
///     PropertySchema("employer", linkTo: "Company"),
/// ])
/// ```
public struct ClassSchema: Sendable, Equatable {
    public var name: String
    public var properties: [PropertySchema]
    /// The primary key's name, or nil: then objects are known by their object key alone.
    public var primaryKey: String?

    public init(_ name: String, primaryKey: String? = nil, _ properties: [PropertySchema]) {
        self.name = name
        self.properties = properties
        self.primaryKey = primaryKey
    }
}

/// One property of a class.
public struct PropertySchema: Sendable, Equatable {
    public var name: String
    public var type: PropertyType
    /// Whether null is a value of this property. Links are always nullable.
    public var isNullable: Bool
    /// Whether an ordered index is kept, for equality, ranges, prefixes, sorting and minimum/maximum.
    public var isIndexed: Bool
    /// The class a link points to; nil for every other type.
    public var linkTarget: String?

    public init(_ name: String, _ type: PropertyType, isNullable: Bool = false, isIndexed: Bool = false) {
        self.init(name: name, type: type, isNullable: isNullable, isIndexed: isIndexed, linkTarget: nil)
    }

    /// A to-one link to objects of another class, or of its own.
    public init(_ name: String, linkTo target: String) {
        self.init(name: name, type: .link, isNullable: true, isIndexed: false, linkTarget: target)
    }

    init(name: String, type: PropertyType, isNullable: Bool, isIndexed: Bool, linkTarget: String?) {
        self.name = name
        self.type = type
        self.isNullable = isNullable
        self.isIndexed = isIndexed
        self.linkTarget = linkTarget
    }
}
