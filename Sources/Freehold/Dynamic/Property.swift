import FreeholdEngine

/// A property description.
public struct Property: Equatable, Sendable, CustomStringConvertible {
    /// The name in the program; for classes that only the file has, the name in the file.
    public let name: String
    /// The name in the file.
    public let columnName: String
    /// The type of the value, or of a collection's elements.
    public let type: PropertyType
    /// Whether the property is a list.
    public let isArray: Bool
    /// Whether the property is a set.
    public let isSet: Bool
    /// Whether the property is a map.
    public let isMap: Bool
    /// Whether the file keeps an index of the property.
    public let isIndexed: Bool
    /// Whether the property is the primary key.
    public let isPrimaryKey: Bool
    /// Whether the value, or an element, may be nil.
    public let isOptional: Bool
    /// The class of the linked objects or linking objects.
    public let objectClassName: String?
    /// The property of the linking objects that holds the link.
    public let linkOriginPropertyName: String?

    init(_ property: ModelProperty) {
        name = property.name
        columnName = property.storedName
        type = property.kind.type
        let outermost = property.kind.collections.first
        isArray = outermost == .list || property.kind.type == .linkingObjects
        isSet = outermost == .set
        isMap = outermost == .map
        isIndexed = property.attributes.isIndexed || property.attributes.isPrimaryKey
        isPrimaryKey = property.attributes.isPrimaryKey
        let isLinks = property.kind.type == .object && (outermost == .list || outermost == .set)
        isOptional = property.kind.isOptional && !isLinks
        objectClassName = property.targetName ?? property.kind.objectType?.className()
        linkOriginPropertyName = property.attributes.originProperty
    }

    public var description: String {
        func said(_ flag: Bool) -> String { flag ? "YES" : "NO" }
        var lines = ["type = \(type)"]
        if let objectClassName {
            lines += ["objectClassName = \(objectClassName)", "linkOriginPropertyName = \(linkOriginPropertyName ?? "(null)")"]
        }
        lines += [
            "columnName = \(columnName)", "indexed = \(said(isIndexed))", "isPrimary = \(said(isPrimaryKey))", "array = \(said(isArray))",
            "set = \(said(isSet))", "dictionary = \(said(isMap))", "optional = \(said(isOptional))",
        ]
        return "\(name) {\n\(lines.map { "\t\($0);\n" }.joined())}"
    }
}
