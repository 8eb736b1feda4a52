/// The address of a collection: a property of an object, and the path from there to a nested collection.
public struct CollectionAddress: Hashable, Sendable {
    /// The class in which the object is looked up.
    public var className: String
    /// The key of the object.
    public var key: ObjectKey
    /// A property that is a collection, or a mixed property that may hold one.
    public var property: String
    /// The positions and keys that lead from the property's collection to this one.
    public var path: [CollectionStep]

    public init(_ property: String, of key: ObjectKey, in className: String, path: [CollectionStep] = []) {
        self.className = className
        self.key = key
        self.property = property
        self.path = path
    }
}

/// A collection as it is in one version.
struct FoundCollection {
    /// The table of its object, and the position of the property in that table.
    let table: Int
    let column: Int
    /// The property's number, the same in all versions.
    let number: UInt32
    /// The table and class that declared links in it lead to; nil if it has none.
    let target: Int?
    let targetName: String?
    /// Whether elements are, or would be, mixed values.
    let isMixed: Bool
    /// Whether the object exists.
    let hasOwner: Bool
    /// Nil if the object was deleted, or the path no longer leads to a collection.
    let reader: CollectionReader?

    /// Whether the elements of two versions can be compared by position.
    func isComparable(to other: FoundCollection) -> Bool {
        guard number == other.number, let reader, let second = other.reader else { return number == other.number }
        return reader.shape == second.shape
    }
}

extension CollectionAddress {
    /// Finds the collection in a snapshot.
    ///
    /// - Throws: `.unknownClass`, `.unknownProperty`; `.typeMismatch` if the property is not a collection.
    func find(at snapshot: Snapshot) throws(FreeholdError) -> FoundCollection {
        let table = try snapshot.table(className), column = try table.column(property), index = try table.state.index(of: column)
        let stored = table.state.stored.properties[index]
        if stored.shape == nil, stored.type != .mixed { throw stored.noCollection(class: className) }
        let row = try table.row(key)
        let schema = try snapshot.schema()
        return FoundCollection(table: table.tableNumber, column: index, number: stored.number, target: stored.linkTarget.map { schema.tables[Int($0)] },
                               targetName: try stored.linkTarget.map { target throws(FreeholdError) in try schema.name(ofClass: Int(target)) },
                               isMixed: stored.type == .mixed, hasOwner: row != nil, reader: try row?.anyCollection(column)?.found(at: path))
    }
}

extension VersionStep {
    /// How an object differs between the versions; nil if it does not.
    func difference(of key: ObjectKey, inTable table: Int) throws(FreeholdError) -> ObjectDifference? {
        if !hasChanged(table: table) { return nil }
        let all = try differences(inTable: table)
        var low = 0, high = all.count
        while low < high {
            let middle = (low + high) / 2
            if all[middle].key < key.rawValue { low = middle + 1 } else { high = middle }
        }
        return low < all.count && all[low].key == key.rawValue ? all[low] : nil
    }

    /// Requires that the step begins at the version of an answer.
    ///
    /// - Throws: `.invalidArgument` if it does not.
    func requireBegin(at version: Version) throws(FreeholdError) {
        guard mayBegin(at: version) else {
            throw FreeholdError(.invalidArgument, "the answer is of version \(version), the step begins at version \(versions.older)")
        }
    }
}
