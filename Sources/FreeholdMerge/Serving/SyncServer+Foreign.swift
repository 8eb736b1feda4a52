import FreeholdEngine

extension SyncServer {
    /// Takes over what other software has made of objects, in a transaction of its own.
    public func takeOver(_ objects: [SyncObject], now: Int64) throws(FreeholdError) {
        let transaction = try begin()
        try within(transaction) { () throws(FreeholdError) in try takeOver(objects, in: transaction, now: now) }
    }

    /// Takes it over in a transaction that has begun: a batch would write over it otherwise.
    func takeOver(_ objects: [SyncObject], in transaction: UInt64, now: Int64) throws(FreeholdError) {
        let changes = try store.foreignChanges(of: objects)
        if changes.isEmpty { return }
        var merge = ForeignMerge(schema: schema, store: store, streams: streams, transaction: transaction, now: now)
        try merge.apply(changes)
    }
}

/// What other software has made of objects becomes changes of replica 0.
///
/// It has seen all that is committed, as it writes into the tables: its writes come after all that the rows have.
private struct ForeignMerge {
    let schema: SyncSchema
    let store: any SyncStore
    let streams: any SyncStreams
    let transaction: UInt64
    let now: Int64
    private var rows: [StoredRow?] = []
    /// Embedded objects that were made here.
    private var made: UInt64 = 0
    /// Places and properties of unique values that were set.
    private var claimed: [(place: Int, property: Int32)] = []

    init(schema: SyncSchema, store: any SyncStore, streams: any SyncStreams, transaction: UInt64, now: Int64) {
        (self.schema, self.store, self.streams, self.transaction, self.now) = (schema, store, streams, transaction, now)
    }

    mutating func apply(_ changes: [SyncForeignChange]) throws(FreeholdError) {
        rows = try changes.map { change throws(FreeholdError) in try store.take(change.object) }
        let audiences = try changes.indices.map { place throws(FreeholdError) in try audience(changes[place].object, place) }
        for place in changes.indices {
            live(changes[place], place)
            guard rows[place]?.isAlive == true else { continue }
            try noteLinks(changes[place])
            setValues(changes[place], place)
            setCollections(changes[place], place)
        }
        try keepUnique(changes)
        for place in changes.indices {
            if let row = rows[place] { try store.save(row, of: changes[place].object, transaction: transaction) }
        }
        var upkeep = ViewUpkeep(store: store, streams: streams, transaction: transaction)
        for place in changes.indices {
            upkeep.change(changes[place].object, from: audiences[place], to: try audience(changes[place].object, place))
        }
        try upkeep.finish()
    }

    private func audience(_ object: SyncObject, _ place: Int) throws(FreeholdError) -> SyncAudience? {
        guard let row = rows[place], row.isAlive else { return nil }
        return try streams.audience(of: object, row)
    }

    private mutating func live(_ change: SyncForeignChange, _ place: Int) {
        if change.wasDeleted || !change.isThere, rows[place]?.isAlive == true {
            rows[place]!.isAlive = false
            rows[place]!.death = (transaction, 0)
            rows[place]!.note(0, transaction)
            if schema[change.object].conflict == .deletionWins { rows[place]!.wipe() }
        }
        guard change.isThere, rows[place]?.isAlive != true else { return }
        rows[place] = StoredRow(transaction: transaction, propertyCount: schema[change.object].properties.count)
        rows[place]!.births = [0]
        rows[place]!.note(0, transaction)
    }

    private func noteLinks(_ change: SyncForeignChange) throws(FreeholdError) {
        var targets: [SyncObject] = []
        for one in change.values {
            if case .link = one.value { continue }
            one.value.forEachLink { targets.append($0) }
        }
        for one in change.entries { one.value.forEachLink { targets.append($0) } }
        for one in change.members where one.isMember { one.element.forEachLink { targets.append($0) } }
        if !targets.isEmpty { try store.note(links: targets, of: change.object) }
    }

    // MARK: Contents

    private func register(_ value: SyncValue, after old: StoredRegister?, instance: SyncIdentity = .none) -> StoredRegister {
        let stamp = max(SyncStamp(milliseconds: now), (old?.stamp ?? .none).successor)
        return StoredRegister(value: value, stamp: stamp, transaction: transaction, instance: instance)
    }

    /// What embeds comes before what is embedded.
    private mutating func setValues(_ change: SyncForeignChange, _ place: Int) {
        let type = schema[change.object]
        for one in change.values.sorted(by: { (type.depth($0.property), $0.property) < (type.depth($1.property), $1.property) }) {
            // None: its embedded object is not there.
            guard let instance = rows[place]!.instance(of: one.property, type) else { continue }
            var value = one.value
            if case .embedded = value {
                value = .embedded(SyncIdentity(replica: 0, count: transaction << 8 | made & 0xff))
                made += 1
            }
            let old = rows[place]!.registers[Int(one.property)]
            rows[place]!.registers[Int(one.property)] = register(value, after: old, instance: instance)
            _ = rows[place]!.dropInner(of: one.property, type)
            rows[place]!.note(0, transaction)
            if type.properties[Int(one.property)].isUnique, !value.isNull { claimed.append((place, one.property)) }
        }
    }

    private mutating func setCollections(_ change: SyncForeignChange, _ place: Int) {
        for one in change.entries {
            let path = SyncPath(property: one.property, key: one.key)
            rows[place]!.entries[path] = register(one.value, after: rows[place]!.entries[path])
        }
        for one in change.members {
            let name = StoredMember(property: one.property, element: one.element)
            var additions = TransactionsByReplica()
            if one.isMember { additions[0] = transaction }
            rows[place]!.members[name] = one.isMember ? additions : nil
        }
        // Safe: counters are sums modulo 2⁶⁴ on every device.
        for one in change.amounts { rows[place]!.counters[one.property, default: 0] &+= one.amount }
        if !change.entries.isEmpty || !change.members.isEmpty || !change.amounts.isEmpty { rows[place]!.note(0, transaction) }
    }

    // MARK: Unique values

    /// The object that had a value first keeps it, as with batches; what was written here becomes null, and is noted as refused.
    private mutating func keepUnique(_ changes: [SyncForeignChange]) throws(FreeholdError) {
        for (place, property) in claimed {
            guard let row = rows[place], row.isAlive, !row.value(of: property).isNull else { continue }
            let object = changes[place].object, value = row.value(of: property)
            let others = changes.indices.filter {
                $0 != place && changes[$0].object.type == object.type && rows[$0]?.isAlive == true && rows[$0]!.value(of: property) == value
            }
            // Of several that were written together, the last one stays.
            var isTaken = !others.isEmpty
            if !isTaken { isTaken = try !store.holders(of: value, property: property, type: object.type).isEmpty }
            guard isTaken else { continue }
            rows[place]!.registers[Int(property)].value = .null
            try store.noteRefused(property, of: object)
        }
    }
}
