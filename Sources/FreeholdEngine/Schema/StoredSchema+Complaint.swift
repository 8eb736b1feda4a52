extension StoredClass {
    /// The conflict between a class and its subclasses, or nil.
    func familyComplaint() -> String? {
        if superclass != nil {
            return properties.isEmpty && primaryKeys.isEmpty && indexes.isEmpty ? nil
                : "class '\(name)' has properties outside the table of the class it extends"
        }
        if heirs.count >= Family.maximumCount { return "more than \(Family.maximumCount) classes share the table of class '\(name)'" }
        if properties.count(where: \.isClass) > (heirs.isEmpty ? 0 : 1) { return "a property has no name" }
        guard let family else {
            if !heirs.isEmpty || properties.contains(where: { $0.owner != nil }) || indexes.contains(where: { $0.owner != nil }) {
                return "class '\(name)' does not record the classes of its objects"
            }
            return Set(exact: properties.map(\.name)).count < properties.count ? "class '\(name)' names a property twice" : nil
        }
        if let complaint = nameComplaint(family) { return complaint }
        if primaryKeys.contains(where: { properties[$0].owner != nil }) {
            return "the primary key of class '\(name)' belongs to a class that extends it"
        }
        for property in properties where property.owner.map({ family.member($0) == nil }) ?? false {
            return "property '\(property.name)' belongs to a class that does not extend '\(name)'"
        }
        for index in indexes {
            guard let member = family.member(index.owner ?? number), index.columns.allSatisfy({ member.columns.contains($0) }) else {
                return "an index of class '\(family.member(index.owner ?? number)?.name ?? name)' names properties of another class"
            }
        }
        return nil
    }

    private func nameComplaint(_ family: Family) -> String? {
        for member in family.members {
            var seen: Set<ExactText> = []
            for column in member.columns where !seen.insert(properties[column].name).inserted {
                return "class '\(member.name)' has two properties named '\(properties[column].name)', including those of the classes it extends"
            }
            if member.depth > Family.maximumDepth { return "class '\(member.name)' extends more than \(Family.maximumDepth) classes" }
        }
        return nil
    }
}

extension StoredSchema {
    /// The reason why the schema is invalid, or nil.
    func complaint() -> String? {
        for stored in present {
            if stored.needs(droppedOf: classes) { return "class '\(stored.name)' refers to a dropped class" }
            if let complaint = stored.complaint() { return complaint }
            if let complaint = derivedComplaint(of: stored) { return complaint }
            if stored.isEmbedded != classes[table(of: Int(stored.number))].isEmbedded {
                return "class '\(stored.name)' and the class it extends are not both embedded"
            }
        }
        return nil
    }
}
