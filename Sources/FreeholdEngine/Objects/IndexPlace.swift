/// A position in a walk through an index, or through the objects by their keys: one object under one value.
///
/// It belongs to no version. In a newer one, or after changes of a transaction, the walk continues after the same value
/// and key, wherever that object may be now.
public struct IndexPlace: Sendable {
    /// The value as the index orders it, and the object; no value if objects are ordered by their keys alone.
    let last: KeyedObject
    private let type: PropertyType
    private let isObjectKey: Bool

    init(_ column: Column, _ last: KeyedObject) {
        self.last = last
        type = column.type
        isObjectKey = column.isObjectKey
    }

    /// - Throws: `.typeMismatch` if values of the property are ordered differently from the value of the place.
    func requireFit(_ column: Column, _ name: String) throws(FreeholdError) {
        guard type == column.type, isObjectKey == column.isObjectKey else {
            throw FreeholdError(.typeMismatch, "the position belongs to values of another type than those of '\(name)'; start again")
        }
    }
}

/// An object under its index key, in the order of a tree.
struct KeyedObject: Comparable, Sendable {
    let key: [UInt8]
    let object: ObjectKey

    static func < (left: KeyedObject, right: KeyedObject) -> Bool {
        left.key == right.key ? left.object < right.object : left.key.lexicographicallyPrecedes(right.key)
    }
}
