extension Schema {
    /// Every class as the API describes it.
    var publicClasses: [ClassSchema] { present.map { publicClass(Int($0.number)) } }

    /// A class as the API describes it.
    func publicClass(_ number: Int) -> ClassSchema {
        let stored = classes[number]
        let properties = stored.properties.enumerated().map { place, property in
            var described = PropertySchema(property.name, property.type, isNullable: property.isNullable,
                                           isIndexed: property.isIndexed,
                                           isUnique: property.isUnique && stored.primaryKeys != [place],
                                           collections: property.collections)
            described.linkTarget = property.linkTarget.map { classes[Int($0)].name }
            described.deleteRule = property.deleteRule
            return described
        }
        let names = stored.properties.map(\.name)
        var described = ClassSchema(stored.name, superclass: stored.superclass.map { classes[Int($0)].name },
                                    isEmbedded: stored.isEmbedded, properties)
        described.primaryKeys = stored.primaryKeys.map { names[$0] }
        described.indexes = stored.indexes.map { IndexSchema($0.columns.map { names[$0] }, isUnique: $0.isUnique) }
        return described
    }

    /// This schema and one class more.
    func adding(_ wanted: ClassSchema) throws(FreeholdError) -> Schema {
        guard classes.count < TopBlock.maximumTables else {
            throw FreeholdError(.invalidArgument, "a file holds at most \(TopBlock.maximumTables) classes")
        }
        guard !wanted.name.isEmpty else { throw FreeholdError(.invalidArgument, "a class needs a name") }
        guard find(wanted.name) == nil else {
            throw FreeholdError(.schemaMismatch, "class '\(wanted.name)' already exists with other properties; "
                + "compare `freehold classes`")
        }
        let names = classes.map(\.name) + [wanted.name]
        var properties: [StoredProperty] = []
        for (index, property) in wanted.properties.enumerated() {
            let isKey = wanted.primaryKeys == [property.name]
            properties.append(try stored(property, number: UInt32(index), isKey: isKey, of: wanted.name, classes: names))
        }
        var keys: [Int] = [], indexes: [StoredIndex] = []
        for name in wanted.primaryKeys { keys.append(try place(of: name, as: "its primary key", in: wanted)) }
        for (number, index) in wanted.indexes.enumerated() {
            var columns: [Int] = []
            for name in index.properties { columns.append(try place(of: name, as: "part of an index", in: wanted)) }
            indexes.append(StoredIndex(number: UInt32(number), columns: columns, isUnique: index.isUnique))
        }
        let stored = StoredClass(number: UInt32(classes.count), name: wanted.name, properties: properties, primaryKeys: keys,
                                 superclass: try wanted.superclass.map { name throws(FreeholdError) in UInt32(try number(of: name)) },
                                 isEmbedded: wanted.isEmbedded, indexes: indexes)
        try require(stored)
        return Schema(classes + [stored])
    }

    private func place(of name: String, as part: String, in wanted: ClassSchema) throws(FreeholdError) -> Int {
        if let place = wanted.properties.firstIndex(where: { $0.name == name }) { return place }
        throw FreeholdError(.unknownProperty, "class '\(wanted.name)' names '\(name)' as \(part) but has no such property")
    }

    private func require(_ stored: StoredClass) throws(FreeholdError) {
        if let complaint = stored.complaint() { throw FreeholdError(.invalidArgument, complaint) }
        try stored.requireBuilt()
    }

    /// This schema with one property more in a class; existing objects have its default.
    func adding(_ property: PropertySchema, to name: String) throws(FreeholdError) -> Schema {
        let number = try number(of: name)
        let old = classes[number]
        guard !old.properties.contains(where: { $0.name == property.name }) else {
            throw FreeholdError(.schemaMismatch, "class '\(name)' already has a property '\(property.name)'")
        }
        let added = try stored(property, number: old.nextPropertyNumber, isKey: false, of: name, classes: classes.map(\.name))
        let changed = StoredClass(number: old.number, name: name, properties: old.properties + [added],
                                  primaryKeys: old.primaryKeys, superclass: old.superclass, isEmbedded: old.isEmbedded,
                                  indexes: old.indexes, nextPropertyNumber: old.nextPropertyNumber + 1,
                                  nextIndexNumber: old.nextIndexNumber)
        try require(changed)
        var all = classes
        all[number] = changed
        return Schema(all)
    }

    private func stored(_ property: PropertySchema, number: UInt32, isKey: Bool, of name: String,
                        classes names: [String]) throws(FreeholdError) -> StoredProperty {
        var target: UInt32?
        if property.type == .link {
            guard let place = names.firstIndex(of: property.linkTarget ?? "") else {
                throw FreeholdError(.unknownClass, "property '\(property.name)' of class '\(name)' links to class "
                    + "'\(property.linkTarget ?? "")', which does not exist; create that class first")
            }
            target = UInt32(place)
            if place < classes.count, classes[place].isEmbedded, property.collections.contains(.set) {
                throw FreeholdError(.invalidArgument, "property '\(property.name)' of class '\(name)' is a set, but objects of class "
                    + "'\(names[place])' live within others; lists and maps hold those")
            }
        }
        let isObjectKey = isKey && property.type == .int && !property.isNullable
        let isPlainLink = property.type == .link && property.collections.isEmpty
        return StoredProperty(number: number, name: property.name, type: property.type,
                              isNullable: property.isNullable || isPlainLink, isIndexed: property.isIndexed,
                              isUnique: isKey ? !isObjectKey : property.isUnique, isObjectKey: isObjectKey,
                              linkTarget: target, deleteRule: property.deleteRule, collections: property.collections)
    }
}

extension ClassSchema {
    /// The same class as `publicClass` describes it: what goes without saying is said in one way.
    var plain: ClassSchema {
        var plain = self
        for (place, property) in properties.enumerated() {
            if primaryKeys == [property.name] { plain.properties[place].isUnique = false }
            if property.type == .link, property.collections.isEmpty { plain.properties[place].isNullable = true }
        }
        return plain
    }
}
