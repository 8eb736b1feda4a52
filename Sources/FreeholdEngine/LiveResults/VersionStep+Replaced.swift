/// Classes and properties whose name belonged to another one in the older version: dropped and added again, or of
/// another type.
///
/// Differences pair properties by their numbers (`ColumnPairing`), and classes by theirs. Queries, paths and
/// collections refer to both by name, so for them the values of one property replaced those of the other.
extension VersionStep {
    /// A property of the newer version, and the different property that had its name in the older version.
    struct ReplacedColumn {
        let old: Int
        let new: Int
    }

    /// The properties of a table whose name belonged to another property.
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

    /// Whether a class of the newer version is not the one that had its name before: it was dropped and created again,
    /// with its objects.
    func isReplaced(className: String) throws(FreeholdError) -> Bool {
        if hasSameSchema { return false }
        let before = try older.schema(), after = try newer.schema()
        guard let old = before.find(className), let new = after.find(className) else { return false }
        return before.table(of: Int(old.number)) != after.table(of: Int(new.number))
    }

    /// The change of one object by names: a property that took another one's name is compared with the value under that
    /// name before.
    func changeByName(of key: ObjectKey, in className: String, as table: Table) throws(FreeholdError) -> ObjectChange? {
        if try isReplaced(className: className) { return try replacement(of: key, in: className, as: table) }
        let replaced = try replacedColumns(inTable: table.tableNumber), found = try difference(of: key, inTable: table.tableNumber)
        guard !replaced.isEmpty, found?.kind ?? .changed == .changed, let rows = try rows(key, inTable: table.tableNumber) else {
            return try found.map { found throws(FreeholdError) in try change(found, as: table) }
        }
        var columns = found?.columns ?? ColumnSet()
        for column in replaced { if try rows.differ(in: column) { columns.insert(column.new) } else { columns.remove(column.new) } }
        return columns.isEmpty ? nil : ObjectChange(kind: .changed, key: key, before: rows.before, after: rows.after, columns: columns,
                                                    stored: table.state.stored, access: table.state.access)
    }

    private func replacement(of key: ObjectKey, in className: String, as table: Table) throws(FreeholdError) -> ObjectChange? {
        let before = try older.table(className).row(key), after = try table.row(key)
        if before == nil, after == nil { return nil }
        return ObjectChange(kind: before == nil ? .inserted : after == nil ? .deleted : .replaced, key: key, before: before, after: after,
                            columns: ColumnSet(), stored: table.state.stored, access: table.state.access)
    }

    /// An object's difference as the change that callers receive.
    func change(_ found: ObjectDifference, as table: Table) throws(FreeholdError) -> ObjectChange {
        let (before, after) = try rows(found, inTable: table.tableNumber)
        return ObjectChange(kind: ObjectChange.Kind(found.kind), key: ObjectKey(found.key), before: before, after: after, columns: found.columns,
                            stored: table.state.stored, access: table.state.access)
    }

    /// An object in both versions; nil if one of them does not have it.
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
