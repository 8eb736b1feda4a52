/// The columns to compare, and the position of each in the older version.
///
/// Properties are the same if their numbers are; names do not count. A property that the older version does not have is
/// compared with its default (invariant 5); one that only the older version has is not compared.
struct ColumnPairing {
    struct Pair {
        /// The column of the newer version.
        let new: Int
        /// The column of the older version, or nil if it has none.
        let old: Int?
        let property: StoredProperty
        /// The values of objects whose cluster or row has nothing for the column.
        let oldDefault: Value
        let newDefault: Value

        /// Whether a value is what objects got when a property that the older version does not have was added: the
        /// initial value for those of its class, null for those of other classes of the family.
        func isInitial(_ value: Value) -> Bool {
            value.isIdentical(to: property.initialValue) || property.owner != nil && value == .null
        }

        /// Whether the two kinds of objects differ, so that a missing leaf does not decide the value.
        var fillsInSome: Bool { old == nil && property.owner != nil && !property.isNullable && property.shape == nil }
    }

    let pairs: [Pair]
    /// Whether every column has the same position in both versions.
    let isSame: Bool

    /// - Parameter wanted: whether to compare a column of the newer version.
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
