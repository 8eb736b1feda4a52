/// Embedded objects that are elements of lists or values of maps: each is one value, with all that it holds.
///
/// ```
/// Person ── addresses: [Address] ── phones: [Phone]        a changed Phone is a changed element of `addresses`
///        └─ home: Address ───────── phones: [Phone]        a changed Phone is a changed property `home.phones`
/// ```
extension BatchMaker {
    /// A change within an embedded object that an object's own list or map holds.
    struct Inner {
        /// The property of the object.
        let property: UInt32
        /// The embedded object in the list or map.
        let key: Int64
        let entry: PendingEntry
    }

    // MARK: What has changed within

    /// Notes changes within embedded objects of collections with what is sent of them: an element, a key, or a property of an embedded
    /// object. The collection next to the root decides, as all below it is one value.
    mutating func liftInner() throws(FreeholdError) {
        for (table, objects) in embedded {
            for (object, entries) in objects {
                guard let holder = try holder(table, object), let newest = entries.newest else { continue }
                embedded[table]?[object] = nil
                if schema.classes[holder.table].isEmbedded {
                    let entry = PendingEntry(key: holder.object, what: .property(holder.property.number), stamp: newest.stamp,
                                             origin: newest.origin)
                    embedded[holder.table, default: [:]][holder.object, default: []].append(entry)
                } else {
                    let inner = Inner(property: holder.property.number, key: holder.element, entry: newest)
                    self.inner[holder.table, default: [:]][holder.object, default: []].append(inner)
                }
            }
        }
    }

    /// A property that owns embedded objects, and one of these.
    private struct Holder {
        let table: Int
        let object: Int64
        let property: StoredProperty
        let element: Int64
    }

    /// The collection that an embedded object is in, at any depth, next to the object that is not embedded; nil if there is none.
    private func holder(_ table: Int, _ object: Int64) throws(FreeholdError) -> Holder? {
        var found: Holder?, at = (table: table, object: object), steps = 0
        while schema.classes[at.table].isEmbedded {
            steps += 1
            if steps > SyncValue.maximumDepth { throw tooDeep(table, object) }
            guard let owner = try owner(at.table, at.object) else { return nil }
            if owner.property.shape != nil {
                found = Holder(table: owner.table, object: owner.object, property: owner.property, element: at.object)
            }
            at = (owner.table, owner.object)
        }
        return found
    }

    /// The object that owns an embedded one.
    func owner(_ table: Int, _ object: Int64) throws(FreeholdError) -> (table: Int, object: Int64, property: StoredProperty)? {
        for (source, column) in schema.incoming[table] {
            let stored = schema.classes[source], property = stored.properties[column]
            guard property.type == .link else { continue }
            let objects = try snapshot.table(stored.name).family
            guard let owner = try objects.backlinks(to: ObjectKey(object), from: stored.column(column)).first else { continue }
            return (source, owner.rawValue, property)
        }
        return nil
    }

    /// What has changed within the elements of a collection, by their embedded objects.
    func changes(within inner: [Inner], of property: StoredProperty) -> [Int64: PendingEntry] {
        var newest: [Int64: PendingEntry] = [:]
        for one in inner where one.property == property.number {
            newest[one.key] = [newest[one.key], one.entry].compactMap(\.self).newest
        }
        return newest
    }

    // MARK: Values

    /// A value of a property that embeds objects, where each of these is a map of its properties by name.
    ///
    /// - Parameter depth: the levels of collections around it.
    mutating func whole(_ value: Value, _ property: StoredProperty, depth: Int = 0) throws(FreeholdError) -> SyncValue {
        switch value {
        case .link(let key):
            return try wholeObject(schema.table(of: Int(property.linkTarget ?? 0)), key.rawValue, depth)
        case .list(let values):
            var made: [SyncValue] = []
            for one in values { made.append(try whole(one, property, depth: depth + 1)) }
            return .list(made)
        case .map(let entries):
            var made: [SyncValue.Entry] = []
            for (key, one) in entries.sortedByKey { made.append(.init(key: key, value: try whole(one, property, depth: depth + 1))) }
            return .map(made)
        default: return .null
        }
    }

    /// An embedded object as a map. What it has from the start is left out, as of a new object.
    private mutating func wholeObject(_ table: Int, _ object: Int64, _ depth: Int) throws(FreeholdError) -> SyncValue {
        guard depth < SyncValue.maximumDepth else { throw tooDeep(table, object) }
        let stored = schema.classes[table], state = try snapshot.state(table, as: stored)
        guard let found = try state.find(object) else {
            throw FreeholdError(.corrupt, "the embedded object \(object) of class '\(stored.name)' does not exist, and a property links to "
                + "it; run `freehold check`", path: snapshot.core.path)
        }
        var entries: TextMap<SyncValue> = [:]
        if try state.tag(found) != 0 { entries[ReplicaNames.subclass] = .string(try state.className(found)) }
        for (column, property) in stored.properties.enumerated() where !property.isClass {
            guard try state.has(found, column) else { continue }
            let value = try state.value(found, column)
            if value == .null, property.isSingleLink, let target = try absentTarget(of: object, property, state) {
                entries[property.name] = .link(target)
            } else if !value.isIdentical(to: property.initialValue) {
                let isEmbedded = isEmbedded(property)
                let made = try isEmbedded ? whole(value, property, depth: depth + 1) : message(value, property)
                // Embedded objects count for themselves.
                let levels = isEmbedded ? property.collections.count : made.depth
                guard levels + depth < SyncValue.maximumDepth else { throw tooDeep(table, object) }
                entries[property.name] = made
            }
        }
        return .map(entries.sortedByKey.map { SyncValue.Entry(key: $0.key, value: $0.value) })
    }

    private func tooDeep(_ table: Int, _ object: Int64) -> FreeholdError {
        FreeholdError(.valueTooLarge, "the embedded object \(object) of class '\(schema.classes[table].name)' is within a value with more "
            + "than \(SyncValue.maximumDepth) levels of embedded objects and collections, which cannot be sent; remove some",
                      path: snapshot.core.path)
    }
}

extension PendingEntry {
    /// Whether it was written before another one of this file. Epochs say it, as the stamps of earlier ones may be ahead; of the replicas
    /// that the file was before, the last one comes first in the slots.
    func isEarlier(than other: PendingEntry) -> Bool {
        if origin.slot != other.origin.slot { return origin.slot > other.origin.slot }
        return (origin.epoch, stamp) < (other.origin.epoch, other.stamp)
    }
}

extension [PendingEntry] {
    /// The last one that was written.
    var newest: PendingEntry? { self.max { $0.isEarlier(than: $1) } }
}

extension SyncValue {
    /// The levels of collections in it.
    var depth: Int {
        switch self {
        case .list(let values), .set(let values): 1 + (values.lazy.map(\.depth).max() ?? 0)
        case .map(let entries): 1 + (entries.lazy.map(\.value.depth).max() ?? 0)
        default: 0
        }
    }
}
