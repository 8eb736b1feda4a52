/// Changing what identifies the objects of a class that has some. Object keys, and so links, stay as they are.
extension WriteTransaction {
    /// Makes a property the primary key of a class, or leaves the class without one.
    ///
    /// An integer that cannot be null is the object key itself where every object's value is its key, as in a class without objects;
    /// else it is kept by a unique index, and the class numbers no objects by itself.
    ///
    /// - Parameter name: a property of the class that is an int, a string, a date, a uuid or an object id; nil for no primary key.
    /// - Throws: `.unknownProperty`; `.duplicateKey`, naming objects, if some have the same value; `.invalidArgument` for a class that
    ///   extends another one or is embedded, for another type, and for a primary key of several properties.
    public func setPrimaryKey(_ name: String?, of className: String) throws(FreeholdError) {
        if let known = schema.find(className), let place = known.primaryKey, known.properties[place].name.isSame(as: name) { return }
        try undoing { () throws(FreeholdError) in
            try reshape(className) { writer, stored, number throws(FreeholdError) in try releaseKey(writer, stored, number) }
            guard let name else { return }
            try reshape(className) { writer, stored, number throws(FreeholdError) in
                try takeKey(writer, stored, try stored.place(declared: name, by: number))
            }
            try requireOneNull(name, className)
        }
    }

    private func releaseKey(_ writer: TableWriter, _ stored: StoredClass, _ number: UInt32) throws(FreeholdError) -> StoredClass {
        guard number == stored.number else {
            throw FreeholdError(.invalidArgument, "class '\(schema.classes[Int(number)].name)' has the primary key of '\(stored.name)', which it extends; "
                + "change it there")
        }
        guard stored.primaryKeys.count < 2 else {
            throw FreeholdError(.invalidArgument, "the primary key of class '\(stored.name)' has several properties and cannot be changed")
        }
        guard let place = stored.primaryKey else { return stored }
        let property = stored.properties[place]
        if property.isObjectKey {
            try schema.requireNoField(stored, place, to: "no longer the object key")
            // Its values become a column, under a number that nobody takes for the key's.
            let plain = property.with(number: stored.nextPropertyNumber, isObjectKey: false)
            let changed = stored.replacing(place, by: plain).with(primaryKeys: [])
            try writer.reshaping.replace(place, becoming: changed) { key, _ throws(FreeholdError) in .int(key) }
            return changed
        }
        let changed = stored.replacing(place, by: property.with(isUnique: false)).with(primaryKeys: [])
        try writer.reshaping.reindex(place, becoming: changed)
        return changed
    }

    private func takeKey(_ writer: TableWriter, _ stored: StoredClass, _ place: Int) throws(FreeholdError) -> StoredClass {
        let property = stored.properties[place]
        if property.type == .int, !property.isNullable, property.collections.isEmpty, try writer.reshaping.allAreKeyed(by: place) {
            try schema.requireNoField(stored, place, to: "made the object key")
            let key = property.with(number: stored.nextPropertyNumber, isIndexed: false, isUnique: false, isObjectKey: true)
            let changed = stored.replacing(place, by: key).with(primaryKeys: [place])
            if let complaint = changed.complaint() { throw FreeholdError(.invalidArgument, complaint) }
            try writer.reshaping.leaveToKeys(place, becoming: changed)
            return changed
        }
        let changed = stored.replacing(place, by: property.with(isUnique: true)).with(primaryKeys: [place])
        if let complaint = changed.complaint() { throw FreeholdError(.invalidArgument, complaint) }
        try writer.reshaping.adopt(changed, indexOver: [place])
        return changed
    }

    /// Of a unique property any number of objects may have none; of a primary key that is one more value.
    private func requireOneNull(_ name: String, _ className: String) throws(FreeholdError) {
        let table = try table(className), column = try table.column(name)
        guard column.isNullable else { return }
        let keys = try table.keys(column, equals: .null)
        guard keys.count > 1 else { return }
        throw FreeholdError(.duplicateKey, "'\(name)' of class '\(className)' cannot be unique: objects \(keys[0]) and \(keys[1]) both have null")
    }

    /// Lets objects have the same value in a property again. To make one unique, add a unique index over it.
    ///
    /// - Throws: `.unknownProperty`; `.invalidArgument` for the primary key.
    public func endUniqueness(of name: String, in className: String) throws(FreeholdError) {
        try reshape(className) { writer, stored, number throws(FreeholdError) in
            let place = try stored.place(declared: name, by: number)
            if stored.primaryKeys.contains(place) {
                throw FreeholdError(.invalidArgument, "property '\(name)' is the primary key of class '\(className)' and must stay unique")
            }
            let changed = stored.replacing(place, by: stored.properties[place].with(isUnique: false))
            try writer.reshaping.reindex(place, becoming: changed)
            return changed
        }
    }

    /// Sets what deleting an object does to those that one of its properties links to.
    ///
    /// - Throws: `.unknownProperty`; `.invalidArgument` if the property is no link.
    public func setDeleteRule(_ rule: DeleteRule, of name: String, in className: String) throws(FreeholdError) {
        try reshape(className) { writer, stored, number throws(FreeholdError) in
            let place = try stored.place(declared: name, by: number)
            let changed = stored.replacing(place, by: stored.properties[place].with(deleteRule: rule))
            if let complaint = changed.complaint() { throw FreeholdError(.invalidArgument, complaint) }
            writer.reshaping.rename(as: changed)
            return changed
        }
    }
}
