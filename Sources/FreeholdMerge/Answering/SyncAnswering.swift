import FreeholdEngine

/// Makes the answer to a pull: every object of which the last change, or the last change of who sees it, is not in the cursor that was
/// asked with and in the snapshot; and whatever the replica's batches have named.
///
/// An object is named if the user sees it or has seen it, or if the replica has named it.
struct SyncAnswering {
    let schema: SyncSchema
    let store: any SyncStore
    let pull: SyncPull
    let user: SyncUser
    let shortcuts: MergeShortcuts
    /// What the rows are compared with: the cursor that was asked with, or none at all after a reset.
    private let cursor: SyncCursor
    private let isReset: Bool
    private let after: SyncCursor
    private let replica: UInt32
    private var replicas: [ReplicaIdentity] = []
    private var numbers: [UInt32: UInt32] = [:]

    init(_ pull: SyncPull, user: SyncUser, history: UInt64, schema: SyncSchema, store: any SyncStore, shortcuts: MergeShortcuts)
        throws(FreeholdError)
    {
        self.pull = pull
        self.user = user
        self.schema = schema
        self.store = store
        self.shortcuts = shortcuts
        let isOther = pull.history != history && !shortcuts.contains(.ignoresHistory)
        let isLate = try pull.cursor.oldest < store.horizon && !shortcuts.contains(.neverResets)
        isReset = pull.cursor == .never || isOther || isLate
        cursor = isReset ? .never : pull.cursor
        let snapshot = try store.snapshot
        if shortcuts.contains(.endsAtWatermark) {
            after = SyncCursor(next: snapshot.oldest)!
        } else if shortcuts.contains(.cursorIsNewest) {
            after = SyncCursor(next: snapshot.next)!
        } else {
            after = snapshot
        }
        replica = try store.number(of: pull.replica)
    }

    /// What stands before an answer's rows.
    func head(history: UInt64, time: Int64) throws(FreeholdError) -> SyncAnswer {
        SyncAnswer(replica: pull.replica, askedHistory: pull.history, askedCursor: pull.cursor, history: history, cursor: after,
                   isReset: isReset, known: try store.ledger(replica).epoch, time: time, sent: pull.sent, names: schema.names)
    }

    /// What stands behind the rows.
    struct End {
        var replicas: [ReplicaIdentity] = []
        var gone: [SyncAnswer.Gone] = []
        var rejections: [SyncRejection] = []
    }

    /// Finds what the answer names, and gives each row to `emit` as it is found.
    mutating func find(_ emit: (SyncRow) throws(FreeholdError) -> Void) throws(FreeholdError) -> End {
        let ledger = try store.ledger(replica)
        var end = End()
        if isReset {
            try store.forEachObject { object throws(FreeholdError) in
                try add(object, ledger, isLinking: false, &end, emit)
            }
            // What batches named and the store has forgotten.
            for object in ledger.owed.keys.sorted() where try store.row(object) == nil {
                try add(object, ledger, isLinking: false, &end, emit)
            }
        } else {
            let found = try objects(ledger), linking = try linking(to: found)
            try store.forEachPart(of: found.union(linking).sorted()) { part throws(FreeholdError) in
                for object in part { try add(object, ledger, isLinking: linking.contains(object), &end, emit) }
            }
        }
        let inherited = try pull.inherited.map { one throws(FreeholdError) in try store.number(of: one) }
        for one in [replica] + inherited {
            for (transaction, rejection) in try store.ledger(one).rejections where isNew(transaction) {
                try end.rejections.append(named(rejection))
            }
        }
        end.replicas = replicas
        try forget(ledger)
        return end
    }

    /// Whether an answer without rows and end would tell the file something.
    var tellsSomething: Bool { isReset || after.oldest > Self.staleness && after.oldest - Self.staleness > pull.cursor.oldest }

    /// Transactions after which a file gets a newer cursor, though nothing is new: what it asks with costs the store more with each one.
    private static let staleness: UInt64 = 10_000

    /// Whether a transaction's changes are for the asker.
    private func isNew(_ transaction: UInt64) -> Bool {
        if shortcuts.contains(.endsAtWatermark) { return transaction >= cursor.oldest && transaction < after.next }
        return !cursor.contains(transaction)
    }

    private func objects(_ ledger: SyncLedger) throws(FreeholdError) -> Set<SyncObject> {
        var found: Set<SyncObject> = []
        found.formUnion(try store.changes(since: cursor, for: user))
        for (object, transaction) in ledger.owed where isNew(transaction) { found.insert(object) }
        return found
    }

    /// What links from collections to objects that come: a device without an object has no such links to it.
    private func linking(to objects: Set<SyncObject>) throws(FreeholdError) -> Set<SyncObject> {
        if shortcuts.contains(.forgetsLinks) { return [] }
        var found: Set<SyncObject> = []
        try store.forEachPart(of: objects.sorted()) { part throws(FreeholdError) in
            var coming: [SyncObject] = []
            for object in part {
                guard let row = try store.row(object), row.isAlive else { continue }
                let sight = try store.sight(of: object, by: user)
                if sight.sees, isNew(row.birth) || sight.hasChanged(isNew) { coming.append(object) }
            }
            try found.formUnion(store.linking(to: coming))
        }
        return found
    }

    private mutating func add(_ object: SyncObject, _ ledger: SyncLedger, isLinking: Bool, _ end: inout End,
                              _ emit: (SyncRow) throws(FreeholdError) -> Void) throws(FreeholdError) {
        let row = try store.row(object), sight = try store.sight(of: object, by: user)
        let isOwed = ledger.owed[object].map(isNew) ?? false
        if sight.sees, let row {
            guard isOwed || isLinking || isNew(row.last) || sight.hasChanged(isNew) else { return }
            try emit(self.row(object, row))
        } else if isOwed || hasLeft(sight) {
            let isAlive = row?.isAlive == true
            if shortcuts.contains(.keepsLeavings), isAlive || row == nil { return }
            end.gone.append(.init(object: object, reason: isAlive ? .left : .deleted))
        }
    }

    /// Whether an object that the user does not see is to be named. A reset need not name what everyone has seen once: what it does not
    /// name is not there, and the user may be one who never saw it.
    private func hasLeft(_ sight: SyncSight) -> Bool { isReset ? sight.hasChangedForUser(isNew) : sight.hasChanged(isNew) }

    /// A replica has what its durable cursor contains: nothing of it need be kept.
    private func forget(_ ledger: SyncLedger) throws(FreeholdError) {
        var ledger = ledger
        if shortcuts.contains(.forgetsSent) { ledger.rejections = [] }
        ledger.rejections.removeAll { cursor.contains($0.transaction) }
        ledger.owed = ledger.owed.filter { !cursor.contains($0.value) }
        try store.save(ledger, of: replica)
    }

    // MARK: Rows

    private mutating func row(_ object: SyncObject, _ row: StoredRow) throws(FreeholdError) -> SyncRow {
        let isOther = { [replica] (one: UInt32, transaction: UInt64, isNew: (UInt64) -> Bool) in one != replica && isNew(transaction) }
        var made = SyncRow(object: object, hasOthers: row.changed.pairs.contains { isOther($0.replica, $0.transaction, isNew) },
                           isBorn: isNew(row.birth) && !row.births.contains(replica))
        for (property, register) in row.registers.enumerated() where register.isWritten {
            let path = SyncPath(property: Int32(property), instance: try named(register.instance))
            made.registers.append(try named(register, path, isFresh: isOther(register.replica, register.transaction, isNew)))
        }
        for (path, register) in row.entries {
            made.registers.append(try named(register, path, isFresh: isOther(register.replica, register.transaction, isNew)))
        }
        made.counters = row.counters.map { .init(property: $0.key, sum: $0.value) }
        for (member, additions) in row.members {
            let isFresh = additions.pairs.contains { isOther($0.replica, $0.transaction, isNew) }
            made.members.append(.init(property: member.property, element: try named(member.element), isFresh: isFresh))
        }
        for (property, list) in row.lists {
            var elements: [SyncRow.Element] = []
            try list.forEachShown { (identity, element) throws(FreeholdError) in
                elements.append(.init(identity: try named(identity), position: try named(element.position),
                                      value: try named(element.value.value), trace: element.value.trace))
            }
            made.lists.append(.init(property: property, elements: elements))
        }
        return made
    }

    // MARK: Numbers of the message

    private mutating func number(_ replica: UInt32) throws(FreeholdError) -> UInt32 {
        if let number = numbers[replica] { return number }
        let made = UInt32(replicas.count)
        numbers[replica] = made
        replicas.append(try store.replica(replica))
        return made
    }

    private mutating func named(_ register: StoredRegister, _ path: SyncPath, isFresh: Bool)
        throws(FreeholdError) -> SyncRow.Register
    {
        .init(path: path, value: try named(register.value), stamp: register.stamp, replica: try number(register.replica), isFresh: isFresh,
              trace: register.trace)
    }

    private mutating func named(_ identity: SyncIdentity) throws(FreeholdError) -> SyncIdentity {
        identity == .none ? .none : SyncIdentity(replica: Int(try number(UInt32(identity.replica))), count: identity.count)
    }

    private mutating func named(_ value: SyncValue) throws(FreeholdError) -> SyncValue {
        if case .embedded(let identity) = value { .embedded(try named(identity)) } else { value } // no identity stands deeper
    }

    private mutating func named(_ rejection: SyncRejection) throws(FreeholdError) -> SyncRejection {
        var made = rejection
        made.entry.replica = try number(rejection.entry.replica)
        switch rejection.place {
        case .register(var path):
            path.instance = try named(path.instance)
            made.place = .register(path)
        case .member(let property, let element): made.place = .member(property: property, element: try named(element))
        case .element(let property, let element, let act): made.place = .element(property: property, element: try named(element), act: act)
        case .deletion, .creation, .counter, .unknown: break
        }
        return made
    }
}
