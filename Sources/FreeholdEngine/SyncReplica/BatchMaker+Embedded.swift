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
        guard case .link(let key) = value, let target = property.linkTarget else {
            if isChanged { append(.null, owner, entry) }
            return
        }
        let table = schema.table(of: Int(target)), object = key.rawValue
        let instance = try self.instance(table, object)
        append(.embedded(instance), owner, entry)
        let own = embedded[table]?.removeValue(forKey: object) ?? []
        let inner = Owner(place: owner.place, table: owner.table, name: owner.name, instance: instance)
        try addClass(inner, table, object, entry)
        try addContents(inner, table, object, own, entry)
    }

    /// The class of a new embedded object that is of a subclass, as one more property of it.
    private mutating func addClass(_ owner: Owner, _ table: Int, _ object: Int64, _ entry: PendingEntry) throws(FreeholdError) {
        let state = try snapshot.state(table, as: schema.classes[table])
        guard let found = try state.find(object), try state.tag(found) != 0 else { return }
        let inner = Owner(place: owner.place, table: owner.table, name: owner.name + "." + ReplicaNames.subclass, instance: owner.instance)
        append(.string(try state.className(found)), inner, entry)
    }

    /// The properties of an embedded object: those that were changed, or all with the entry of what embeds it. Collections in it are one
    /// value each.
    private mutating func addContents(_ owner: Owner, _ table: Int, _ object: Int64, _ own: [PendingEntry],
                                      _ all: PendingEntry?) throws(FreeholdError) {
        let stored = schema.classes[table], state = try snapshot.state(table, as: stored)
        guard let found = try state.find(object) else { return }
        for (column, property) in stored.properties.enumerated() where !property.isClass {
            let changed = own.filter { $0.property == property.number }.newest
            guard let entry = changed ?? all, try state.has(found, column) else { continue }
            let value = try state.value(found, column)
            let inner = Owner(place: owner.place, table: owner.table, name: owner.name + "." + property.name, instance: owner.instance)
            if isEmbedded(property), property.shape == nil {
                try addEmbedded(inner, property, value, entry, isChanged: changed != nil)
            } else if value == .null, property.isSingleLink, let target = try absentTarget(of: object, property, state) {
                append(.link(target), inner, entry)
            } else if changed != nil || !value.isIdentical(to: property.initialValue) {
                append(try message(value, property), inner, entry)
            }
        }
    }

    private mutating func append(_ value: SyncValue, _ owner: Owner, _ entry: PendingEntry) {
        let path = SyncPath(property: names.property(owner.name, of: owner.table), instance: owner.instance)
        changes[owner.place].registers.append(.init(path: path, entry: self.entry(entry), value: value))
    }

    /// Changed properties of an embedded object that the server has.
    mutating func addInner(_ table: Int, _ object: Int64, _ entries: [PendingEntry]) throws(FreeholdError) {
        var path: [String] = [], at = (table: table, object: object)
        while schema.classes[at.table].isEmbedded {
            guard let owner = try owner(at.table, at.object) else { return }
            path.insert(owner.property.name, at: 0)
            at = (owner.table, owner.object)
        }
        let state = try snapshot.state(at.table, as: schema.classes[at.table])
        guard let found = try state.find(at.object), let key = try primaryKey(found, state) else { return }
        let place = place(of: key, at.table), instance = try instance(table, object)
        let owner = Owner(place: place, table: at.table, name: path.joined(separator: "."), instance: instance)
        try addContents(owner, table, object, entries, nil)
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
