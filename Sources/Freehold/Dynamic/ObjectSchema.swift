public import FreeholdEngine

/// A class description: its name and its properties.
public struct ObjectSchema: Equatable, Sendable, CustomStringConvertible {
    /// The name of the class in the file.
    public let className: String
    /// The stored properties, those of superclasses first. Linking objects are found by name only.
    public let properties: [Property]
    private let linking: [Property]
    /// Whether the class is embedded.
    public let isEmbedded: Bool
    /// The name of the superclass; nil for `Object` and `EmbeddedObject`.
    public let superclassName: String?
    /// The full-text indexes of its objects, those that superclasses declare included. Fields have the names of `properties`.
    public let fullTextIndexes: [FullTextIndex]
    /// The indexes of places of its objects, those that superclasses declare included.
    public let placeIndexes: [PlaceIndex]
    /// The indexes of vectors of its objects, those that superclasses declare included.
    public let vectorIndexes: [VectorIndex]
    /// The indexes in a collation of its objects, those that superclasses declare included.
    public let collationIndexes: [CollationIndex]
    /// How its objects are synced; nil if they are not.
    public let syncRules: SyncRules?
    private let type: ObjectBase.Type

    init(_ model: ModelClass) {
        className = model.name
        properties = model.properties.filter(\.isStored).map { Property($0) }
        linking = model.properties.filter { !$0.isStored }.map { Property($0) }
        isEmbedded = model.isEmbedded
        superclassName = model.superclass?.name
        fullTextIndexes = model.fullText
        placeIndexes = model.placeIndexes
        vectorIndexes = model.vectorIndexes
        collationIndexes = model.collationIndexes
        syncRules = model.syncRules
        type = model.type
    }

    /// Describes a class of a file; `superclass` is the one it has there.
    init(_ stored: ClassSchema, superclass: String? = nil) {
        let model = ModelClass(stored, as: DynamicObject.self)
        className = model.name
        properties = model.properties.map { Property($0) }
        linking = []
        isEmbedded = model.isEmbedded
        superclassName = superclass
        fullTextIndexes = stored.fullTextIndexes
        placeIndexes = stored.placeIndexes
        vectorIndexes = stored.vectorIndexes
        collationIndexes = stored.collationIndexes
        syncRules = stored.syncRules
        type = DynamicObject.self
    }

    /// The Swift class of the objects: `DynamicObject` if the program has none.
    public var objectClass: AnyClass { type }

    /// Always false: asymmetric objects are written only, for servers that receive them.
    public var isAsymmetric: Bool { false }

    /// The primary key; nil if there is none.
    public var primaryKeyProperty: Property? { properties.first(where: \.isPrimaryKey) }

    /// The property with a name; nil if there is none.
    public subscript(propertyName: String) -> Property? { (properties + linking).first { $0.name.isSame(as: propertyName) } }

    public var description: String {
        let lines = properties.map { Self.indented($0.description) + "\n" }
        let indexes = fullTextIndexes.map { "full text = \($0.paths)" } + placeIndexes.map { "places = \($0.place)" }
            + vectorIndexes.map { "vectors = \($0.property), \($0.shape)" }
            + collationIndexes.map { "order = \($0.order)" } + (syncRules.map { ["synced = \($0.text)"] } ?? [])
        return "\(className)\(isEmbedded ? " (embedded)" : "") {\n\(lines.joined())\(indexes.map { "\t\($0);\n" }.joined())}"
    }

    static func indented(_ text: String) -> String { "\t" + text.split(separator: "\n").joined(separator: "\n\t") }

    public static func == (left: ObjectSchema, right: ObjectSchema) -> Bool {
        left.className.isSame(as: right.className) && left.properties == right.properties && left.linking == right.linking && left.isEmbedded == right.isEmbedded
            && left.superclassName.isSame(as: right.superclassName) && left.fullTextIndexes == right.fullTextIndexes
            && left.placeIndexes == right.placeIndexes && left.vectorIndexes == right.vectorIndexes
            && left.collationIndexes == right.collationIndexes && left.syncRules == right.syncRules
    }
}

extension ObjectBase {
    /// The description of the object's class.
    public final var objectSchema: ObjectSchema {
        guard let model = modelClass else { return ObjectSchema(ClassSchema(className, [])) }
        return ObjectSchema(model)
    }
}
