extension Schema {
    /// A class as the API describes it.
    func publicClass(_ number: Int) -> ClassSchema {
        let stored = classes[number]
        let properties = stored.properties.map { property in
            PropertySchema(name: property.name, type: property.type, isNullable: property.isNullable,
                           isIndexed: property.isIndexed,
                           linkTarget: property.linkTarget.map { classes[Int($0)].name })
        }
        return ClassSchema(stored.name, primaryKey: stored.primaryKey.map { stored.properties[$0].name }, properties)
    }

    /// This schema and one class more.
    func adding(_ wanted: ClassSchema) throws(FreeholdError) -> Schema {
        guard !wanted.name.isEmpty else { throw FreeholdError(.invalidArgument, "a class needs a name") }
        guard classes.count < TopBlock.maximumTables else {
            throw FreeholdError(.invalidArgument, "a file holds at most \(TopBlock.maximumTables) classes")
        }
        guard find(wanted.name) == nil else {
            throw FreeholdError(.schemaMismatch, "class '\(wanted.name)' already exists with other properties; "
                + "compare `freehold classes`")
        }
        try checkCount(wanted.properties.count, of: wanted.name)
        let names = classes.map(\.name) + [wanted.name]
        var properties: [StoredProperty] = []
        for (index, property) in wanted.properties.enumerated() {
            let isKey = property.name == wanted.primaryKey
            properties.append(try stored(property, number: UInt32(index), isKey: isKey, of: wanted.name, classes: names))
        }
        guard Set(properties.map(\.name)).count == properties.count else {
            throw FreeholdError(.invalidArgument, "class '\(wanted.name)' names a property twice")
        }
        let key = properties.firstIndex { $0.name == wanted.primaryKey }
        if let name = wanted.primaryKey, key == nil {
            throw FreeholdError(.unknownProperty, "class '\(wanted.name)' names '\(name)' as its primary key but has no such property")
        }
        return Schema(classes + [StoredClass(number: UInt32(classes.count), name: wanted.name, properties: properties,
                                             primaryKey: key)])
    }

    /// This schema with one property more in a class; existing objects have its default.
    func adding(_ property: PropertySchema, to name: String) throws(FreeholdError) -> Schema {
        let number = try number(of: name)
        let old = classes[number]
        guard !old.properties.contains(where: { $0.name == property.name }) else {
            throw FreeholdError(.schemaMismatch, "class '\(name)' already has a property '\(property.name)'")
        }
        try checkCount(old.properties.count + 1, of: name)
        let next = (old.properties.map(\.number).max() ?? 0) + 1
        let added = try stored(property, number: next, isKey: false, of: name, classes: classes.map(\.name))
        var all = classes
        all[number] = StoredClass(number: old.number, name: name, properties: old.properties + [added],
                                  primaryKey: old.primaryKey)
        return Schema(all)
    }

    private func checkCount(_ properties: Int, of name: String) throws(FreeholdError) {
        if properties <= StoredClass.maximumProperties { return }
        throw FreeholdError(.invalidArgument, "a class has at most \(StoredClass.maximumProperties) properties; class "
            + "'\(name)' would have \(properties)")
    }

    private func stored(_ property: PropertySchema, number: UInt32, isKey: Bool, of name: String,
                        classes names: [String]) throws(FreeholdError) -> StoredProperty {
        guard !property.name.isEmpty else {
            throw FreeholdError(.invalidArgument, "a property of class '\(name)' has no name")
        }
        var target: UInt32?
        if property.type == .link {
            guard let place = names.firstIndex(of: property.linkTarget ?? "") else {
                throw FreeholdError(.unknownClass, "property '\(property.name)' of class '\(name)' links to class "
                    + "'\(property.linkTarget ?? "")', which does not exist; create that class first")
            }
            target = UInt32(place)
        }
        if isKey, ![.int, .string, .uuid, .objectId, .date].contains(property.type) {
            throw FreeholdError(.invalidArgument, "a \(property.type.name) cannot be the primary key of class '\(name)'")
        }
        let isObjectKey = isKey && property.type == .int && !property.isNullable
        return StoredProperty(number: number, name: property.name, type: property.type,
                              isNullable: property.isNullable || property.type == .link,
                              isIndexed: property.isIndexed, isUnique: isKey && !isObjectKey,
                              isObjectKey: isObjectKey, linkTarget: target)
    }
}
