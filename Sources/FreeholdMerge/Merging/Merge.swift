import FreeholdEngine

/// One batch, merged in one transaction.
///
/// The batch's cursor says what its writer had seen: by it the server tells concurrent changes from later ones. Devices keep no version
/// vector, no count of lives and no stamp of what the server has acknowledged.
///
/// 1. Lives come first, then contents, then unique values: an object may link to one that comes later in the batch.
/// 2. Each entry is applied once, whatever batch brings it: its epoch says whether it was.
/// 3. Whatever the batch names is owed to its replica, also what lost or was refused.
struct Merge {
    let schema: SyncSchema
    let store: any SyncStore
    let streams: any SyncStreams
    let context: BatchContext
    let shortcuts: MergeShortcuts
    let observer: (any MergeObserver)?
    var ledger: SyncLedger
    var stamps = StampAssignment()
    /// The rows that the batch names, by the place of their change; taken from the store until the end.
    var rows: [StoredRow?] = []
    var audiences: [SyncAudience?] = []
    /// What rights are asked of.
    var asked = Asked()
    /// The store's numbers of replicas whose writes the batch holds. A copied file pushes what the first one had pending: these writes
    /// are the copy's, too.
    var selves: [UInt32]
    /// Places and properties of unique values that the batch has set.
    var claimed: [(place: Int, property: Int32)] = []
    /// The positions of one change's list, and those beside them.
    var beside: [SyncIdentity: (left: SyncIdentity, right: SyncIdentity)] = [:]

    init(_ context: BatchContext, schema: SyncSchema, store: any SyncStore, streams: any SyncStreams, shortcuts: MergeShortcuts,
         observer: (any MergeObserver)?) throws(FreeholdError) {
        self.context = context
        self.schema = schema
        self.store = store
        self.streams = streams
        self.shortcuts = shortcuts
        self.observer = observer
        ledger = try store.ledger(context.writer)
        selves = [context.writer]
    }

    mutating func apply() throws(FreeholdError) {
        noteSelves()
        try noteLineage()
        try assignStamps()
        let changes = context.push.changes
        rows = try changes.map { change throws(FreeholdError) in try store.take(change.object) }
        if streams.limitsChanges, !shortcuts.contains(.ignoresRights) { asked.originals = rows }
        audiences = try changes.indices.map { place throws(FreeholdError) in try audience(place) }
        var admitted: [Int] = []
        for place in changes.indices {
            if !shortcuts.contains(.owesNothing) { ledger.owed[changes[place].object] = context.transaction }
            if try admit(changes[place], place) { admitted.append(place) }
        }
        for place in admitted { try applyContents(changes[place], place) }
        try checkCreations(admitted)
        try keepUnique()
        for place in changes.indices {
            if let row = rows[place] { try store.save(row, of: changes[place].object, transaction: context.transaction) }
        }
        try noteViews()
        ledger.epoch = max(ledger.epoch, context.push.epoch)
        try store.save(ledger, of: context.writer)
    }

    // MARK: Writers

    /// Nothing but a file's first batch brings what it has inherited.
    private mutating func noteSelves() {
        guard context.numbers.count > 1 else { return }
        var isWriter = [Bool](repeating: false, count: context.numbers.count)
        for change in context.push.changes {
            if let entry = change.deleted { isWriter[Int(entry.replica)] = true }
            if let entry = change.created { isWriter[Int(entry.replica)] = true }
            for register in change.registers { isWriter[Int(register.entry.replica)] = true }
            for member in change.members { isWriter[Int(member.entry.replica)] = true }
            for element in change.elements { isWriter[Int(element.entry.replica)] = true }
            for sum in change.sums { isWriter[Int(sum.replica)] = true }
        }
        selves += isWriter.indices.dropFirst().filter { isWriter[$0] }.map { context.numbers[$0] }
    }

    private mutating func assignStamps() throws(FreeholdError) {
        guard !shortcuts.contains(.keepsStampsAhead) else { return }
        var floor = SyncStamp(milliseconds: context.now)
        if !shortcuts.contains(.keepsOwnOrderBroken) {
            for one in selves { floor = max(floor, try store.ledger(one).clamped.successor) }
        }
        if !shortcuts.contains(.clampsBelowSeen) { floor = max(floor, context.push.seen.successor) }
        let limit = SyncStamp(milliseconds: context.now + StampAssignment.limitMilliseconds)
        let replaced = shortcuts.contains(.replacesStampsAnew) ? [] : try context.numbers.map { one throws(FreeholdError) in
            try store.ledger(one).replaced
        }
        let hasReplaced = replaced.contains { !$0.isEmpty }
        stamps = StampAssignment(context.push, limit: limit, floor: floor) { given in
            hasReplaced ? replaced[Int(given.replica)][given.stamp] : nil
        }
        for (given, stamp) in stamps.fresh {
            if given.replica == 0 {
                ledger.replaced[given.stamp] = stamp
            } else {
                var other = try store.ledger(context.numbers[Int(given.replica)])
                other.replaced[given.stamp] = stamp
                try store.save(other, of: context.numbers[Int(given.replica)])
            }
        }
        guard let clamped = stamps.fresh.last?.stamp else { return }
        ledger.clamped = max(ledger.clamped, clamped)
        for one in selves where one != context.writer {
            var other = try store.ledger(one)
            other.clamped = max(other.clamped, clamped)
            try store.save(other, of: one)
        }
    }

    func isApplied(_ entry: SyncEntry) -> Bool { context.isApplied(entry.replica, entry.epoch, shortcuts) }

    func isSelf(_ replica: UInt32) -> Bool { selves.contains(replica) }

    // MARK: Knowledge

    /// Whether the writer's device had what a transaction made of an object. A cursor says nothing of what its user did not see.
    func hasSeen(_ object: SyncObject, _ transaction: UInt64) throws(FreeholdError) -> Bool {
        if !shortcuts.contains(.ignoresViews) {
            let sight = try store.sight(of: object, by: context.user)
            if !sight.wasSeen(at: context.push.cursor, remembers: !shortcuts.contains(.forgetsSights)) { return false }
        }
        return context.push.cursor.contains(transaction)
    }

    func knows(_ object: SyncObject, _ transaction: UInt64, by replica: UInt32) throws(FreeholdError) -> Bool {
        if replica == context.writer { return true }
        guard try hasSeen(object, transaction) else { return false }
        observer?.isTakenAsSeen(object)
        return true
    }

    // MARK: Refusals

    mutating func reject(_ object: SyncObject, _ place: SyncRejection.Place, _ entry: SyncEntry, _ reason: SyncRejection.Reason) {
        observer?.note(entry.trace, .refused)
        var entry = entry
        entry.replica = context.numbers[Int(entry.replica)]
        ledger.rejections.append((context.transaction, SyncRejection(object: object, place: place, reason: reason, entry: entry)))
    }
}
