extension WriteTransaction {
    /// Makes an object, its properties set by `fill` (unset ones are null, or the type's zero if required).
    ///
    /// `fill` may make other objects and change them, but not delete objects of this class, add properties to it, or end
    /// the transaction.
    ///
    /// - Parameter primaryKey: the value of the primary key; nil for a class without one.
    /// - Returns: the new object's key.
    @discardableResult
    public func insert(into table: Table, primaryKey: Value? = nil,
                       _ fill: (inout RowWriter) throws -> Void) throws -> ObjectKey {
        let writer = try own(table)
        let place = try begin(writer, primaryKey)
        do {
            writer.filling += 1
            defer { writer.filling -= 1 }
            var row = RowWriter(transaction: self, writer: writer, place: place)
            try fill(&row)
            try requireOpen()
        } catch {
            if !isFinished { writer.withdraw(place) }
            throw error
        }
        return ObjectKey(writer.buffer.keys[place])
    }

    /// Makes an object from values in the schema's order.
    ///
    /// - Parameter primaryKey: overrides the primary key's place in `values`, where `.null` may stand.
    @discardableResult
    public func insert(into table: Table, primaryKey: Value? = nil, values: [Value]) throws(FreeholdError) -> ObjectKey {
        let writer = try own(table)
        let properties = writer.stored.properties
        guard values.count == properties.count else {
            throw FreeholdError(.invalidArgument, "class '\(writer.stored.name)' has \(properties.count) properties; "
                + "\(values.count) values were given")
        }
        let key = primaryKey ?? writer.stored.primaryKey.map { values[$0] }
        let place = try begin(writer, key)
        do {
            for (column, value) in values.enumerated() where column != writer.stored.primaryKey {
                try fill(writer, place, column, value)
            }
        } catch {
            writer.withdraw(place)
            throw error
        }
        return ObjectKey(writer.buffer.keys[place])
    }

    /// Makes an object from named values.
    @discardableResult
    public func insert(into className: String, key: Value? = nil, _ values: [(String, Value)]) throws(FreeholdError) -> ObjectKey {
        let table = try table(className)
        let writer = try own(table)
        let stored = writer.stored
        var ordered = stored.properties.map { $0.isObjectKey ? .null : $0.defaultValue }
        for (name, value) in values { ordered[try stored.index(of: name)] = value }
        return try insert(into: table, primaryKey: key, values: ordered)
    }

    /// Sets one property of an object.
    public func set(_ key: ObjectKey, in table: Table, _ column: Column, to value: Value) throws(FreeholdError) {
        let writer = try own(table)
        let index = try writer.state.index(of: column)
        try checkLink(writer, index, value)
        guard let rule = ownership(writer, index) else { return try writer.set(key.rawValue, index, to: value) }
        let owned = try owned(by: key.rawValue, writer, rule) { reader throws(FreeholdError) in
            try reader.links(touchedBy: .removeAll, at: [])
        }
        try writer.set(key.rawValue, index, to: value)
        try deleteOwned(owned, rule)
    }

    /// This transaction's side of a table it handed out.
    func own(_ table: Table) throws(FreeholdError) -> TableWriter {
        try requireOpen()
        if let writer = table.writer, table.owner === self {
            // A class made after a savepoint is gone with it.
            if !writer.isGone { return writer }
            throw FreeholdError(.unknownClass, "class '\(writer.stored.name)' was made after the savepoint that the transaction "
                + "went back to", path: core.path)
        }
        throw FreeholdError(.notInWrite, "this table belongs to a snapshot or another transaction; ask the write "
            + "transaction for its own", path: core.path)
    }

    private func begin(_ writer: TableWriter, _ primaryKey: Value?) throws(FreeholdError) -> Int {
        if writer.stored.isEmbedded { throw writer.stored.notByItself }
        if writer.isKeyedByInteger, case .int(let key)? = primaryKey { return try writer.insert(key: key) }
        guard let column = writer.stored.primaryKey else {
            guard primaryKey == nil else {
                throw FreeholdError(.invalidArgument, "class '\(writer.stored.name)' has no primary key to set")
            }
            return try writer.insert(key: nil)
        }
        let property = writer.stored.properties[column]
        guard let primaryKey, primaryKey != .null || property.isNullable else {
            throw FreeholdError(.notNullable, "an object of class '\(writer.stored.name)' needs a value for its primary "
                + "key '\(property.name)'")
        }
        let value = try property.accepting(primaryKey, class: writer.stored.name)
        let place = try writer.insert(key: nil)
        do {
            try writer.fill(place, column, with: value)
        } catch {
            writer.withdraw(place)
            throw error
        }
        return place
    }

    func fill(_ writer: TableWriter, _ place: Int, _ column: Int, _ value: Value) throws(FreeholdError) {
        try checkLink(writer, column, value)
        try writer.fill(place, column, with: value)
    }

    /// Refuses a link to an object that does not exist.
    func checkLink(_ writer: TableWriter, _ column: Int, _ value: Value) throws(FreeholdError) {
        let property = writer.stored.properties[column]
        guard let target = property.linkTarget else { return }
        switch value {
        case .link(let link): try checkLink(property, of: writer, to: link.rawValue, Int(target))
        case .int(let number): try checkLink(property, of: writer, to: number, Int(target))
        case .list(let values), .set(let values): for value in values { try checkLink(writer, column, value) }
        case .map(let entries): for value in entries.values { try checkLink(writer, column, value) }
        default: break
        }
    }

    private func checkLink(_ property: StoredProperty, of writer: TableWriter, to key: Int64, _ target: Int) throws(FreeholdError) {
        if schema.classes[target].isEmbedded { throw schema.classes[target].notByItself }
        guard try self.writer(target).state.find(key) == nil else { return }
        throw FreeholdError(.noSuchObject, "property '\(property.name)' of class '\(writer.stored.name)' cannot link to "
            + "object \(key) of class '\(schema.classes[target].name)': there is none")
    }
}
