extension WriteTransaction {
    /// Makes an object, its properties set by `fill` (unset ones are null, or the type's zero if required).
    ///
    /// `fill` may make other objects and change them, but not delete objects of this class, add properties to it, or end
    /// the transaction.
    ///
    /// - Parameter primaryKey: the value of the primary key; nil for a class without one, for one whose key is several properties
    ///   (which `fill` sets), and for an integer key that the class is to number itself: with the next number after all it had,
    ///   which no other committed transaction gives. A synced class does not number its objects.
    /// - Returns: the new object's key.
    @discardableResult
    public func insert(into table: Table, primaryKey: Value? = nil,
                       _ fill: (inout RowWriter) throws -> Void) throws -> ObjectKey {
        let writer = try own(table), member = try member(of: table, writer)
        let place = try begin(writer, primaryKey, member)
        do {
            writer.filling.begin()
            writer.claims.beginFilling(place)
            defer {
                writer.filling.end()
                writer.claims.endFilling()
            }
            var row = RowWriter(transaction: self, writer: writer, member: member, place: place)
            try fill(&row)
            try requireOpen()
            if !writer.stored.indexes.isEmpty { try writer.claims.claimKeys(place, in: writer) }
        } catch {
            if !isFinished { writer.withdraw(place) }
            throw error
        }
        return ObjectKey(writer.buffer.keys[place])
    }

    /// Creates an object from values in the schema's order.
    ///
    /// - Parameter primaryKey: overrides the primary key's place in `values`, where `.null` may stand.
    @discardableResult
    public func insert(into table: Table, primaryKey: Value? = nil, values: [Value]) throws(FreeholdError) -> ObjectKey {
        let writer = try own(table), member = try member(of: table, writer), stored = writer.stored
        let columns = stored.family == nil ? nil : stored.columns(of: table.number)
        guard values.count == columns?.count ?? stored.properties.count else {
            throw FreeholdError(.invalidArgument, "class '\(member?.name ?? stored.name)' has \(columns?.count ?? stored.properties.count) "
                + "properties; \(values.count) values were given")
        }
        let keyPlace = stored.primaryKey.flatMap { key in columns.map { $0.firstIndex(of: key) } ?? key }
        let place = try begin(writer, primaryKey ?? keyPlace.map { values[$0] }, member)
        do {
            let buffer = writer.buffer, layout = stored.layout, plain = stored.plainTypes
            for (index, value) in values.enumerated() where index != keyPlace {
                let column = columns?[index] ?? index
                if let type = plain[column], buffer.setPlain(place, column, type, layout, to: value) { continue }
                try fill(writer, place, column, value)
            }
            if !writer.stored.indexes.isEmpty { try writer.claims.claimKeys(place, in: writer) }
        } catch {
            writer.withdraw(place)
            throw error
        }
        return ObjectKey(writer.buffer.keys[place])
    }

    /// Creates an object from named values.
    @discardableResult
    public func insert(into className: String, key: Value? = nil, _ values: [(String, Value)]) throws(FreeholdError) -> ObjectKey {
        let table = try table(className), stored = table.state.stored
        let columns = stored.columns(of: table.number)
        var ordered = columns.map { stored.properties[$0].isObjectKey ? .null : stored.properties[$0].initialValue }
        for (name, value) in values {
            let column = try stored.place(of: name, in: table.number)
            ordered[columns.firstIndex(of: column) ?? column] = value
        }
        return try insert(into: table, primaryKey: key, values: ordered)
    }

    /// Sets one property of an object.
    public func set(_ key: ObjectKey, in table: Table, _ column: Column, to value: Value) throws(FreeholdError) {
        let writer = try own(table)
        let index = try writer.state.index(of: column)
        try require(key, of: table, writer, has: index)
        let value = schema.canonical(value)
        try checkLink(writer, index, value)
        guard let rule = ownership(writer, index) else { return try writer.set(key.rawValue, index, to: value) }
        let owned = try owned(by: key.rawValue, writer, rule) { reader throws(FreeholdError) in
            try reader.links(touchedBy: .removeAll, at: [])
        }
        try writer.set(key.rawValue, index, to: value)
        try delete(owned)
    }

    /// This transaction's writer for a table it returned.
    func own(_ table: Table) throws(FreeholdError) -> TableWriter {
        try requireOpen()
        if let writer = table.writer, table.owner === self {
            // A class created after a savepoint is removed with it.
            if writer.tail.phase != .gone { return writer }
            throw FreeholdError(.unknownClass, "class '\(writer.stored.name)' was created after the savepoint to which the transaction "
                + "was rolled back", path: core.path)
        }
        throw FreeholdError(.notInWrite, "this table belongs to a snapshot or another transaction; get it from the write "
            + "transaction", path: core.path)
    }

    /// The class of the objects that a table creates, if it extends the class whose table it shares.
    func member(of table: Table, _ writer: TableWriter) throws(FreeholdError) -> FamilyMember? {
        guard let number = table.scope?.number, number != writer.number else { return nil }
        if let member = writer.stored.family?.member(number) { return member }
        throw FreeholdError(.unknownClass, "the class of this table was dropped, or created after the savepoint to which the transaction was "
            + "rolled back", path: core.path)
    }

    /// Throws if an object is not of the table's class, or its class does not have the property.
    func require(_ key: ObjectKey, of table: Table, _ writer: TableWriter, has column: Int? = nil) throws(FreeholdError) {
        let owner = column.flatMap { writer.stored.properties[$0].owner }
        guard table.scope != nil || owner != nil, let place = try writer.state.find(key.rawValue) else { return }
        if let scope = table.scope {
            let present = scope.isExact ? scope : try member(of: table, writer)?.scope ?? scope
            guard try present.contains(writer.state.tag(place)) else {
                throw FreeholdError(.noSuchObject, "object \(key) is not a '\(try table.className)' but a '\(try writer.state.className(place))'")
            }
        }
        guard let owner, let column, try !writer.state.isKind(place, of: owner) else { return }
        throw FreeholdError(.invalidArgument, "object \(key) is a '\(try writer.state.className(place))', which has no property "
            + "'\(writer.stored.properties[column].name)' (of class '\(schema.classes[Int(owner)].name)')")
    }

    private func begin(_ writer: TableWriter, _ primaryKey: Value?, _ member: FamilyMember?) throws(FreeholdError) -> Int {
        if writer.stored.isEmbedded { throw writer.stored.notByItself }
        if writer.isKeyedByInteger {
            if case .int(let key)? = primaryKey { return try writer.insert(key: key, of: member) }
            if primaryKey ?? .null == .null {
                try writer.stored.requireNumbering()
                return try writer.insert(key: nil, of: member)
            }
        }
        guard let column = writer.stored.primaryKey else {
            guard primaryKey == nil else {
                throw FreeholdError(.invalidArgument, "class '\(writer.stored.name)' has no primary key to set")
            }
            return try writer.insert(key: nil, of: member)
        }
        let property = writer.stored.properties[column]
        guard let primaryKey, primaryKey != .null || property.isNullable else {
            throw FreeholdError(.notNullable, "an object of class '\(writer.stored.name)' needs a value for its primary "
                + "key '\(property.name)'")
        }
        let value = try property.accepting(primaryKey, class: writer.stored.name)
        let place = try writer.insert(key: nil, of: member)
        do {
            try writer.fill(place, column, with: value)
        } catch {
            writer.withdraw(place)
            throw error
        }
        return place
    }

    func fill(_ writer: TableWriter, _ place: Int, _ column: Int, _ value: Value) throws(FreeholdError) {
        let row = RowPlace.tail(writer.buffer.row(place))
        guard try writer.state.has(row, column) else {
            throw FreeholdError(.invalidArgument, "class '\(try writer.state.className(row))' has no property "
                + "'\(writer.stored.properties[column].name)'; it belongs to another class of the same table")
        }
        let value = schema.canonical(value)
        try checkLink(writer, column, value)
        try writer.fill(place, column, with: value)
    }

    /// Throws for a link to an object that does not exist.
    func checkLink(_ writer: TableWriter, _ column: Int, _ value: Value) throws(FreeholdError) {
        let property = writer.stored.properties[column]
        let target = Int(property.linkTarget ?? 0)
        switch value {
        case .link(let link) where property.type == .link: try checkLink(property, of: writer, to: link.rawValue, target)
        case .int(let number) where property.type == .link: try checkLink(property, of: writer, to: number, target)
        case .object(let object):
            guard object.classNumber >= 0, schema.find(number: object.classNumber) != nil else {
                throw FreeholdError(.unknownClass, "property '\(property.name)' of class '\(writer.stored.name)' cannot link to "
                    + "an object of class number \(object.classNumber): there is no such class")
            }
            try checkLink(property, of: writer, to: object.key.rawValue, object.classNumber)
        case .list(let values), .set(let values): for value in values { try checkLink(writer, column, value) }
        case .map(let entries): for value in entries.values { try checkLink(writer, column, value) }
        default: break
        }
    }

    private func checkLink(_ property: StoredProperty, of writer: TableWriter, to key: Int64, _ target: Int) throws(FreeholdError) {
        if schema.classes[target].isEmbedded { throw schema.classes[target].notByItself }
        let linked = try self.writer(target), stored = schema.classes[target]
        if let place = try linked.state.find(key) {
            if stored.superclass == nil { return }
            if try linked.state.isKind(place, of: UInt32(target)) { return }
            throw FreeholdError(.typeMismatch, "property '\(property.name)' of class '\(writer.stored.name)' links to objects of class "
                + "'\(stored.name)'; object \(key) is a '\(try linked.state.className(place))'")
        }
        throw FreeholdError(.noSuchObject, "property '\(property.name)' of class '\(writer.stored.name)' cannot link to "
            + "object \(key) of class '\(schema.classes[target].name)', which does not exist")
    }
}
