import FreeholdEngine

/// What is known of a property.
public struct Property: Equatable, Sendable, CustomStringConvertible {
    /// The name in the program; for classes of the file alone, that in the file.
    public let name: String
    /// The name in the file.
    public let columnName: String
    /// The type of the value, or of a collection's elements.
    public let type: PropertyType
    /// Whether it is a list.
    public let isArray: Bool
    /// Whether it is a set.
    public let isSet: Bool
    /// Whether it is a map.
    public let isMap: Bool
    /// Whether the file keeps an index of it.
    public let isIndexed: Bool
    /// Whether it is the primary key.
    public let isPrimaryKey: Bool
    /// Whether it, or an element, may be nil.
    public let isOptional: Bool
    /// The class that links lead to, or linking objects come from.
    public let objectClassName: String?
    /// The property that linking objects come from.
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
