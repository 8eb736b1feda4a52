/// The kind of a collection and the type of its elements: the part of a property's schema that trees and codecs need.
struct CollectionShape: Equatable {
    /// The kind of this collection, then the kinds of its nested collections; never empty.
    let kinds: ArraySlice<CollectionKind>
    /// The type of the innermost elements.
    let type: PropertyType
    /// Whether the innermost elements may be null.
    let isNullable: Bool

    init(_ kinds: ArraySlice<CollectionKind>, _ type: PropertyType, isNullable: Bool) {
        precondition(!kinds.isEmpty, "a collection has a kind")
        self.kinds = kinds
        self.type = type
        // In a map or a mixed value, a link becomes null when its target is deleted.
        self.isNullable = isNullable || type == .mixed || type == .link && kinds.last == .map
    }

    var kind: CollectionKind { kinds[kinds.startIndex] }

    /// The shape of the elements, if they are collections.
    var inner: CollectionShape? {
        kinds.count == 1 ? nil : CollectionShape(kinds.dropFirst(), type, isNullable: isNullable)
    }

    /// Whether elements are values, not collections.
    @inline(__always) var isPlain: Bool { kinds.count == 1 }

    /// The type of leaf that stores the elements; collections are stored in leaves of bytes.
    @inline(__always) var leafType: PropertyType { isPlain ? type : .data }

    /// The shape of the collection that is the element `value`: in a collection of mixed values each element has its
    /// own.
    func inner(of value: Value) throws(FreeholdError) -> CollectionShape {
        if let inner { return inner }
        guard type == .mixed, let kind = value.collectionKind else { throw CollectionError.notNested(self) }
        return .mixed(kind)
    }

    /// The shape of a collection that is a mixed value.
    static func mixed(_ kind: CollectionKind) -> CollectionShape { CollectionShape([kind], .mixed, isNullable: true) }

    /// The shape of a map's keys, as a list.
    static let keys = CollectionShape([.list], .string, isNullable: false)
}

/// One step from a collection to one of its elements.
public enum CollectionStep: Hashable, Sendable {
    /// The element of a list at this position, counted from 0.
    case position(Int)
    /// The value of a map under this key.
    case key(String)
}
