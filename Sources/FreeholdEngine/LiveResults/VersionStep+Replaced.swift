/// Classes and properties of a name that another one had in the older version: dropped and added again, or of another type.
///
/// Differences pair properties by their numbers (`ColumnPairing`), and classes by theirs. Queries, paths and collections name both, so for
/// them the values of one took the place of the other's.
extension VersionStep {
    /// A property of the newer version, and the other one that had its name in the older version.
    struct ReplacedColumn {
        let old: Int
        let new: Int
    }

    /// The properties of a table that have the name of another one.
    func replacedColumns(inTable table: Int) throws(FreeholdError) -> [ReplacedColumn] {
        if hasSameSchema { return [] }
        guard let before = try older.schema().find(number: table), let after = try newer.schema().find(number: table) else { return [] }
        return after.properties.indices.compactMap { new in
            let property = after.properties[new]
            let named = before.properties.firstIndex { $0.name.isSame(as: property.name) && $0.owner == property.owner }
            guard let old = named, !property.isClass, before.place(of: property) != old else { return nil }
            return ReplacedColumn(old: old, new: new)
        }
    }

    /// Whether a class of the newer version is another one than that which had its name: dropped and created again, its objects with it.
    public func isReplaced(className: String) throws(FreeholdError) -> Bool {
        if hasSameSchema { return false }
        let tables = try tables(of: className)
        return tables.older.tableNumber != tables.newer.tableNumber
    }

    /// The names of an object's properties that are others than those so named in the older version, as far as the values differ.
    ///
    /// `change(of:in:)` does not report these: it compares properties that have kept their numbers.
    /// - Throws: `.unknownClass` if a version does not have the class.
    public func replacedProperties(of key: ObjectKey, in className: String) throws(FreeholdError) -> [String] {
        if hasSameSchema { return [] }
        let table = try tables(of: className).newer.tableNumber, replaced = try replacedColumns(inTable: table)
        guard !replaced.isEmpty, let rows = try rows(key, inTable: table) else { return [] }
        var names: [String] = []
        for column in replaced where try rows.differ(in: column) { names.append(rows.newer.properties[column.new].name) }
        return names
    }

    /// An object in both versions; nil if it is not in both.
    func rows(_ key: ObjectKey, inTable table: Int) throws(FreeholdError) -> RowPair? {
        guard let old = try older.table(numbered: table), let new = try newer.table(numbered: table),
              let before = try old.row(key), let after = try new.row(key) else { return nil }
        return RowPair(older: old.state.stored, before: before, newer: new.state.stored, after: after)
    }
}

/// An object in both versions of a step.
struct RowPair {
    let older: StoredClass
    let before: Row
    let newer: StoredClass
    let after: Row

    /// Whether the values of two properties of one name differ.
    func differ(in column: VersionStep.ReplacedColumn) throws(FreeholdError) -> Bool {
        let old = try before.value(older.column(column.old)), new = try after.value(newer.column(column.new))
        return !old.isIdentical(to: new)
    }
}
