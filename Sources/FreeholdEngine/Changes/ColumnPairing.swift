/// Which columns are compared, and where each of them is in the older version.
///
/// Properties are the same if their numbers are; names do not count. One that the older version does not have is compared
/// with its default (invariant 5); one that only the older version has is not compared.
struct ColumnPairing {
    struct Pair {
        /// The column of the newer version.
        let new: Int
        /// That of the older one, or nil if it has none.
        let old: Int?
        let property: StoredProperty
        /// What objects have whose cluster or row has nothing for the column.
        let oldDefault: Value
        let newDefault: Value

        /// Whether objects got this value of a property that the older version does not have by its being added: those of its class
        /// the initial one, those of other classes of the family none.
        func isInitial(_ value: Value) -> Bool {
            value.isIdentical(to: property.initialValue) || property.owner != nil && value == .null
        }

        /// Whether the two differ, so that a leaf's missing says nothing.
        var fillsInSome: Bool { old == nil && property.owner != nil && !property.isNullable && property.shape == nil }
    }

    let pairs: [Pair]
    /// Whether every column stands at its place in both versions.
    let isSame: Bool

    /// - Parameter wanted: whether a column of the newer version is to be compared.
    init(_ old: StoredClass, _ new: StoredClass, where wanted: (Int) -> Bool = { _ in true }) {
        var pairs: [Pair] = []
        for (column, property) in new.properties.enumerated() where !property.isObjectKey && wanted(column) {
            let before = old === new ? column : old.properties.firstIndex { $0.number == property.number && $0.type == property.type }
            let newDefault = property.defaultValue
            pairs.append(Pair(new: column, old: before, property: property,
                              oldDefault: before.map { old.properties[$0].defaultValue } ?? newDefault, newDefault: newDefault))
        }
        self.pairs = pairs
        isSame = old === new || old.properties == new.properties
    }
}
