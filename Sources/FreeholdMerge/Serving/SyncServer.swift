import FreeholdEngine

/// A server's side of sync: merges batches into a store and answers pulls.
///
///     let server = SyncServer(schema: schema, store: MemoryStore(schema: schema))
///     let transaction = try server.begin()
///     let ack = try server.commit(push, by: user, in: transaction, now: milliseconds)
///     let answer = try server.answer(pull, for: user, now: milliseconds)
///
/// It keeps nothing itself: two servers on one store are as good as one, if the store orders their transactions by its locks.
public final class SyncServer {
    public let schema: SyncSchema
    public let store: any SyncStore
    public let streams: any SyncStreams
    /// The number of the history: one that was restored from a backup has a new one.
    public let history: UInt64
    package var shortcuts: MergeShortcuts = []
    package weak var observer: (any MergeObserver)?

    public init(schema: SyncSchema, store: any SyncStore, streams: any SyncStreams = OpenStreams(), history: UInt64 = 1) {
        self.schema = schema
        self.store = store
        self.streams = streams
        self.history = history
    }

    /// Begins a transaction for a batch that has arrived.
    public func begin() throws(FreeholdError) -> UInt64 { try store.begin() }

    /// Merges a batch and commits its transaction.
    ///
    /// - Returns: the acknowledgement; nil if the batch belongs to another history: its file is reset by the next answer.
    /// - Throws: `.malformedInput` if the batch contradicts itself, `.schemaMismatch` if it has classes or properties that the server does
    ///   not have, or has with another type, and errors of the store. Nothing of the batch is applied then, and all of it stays pending in
    ///   its file.
    public func commit(_ push: consuming SyncPush, by user: SyncUser, in transaction: UInt64, now: Int64)
        throws(FreeholdError) -> SyncAck?
    {
        // A caller who needs it no more has not two of it in memory, though it becomes another one.
        var given: SyncPush? = consume push
        return try within(transaction) { () throws(FreeholdError) in try merge(&given, by: user, in: transaction, now: now) }
    }

    /// Commits a transaction, or cancels it if `body` throws.
    func within<Result>(_ transaction: UInt64, _ body: () throws(FreeholdError) -> Result) throws(FreeholdError) -> Result {
        do throws(FreeholdError) {
            try store.enter(transaction)
            let result = try body()
            try store.commit(transaction)
            return result
        } catch {
            store.cancel(transaction)
            throw error
        }
    }

    /// - Parameter given: the batch, which is taken out of it.
    private func merge(_ given: inout SyncPush?, by user: SyncUser, in transaction: UInt64, now: Int64) throws(FreeholdError) -> SyncAck? {
        if given!.history != history, !shortcuts.contains(.ignoresHistory) { return nil }
        let ack = SyncAck(replica: given!.replicas[0], epoch: given!.epoch), inherited = given!.inherited
        let numbers = try given!.replicas.map { one throws(FreeholdError) in try store.number(of: one) }
        let applied = try numbers.map { one throws(FreeholdError) in try store.ledger(one).epoch }
        if ack.epoch <= applied[0], !shortcuts.contains(.appliesAgain) { return ack }
        var reading = BatchReading(given.take()!, schema)
        let translated = try reading.translated()
        var openEpochs = [UInt64?](repeating: nil, count: numbers.count)
        for one in inherited { openEpochs[Int(one.replica)] = one.openEpoch }
        let context = BatchContext(push: translated, user: user, transaction: transaction, now: now, numbers: numbers, applied: applied,
                                   openEpochs: openEpochs)
        let unknown = reading.unknown.filter { !context.isApplied($0.entry.replica, $0.entry.epoch, shortcuts) }
        if !unknown.isEmpty { throw mismatch(unknown) }
        try store.prepare(translated)
        try takeOver(translated.changes.map(\.object), in: transaction, now: now)
        var merge = try Merge(context, schema: schema, store: store, streams: streams, shortcuts: shortcuts, observer: observer)
        try merge.apply()
        return ack
    }

    /// Of a batch all is merged or nothing: its file takes what was acknowledged for known, and what it says of it later is changes only.
    private func mismatch(_ unknown: [BatchReading.Unknown]) -> FreeholdError {
        // A batch may have millions of changes of a few properties.
        var known: Set<ExactText> = []
        let different = unknown.filter { known.count < Self.mostAsked && known.insert(ExactText($0.name)).inserted }
        let deep = different.filter(isTooDeep), names = (deep.isEmpty ? different : deep).map(\.name)
        let named = names.prefix(Self.mostNamed).joined(separator: ", ") + (names.count > Self.mostNamed ? ", …" : "")
        let kept = "nothing of the batch is taken, and all of it stays pending in the file"
        if !deep.isEmpty {
            return FreeholdError(.schemaMismatch, """
                \(named): of objects that embed others of their own class the server has the first level; \(kept): keep deeper ones in a \
                list or map, or link to objects
                """)
        }
        return FreeholdError(.schemaMismatch, """
            the server does not have \(named), or has it with another type or key; \(kept): add them at the server, and send it again
            """)
    }

    /// Whether it is a property of an embedded object in one of its own class, deeper than declarations name them: it cannot be added.
    private func isTooDeep(_ one: BatchReading.Unknown) -> Bool {
        guard let name = one.property, let type = schema.classes.first(where: { $0.name.isSame(as: one.className) }) else { return false }
        let parts = name.split(separator: "."), known = type.properties.map(\.name)
        return (2..<max(2, parts.count)).contains { count in
            let embedding = parts[..<count].joined(separator: "."), within = embedding + "."
            return known.contains { $0.isSame(as: embedding) }
                && !known.contains { $0.hasPrefix(within) && !$0.isSame(as: within + SyncNames.subclass) }
        }
    }

    private static let mostNamed = 10
    private static let mostAsked = 1_000

    /// Answers a pull from one snapshot.
    public func answer(_ pull: SyncPull, for user: SyncUser, now: Int64) throws(FreeholdError) -> SyncAnswer {
        var answering = try SyncAnswering(pull, user: user, history: history, schema: schema, store: store, shortcuts: shortcuts)
        var answer = try answering.head(history: history, time: now)
        var rows: [SyncRow] = []
        let end = try answering.find { rows.append($0) }
        answer.rows = rows
        (answer.replicas, answer.gone, answer.rejections) = (end.replicas, end.gone, end.rejections)
        return answer
    }

    /// Answers a pull from one snapshot, as the parts of a message in their order: rows are not kept in memory.
    ///
    /// - Returns: false if nothing is new for the file; then `write` was not called.
    /// - Throws: errors of the store, and what `write` throws. The parts before are of no use then.
    public func answer(_ pull: SyncPull, for user: SyncUser, now: Int64, write: ([UInt8]) throws(FreeholdError) -> Void)
        throws(FreeholdError) -> Bool
    {
        var answering = try SyncAnswering(pull, user: user, history: history, schema: schema, store: store, shortcuts: shortcuts)
        let head = try answering.head(history: history, time: now)
        var writer: SyncAnswerWriter?
        // Safe: the writer does not outlive this call, also when something is thrown.
        return try withoutActuallyEscaping(write) { write throws(FreeholdError) in
            defer { writer = nil }
            let end = try answering.find { row throws(FreeholdError) in
                if writer == nil { writer = SyncAnswerWriter(head, write: write) }
                try writer!.add(row)
            }
            guard writer != nil || answering.tellsSomething || !end.gone.isEmpty || !end.rejections.isEmpty else { return false }
            try (writer ?? SyncAnswerWriter(head, write: write))
                .finish(replicas: end.replicas, gone: end.gone, rejections: end.rejections)
            return true
        }
    }

    /// Whether a user sees an object.
    package func sees(_ object: SyncObject, _ user: SyncUser) throws(FreeholdError) -> Bool { try store.sight(of: object, by: user).sees }

    /// Makes a user known: from now on the store keeps what the user sees. Call it before the user's first pull.
    public func add(_ user: SyncUser) throws(FreeholdError) {
        guard try !store.users.contains(user) else { return }
        let transaction = try begin()
        try within(transaction) { () throws(FreeholdError) in try add(user, in: transaction) }
    }

    private func add(_ user: SyncUser, in transaction: UInt64) throws(FreeholdError) {
        try store.add(user)
        // Batches may have entered views of a user whom the audience named before the user was known.
        if streams.namesUsers { try ViewRenewal(store: store, streams: streams, transaction: transaction).renew([user]) }
    }

    /// Makes anew what a user sees: who the user is has changed.
    ///
    /// - Parameter change: what changes that, in the transaction. No batch is merged meanwhile.
    public func renew(_ user: SyncUser, after change: () throws(FreeholdError) -> Void = {}) throws(FreeholdError) {
        let transaction = try begin()
        try within(transaction) { () throws(FreeholdError) in
            try store.holdUsers()
            try change()
            try ViewRenewal(store: store, streams: streams, transaction: transaction).renew([user])
        }
    }

    /// Makes anew what all users see: call it on a server that has other streams than the one before, in place of that.
    ///
    /// - Parameter change: what else belongs to the change, in the transaction.
    public func renewAll(after change: () throws(FreeholdError) -> Void = {}) throws(FreeholdError) {
        let transaction = try begin()
        try within(transaction) { () throws(FreeholdError) in
            try store.holdUsers()
            try change()
            try ViewRenewal(store: store, streams: streams, transaction: transaction).renew(try store.users + [.everyone])
        }
    }

    private func audience(of object: SyncObject, _ row: StoredRow?) throws(FreeholdError) -> SyncAudience? {
        guard let row, row.isAlive else { return nil }
        return try streams.audience(of: object, row)
    }

    // MARK: Other software

    /// What other software has written, in a transaction of its own: creates the object if it is not there.
    public func write(_ values: [(property: Int32, value: SyncValue, trace: UInt32)], to object: SyncObject, creates: Bool, now: Int64)
        throws(FreeholdError)
    {
        let transaction = try begin()
        try within(transaction) { () throws(FreeholdError) in try write(values, to: object, creates: creates, in: transaction, now: now) }
    }

    private func write(_ values: [(property: Int32, value: SyncValue, trace: UInt32)], to object: SyncObject, creates: Bool,
                       in transaction: UInt64, now: Int64) throws(FreeholdError) {
        var row = try store.take(object)
        let before = try audience(of: object, row)
        if creates, row?.isAlive != true {
            row = StoredRow(transaction: transaction, propertyCount: schema[object].properties.count)
            row!.births = [0]
        }
        guard row != nil else { return }
        if row!.isAlive {
            for (property, value, trace) in values {
                row!.set(property, value, transaction, now: now, trace, schema[object], observer)
                var targets: [SyncObject] = []
                value.forEachLink { targets.append($0) }
                try store.note(links: targets, of: object)
            }
            row!.note(0, transaction)
        }
        let after = try audience(of: object, row)
        try store.save(row!, of: object, transaction: transaction)
        var upkeep = ViewUpkeep(store: store, streams: streams, transaction: transaction)
        upkeep.change(object, from: before, to: after)
        try upkeep.finish()
    }
}

extension StoredRow {
    fileprivate mutating func set(_ property: Int32, _ value: SyncValue, _ transaction: UInt64, now: Int64, _ trace: UInt32,
                                  _ type: SyncSchema.Class, _ observer: (any MergeObserver)?) {
        let old = registers[Int(property)]
        if old.isWritten { observer?.set(old.trace, .overwritten) }
        registers[Int(property)] = StoredRegister(value: value, stamp: max(SyncStamp(milliseconds: now), old.stamp.successor),
                                                  transaction: transaction, trace: trace)
        observer?.set(trace, .won)
        for dropped in dropInner(of: property, type) { observer?.set(dropped, .overwritten) }
    }
}
