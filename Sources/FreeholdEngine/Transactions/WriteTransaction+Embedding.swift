/// Changes whether the objects of a class are embedded.
extension WriteTransaction {
    /// Makes a class embedded, or ends that; the classes that extend it go with it.
    ///
    /// - Throws: `.invalidArgument` for a class that is to be embedded and has a primary key, extends another one, is linked to from a set
    ///   or a mixed property, or has an object that not exactly one link leads to.
    public func setEmbedded(_ isEmbedded: Bool, _ className: String) throws(FreeholdError) {
        try requireSteady()
        let number = try schema.number(of: className), stored = schema.classes[number]
        if stored.isEmbedded == isEmbedded { return }
        guard stored.superclass == nil else {
            throw FreeholdError(.invalidArgument, "class '\(className)' extends another one and is embedded only if that is; change the base class")
        }
        try undoing { () throws(FreeholdError) in
            if isEmbedded { try requireOneOwner(stored) }
            try writer(number).reshaping.rename(as: stored.with(isEmbedded: isEmbedded))
            replaceSchema(by: try schema.embedding(isEmbedded, number))
        }
    }

    /// Throws if an object to be embedded has no owner, or several.
    private func requireOneOwner(_ stored: StoredClass) throws(FreeholdError) {
        let number = Int(stored.number)
        var owners: [Int64: Owner] = [:]
        for (source, column) in schema.incoming[number] {
            let property = schema.classes[source].properties[column], writer = try writer(source)
            for key in try table(schema.classes[source].name).keys() {
                guard let place = try writer.state.find(key.rawValue) else { continue }
                try writer.state.forEachLink(place, column) { target throws(FreeholdError) in
                    if target.classNumber != LinkTarget.declared, target.classNumber != number { return }
                    if property.type == .mixed || property.collections.contains(.set) { throw refusal(stored, "'\(property.name)' of class "
                        + "'\(schema.classes[source].name)' links to it; a \(property.type == .mixed ? "mixed property" : "set") holds no embedded objects") }
                    guard owners.updateValue(Owner(table: source, key: key.rawValue), forKey: target.key) == nil else {
                        throw refusal(stored, "at least one object has more than one incoming link (object \(target.key))")
                    }
                }
            }
        }
        for key in try table(stored.name).keys() {
            guard owners[key.rawValue] != nil else {
                throw refusal(stored, "at least one object has no incoming links and would be deleted (object \(key))")
            }
            // Objects that own one another in a ring have no owner outside it.
            var above = owners[key.rawValue], steps = 0
            while let owner = above, owner.table == number {
                steps += 1
                if steps > owners.count { throw refusal(stored, "object \(key) is reachable only from itself") }
                above = owners[owner.key]
            }
        }
    }

    private struct Owner {
        let table: Int
        let key: Int64
    }

    private func refusal(_ stored: StoredClass, _ why: String) -> FreeholdError {
        FreeholdError(.invalidArgument, "Cannot convert '\(stored.name)' to embedded: \(why)", path: core.path)
    }
}

extension StoredSchema {
    /// This schema with a table's classes embedded or not.
    fileprivate func embedding(_ isEmbedded: Bool, _ number: Int) throws(FreeholdError) -> StoredSchema {
        let all = classes.enumerated().map { tables[$0] == number && !$1.isDropped ? $1.with(isEmbedded: isEmbedded) : $1 }
        let changed = StoredSchema(all, version: version)
        if let complaint = changed.complaint() { throw FreeholdError(.invalidArgument, complaint) }
        return changed
    }
}
