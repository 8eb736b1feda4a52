/// What a collection is and what its elements are: the part of a property's schema that trees and codecs need.
struct CollectionShape: Equatable {
    /// This collection first, then those that its elements are; never empty.
    let kinds: ArraySlice<CollectionKind>
    /// The type of the innermost elements.
    let type: PropertyType
    /// Whether the innermost elements may be null.
    let isNullable: Bool

    init(_ kinds: ArraySlice<CollectionKind>, _ type: PropertyType, isNullable: Bool) {
        precondition(!kinds.isEmpty, "a collection has a kind")
        self.kinds = kinds
        self.type = type
        // What is left of a map's link, and of a mixed one, when its target goes is null.
        self.isNullable = isNullable || type == .mixed || type == .link && kinds.last == .map
    }

    var kind: CollectionKind { kinds[kinds.startIndex] }

    /// What the elements are, if they are collections themselves.
    var inner: CollectionShape? {
        kinds.count == 1 ? nil : CollectionShape(kinds.dropFirst(), type, isNullable: isNullable)
    }

    /// Whether elements are values, not collections.
    @inline(__always) var isPlain: Bool { kinds.count == 1 }

    /// The type of leaf that holds the elements; collections stand in leaves of bytes.
    @inline(__always) var leafType: PropertyType { isPlain ? type : .data }

    /// What a collection's element is that is `value`: in a collection of mixed values each tells for itself.
    func inner(of value: Value) throws(FreeholdError) -> CollectionShape {
        if let inner { return inner }
        guard type == .mixed, let kind = value.collectionKind else { throw CollectionError.notNested(self) }
        return .mixed(kind)
    }

    /// A collection that is the value of a mixed property, or an element of one.
    static func mixed(_ kind: CollectionKind) -> CollectionShape { CollectionShape([kind], .mixed, isNullable: true) }

    /// The keys of a map, as a list.
    static let keys = CollectionShape([.list], .string, isNullable: false)
}

/// One step from a collection to a collection in it.
public enum CollectionStep: Hashable, Sendable {
    /// The element of a list at this position, counted from 0.
    case position(Int)
    /// The value of a map under this key.
    case key(String)
}
