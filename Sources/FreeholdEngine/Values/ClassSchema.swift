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
    /// The properties of the primary key, usually one. If empty, objects are identified by their object key alone.
    public var primaryKeys: [String]
    /// The class whose properties this class inherits; nil for most classes.
    public var superclass: String?
    /// Whether objects of the class exist only inside another object and are deleted with it.
    public var isEmbedded: Bool
    /// Indexes over several properties.
    public var indexes: [IndexSchema]
    /// Full-text indexes of its strings.
    public var fullTextIndexes: [FullTextIndex] = []
    /// Indexes of the places that its objects have.
    public var placeIndexes: [PlaceIndex] = []
    /// Indexes of the vectors that its objects have.
    public var vectorIndexes: [VectorIndex] = []
    /// Indexes of its strings in the order of a language.
    public var collationIndexes: [CollationIndex] = []
    /// How its objects are synced; nil if they are not. A subclass is synced as the class that it extends.
    public var syncRules: SyncRules?

    public init(_ name: String, primaryKey: String? = nil, superclass: String? = nil, isEmbedded: Bool = false,
                indexes: [IndexSchema] = [], _ properties: [PropertySchema]) {
        self.name = name
        self.properties = properties
        primaryKeys = primaryKey.map { [$0] } ?? []
        self.superclass = superclass
        self.isEmbedded = isEmbedded
        self.indexes = indexes
    }

    /// A class whose primary key consists of several properties.
    public init(_ name: String, primaryKey: [String], superclass: String? = nil, indexes: [IndexSchema] = [],
                _ properties: [PropertySchema]) {
        self.init(name, superclass: superclass, indexes: indexes, properties)
        primaryKeys = primaryKey
    }

    /// The primary key's name; nil if there is none or if it consists of several properties (`primaryKeys`).
    public var primaryKey: String? {
        get { primaryKeys.count == 1 ? primaryKeys[0] : nil }
        set { primaryKeys = newValue.map { [$0] } ?? [] }
    }
}

extension ClassSchema {
    /// Whether both schemas declare the same; names are compared by their bytes.
    public static func == (left: ClassSchema, right: ClassSchema) -> Bool {
        left.name.isSame(as: right.name) && left.properties == right.properties && left.primaryKeys.isSame(as: right.primaryKeys)
            && left.superclass.isSame(as: right.superclass) && left.isEmbedded == right.isEmbedded && left.indexes == right.indexes
            && left.fullTextIndexes == right.fullTextIndexes && left.placeIndexes == right.placeIndexes
            && left.vectorIndexes == right.vectorIndexes && left.collationIndexes == right.collationIndexes
            && left.syncRules == right.syncRules
    }

    /// The class without its full-text indexes and indexes of places, of vectors and in a collation, and without rules for sync.
    var withoutDerived: ClassSchema {
        var plain = self
        plain.fullTextIndexes = []
        plain.placeIndexes = []
        plain.vectorIndexes = []
        plain.collationIndexes = []
        plain.syncRules = nil
        return plain
    }
}

extension ClassSchema {
    /// The start of the names of hidden classes: an import keeps in them what nobody is to see before it is complete. Lists of
    /// classes leave them out; they are found by their names.
    public static let hiddenPrefix = "$import:"

    /// Whether a class of this name is in no list of classes.
    public static func isHidden(_ name: String) -> Bool { name.utf8.starts(with: hiddenPrefix.utf8) }
}
