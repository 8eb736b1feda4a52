import FreeholdEngine

/// The type of a property's values, as the schema has it.
public struct _PropertyKind {
    var type: PropertyType
    var isOptional = false
    /// The collections around the values, the outermost first.
    var collections: [CollectionKind] = []
    /// Whether one of the collections was declared optional, which is not allowed.
    var hasOptionalCollection = false
    /// Whether the values are of a custom type of the program.
    var isWrapped = false
    /// The class of linked objects or linking objects.
    var objectType: ObjectBase.Type?

    init(_ type: PropertyType, objectType: ObjectBase.Type? = nil) {
        self.type = type
        self.objectType = objectType
    }

    var optional: _PropertyKind {
        var kind = self
        if kind.collections.isEmpty { kind.isOptional = true } else { kind.hasOptionalCollection = true }
        return kind
    }

    var wrapped: _PropertyKind {
        var kind = self
        kind.isWrapped = true
        return kind
    }
    func inside(_ collection: CollectionKind) -> _PropertyKind {
        var kind = self
        kind.collections.insert(collection, at: 0)
        return kind
    }
}
