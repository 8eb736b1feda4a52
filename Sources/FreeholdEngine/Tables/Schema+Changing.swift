/// Schemas made from others: what changes keeps its number, what is dropped gives it to nobody.
extension Schema {
    /// This schema with one class as `stored` has it.
    func replacing(_ stored: StoredClass) throws(FreeholdError) -> Schema {
        if let complaint = stored.complaint() { throw FreeholdError(.invalidArgument, complaint) }
        try stored.requireBuilt()
        var all = classes
        all[Int(stored.number)] = stored
        return Schema(all)
    }

    /// This schema without a class; its number stays taken.
    func dropping(_ stored: StoredClass) throws(FreeholdError) -> Schema {
        for (table, column) in incoming[Int(stored.number)] where table != Int(stored.number) {
            throw FreeholdError(.invalidArgument, "class '\(stored.name)' cannot be dropped: property "
                + "'\(classes[table].properties[column].name)' of class '\(classes[table].name)' links to it; drop that first")
        }
        if let heir = classes.first(where: { $0.superclass == stored.number }) {
            throw FreeholdError(.invalidArgument, "class '\(stored.name)' cannot be dropped: class '\(heir.name)' extends it")
        }
        var all = classes
        all[Int(stored.number)] = StoredClass(number: stored.number, name: "", properties: [])
        return Schema(all)
    }
}

extension StoredClass {
    /// Whether it was a class and is none any more: no class has an empty name.
    var isDropped: Bool { name.isEmpty && properties.isEmpty }

    /// The same class with another name.
    func renamed(_ name: String) -> StoredClass { with(name: name) }

    /// The same class with a property in another one's place.
    func replacing(_ column: Int, by property: StoredProperty) -> StoredClass {
        var all = properties
        all[column] = property
        return with(properties: all, nextPropertyNumber: max(nextPropertyNumber, property.number + 1))
    }

    /// The same class without a property; those behind it move up.
    func dropping(_ column: Int) -> StoredClass {
        var all = properties
        all.remove(at: column)
        func moved(_ place: Int) -> Int { place > column ? place - 1 : place }
        let kept = indexes.map { StoredIndex(number: $0.number, columns: $0.columns.map(moved), isUnique: $0.isUnique) }
        return with(properties: all, primaryKeys: primaryKeys.map(moved), indexes: kept)
    }

    private func with(name: String? = nil, properties: [StoredProperty]? = nil, primaryKeys: [Int]? = nil,
                      indexes: [StoredIndex]? = nil, nextPropertyNumber: UInt32? = nil) -> StoredClass {
        StoredClass(number: number, name: name ?? self.name, properties: properties ?? self.properties,
                    primaryKeys: primaryKeys ?? self.primaryKeys, superclass: superclass, isEmbedded: isEmbedded,
                    indexes: indexes ?? self.indexes, nextPropertyNumber: nextPropertyNumber ?? self.nextPropertyNumber,
                    nextIndexNumber: nextIndexNumber)
    }

    /// Refuses to take away or retype what others stand on.
    func requireFree(_ column: Int, to change: String) throws(FreeholdError) {
        let property = properties[column]
        if primaryKeys.contains(column) {
            throw FreeholdError(.invalidArgument, "property '\(property.name)' is the primary key of class '\(name)'; it cannot be \(change)")
        }
        if indexes.contains(where: { $0.columns.contains(column) }) {
            throw FreeholdError(.invalidArgument, "property '\(property.name)' of class '\(name)' is part of an index over several "
                + "properties; it cannot be \(change)")
        }
    }
}

extension StoredProperty {
    /// The same property, but for what is given.
    func with(number: UInt32? = nil, name: String? = nil, type: PropertyType? = nil, isNullable: Bool? = nil,
              isIndexed: Bool? = nil) -> StoredProperty {
        StoredProperty(number: number ?? self.number, name: name ?? self.name, type: type ?? self.type,
                       isNullable: isNullable ?? self.isNullable, isIndexed: isIndexed ?? self.isIndexed, isUnique: isUnique,
                       isObjectKey: isObjectKey, linkTarget: linkTarget, deleteRule: deleteRule, collections: collections)
    }
}
