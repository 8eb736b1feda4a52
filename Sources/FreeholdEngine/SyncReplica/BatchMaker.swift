/// Makes a batch of what is pending in the version of a seal: changes with their values, by primary key.
///
/// Everything that is pending in that version belongs to epochs that have ended, as the seal's commit ended the last one.
struct BatchMaker {
    let snapshot: Snapshot
    let schema: StoredSchema
    let body: SyncBody
    var names: ReplicaNames
    var changes: [SyncChange] = []
    /// The replicas that the message names: this one, its slots, and those that have given identities.
    var replicas: [ReplicaIdentity]
    var replicaNumbers: [ReplicaIdentity: Int] = [:]
    /// The message's numbers of a table's replicas.
    var translations: [Int: [Int: Int]] = [:]
    /// Where changes go when they are complete, and how many have gone; else all are in `changes`.
    private var encoder: SyncEncoder?
    private var written = 0
    /// The objects of which embedded objects have pending changes, by table: their changes may be added to later.
    private var owners: [Int: Set<Int64>] = [:]
    /// The places of changes, by object.
    private var places: [SyncObject: Int] = [:]
    /// What is pending of embedded objects, by table and object key; those that a batch has are taken out.
    var embedded: [Int: [Int64: [PendingEntry]]] = [:]
    /// What is pending within embedded objects of collections, by the table and object key of what has the collection.
    var inner: [Int: [Int64: [Inner]]] = [:]
    /// Primary keys of deleted objects, by table and object key.
    private var deleted: [Int: [Int64: SyncKey]] = [:]

    init(_ snapshot: Snapshot) throws(FreeholdError) {
        self.snapshot = snapshot
        schema = try snapshot.schema()
        guard let body = try snapshot.syncState() else {
            throw FreeholdError(.invalidArgument, "no class is synced", path: snapshot.core.path)
        }
        self.body = body
        names = ReplicaNames(schema)
        replicas = [body.replica] + body.slots.map(\.replica)
        for (number, replica) in replicas.enumerated() { replicaNumbers[replica] = number }
    }

    /// - Parameter epoch: the one that the seal has ended.
    mutating func batch(epoch: UInt64) throws(FreeholdError) -> SyncPush {
        try collect()
        return push(epoch)
    }

    /// The batch as a message, of which no more than a few objects are in memory at a time, but for its bytes.
    mutating func message(epoch: UInt64) throws(FreeholdError) -> [UInt8] {
        let encoder = SyncEncoder()
        encoder.begin(SyncMessage.pushKind)
        push(epoch).encodeHead(to: encoder)
        self.encoder = encoder
        try collect()
        for change in changes { change.encode(to: encoder) }
        push(epoch).encodeEnd(to: encoder, count: written + changes.count)
        return encoder.buffer.array
    }

    private func push(_ epoch: UInt64) -> SyncPush {
        // In the order in which the file was them: the last one is the first slot.
        let inherited = body.slots.enumerated().reversed().map {
            SyncPush.Inherited(replica: UInt32($0 + 1), openEpoch: $1.epoch, last: $1.last)
        }
        return SyncPush(epoch: epoch, history: body.history, cursor: body.cursor, seen: body.clock.seen, names: names.names,
                        replicas: replicas, inherited: inherited, changes: changes)
    }

    private mutating func collect() throws(FreeholdError) {
        for stored in schema.presentTables where stored.isEmbedded && schema.isCaptured(Int(stored.number)) { try readEmbedded(stored) }
        try liftInner()
        if encoder != nil {
            for (table, objects) in embedded {
                for object in objects.keys {
                    if let root = try root(table, object) { owners[root.table, default: []].insert(root.object) }
                }
            }
        }
        for stored in schema.presentTables where stored.sync != nil { try add(stored) }
        for (table, objects) in embedded.sorted(by: { $0.key < $1.key }) {
            for (object, entries) in objects.sorted(by: { $0.key < $1.key }) { try addInner(table, object, entries) }
        }
    }

    /// The object that is not embedded, and owns an embedded one; nil if nothing does.
    private func root(_ table: Int, _ object: Int64) throws(FreeholdError) -> (table: Int, object: Int64)? {
        var at = (table: table, object: object)
        while schema.classes[at.table].isEmbedded {
            guard let owner = try owner(at.table, at.object) else { return nil }
            at = (owner.table, owner.object)
        }
        return at
    }

    /// Writes the change that was made last, if nothing can be added to it.
    private mutating func finish(_ place: Int, _ table: Int, _ object: Int64) {
        guard let encoder, place == changes.count - 1, owners[table]?.contains(object) != true else { return }
        let change = changes.removeLast()
        places[change.object] = nil
        change.encode(to: encoder)
        written += 1
    }

    // MARK: A class

    /// What is pending of one object under its object key.
    private struct Draft {
        var created: PendingEntry?
        var entries: [PendingEntry] = []
        var sums: [PendingSum] = []
        var inner: [Inner] = []
    }

    private mutating func add(_ stored: StoredClass) throws(FreeholdError) {
        let table = Int(stored.number), state = try snapshot.state(table, as: stored), access = snapshot.core.access
        let trees = PendingTrees(state.root), inner = self.inner[table] ?? [:]
        if trees.isSettled, inner.isEmpty { return }
        var drafts: [Int64: Draft] = [:], gone: [PendingEntry] = [], created: [PendingEntry] = []
        try trees.forEachChange(in: access) { entry in
            switch entry.what {
            case .created: created.append(entry)
            case .deleted: gone.append(entry)
            default: drafts[entry.key, default: Draft()].entries.append(entry)
            }
        }
        try trees.forEachSum(in: access) { drafts[$0.key, default: Draft()].sums.append($0) }
        for (key, changes) in inner { drafts[key, default: Draft()].inner = changes }
        for entry in gone {
            guard let key = try deletedKey(entry.key, stored) else { throw damaged("the deletion of object \(entry.key)", stored) }
            changes[place(of: key, table)].deleted = self.entry(entry)
        }
        // Runs of new objects, and what is pending of others between them, in the order of keys.
        var others = drafts.keys.sorted()[...]
        created.sort { $0.key < $1.key }
        for run in created {
            while let key = others.first, key < run.key { try add(others.removeFirst(), drafts[key]!, state) }
            for key in run.key...run.lastKey {
                var draft = Draft()
                if others.first == key { draft = drafts[others.removeFirst()]! }
                draft.created = run
                try add(key, draft, state)
            }
        }
        for key in others { try add(key, drafts[key]!, state) }
    }

    /// - Parameter draft: what is pending of the object.
    private mutating func add(_ object: Int64, _ draft: Draft, _ state: TableState) throws(FreeholdError) {
        let table = Int(state.stored.number)
        guard let found = try state.find(object), let primary = try primaryKey(found, state) else {
            throw damaged("a change of object \(object)", state.stored)
        }
        let place = place(of: primary, table)
        try fill(place, found, state, draft)
        finish(place, table, object)
    }

    private func damaged(_ what: String, _ stored: StoredClass) -> FreeholdError {
        FreeholdError(.corrupt, "\(what) of class '\(stored.name)' is pending, and there is no such object; run `freehold check`",
                      path: snapshot.core.path)
    }

    /// The place of an object's change: a deletion and a later creation under one primary key are one change.
    mutating func place(of key: SyncKey, _ table: Int) -> Int {
        let object = SyncObject(type: names.type(table), key: key)
        if let known = places[object] { return known }
        places[object] = changes.count
        changes.append(SyncChange(object: object))
        return changes.count - 1
    }

    func entry(_ entry: PendingEntry) -> SyncEntry {
        SyncEntry(stamp: entry.stamp, epoch: entry.origin.epoch, replica: UInt32(entry.origin.slot))
    }

    // MARK: An object

    private mutating func fill(_ place: Int, _ found: RowPlace, _ state: TableState, _ draft: Draft) throws(FreeholdError) {
        let stored = state.stored, table = Int(stored.number)
        if let created = draft.created {
            changes[place].created = self.entry(created)
            if try state.tag(found) != 0 {
                let property = names.property(ReplicaNames.subclass, of: table), name = try state.className(found)
                changes[place].registers.append(.init(path: SyncPath(property: property), entry: self.entry(created), value: .string(name)))
            }
        }
        for (column, property) in stored.properties.enumerated() where !property.isClass && column != stored.primaryKey {
            guard try state.has(found, column) else { continue }
            let own = draft.entries.filter { $0.property == property.number }
            if stored.isCounter(column) {
                for sum in draft.sums where sum.property == property.number { add(sum, property.name, place, table) }
            } else if let shape = property.shape {
                let inner = changes(within: draft.inner, of: property)
                try add(shape.kind, property, column, found, state, own, inner, draft.created, place)
            } else if isEmbedded(property) {
                guard let entry = own.first ?? draft.created else { continue }
                let owner = Owner(place: place, table: table, name: property.name, instance: .none)
                try addEmbedded(owner, property, try state.value(found, column), entry, isChanged: !own.isEmpty)
            } else if let entry = own.first ?? draft.created {
                let value = try state.value(found, column)
                if value == .null, property.isSingleLink, let target = try absentTarget(of: found.key, property, state) {
                    append(.link(target), property, entry, place, table)
                    continue
                }
                // What a new object has from the start is not a change.
                if own.isEmpty, value.isIdentical(to: property.initialValue) { continue }
                append(try message(value, property), property, entry, place, table)
            }
        }
    }

    private mutating func add(_ sum: PendingSum, _ name: String, _ place: Int, _ table: Int) {
        let property = names.property(name, of: table)
        changes[place].sums.append(.init(property: property, replica: UInt32(sum.origin.slot), epoch: sum.origin.epoch, amount: sum.amount,
                                         count: sum.increments, began: sum.began))
    }

    private mutating func append(_ value: SyncValue, _ property: StoredProperty, _ entry: PendingEntry, _ place: Int, _ table: Int) {
        let path = SyncPath(property: names.property(property.name, of: table))
        changes[place].registers.append(.init(path: path, entry: self.entry(entry), value: value))
    }

    /// The object that a property links to, which is not here: the link stays what it was.
    mutating func absentTarget(of object: Int64, _ property: StoredProperty,
                               _ state: TableState) throws(FreeholdError) -> SyncObject? {
        let root = PendingTrees(state.root).absent
        guard let target = try AbsentLinkTree.target(of: object, property.number, root, in: snapshot.core.access),
              let stored = schema.find(number: target.table), stored.sync != nil, let column = stored.primaryKey,
              let key = Value(indexKey: target.indexKey, of: stored.properties[column].type).flatMap({ SyncKey($0) }) else { return nil }
        return SyncObject(type: names.type(target.table), key: key)
    }

    private mutating func add(_ kind: CollectionKind, _ property: StoredProperty, _ column: Int, _ found: RowPlace, _ state: TableState,
                              _ own: [PendingEntry], _ inner: [Int64: PendingEntry], _ created: PendingEntry?,
                              _ place: Int) throws(FreeholdError) {
        if own.isEmpty && created == nil && inner.isEmpty { return }
        guard let reader = try state.collection(found, column) else { return }
        switch kind {
        case .set: try addMembers(property, reader, own, created, place, Int(state.stored.number))
        case .map: try addEntries(property, reader, own, inner, created, place, Int(state.stored.number))
        case .list: try addElements(property, reader, found, state, own, inner, created, place)
        }
    }

    private mutating func addMembers(_ property: StoredProperty, _ reader: CollectionReader, _ own: [PendingEntry],
                                     _ created: PendingEntry?, _ place: Int, _ table: Int) throws(FreeholdError) {
        let number = names.property(property.name, of: table)
        var noted: Set<[UInt8]> = []
        for entry in own {
            guard case .member(_, let bytes) = entry.what, let value = Value(indexKey: bytes, of: property.type) else { continue }
            noted.insert(bytes)
            guard let element = try element(value, property) else { continue }
            let isMember = try reader.search(value).isFound
            changes[place].members.append(.init(property: number, element: element, isMember: isMember, entry: self.entry(entry)))
        }
        guard let created else { return }
        let key = ByteBuffer()
        for position in 0..<reader.count {
            key.setIndexKey(try reader.value(at: position), of: property.type)
            let bytes = key.array
            guard !noted.contains(bytes), let value = Value(indexKey: bytes, of: property.type),
                  let element = try element(value, property) else { continue }
            changes[place].members.append(.init(property: number, element: element, isMember: true, entry: self.entry(created)))
        }
    }

    /// A member of a set. Of one that links to an object that is gone, nothing can be said.
    private mutating func element(_ value: Value, _ property: StoredProperty) throws(FreeholdError) -> SyncValue? {
        let made = try message(value, property)
        return made.isNull && value != .null ? nil : made
    }

    private mutating func addEntries(_ property: StoredProperty, _ reader: CollectionReader, _ own: [PendingEntry],
                                     _ inner: [Int64: PendingEntry], _ created: PendingEntry?, _ place: Int,
                                     _ table: Int) throws(FreeholdError) {
        let number = names.property(property.name, of: table)
        var noted: [ExactText: PendingEntry] = [:]
        for entry in own {
            guard case .mapKey(_, let bytes) = entry.what, let key = String(validating: bytes, as: UTF8.self) else { continue }
            noted[ExactText(key)] = entry
            if try !reader.search(key: key).isFound { append(.absent, for: key, number, entry, place) }
        }
        if noted.isEmpty && created == nil && inner.isEmpty { return }
        for position in 0..<reader.count {
            let key = try reader.key(at: position), value = try value(reader, position)
            let changed = inner.isEmpty ? [] : value.embeddedKeys.compactMap { inner[$0] }
            guard let entry = (changed + [noted[ExactText(key)]].compactMap(\.self)).newest ?? created else { continue }
            append(try message(value, property), for: key, number, entry, place)
        }
    }

    private mutating func append(_ value: SyncValue, for key: String, _ property: Int32, _ entry: PendingEntry, _ place: Int) {
        let path = SyncPath(property: property, key: .string(key))
        changes[place].registers.append(.init(path: path, entry: self.entry(entry), value: value))
    }

    func value(_ reader: CollectionReader, _ position: Int) throws(FreeholdError) -> Value {
        reader.shape.inner == nil ? try reader.value(at: position) : try reader.inner(at: position).value()
    }

    // MARK: Values

    mutating func message(_ value: Value, _ property: StoredProperty) throws(FreeholdError) -> SyncValue {
        if isEmbedded(property) { return try whole(value, property) }
        let target = property.linkTarget.map { schema.table(of: Int($0)) }
        var found: [Value: SyncObject] = [:]
        // Looked up first: numbering a class changes the names.
        for link in value.links where found[link] == nil { found[link] = try object(link, target) }
        return try SyncValue(value) { found[$0] }
    }

    /// The object that a link leads to; nil if it is gone, or not synced.
    private mutating func object(_ link: Value, _ target: Int?) throws(FreeholdError) -> SyncObject? {
        let table: Int, key: Int64
        switch (link, target) {
        case (.link(let one), let target?): (table, key) = (target, one.rawValue)
        case (.object(let one), _) where schema.find(number: one.classNumber) != nil:
            (table, key) = (schema.table(of: one.classNumber), one.key.rawValue)
        default: return nil
        }
        let stored = schema.classes[table]
        guard stored.sync != nil else { return nil }
        let state = try snapshot.state(table, as: stored)
        var found = try state.find(key).flatMap { place throws(FreeholdError) in try primaryKey(place, state) }
        if found == nil { found = try deletedKey(key, stored) }
        return found.map { SyncObject(type: names.type(table), key: $0) }
    }

    func primaryKey(_ place: RowPlace, _ state: TableState) throws(FreeholdError) -> SyncKey? {
        guard let column = state.stored.primaryKey else { return nil }
        return SyncKey(state.stored.isKeyedByInteger ? .int(place.key) : try state.value(place, column))
    }

    /// The primary key of a deleted object.
    private mutating func deletedKey(_ object: Int64, _ stored: StoredClass) throws(FreeholdError) -> SyncKey? {
        if stored.isKeyedByInteger { return .int(object) }
        guard let column = stored.primaryKey else { return nil }
        let table = Int(stored.number), type = stored.properties[column].type
        if deleted[table] == nil {
            var keys: [Int64: SyncKey] = [:]
            try PendingTrees(try snapshot.state(table, as: stored).root).forEachDeletion(in: snapshot.core.access) { bytes, object in
                keys[object] = Value(indexKey: bytes, of: type).flatMap { SyncKey($0) }
            }
            deleted[table] = keys
        }
        return deleted[table]?[object]
    }
}

extension Value {
    /// The object keys of embedded objects in an element of a collection.
    var embeddedKeys: [Int64] { links.compactMap { if case .link(let key) = $0 { key.rawValue } else { nil } } }

    /// The links in a value, at any depth.
    fileprivate var links: [Value] {
        switch self {
        case .link, .object: [self]
        case .list(let values), .set(let values): values.flatMap(\.links)
        case .map(let entries): entries.sortedByKey.flatMap(\.value.links)
        default: []
        }
    }
}
