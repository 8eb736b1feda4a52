/// A property with its stable number; its position in its class is its column. A class, so that passing it on counts
/// one reference.
final class StoredProperty: Sendable, Equatable {
    let number: UInt32
    let name: String
    let type: PropertyType
    let isNullable: Bool
    let isIndexed: Bool
    /// Whether no two objects have the same value: as declared, or because it is the primary key.
    let isUnique: Bool
    /// Whether this is the integer primary key, which is not stored in a column.
    let isObjectKey: Bool
    /// The class number a link points to.
    let linkTarget: UInt32?
    let deleteRule: DeleteRule
    /// The collections around the elements, from the outermost; empty for a plain value.
    let collections: [CollectionKind]
    /// The subclass that declares it; nil for the table's own class (`Family`).
    let owner: UInt32?

    /// The structure of a collection; nil for a plain value.
    let shape: CollectionShape?
    /// The type of its slot and leaf: a collection's is data.
    let storageType: PropertyType
    /// Whether null represents its default: null itself, an empty collection, or that an object's class does not have
    /// it.
    let defaultsToNull: Bool
    /// Whether an ordered tree over its values is kept: as declared, as needed for a key, or for following links back.
    let hasTree: Bool

    /// Whether the tree contains this value. Null links are in no tree, as they are never followed back; of mixed
    /// values without an index only links, and collections that hold some, are in it.
    @inline(__always) func files(_ value: Value) -> Bool {
        switch type {
        case .link: return value != .null
        case .mixed:
            if isIndexed || isUnique { return true }
            if case .object = value { return true }
            return value.collectionKind != nil && value.hasReference { _ in true }
        default: return true
        }
    }

    /// Whether the tree contains every value, so that it can answer queries about all objects.
    var filesAll: Bool { hasTree && (type != .mixed || isIndexed || isUnique) }

    /// Whether a value of its type can be written without further checks.
    var isPlain: Bool { shape == nil && !isUnique && !isObjectKey && owner == nil && !isClass && !type.mayLink }

    /// Whether it is the hidden column with the class of each object.
    var isClass: Bool { name.isEmpty }

    /// More levels than anyone can keep apart.
    static let maximumCollections = 8

    init(number: UInt32, name: String, type: PropertyType, isNullable: Bool, isIndexed: Bool, isUnique: Bool,
         isObjectKey: Bool, linkTarget: UInt32?, deleteRule: DeleteRule = .nullify, collections: [CollectionKind] = [], owner: UInt32? = nil) {
        self.number = number
        self.name = name
        self.type = type
        self.isNullable = isNullable
        self.isIndexed = isIndexed
        self.isUnique = isUnique
        self.isObjectKey = isObjectKey
        self.linkTarget = linkTarget
        self.deleteRule = deleteRule
        self.collections = collections
        self.owner = owner
        shape = collections.isEmpty ? nil : CollectionShape(collections[...], type, isNullable: isNullable)
        storageType = collections.isEmpty ? type : .data
        defaultsToNull = isNullable || !collections.isEmpty || owner != nil
        hasTree = (isIndexed || isUnique || type.mayLink) && !isObjectKey
    }

    /// This property with an index, or made unique.
    func indexed(isUnique more: Bool) -> StoredProperty {
        StoredProperty(number: number, name: name, type: type, isNullable: isNullable, isIndexed: true, isUnique: isUnique || more,
                       isObjectKey: isObjectKey, linkTarget: linkTarget, deleteRule: deleteRule, collections: collections, owner: owner)
    }

    static func == (left: StoredProperty, right: StoredProperty) -> Bool {
        left.number == right.number && left.name.isSame(as: right.name) && left.type == right.type
            && left.isNullable == right.isNullable && left.isIndexed == right.isIndexed && left.isUnique == right.isUnique
            && left.isObjectKey == right.isObjectKey && left.linkTarget == right.linkTarget
            && left.deleteRule == right.deleteRule && left.collections == right.collections && left.owner == right.owner
    }
}
