/// The constraints on a class, whether it comes from a caller or from a file.
extension StoredClass {
    /// The reason why the class is invalid, or nil.
    func complaint() -> String? {
        if isDropped { return nil }
        if name.isEmpty { return "a class needs a name" }
        if properties.count > Self.maximumProperties {
            return "a class has at most \(Self.maximumProperties) properties; class '\(name)' would have \(properties.count)"
        }
        if let complaint = familyComplaint() { return complaint }
        if Set(properties.map(\.number)).count < properties.count || properties.contains(where: { $0.number >= nextPropertyNumber }) {
            return "two properties of class '\(name)' have the same number"
        }
        for property in properties {
            if let complaint = property.complaint() { return "\(complaint) (class '\(name)')" }
        }
        if isEmbedded, !primaryKeys.isEmpty { return "class '\(name)' is embedded and cannot have a primary key" }
        return keyComplaint() ?? indexComplaint()
    }

    private func keyComplaint() -> String? {
        if Set(primaryKeys).count < primaryKeys.count { return "class '\(name)' names a property of its primary key twice" }
        for (place, property) in properties.enumerated() where property.isObjectKey && primaryKeys != [place] {
            return "property '\(property.name)' of class '\(name)' cannot be part of its primary key"
        }
        for place in primaryKeys {
            let property = properties[place]
            guard property.collections.isEmpty, property.type.traits.canBeKey else {
                let kind = property.collections.first?.name ?? property.type.name
                return "a \(kind) cannot be the primary key of class '\(name)'"
            }
            if primaryKeys.count == 1, property.isUnique == property.isObjectKey {
                return "property '\(property.name)' of class '\(name)' is its primary key, but not unique"
            }
        }
        return nil
    }

    private func indexComplaint() -> String? {
        if indexes.count > Self.maximumIndexes {
            return "a class has at most \(Self.maximumIndexes) indexes over several properties; class '\(name)' would have "
                + "\(indexes.count)"
        }
        if Set(indexes.map(\.number)).count < indexes.count || indexes.contains(where: { $0.number >= nextIndexNumber }) {
            return "two indexes of class '\(name)' have the same number"
        }
        if nextIndexNumber > StoredIndex.maximumNumber { return "class '\(name)' has had too many indexes" }
        if primaryKeys.count > 1, indexes.first?.columns != primaryKeys || indexes.first?.isUnique != true {
            return "the primary key of class '\(name)' has no index"
        }
        for index in indexes {
            if index.columns.isEmpty || index.columns.contains(where: { properties[$0].isClass }) {
                return "an index of class '\(name)' names no property"
            }
            if Set(index.columns).count < index.columns.count { return "an index of class '\(name)' names a property twice" }
            if let column = index.columns.first(where: { !properties[$0].collections.isEmpty }) {
                return "property '\(properties[column].name)' of class '\(name)' is a collection and cannot be indexed"
            }
        }
        return nil
    }
}

extension StoredProperty {
    /// The reason why the property is invalid, or nil.
    func complaint() -> String? {
        if isClass {
            let isPlain = type == .int && collections.isEmpty && isNullable && !isIndexed && !isUnique && !isObjectKey && owner == nil
            return isPlain ? nil : "a property has no name"
        }
        if (type == .link) != (linkTarget != nil) { return "property '\(name)' links to no class" }
        if type == .mixed || type == .link && collections.isEmpty, !isNullable { return "property '\(name)' is a \(type.name) that cannot be null" }
        if deleteRule != .nullify, type != .link { return "property '\(name)' has a delete rule but is not a link" }
        if collections.count > Self.maximumCollections {
            return "property '\(name)' has more than \(Self.maximumCollections) nested collections"
        }
        if collections.dropLast().contains(.set) { return "property '\(name)' is a set of collections; sets hold single values" }
        if type == .link, isNullable, let innermost = collections.last, innermost != .map {
            return "property '\(name)' is a \(innermost.name) of links, whose elements cannot be null"
        }
        if !collections.isEmpty, isIndexed || isUnique || isObjectKey {
            return "property '\(name)' is a collection and cannot be indexed"
        }
        // Only an integer that is never null can be the object key, and nothing else makes that unique.
        if isObjectKey, type != .int || isNullable || isUnique { return "property '\(name)' cannot be the object key" }
        return nil
    }

}

extension StoredClass {
    /// Whether it depends on a class that was dropped.
    func needs(droppedOf classes: [StoredClass]) -> Bool {
        (properties.compactMap(\.linkTarget) + [superclass].compactMap { $0 }).contains { classes[Int($0)].isDropped }
    }
}
