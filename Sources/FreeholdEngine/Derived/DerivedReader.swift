/// What one object contributes to a derived index in one version. The values are read when they are asked for.
struct DerivedDocument {
    let key: Int64
    private let place: RowPlace
    private let reader: DerivedReader

    fileprivate init(_ key: Int64, _ place: RowPlace, _ reader: DerivedReader) {
        self.key = key
        self.place = place
        self.reader = reader
    }

    /// The value of a field of the index; null if the link to it is null.
    func value(_ field: Int) throws(FreeholdError) -> Value { try reader.value(place, key, field) }
}

/// Reads the documents of one derived index in one version: of sealed objects of the class that declares it, and of its
/// subclasses.
final class DerivedReader {
    /// The location of a field in the version.
    private struct Place {
        /// The column of the link, and the table that it leads to; nil for a property of the class itself.
        let link: (column: Int, state: TableState)?
        let column: Int
        let isObjectKey: Bool
    }

    /// The table's sealed objects.
    let state: TableState
    let tables: DerivedTables
    private let owner: UInt32?
    /// The fields in their order; nil for one that the version does not have.
    private let places: [Place?]

    /// - Parameter stored: the table of the newer of the two versions that are compared, which has the index.
    init(_ index: StoredDerived, of stored: StoredClass, in tables: DerivedTables, as newer: StoredSchema) throws(FreeholdError) {
        self.tables = tables
        owner = index.owner
        let table = try tables.state(Int(stored.number), as: stored)
        state = TableState(sealed: table)
        var places: [Place?] = []
        for field in index.fields {
            guard let number = field.link else {
                places.append(table.stored.column(numbered: field.property).map {
                    Place(link: nil, column: $0, isObjectKey: table.stored.properties[$0].isObjectKey)
                })
                continue
            }
            let other = try tables.state(Int(field.table), as: newer.classes[Int(field.table)])
            guard let link = table.stored.column(numbered: number), let column = other.stored.column(numbered: field.property) else {
                places.append(nil)
                continue
            }
            places.append(Place(link: (link, other), column: column, isObjectKey: other.stored.properties[column].isObjectKey))
        }
        self.places = places
    }

    /// The document of the sealed object with this key; nil if there is none, or if its class does not have the index.
    func document(_ key: Int64) throws(FreeholdError) -> DerivedDocument? {
        guard let place = try state.find(key) else { return nil }
        return try document(key, at: place)
    }

    /// The document of a sealed object; nil if its class does not have the index.
    func document(_ key: Int64, at place: RowPlace) throws(FreeholdError) -> DerivedDocument? {
        if let owner, try !state.isKind(place, of: owner) { return nil }
        return DerivedDocument(key, place, self)
    }

    fileprivate func value(_ place: RowPlace, _ key: Int64, _ field: Int) throws(FreeholdError) -> Value {
        guard let known = places[field] else { return .null }
        guard let link = known.link else { return known.isObjectKey ? .int(key) : try state.value(place, known.column) }
        guard let target = try state.link(place, link.column), let found = try link.state.find(target) else { return .null }
        return known.isObjectKey ? .int(target) : try link.state.value(found, known.column)
    }
}
