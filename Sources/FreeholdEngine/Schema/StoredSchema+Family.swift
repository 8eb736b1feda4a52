/// Schemas with classes that extend others.
extension StoredSchema {
    /// This schema with one more class, which extends another one: its properties become columns of that class's table.
    func adding(heir wanted: ClassSchema, of superclass: String) throws(FreeholdError) -> StoredSchema {
        let above = try number(of: superclass), number = UInt32(classes.count), root = classes[table(of: above)]
        guard wanted.primaryKeys.isEmpty else {
            throw FreeholdError(.invalidArgument, "class '\(wanted.name)' extends '\(superclass)', and objects of both "
                + "share one key; declare the primary key in '\(classes[table(of: above)].name)', not in '\(wanted.name)'")
        }
        guard wanted.isEmbedded == root.isEmbedded else {
            throw FreeholdError(.invalidArgument, "class '\(wanted.name)' is \(wanted.isEmbedded ? "" : "not ")embedded, the class '\(superclass)' "
                + "that it extends is\(wanted.isEmbedded ? " not" : ""); both must be embedded or neither")
        }
        var numbers = numbersByName
        numbers[wanted.name] = classes.count
        var properties = root.properties, next = root.nextPropertyNumber
        if root.family == nil {
            properties.append(StoredProperty(number: next, name: "", type: .int, isNullable: true, isIndexed: false, isUnique: false,
                                             isObjectKey: false, linkTarget: nil))
            next += 1
        }
        for property in wanted.properties {
            properties.append(try stored(property, number: next, isKey: false, of: wanted.name, classes: numbers, owner: number))
            next += 1
        }
        let placeholder = StoredClass(number: number, name: wanted.name, properties: [], superclass: UInt32(above), isEmbedded: wanted.isEmbedded)
        let heirs = root.heirs + [StoredHeir(number: number, name: wanted.name, superclass: UInt32(above))]
        let widened = root.with(properties: properties, nextPropertyNumber: next, heirs: heirs)
        var indexes = root.indexes
        for (place, index) in wanted.indexes.enumerated() {
            var columns: [Int] = []
            for name in index.properties { columns.append(try widened.place(of: name, in: number)) }
            indexes.append(StoredIndex(number: root.nextIndexNumber + UInt32(place), columns: columns, isUnique: index.isUnique, owner: number))
        }
        try requireSetsFit(widened, classes)
        let changed = widened.with(indexes: indexes, nextIndexNumber: root.nextIndexNumber + UInt32(wanted.indexes.count))
        return try replacing(changed, adding: placeholder)
    }

    /// A class with all properties of its objects, including those that its superclasses declare.
    func wholeClass(_ number: Int) -> ClassSchema {
        var whole = publicClass(number)
        guard classes[number].superclass != nil else { return whole }
        let lineage = lineage(of: number).map { publicClass($0) }
        whole.properties = lineage.flatMap(\.properties)
        whole.primaryKeys = lineage[0].primaryKeys
        whole.indexes = lineage.flatMap(\.indexes)
        whole.fullTextIndexes = lineage.flatMap(\.fullTextIndexes)
        whole.placeIndexes = lineage.flatMap(\.placeIndexes)
        whole.vectorIndexes = lineage.flatMap(\.vectorIndexes)
        whole.syncRules = lineage[0].syncRules
        return whole
    }

    /// A class and its superclasses, the root first.
    func lineage(of number: Int) -> [Int] {
        var line = [number]
        while let superclass = classes[line[0]].superclass { line.insert(Int(superclass), at: 0) }
        return line
    }

    /// This schema with a table as it is to be, and perhaps one class more.
    private func replacing(_ changed: StoredClass, adding placeholder: StoredClass) throws(FreeholdError) -> StoredSchema {
        if let complaint = changed.complaint() { throw FreeholdError(.invalidArgument, complaint) }
        var all = classes
        all[Int(changed.number)] = changed
        return StoredSchema(all + [placeholder], version: version)
    }

    /// This schema without a class that extends another one, of which its table's class knows nothing any more.
    func dropping(heir: StoredClass, leaving root: StoredClass) -> StoredSchema {
        var all = classes
        all[Int(heir.number)] = StoredClass(number: heir.number, name: "", properties: [])
        all[Int(root.number)] = root
        return StoredSchema(all, version: version)
    }

    /// This schema with a subclass renamed.
    func renaming(heir: StoredClass, to name: String) -> StoredSchema {
        var all = classes
        all[Int(heir.number)] = heir.renamed(name)
        return StoredSchema(all, version: version)
    }
}

extension StoredClass {
    /// The position of a property of a class of this table: its own, or inherited.
    func place(of property: String, in number: UInt32) throws(FreeholdError) -> Int {
        if number == self.number { return try index(of: property) }
        guard let member = family?.member(number) else { return try index(of: property) }
        return try member.index(of: property, self)
    }

    /// The position of a property that a class of this table declares itself.
    func place(declared property: String, by number: UInt32) throws(FreeholdError) -> Int {
        let place = try place(of: property, in: number), owner = properties[place].owner ?? self.number
        if owner == number { return place }
        let name = family?.member(owner)?.name ?? self.name
        throw FreeholdError(.invalidArgument, "property '\(property)' belongs to class '\(name)', which '\(family?.member(number)?.name ?? "")' "
            + "extends; change it there")
    }

    /// The columns of a class of this table in the order of the API: inherited ones first.
    func columns(of number: UInt32) -> [Int] {
        if let member = family?.member(number) { return member.columns }
        return Array(properties.indices)
    }
}
