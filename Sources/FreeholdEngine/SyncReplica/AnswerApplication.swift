/// One answer, applied in a write transaction that does not capture: the transaction's result is the server's state with what is still
/// pending.
///
/// ```
/// clear what the server has processed ─► objects that are gone ─► rows: lives, contents ─► rejections ─► clock, cursor
/// ```
/// The rules are those of `docs/sync.md`; `Application` in the tests of sync has the same ones on values in memory.
final class AnswerApplication {
    let answer: SyncAnswer
    let transaction: WriteTransaction
    private let resolver: SyncReplica.Resolver?
    // Safe (all exclusivity below): one thread uses the transaction, and nothing here re-enters it.
    @exclusivity(unchecked) var body: SyncBody
    @exclusivity(unchecked) var report = SyncReport()
    /// The classes of the answer, by its numbers; nil for those that this file does not sync.
    @exclusivity(unchecked) private(set) var classes: [AppliedClass?] = []
    /// All synced classes with pending changes, and those of the answer, by table.
    @exclusivity(unchecked) private(set) var tables: [Int: AppliedClass] = [:]
    /// The stamp of changes that the answer causes.
    @exclusivity(unchecked) private var stamp: SyncStamp?
    /// What was pending that the server has processed.
    @exclusivity(unchecked) private(set) var cleared = ClearedChanges()
    @exclusivity(unchecked) var absent: AbsentLinks
    /// The identities of what the answer brings, for the commit.
    @exclusivity(unchecked) var identities = AppliedIdentities()
    @exclusivity(unchecked) var coming = ComingRows()
    @exclusivity(unchecked) var cuts: Set<CutList> = []
    @exclusivity(unchecked) private var replicaNumbers: [ReplicaIdentity: Int] = [:]

    /// The object of a row.
    struct RevivedObject {
        let key: Int64
        /// Whether the row has created it, and whether it has got all values that stand alone then.
        var isNew = false
        var isFilled = false
    }

    struct PropertyOfObject: Hashable {
        let table: Int
        let object: Int64
        let property: UInt32
    }

    /// Objects whose rows come later in the answer, by tables with unique properties; and what these had pending of a value that another
    /// object has taken: their rows say what becomes of it.
    struct ComingRows {
        var objects: [Int: Set<Int64>] = [:]
        var displaced: [PropertyOfObject: Value] = [:]
    }

    init(_ answer: SyncAnswer, _ transaction: WriteTransaction, _ body: SyncBody, _ resolver: SyncReplica.Resolver?) throws(FreeholdError) {
        self.answer = answer
        self.transaction = transaction
        self.body = body
        self.resolver = resolver
        absent = AbsentLinks(transaction)
        let schema = transaction.schema
        for entry in answer.names.classes {
            guard let stored = schema.find(entry.name), stored.sync != nil else {
                classes.append(nil)
                continue
            }
            let made = try open(stored, entry)
            classes.append(made)
        }
        for stored in schema.presentTables where schema.isCaptured(Int(stored.number)) && tables[Int(stored.number)] == nil {
            if try PendingTrees(transaction.writer(Int(stored.number)).state.root).isSettled, !answer.isReset { continue }
            _ = try open(stored, .init(name: stored.name, properties: []))
        }
    }

    private func open(_ stored: StoredClass, _ names: SyncNames.Entry) throws(FreeholdError) -> AppliedClass {
        let made = try AppliedClass(stored, names, in: transaction)
        tables[made.table] = made
        return made
    }

    /// A class, also one that the answer does not name.
    func table(_ table: Int) throws(FreeholdError) -> AppliedClass {
        if let known = tables[table] { return known }
        let stored = transaction.schema.classes[table]
        return try open(stored, .init(name: stored.name, properties: []))
    }

    /// The stamp of what is changed here because of the answer.
    func now() -> SyncStamp {
        if let stamp { return stamp }
        let made = body.clock.next(wallMilliseconds: wallMilliseconds)
        stamp = made
        return made
    }

    var wallMilliseconds: Int64 { transaction.core.session.system.wallClockNanoseconds / 1_000_000 }

    /// The origin of what is changed here because of the answer.
    var origin: PendingOrigin { PendingOrigin(slot: 0, epoch: body.epoch) }

    /// - Parameter latest: the latest stamp of the answer's values. Later stamps of this file are above it, also those of changes that the
    ///   answer causes.
    func apply(seeing latest: SyncStamp, monotonic: UInt64) throws(FreeholdError) {
        report.isReset = answer.isReset
        body.clock.see(latest)
        try clear()
        for one in answer.gone { if let own = own(one.object) { try remove(own, one.object.key, one.reason) } }
        if answer.isReset { try removeUnnamed() }
        try settleCuts()
        // Objects first, so that links find their targets.
        var objects: [RevivedObject?] = []
        objects.reserveCapacity(answer.storedRows.count)
        try answer.storedRows.forEach { row throws(FreeholdError) in
            guard let own = own(row.object), let object = try revive(own, row) else { return objects.append(nil) }
            objects.append(object)
            if own.hasUnique { coming.objects[own.table, default: []].insert(object.key) }
        }
        var place = 0
        try answer.storedRows.forEach { row throws(FreeholdError) in
            defer { place += 1 }
            guard let object = objects[place], let own = own(row.object) else { return }
            coming.objects[own.table]?.remove(object.key)
            try update(own, row, object)
        }
        for rejection in answer.rejections { take(rejection) }
        try setClock(monotonic: monotonic)
        body.history = answer.history
        body.cursor = answer.cursor
        try store()
        transaction.appliedIdentities = identities
    }

    func own(_ object: SyncObject) -> AppliedClass? { classes.indices.contains(Int(object.type)) ? classes[Int(object.type)] : nil }

    /// Puts the changed trees into the table roots.
    private func store() throws(FreeholdError) {
        for own in tables.values {
            try own.pending.write()
            guard own.pending.trees != PendingTrees(own.writer.state.root) else { continue }
            try own.writer.open(keepingRows: true)
            own.pending.trees.store(in: &own.writer.state.root)
        }
        try absent.store()
    }

    // MARK: What the server has processed

    /// Forgets what is pending of epochs that the answer contains. What a copied file has inherited went out with its first epoch.
    private func clear() throws(FreeholdError) {
        let known = answer.known
        var created: [(own: AppliedClass, objects: ClosedRange<Int64>)] = []
        for own in tables.values {
            var mayLink = false
            if own.stored.sync != nil { mayLink = try absent.mayLink(to: own.table) }
            try own.pending.clear { $0.slot == 0 ? $0.epoch <= known : known > 0 } _: { entry in
                if mayLink, case .created(let last) = entry.what { created.append((own, entry.key...last)) }
                cleared.add(entry, of: own)
            }
        }
        // A program has created what others linked to.
        for (own, objects) in created {
            for object in objects {
                guard let key = SyncKey(try own.primaryKey(of: object)) else { continue }
                try showLinks(to: object, own, key)
            }
        }
    }

    /// Whether the change of a merged property that the server names was pending before the answer. Epochs tell: the clock may have been
    /// set back since it was sent, and its stamp replaced.
    func hasCleared(_ own: AppliedClass, _ object: Int64, _ property: StoredProperty, _ entry: SyncEntry) -> Bool {
        guard answer.replicas.indices.contains(Int(entry.replica)) else { return false }
        let replica = answer.replicas[Int(entry.replica)]
        let isSame = { [body] (origin: PendingOrigin) in origin.epoch == entry.epoch && body.replica(ofSlot: Int(origin.slot)) == replica }
        let known = cleared.change(of: PropertyOfObject(table: own.table, object: object, property: property.number))
        if let known, isSame(known.origin) { return true }
        return cleared.creation(of: object, in: own.table).map { isSame($0.origin) } ?? false
    }

    // MARK: Identities

    /// The number of a replica in `identities`.
    func number(of replica: ReplicaIdentity) -> Int {
        if let known = replicaNumbers[replica] { return known }
        replicaNumbers[replica] = identities.replicas.count
        identities.replicas.append(replica)
        return identities.replicas.count - 1
    }

    // MARK: Reports

    func note(_ own: AppliedClass, _ key: Value, _ property: String?, _ reason: SyncReport.Reason) {
        report.losses.append(.init(className: own.stored.name, primaryKey: key, property: property, reason: reason))
    }

    /// Reports each pending change of an object as lost.
    func noteAll(_ own: AppliedClass, _ key: Value, _ entries: [PendingEntry], _ sums: [PendingSum], _ reason: SyncReport.Reason) {
        let numbers = Set(entries.compactMap(\.property) + sums.map(\.property))
        if entries.contains(where: { $0.what == .deleted }) { note(own, key, nil, reason) }
        for property in own.stored.properties where numbers.contains(property.number) { note(own, key, property.name, reason) }
    }

    private func take(_ rejection: SyncRejection) {
        if case .unknown(let className, let property) = rejection.place {
            let loss = SyncReport.Loss(className: className, primaryKey: rejection.object.key.value, property: property, reason: .unknown)
            return report.losses.append(loss)
        }
        guard let own = own(rejection.object) else { return }
        let number: Int32? = switch rejection.place {
        case .deletion, .creation, .unknown: nil
        case .register(let path): path.property
        case .member(let property, _), .element(let property, _, _), .counter(let property): property
        }
        let names = answer.names.classes[Int(rejection.object.type)].properties
        let name = number.flatMap { names.indices.contains(Int($0)) ? names[Int($0)] : nil }
        note(own, rejection.object.key.value, name, SyncReport.Reason(rejection.reason))
    }

    /// The application's merge of a property; nil if it has none.
    func merged(_ own: AppliedClass, _ object: Int64, _ property: StoredProperty, mine: Value,
                theirs: Value) throws(FreeholdError) -> Value? {
        guard let resolver else { return nil }
        let key = try own.primaryKey(of: object)
        let conflict = SyncConflictCase(className: own.stored.name, primaryKey: key, property: property.name, mine: mine, theirs: theirs)
        return try resolver(conflict)
    }

    // MARK: Clocks

    /// Learns how wrong the device's clock is. One that was ahead is set back, and what it has stamped is stamped anew, in its order:
    /// the server would replace these stamps. Those that were inherited stay, as the server replaces them alike for all files.
    private func setClock(monotonic: UInt64) throws(FreeholdError) {
        guard monotonic >= answer.sent, monotonic - answer.sent <= Self.reachMilliseconds else { return }
        let (offset, isOver) = answer.time.subtractingReportingOverflow(wallMilliseconds)
        let (difference, isFar) = offset.subtractingReportingOverflow(body.clock.offset)
        guard !isOver, !isFar else { return }
        if difference.magnitude > UInt64(HybridClock.toleranceMilliseconds / 2) { body.clock.offset = offset }
        // Safe: a time is far from the largest number, or gives the last stamp of all.
        let limit = SyncStamp(milliseconds: min(answer.time, SyncStamp.maximumMilliseconds) &+ HybridClock.toleranceMilliseconds)
        guard max(body.clock.last, body.clock.seen) > limit else { return }
        body.clock.setBack(toServerMilliseconds: answer.time)
        for own in tables.values { try own.pending.write() }
        var late: [(own: AppliedClass, entry: PendingEntry)] = []
        for own in tables.values {
            try own.pending.trees.forEachChange(in: transaction.pending.access) { entry in
                if entry.origin.slot == 0, entry.stamp > limit { late.append((own, entry)) }
            }
        }
        late.sort { $0.entry.stamp < $1.entry.stamp }
        var last = SyncStamp.none, fresh = SyncStamp.none
        for (own, entry) in late {
            if entry.stamp != last { fresh = body.clock.next(wallMilliseconds: wallMilliseconds) }
            last = entry.stamp
            own.pending.remove(entry)
            own.pending.insert(PendingEntry(key: entry.key, what: entry.what, stamp: fresh, origin: entry.origin))
        }
    }

    /// A round trip that is longer says nothing about the device's clock.
    private static let reachMilliseconds: UInt64 = 10_000
}
