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

    init(_ pull: SyncPull, user: SyncUser, history: UInt64, schema: SyncSchema, store: any SyncStore, shortcuts: MergeShortcuts) {
        self.pull = pull
        self.user = user
        self.schema = schema
        self.store = store
        self.shortcuts = shortcuts
        let isOther = pull.history != history && !shortcuts.contains(.ignoresHistory)
        let isLate = pull.cursor.oldest < store.horizon && !shortcuts.contains(.neverResets)
        isReset = pull.cursor == .never || isOther || isLate
        cursor = isReset ? .never : pull.cursor
        let snapshot = store.snapshot
        if shortcuts.contains(.endsAtWatermark) {
            after = SyncCursor(next: snapshot.oldest)!
        } else if shortcuts.contains(.cursorIsNewest) {
            after = SyncCursor(next: snapshot.next)!
        } else {
            after = snapshot
        }
        replica = store.number(of: pull.replica)
    }

    mutating func answer(history: UInt64, time: Int64) -> SyncAnswer {
        let ledger = store.ledger(replica)
        var answer = SyncAnswer(replica: pull.replica, askedHistory: pull.history, askedCursor: pull.cursor, history: history,
                                cursor: after, isReset: isReset, known: ledger.epoch, time: time, sent: pull.sent, names: schema.names)
        let found = objects(ledger), linking = linking(to: found)
        for object in found.union(linking).sorted() { add(object, ledger, isLinking: linking.contains(object), &answer) }
        for one in [replica] + pull.inherited.map({ store.number(of: $0) }) {
            for (transaction, rejection) in store.ledger(one).rejections where isNew(transaction) {
                answer.rejections.append(named(rejection))
            }
        }
        answer.replicas = replicas
        forget(ledger)
        return answer
    }

    /// Whether a transaction's changes are for the asker.
    private func isNew(_ transaction: UInt64) -> Bool {
        if shortcuts.contains(.endsAtWatermark) { return transaction >= cursor.oldest && transaction < after.next }
        return !cursor.contains(transaction)
    }

    private func objects(_ ledger: SyncLedger) -> Set<SyncObject> {
        var found: Set<SyncObject> = []
        if isReset {
            store.forEachObject { found.insert($0) }
        } else {
            found.formUnion(store.changes(since: cursor, for: user))
        }
        for (object, transaction) in ledger.owed where isNew(transaction) { found.insert(object) }
        return found
    }

    /// What links from collections to objects that come: a device without an object has no such links to it.
    private func linking(to objects: Set<SyncObject>) -> Set<SyncObject> {
        if isReset || shortcuts.contains(.forgetsLinks) { return [] }
        var found: Set<SyncObject> = []
        for object in objects {
            guard let row = store.row(object), row.isAlive, let view = store.view(of: object, by: user), view.sees,
                  isNew(row.birth) || isNew(view.since) else { continue }
            found.formUnion(store.linking(to: object))
        }
        return found
    }

    private mutating func add(_ object: SyncObject, _ ledger: SyncLedger, isLinking: Bool, _ answer: inout SyncAnswer) {
        let row = store.row(object), view = store.view(of: object, by: user)
        let isOwed = ledger.owed[object].map(isNew) ?? false
        if view?.sees == true, let row {
            guard isOwed || isLinking || isNew(row.last) || isNew(view!.since) else { return }
            answer.rows.append(self.row(object, row))
        } else if isOwed || view.map({ isNew($0.since) }) == true {
            let isAlive = row?.isAlive == true
            if shortcuts.contains(.keepsLeavings), isAlive || row == nil { return }
            answer.gone.append(.init(object: object, reason: isAlive ? .left : .deleted))
        }
    }

    /// A replica has what its durable cursor contains: nothing of it need be kept.
    private func forget(_ ledger: SyncLedger) {
        var ledger = ledger
        if shortcuts.contains(.forgetsSent) { ledger.rejections = [] }
        ledger.rejections.removeAll { cursor.contains($0.transaction) }
        ledger.owed = ledger.owed.filter { !cursor.contains($0.value) }
        store.save(ledger, of: replica)
    }

    // MARK: Rows

    private mutating func row(_ object: SyncObject, _ row: StoredRow) -> SyncRow {
        let isOther = { [replica] (one: UInt32, transaction: UInt64, isNew: (UInt64) -> Bool) in one != replica && isNew(transaction) }
        var made = SyncRow(object: object, hasOthers: row.changed.pairs.contains { isOther($0.replica, $0.transaction, isNew) },
                           isBorn: isNew(row.birth) && !row.births.contains(replica))
        for (property, register) in row.registers.enumerated() where register.isWritten {
            let path = SyncPath(property: Int32(property), instance: named(register.instance))
            made.registers.append(named(register, path, isFresh: isOther(register.replica, register.transaction, isNew)))
        }
        for (path, register) in row.entries {
            made.registers.append(named(register, path, isFresh: isOther(register.replica, register.transaction, isNew)))
        }
        made.counters = row.counters.map { .init(property: $0.key, sum: $0.value) }
        for (member, additions) in row.members {
            let isFresh = additions.pairs.contains { isOther($0.replica, $0.transaction, isNew) }
            made.members.append(.init(property: member.property, element: named(member.element), isFresh: isFresh))
        }
        for (property, list) in row.lists {
            var elements: [SyncRow.Element] = []
            list.forEachShown { identity, element in
                elements.append(.init(identity: named(identity), position: named(element.position), value: named(element.value.value),
                                      trace: element.value.trace))
            }
            made.lists.append(.init(property: property, elements: elements))
        }
        return made
    }

    // MARK: Numbers of the message

    private mutating func number(_ replica: UInt32) -> UInt32 {
        if let number = numbers[replica] { return number }
        let made = UInt32(replicas.count)
        numbers[replica] = made
        replicas.append(store.replica(replica))
        return made
    }

    private mutating func named(_ register: StoredRegister, _ path: SyncPath, isFresh: Bool) -> SyncRow.Register {
        .init(path: path, value: named(register.value), stamp: register.stamp, replica: number(register.replica), isFresh: isFresh,
              trace: register.trace)
    }

    private mutating func named(_ identity: SyncIdentity) -> SyncIdentity {
        identity == .none ? .none : SyncIdentity(replica: Int(number(UInt32(identity.replica))), count: identity.count)
    }

    private mutating func named(_ value: SyncValue) -> SyncValue {
        if case .embedded(let identity) = value { .embedded(named(identity)) } else { value } // no identity stands deeper
    }

    private mutating func named(_ rejection: SyncRejection) -> SyncRejection {
        var made = rejection
        made.entry.replica = number(rejection.entry.replica)
        switch rejection.place {
        case .register(var path):
            path.instance = named(path.instance)
            made.place = .register(path)
        case .member(let property, let element): made.place = .member(property: property, element: named(element))
        case .element(let property, let element, let act): made.place = .element(property: property, element: named(element), act: act)
        case .deletion, .creation, .counter, .unknown: break
        }
        return made
    }
}
