/// Makes a batch of what is pending in the version of a seal: changes with their values, by primary key.
///
/// Everything that is pending in that version belongs to epochs that have ended, as the seal's commit ended the last one.
struct BatchMaker {
    private let snapshot: Snapshot
    private let schema: StoredSchema
    private let body: SyncBody
    private var names: ReplicaNames
    private var changes: [SyncChange] = []
    /// The replicas that the message names: this one, its slots, and those that have given identities.
    private var replicas: [ReplicaIdentity]
    private var replicaNumbers: [ReplicaIdentity: Int] = [:]
    /// The message's numbers of a table's replicas.
    private var translations: [Int: [Int: Int]] = [:]
    /// The places of a table's changes, by primary key.
    private var places: [SyncKey: Int] = [:]
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
        for stored in schema.presentTables where stored.sync != nil { try add(stored) }
        let inherited = body.slots.enumerated().map {
            SyncPush.Inherited(replica: UInt32($0 + 1), openEpoch: $1.epoch, last: $1.last)
        }
        return SyncPush(epoch: epoch, history: body.history, cursor: body.cursor, seen: body.clock.seen, names: names.names,
                        replicas: replicas, inherited: inherited, changes: changes)
    }

    // MARK: A class

    /// What is pending of one object under its object key.
    private struct Draft {
        var created: PendingEntry?
        var entries: [PendingEntry] = []
        var sums: [PendingSum] = []
    }

    private mutating func add(_ stored: StoredClass) throws(FreeholdError) {
        let table = Int(stored.number), state = try snapshot.state(table, as: stored), access = snapshot.core.access
        let trees = PendingTrees(state.root)
        if trees.isEmpty { return }
        places = [:]
        var drafts: [Int64: Draft] = [:], gone: [PendingEntry] = []
        try trees.forEachChange(in: access) { entry in
            switch entry.what {
            case .created(let last): for key in entry.key...last { drafts[key, default: Draft()].created = entry }
            case .deleted: gone.append(entry)
            default: drafts[entry.key, default: Draft()].entries.append(entry)
            }
        }
        try trees.forEachSum(in: access) { drafts[$0.key, default: Draft()].sums.append($0) }
        for entry in gone {
            guard let key = try deletedKey(entry.key, stored) else { throw damaged("the deletion of object \(entry.key)", stored) }
            changes[place(of: key, table)].deleted = self.entry(entry)
        }
        for (key, draft) in drafts.sorted(by: { $0.key < $1.key }) {
            guard let found = try state.find(key), let primary = try primaryKey(found, state) else {
                throw damaged("a change of object \(key)", stored)
            }
            try fill(place(of: primary, table), found, state, draft)
        }
    }

    private func damaged(_ what: String, _ stored: StoredClass) -> FreeholdError {
        FreeholdError(.corrupt, "\(what) of class '\(stored.name)' is pending, and there is no such object; run `freehold check`",
                      path: snapshot.core.path)
    }

    /// The place of an object's change: a deletion and a later creation under one primary key are one change.
    private mutating func place(of key: SyncKey, _ table: Int) -> Int {
        if let known = places[key] { return known }
        places[key] = changes.count
        changes.append(SyncChange(object: SyncObject(type: names.type(table), key: key)))
        return changes.count - 1
    }

    private func entry(_ entry: PendingEntry) -> SyncEntry {
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
                try add(shape.kind, property, column, found, state, own, draft.created, place)
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
    private mutating func absentTarget(of object: Int64, _ property: StoredProperty,
                                       _ state: TableState) throws(FreeholdError) -> SyncObject? {
        let root = PendingTrees(state.root).absent
        guard let target = try AbsentLinkTree.target(of: object, property.number, root, in: snapshot.core.access),
              let stored = schema.find(number: target.table), stored.sync != nil, let column = stored.primaryKey,
              let key = Value(indexKey: target.indexKey, of: stored.properties[column].type).flatMap({ SyncKey($0) }) else { return nil }
        return SyncObject(type: names.type(target.table), key: key)
    }

    private mutating func add(_ kind: CollectionKind, _ property: StoredProperty, _ column: Int, _ found: RowPlace, _ state: TableState,
                              _ own: [PendingEntry], _ created: PendingEntry?, _ place: Int) throws(FreeholdError) {
        if own.isEmpty, created == nil { return }
        guard let reader = try state.collection(found, column) else { return }
        switch kind {
        case .set: try addMembers(property, reader, own, created, place, Int(state.stored.number))
        case .map: try addEntries(property, reader, own, created, place, Int(state.stored.number))
        case .list: try addElements(property, reader, found, state, own, created, place)
        }
    }

    // MARK: Lists

    /// What was done to a list's elements, in the order in which positions were made, of the files that this one was copied from first;
    /// then what needs none.
    private mutating func addElements(_ property: StoredProperty, _ reader: CollectionReader, _ found: RowPlace, _ state: TableState,
                                      _ own: [PendingEntry], _ created: PendingEntry?, _ place: Int) throws(FreeholdError) {
        if isEmbedded(property) { return }
        let identities = IdentityReader(trees: PendingTrees(state.root), access: snapshot.core.access)
        let list = ListedIdentities(try identities.runs(of: found.key, property.number))
        var elements = PendingElements(own)
        if let created { elements.addCreation(list.runs, created) }
        let table = Int(state.stored.number), number = names.property(property.name, of: table)
        try translate(identities, table)
        var made: [(order: (Int, Int, UInt64), element: SyncChange.Element)] = []
        for (change, entry) in elements.changes {
            for offset in 0..<change.count {
                let identity = change.first.advanced(by: offset), one = change.part(identity.rawValue...identity.rawValue)
                let named = message(identity, table)
                var element = SyncChange.Element(property: number, element: named, act: change.act, entry: self.entry(entry))
                element.position = message(one.position, table)
                element.left = message(one.left, table)
                element.right = message(one.right, table)
                if change.act == .inserted || change.act == .changed, let at = list.index(of: identity) {
                    element.value = try message(try value(reader, at), property)
                }
                made.append((order(of: element.position), element))
            }
        }
        // A stable sort: equal ones stay as they are.
        let sorted = made.enumerated().sorted { one, other in
            one.element.order != other.element.order ? one.element.order < other.element.order : one.offset < other.offset
        }
        changes[place].elements += sorted.map(\.element.element)
    }

    private func order(of position: SyncIdentity) -> (Int, Int, UInt64) {
        if position == .none { return (1, 0, 0) }
        if position.replica == 0 { return (0, body.slots.count, position.count) }
        // Slots are in the order of the message, the last copy first.
        if position.replica <= body.slots.count { return (0, body.slots.count - position.replica, position.count) }
        return (0, -1, 0) // of an object that was created again: in the order of the list
    }

    private mutating func translate(_ identities: IdentityReader, _ table: Int) throws(FreeholdError) {
        if translations[table] != nil { return }
        var numbers: [Int: Int] = [:]
        for (number, replica) in try identities.replicas() {
            if replicaNumbers[replica] == nil {
                replicaNumbers[replica] = replicas.count
                replicas.append(replica)
            }
            numbers[number] = replicaNumbers[replica]
        }
        translations[table] = numbers
    }

    /// An identity of a table in the message's numbers.
    private func message(_ identity: SyncIdentity, _ table: Int) -> SyncIdentity {
        guard identity != .none, let number = translations[table]?[identity.replica] else { return .none }
        return SyncIdentity(replica: number, count: identity.count)
    }

    private func isEmbedded(_ property: StoredProperty) -> Bool {
        property.linkTarget.map { schema.classes[Int($0)].isEmbedded } ?? false
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
                                     _ created: PendingEntry?, _ place: Int, _ table: Int) throws(FreeholdError) {
        let number = names.property(property.name, of: table)
        var noted: Set<ExactText> = []
        for entry in own {
            guard case .mapKey(_, let bytes) = entry.what, let key = String(validating: bytes, as: UTF8.self) else { continue }
            noted.insert(key)
            let (position, isFound) = try reader.search(key: key)
            let value = isFound ? try message(try value(reader, position), property) : .absent
            let path = SyncPath(property: number, key: .string(key))
            changes[place].registers.append(.init(path: path, entry: self.entry(entry), value: value))
        }
        guard let created else { return }
        for position in 0..<reader.count {
            let key = try reader.key(at: position)
            if noted.contains(key) { continue }
            let value = try message(try value(reader, position), property)
            let path = SyncPath(property: number, key: .string(key))
            changes[place].registers.append(.init(path: path, entry: self.entry(created), value: value))
        }
    }

    private func value(_ reader: CollectionReader, _ position: Int) throws(FreeholdError) -> Value {
        reader.shape.inner == nil ? try reader.value(at: position) : try reader.inner(at: position).value()
    }

    // MARK: Values

    private mutating func message(_ value: Value, _ property: StoredProperty) throws(FreeholdError) -> SyncValue {
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

    private func primaryKey(_ place: RowPlace, _ state: TableState) throws(FreeholdError) -> SyncKey? {
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
