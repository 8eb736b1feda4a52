/// What a copy of a database needs beyond the ordinary: keys and schema numbers as they are, links before their
/// targets.
extension WriteTransaction {
    /// Takes over a whole schema, except derived indexes and the marks of synced classes; for a database without classes.
    ///
    /// A derived index cannot be kept up to date while objects link to targets that do not exist yet: `derived.adopt`
    /// follows the last object.
    func adopt(_ schema: StoredSchema) { replaceSchema(by: schema.keeping { _ in false }.withoutSync()) }

    /// Creates an object like `row`, under the same key. Its links are not checked: their targets follow.
    func copy(_ row: Row, _ stored: StoredClass) throws(FreeholdError) {
        let writer = try writer(Int(stored.number))
        let place = try writer.insert(key: row.key.rawValue)
        for column in stored.properties.indices { try copy(column, of: row, stored, to: place, of: writer) }
        if !stored.indexes.isEmpty { try writer.claims.claimKeys(place, in: writer) }
    }

    /// Copies one property of `row` to a row that is being created.
    func copy(_ column: Int, of row: Row, _ stored: StoredClass, to place: Int, of writer: TableWriter) throws(FreeholdError) {
        let value = try row.value(stored.column(column))
        // Null there says that the object's class does not have the property.
        if value == .null, stored.properties[column].owner != nil { return writer.setNull(place, column) }
        try writer.fill(place, column, with: value)
    }
}
