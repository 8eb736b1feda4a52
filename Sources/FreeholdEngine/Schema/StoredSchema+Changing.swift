/// Schemas derived from others: what changes keeps its number, and the number of what is dropped is never reused.
extension StoredSchema {
    /// This schema with another version number.
    func versioned(_ version: UInt64?) -> StoredSchema { StoredSchema(classes, version: version) }

    /// This schema with one class replaced by `stored`.
    func replacing(_ stored: StoredClass) throws(FreeholdError) -> StoredSchema {
        if let complaint = stored.complaint() { throw FreeholdError(.invalidArgument, complaint) }
        var all = classes
        all[Int(stored.number)] = stored
        return StoredSchema(all, version: version)
    }

    /// This schema without a class; its number stays reserved.
    func dropping(_ stored: StoredClass) throws(FreeholdError) -> StoredSchema {
        // Links of mixed properties become null.
        if let heir = present.first(where: { $0.superclass == stored.number }) {
            throw FreeholdError(.invalidArgument, "class '\(stored.name)' cannot be dropped: class '\(heir.name)' extends it")
        }
        for (table, column) in incoming[table(of: Int(stored.number))] {
            let property = classes[table].properties[column], owner = property.owner.map { Int($0) } ?? table
            guard property.linkTarget == stored.number, owner != Int(stored.number) else { continue }
            throw FreeholdError(.invalidArgument, "class '\(stored.name)' cannot be dropped: property "
                + "'\(property.name)' of class '\(classes[owner].name)' links to it; drop that property first")
        }
        var all = classes
        all[Int(stored.number)] = StoredClass(number: stored.number, name: "", properties: [])
        return StoredSchema(all, version: version)
    }
}

extension StoredClass {
    /// Whether it is a dropped class: no class has an empty name.
    var isDropped: Bool { name.isEmpty && properties.isEmpty }

    /// This class with another name.
    func renamed(_ name: String) -> StoredClass { with(name: name) }

    /// This class with the property of one column replaced.
    func replacing(_ column: Int, by property: StoredProperty) -> StoredClass {
        var all = properties
        all[column] = property
        return with(properties: all, nextPropertyNumber: max(nextPropertyNumber, property.number + 1))
    }

    /// This class without a property; those after it move up.
    func dropping(_ column: Int) -> StoredClass {
        var all = properties
        all.remove(at: column)
        func moved(_ place: Int) -> Int { place > column ? place - 1 : place }
        let kept = indexes.map { StoredIndex(number: $0.number, columns: $0.columns.map(moved), isUnique: $0.isUnique, owner: $0.owner) }
        return with(properties: all, primaryKeys: primaryKeys.map(moved), indexes: kept)
    }

    func with(name: String? = nil, properties: [StoredProperty]? = nil, primaryKeys: [Int]? = nil, isEmbedded: Bool? = nil,
              indexes: [StoredIndex]? = nil, nextPropertyNumber: UInt32? = nil, nextIndexNumber: UInt32? = nil, heirs: [StoredHeir]? = nil,
              derived: [StoredDerived]? = nil, nextDerivedNumber: UInt32? = nil,
              sync: StoredSync?? = nil) -> StoredClass {
        StoredClass(number: number, name: name ?? self.name, properties: properties ?? self.properties,
                    primaryKeys: primaryKeys ?? self.primaryKeys, superclass: superclass, isEmbedded: isEmbedded ?? self.isEmbedded,
                    indexes: indexes ?? self.indexes, nextPropertyNumber: nextPropertyNumber ?? self.nextPropertyNumber,
                    nextIndexNumber: nextIndexNumber ?? self.nextIndexNumber, heirs: heirs ?? self.heirs,
                    derived: derived ?? self.derived, nextDerivedNumber: nextDerivedNumber ?? self.nextDerivedNumber,
                    sync: (sync ?? self.sync)?.keeping(properties ?? self.properties))
    }

    /// Throws if other parts of the schema depend on the column that is to be dropped or retyped.
    func requireFree(_ column: Int, to change: String) throws(FreeholdError) {
        let property = properties[column]
        if primaryKeys.contains(column) {
            throw FreeholdError(.invalidArgument, "property '\(property.name)' is the primary key of class '\(name)'; it cannot be \(change)")
        }
        if properties[column].isUnique, change != "dropped" {
            throw FreeholdError(.invalidArgument, "property '\(property.name)' of class '\(name)' is unique; it cannot be \(change)")
        }
        if indexes.contains(where: { $0.columns.contains(column) }) {
            throw FreeholdError(.invalidArgument, "property '\(property.name)' of class '\(name)' is part of an index over several "
                + "properties; it cannot be \(change)")
        }
    }
}

extension StoredProperty {
    /// This property with the given attributes replaced.
    func with(number: UInt32? = nil, name: String? = nil, type: PropertyType? = nil, isNullable: Bool? = nil,
              isIndexed: Bool? = nil, isUnique: Bool? = nil, isObjectKey: Bool? = nil, deleteRule: DeleteRule? = nil) -> StoredProperty {
        StoredProperty(number: number ?? self.number, name: name ?? self.name, type: type ?? self.type,
                       isNullable: isNullable ?? self.isNullable, isIndexed: isIndexed ?? self.isIndexed, isUnique: isUnique ?? self.isUnique,
                       isObjectKey: isObjectKey ?? self.isObjectKey, linkTarget: linkTarget, deleteRule: deleteRule ?? self.deleteRule,
                       collections: collections, owner: owner)
    }
}
