/// Embedded objects: replacing one is one property, and its properties are sent within it.
extension BatchMaker {
    /// A property that embeds an object: the change that it is in, the root's class, its dotted name, and the embedded object that has it.
    struct Owner {
        let place: Int
        let table: Int
        let name: String
        let instance: SyncIdentity
    }

    mutating func readEmbedded(_ stored: StoredClass) throws(FreeholdError) {
        let table = Int(stored.number), trees = PendingTrees(try snapshot.state(table, as: stored).root)
        var entries: [Int64: [PendingEntry]] = [:]
        try trees.forEachChange(in: snapshot.core.access) { entries[$0.key, default: []].append($0) }
        if !entries.isEmpty { embedded[table] = entries }
    }

    /// An embedded object that is new to the server, with all that it holds.
    mutating func addEmbedded(_ owner: Owner, _ property: StoredProperty, _ value: Value, _ entry: PendingEntry,
                                      isChanged: Bool) throws(FreeholdError) {
        let path = SyncPath(property: names.property(owner.name, of: owner.table), instance: owner.instance)
        guard case .link(let key) = value, let target = property.linkTarget else {
            if isChanged { changes[owner.place].registers.append(.init(path: path, entry: self.entry(entry), value: .null)) }
            return
        }
        let table = schema.table(of: Int(target)), object = key.rawValue
        let instance = try self.instance(table, object)
        changes[owner.place].registers.append(.init(path: path, entry: self.entry(entry), value: .embedded(instance)))
        let own = embedded[table]?.removeValue(forKey: object) ?? []
        let inner = Owner(place: owner.place, table: owner.table, name: owner.name, instance: instance)
        try addContents(inner, table, object, own, entry)
    }

    /// The properties of an embedded object: those that were changed, or all with the entry of what embeds it. Collections in it are one
    /// value each.
    private mutating func addContents(_ owner: Owner, _ table: Int, _ object: Int64, _ own: [PendingEntry],
                                      _ all: PendingEntry?) throws(FreeholdError) {
        let stored = schema.classes[table], state = try snapshot.state(table, as: stored)
        guard let found = try state.find(object) else { return }
        for (column, property) in stored.properties.enumerated() where !property.isClass {
            let changed = own.filter { $0.property == property.number }.max { $0.stamp < $1.stamp }
            guard let entry = changed ?? all, try state.has(found, column) else { continue }
            let value = try state.value(found, column), name = owner.name + "." + property.name
            if isEmbedded(property) {
                let inner = Owner(place: owner.place, table: owner.table, name: name, instance: owner.instance)
                if property.shape == nil { try addEmbedded(inner, property, value, entry, isChanged: changed != nil) }
            } else if changed != nil || !value.isIdentical(to: property.initialValue) {
                let path = SyncPath(property: names.property(name, of: owner.table), instance: owner.instance)
                changes[owner.place].registers.append(.init(path: path, entry: self.entry(entry), value: try message(value, property)))
            }
        }
    }

    /// Changed properties of an embedded object that the server has.
    mutating func addInner(_ table: Int, _ object: Int64, _ entries: [PendingEntry]) throws(FreeholdError) {
        var path: [String] = [], at = (table: table, object: object)
        while schema.classes[at.table].isEmbedded {
            // One that is an element of a collection is sent with that.
            guard path.count <= SyncValue.maximumDepth, let owner = try owner(at.table, at.object) else { return }
            path.insert(owner.property.name, at: 0)
            at = (owner.table, owner.object)
        }
        let state = try snapshot.state(at.table, as: schema.classes[at.table])
        guard let found = try state.find(at.object), let key = try primaryKey(found, state) else { return }
        let place = place(of: key, at.table), instance = try instance(table, object)
        let owner = Owner(place: place, table: at.table, name: path.joined(separator: "."), instance: instance)
        try addContents(owner, table, object, entries, nil)
    }

    /// The object that embeds another one by a single property.
    private func owner(_ table: Int, _ object: Int64) throws(FreeholdError) -> (table: Int, object: Int64, property: StoredProperty)? {
        for (source, column) in schema.incoming[table] {
            let stored = schema.classes[source], property = stored.properties[column]
            guard property.type == .link, property.shape == nil else { continue }
            let objects = try snapshot.table(stored.name).family
            guard let owner = try objects.backlinks(to: ObjectKey(object), from: stored.column(column)).first else { continue }
            return (source, owner.rawValue, property)
        }
        return nil
    }

    /// The identity of an embedded object in the message's numbers.
    private mutating func instance(_ table: Int, _ object: Int64) throws(FreeholdError) -> SyncIdentity {
        let trees = PendingTrees(try snapshot.state(table, as: schema.classes[table]).root)
        let reader = IdentityReader(trees: trees, access: snapshot.core.access)
        try translate(reader, table)
        guard let identity = try reader.identity(of: object) else {
            throw FreeholdError(.corrupt, "the embedded object \(object) of class '\(schema.classes[table].name)' has no identity; run "
                + "`freehold check`", path: snapshot.core.path)
        }
        return message(identity, table)
    }
}
