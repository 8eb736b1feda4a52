extension StoredSchema {
    /// Every class as the API describes it, without hidden ones.
    var publicClasses: [ClassSchema] { present.filter { !ClassSchema.isHidden($0.name) }.map { publicClass(Int($0.number)) } }

    /// A class as the API describes it.
    func publicClass(_ number: Int) -> ClassSchema {
        let stored = classes[table(of: number)], heir = classes[number]
        let owner = heir.superclass == nil ? nil : heir.number
        let own = stored.properties.enumerated().filter { $0.element.owner == owner && !$0.element.isClass }
        let properties = own.map { place, property in
            var described = PropertySchema(property.name, property.type, isNullable: property.isNullable,
                                           isIndexed: property.isIndexed,
                                           isUnique: property.isUnique && stored.primaryKeys != [place],
                                           collections: property.collections)
            described.linkTarget = property.linkTarget.map { classes[Int($0)].name }
            described.deleteRule = property.deleteRule
            return described
        }
        let names = stored.properties.map(\.name)
        var described = ClassSchema(heir.name, superclass: heir.superclass.map { classes[Int($0)].name },
                                    isEmbedded: heir.isEmbedded, properties)
        if owner == nil { described.primaryKeys = stored.primaryKeys.map { names[$0] } }
        described.indexes = stored.indexes.dropFirst(stored.keyIndex == nil ? 0 : 1).filter { $0.owner == owner }.map { IndexSchema($0.columns.map { names[$0] }, isUnique: $0.isUnique) }
        if hasDerived {
            described.fullTextIndexes = fullTextIndexes(ofClass: number)
            described.placeIndexes = placeIndexes(ofClass: number)
            described.vectorIndexes = vectorIndexes(ofClass: number)
            described.collationIndexes = collationIndexes(ofClass: number)
        }
        if owner == nil { described.syncRules = stored.syncRules }
        return described
    }

    /// Whether there is such a class, whatever full-text indexes and indexes of places, of vectors and in a collation it has,
    /// synced or not.
    func has(_ wanted: ClassSchema) -> Bool {
        find(wanted.name).map { publicClass(Int($0.number)).withoutDerived == wanted.plain } ?? false
    }

    /// This schema with one more class.
    func adding(_ wanted: ClassSchema) throws(FreeholdError) -> StoredSchema {
        if let superclass = wanted.superclass {
            try requireNew(wanted, place: classes.count)
            return try adding(heir: wanted, of: superclass)
        }
        return try adding([wanted])
    }

    /// This schema with more classes, none of which extends another; they may link to one another.
    func adding(_ wanted: [ClassSchema]) throws(FreeholdError) -> StoredSchema {
        var numbers = numbersByName
        for (place, wanted) in wanted.enumerated() {
            try requireNew(wanted, place: classes.count + place)
            guard numbers.updateValue(classes.count + place, forKey: wanted.name) == nil else {
                throw FreeholdError(.schemaMismatch, "class '\(wanted.name)' is declared twice")
            }
        }
        var all = classes
        for wanted in wanted { all.append(try stored(wanted, number: UInt32(all.count), classes: numbers)) }
        for stored in all[classes.count...] { try requireSetsFit(stored, all) }
        return StoredSchema(all, version: version)
    }

    private func requireNew(_ wanted: ClassSchema, place: Int) throws(FreeholdError) {
        guard place < StoredSchema.maximumClasses else {
            throw FreeholdError(.invalidArgument, "a file holds at most \(StoredSchema.maximumClasses) classes")
        }
        guard !wanted.name.isEmpty else { throw FreeholdError(.invalidArgument, "a class needs a name") }
        guard find(wanted.name) == nil else {
            throw FreeholdError(.schemaMismatch, "class '\(wanted.name)' already exists with other properties; "
                + "compare `freehold classes`")
        }
    }

    private func stored(_ wanted: ClassSchema, number: UInt32, classes numbers: TextMap<Int>) throws(FreeholdError) -> StoredClass {
        var properties: [StoredProperty] = []
        for (index, property) in wanted.properties.enumerated() {
            let isKey = wanted.primaryKeys.isSame(as: [property.name])
            properties.append(try stored(property, number: UInt32(index), isKey: isKey, of: wanted.name, classes: numbers))
        }
        var keys: [Int] = [], indexes: [StoredIndex] = []
        for name in wanted.primaryKeys { keys.append(try place(of: name, as: "its primary key", in: wanted)) }
        if keys.count > 1 { indexes.append(StoredIndex(number: 0, columns: keys, isUnique: true)) }
        for (number, index) in wanted.indexes.enumerated() {
            var columns: [Int] = []
            for name in index.properties { columns.append(try place(of: name, as: "part of an index", in: wanted)) }
            indexes.append(StoredIndex(number: UInt32(number + (keys.count > 1 ? 1 : 0)), columns: columns, isUnique: index.isUnique))
        }
        let stored = StoredClass(number: number, name: wanted.name, properties: properties, primaryKeys: keys,
                                 isEmbedded: wanted.isEmbedded, indexes: indexes)
        try require(stored)
        return stored
    }

    private func place(of name: String, as part: String, in wanted: ClassSchema) throws(FreeholdError) -> Int {
        if let place = wanted.properties.firstIndex(where: { $0.name.isSame(as: name) }) { return place }
        throw FreeholdError(.unknownProperty, "class '\(wanted.name)' names '\(name)' as \(part) but has no such property")
    }

    private func require(_ stored: StoredClass) throws(FreeholdError) {
        if let complaint = stored.complaint() { throw FreeholdError(.invalidArgument, complaint) }
    }

    /// Throws if the class has sets of embedded objects.
    func requireSetsFit(_ stored: StoredClass, _ all: [StoredClass]) throws(FreeholdError) {
        for property in stored.properties where property.collections.contains(.set) {
            guard let target = property.linkTarget, Int(target) < all.count, all[Int(target)].isEmbedded else { continue }
            throw FreeholdError(.invalidArgument, "property '\(property.name)' of class '\(stored.name)' is a set, but objects of class "
                + "'\(all[Int(target)].name)' are embedded; use a list or a map")
        }
    }

    /// This schema with one more property in a class; existing objects have its default.
    func adding(_ property: PropertySchema, to name: String) throws(FreeholdError) -> StoredSchema {
        let number = try number(of: name)
        let old = classes[table(of: number)]
        guard !old.columns(of: UInt32(number)).contains(where: { old.properties[$0].name.isSame(as: property.name) }) else {
            throw FreeholdError(.schemaMismatch, "class '\(name)' already has a property '\(property.name)'")
        }
        let added = try stored(property, number: old.nextPropertyNumber, isKey: false, of: name, classes: numbersByName,
                               owner: classes[number].superclass == nil ? nil : UInt32(number))
        let changed = old.with(properties: old.properties + [added], nextPropertyNumber: old.nextPropertyNumber + 1)
        try require(changed)
        try requireSetsFit(changed, classes)
        return try replacing(changed)
    }

    /// This schema with one more index in a class: over one property, which becomes indexed or unique, or over several.
    func adding(_ index: IndexSchema, to name: String) throws(FreeholdError) -> StoredSchema {
        let number = try number(of: name)
        let old = classes[table(of: number)], owner = classes[number].superclass == nil ? nil : UInt32(number)
        var columns: [Int] = []
        for property in index.properties { columns.append(try old.place(of: property, in: UInt32(number))) }
        var properties = old.properties, indexes = old.indexes, next = old.nextIndexNumber
        if columns.count == 1, properties[columns[0]].owner == owner {
            let known = properties[columns[0]]
            if known.isObjectKey { return self }
            properties[columns[0]] = known.indexed(isUnique: index.isUnique)
        } else {
            indexes.append(StoredIndex(number: next, columns: columns, isUnique: index.isUnique, owner: owner))
            next += 1
        }
        let changed = old.with(properties: properties, indexes: indexes, nextIndexNumber: next)
        try require(changed)
        return try replacing(changed)
    }

    /// A property as the file stores it.
    ///
    /// - Parameter owner: the class that declares it, if it extends another one.
    func stored(_ property: PropertySchema, number: UInt32, isKey: Bool, of name: String,
                classes numbers: TextMap<Int>, owner: UInt32? = nil) throws(FreeholdError) -> StoredProperty {
        var target: UInt32?
        if property.type == .link {
            guard let place = numbers[property.linkTarget ?? ""] else {
                throw FreeholdError(.unknownClass, "property '\(property.name)' of class '\(name)' links to class "
                    + "'\(property.linkTarget ?? "")', which does not exist; create that class first")
            }
            target = UInt32(place)
        }
        let isObjectKey = isKey && property.type == .int && !property.isNullable
        return StoredProperty(number: number, name: property.name, type: property.type,
                              isNullable: property.isNullable || property.needsNoSaying, isIndexed: property.isIndexed,
                              isUnique: isKey ? !isObjectKey : property.isUnique, isObjectKey: isObjectKey,
                              linkTarget: target, deleteRule: property.deleteRule, collections: property.collections,
                              owner: owner)
    }
}

extension PropertySchema {
    /// Whether it is nullable regardless of the declaration: a plain link, and mixed values anywhere.
    fileprivate var needsNoSaying: Bool { type == .mixed || type == .link && collections.isEmpty }
}

extension ClassSchema {
    /// This class in the form `publicClass` gives it: implied attributes are stated in one way.
    var plain: ClassSchema {
        var plain = self
        for (place, property) in properties.enumerated() {
            if primaryKeys.isSame(as: [property.name]) { plain.properties[place].isUnique = false }
            if property.needsNoSaying { plain.properties[place].isNullable = true }
        }
        return plain
    }
}
