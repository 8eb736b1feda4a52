import Platform

/// The synced classes of a transaction: marked and unmarked.
///
/// ```swift
/// try database.write { try $0.sync.mark("Item", SyncRules(counters: ["stock"])) }
/// ```
/// A version with a synced class has write feature 5, and so has every later one: programs that do not know the feature
/// are refused to write, because they could not capture changes.
public struct SyncDeclarations {
    let transaction: WriteTransaction

    /// Makes a class a synced one, with its subclasses and the embedded objects that it owns. Objects that exist count as created by
    /// the commit. A class that is synced already gets the new rules; a property becomes a counter with its first value only.
    ///
    /// - Throws: `.unknownClass`, `.unknownProperty`; `.invalidArgument` for a class without a primary key that devices can give
    ///   alike, for kinds that a property cannot have, and if the counters of a synced class change. The commit throws
    ///   `.invalidArgument` if a synced class links to one that is not synced.
    public func mark(_ className: String, _ rules: SyncRules = SyncRules()) throws(FreeholdError) {
        try transaction.requireSteady()
        let schema = transaction.schema, number = try schema.number(of: className), stored = schema.classes[schema.table(of: number)]
        guard Int(stored.number) == number else {
            throw refused("class '\(className)' extends class '\(stored.name)'; mark that one, with its subclasses")
        }
        var sync = StoredSync(onConflict: rules.onConflict)
        for (names, kind) in [(rules.merged, StoredSync.Kind.merged), (rules.counters, .counter)] {
            for name in names {
                for property in try properties(named: name, in: stored) {
                    guard let other = sync.kinds.updateValue(kind, forKey: property), other != kind else { continue }
                    throw refused("property '\(name)' of class '\(className)' is a counter, so the application cannot merge it")
                }
            }
        }
        if stored.sync == sync { return }
        if let old = stored.sync { try requireSteadyCounters(old, sync, stored) }
        let changed = schema.marking(number, sync)
        if let complaint = changed.classes[number].syncComplaint() { throw refused(complaint) }
        try replace(by: changed, number)
    }

    /// Marks the classes that are declared with rules.
    func markAll(of classes: [ClassSchema]) throws(FreeholdError) {
        for wanted in classes {
            if let rules = wanted.syncRules { try mark(wanted.name, rules) }
        }
    }

    /// A sum is no value: no property that the last version has, becomes a counter or ceases to be one.
    private func requireSteadyCounters(_ old: StoredSync, _ new: StoredSync, _ stored: StoredClass) throws(FreeholdError) {
        let before = try transaction.core.schema(transaction.base.schema, in: transaction.pending.access).find(number: Int(stored.number))
        for property in stored.properties where (old.kinds[property.number] == .counter) != (new.kinds[property.number] == .counter) {
            if new.kinds[property.number] == .counter, before?.column(numbered: property.number) == nil { continue }
            throw refused("property '\(property.name)' of the synced class '\(stored.name)' cannot become a counter, or cease to be one; "
                + "unmark the class first, which drops what is not sent yet")
        }
    }

    /// Makes a synced class an ordinary one, and drops what is pending of it.
    ///
    /// - Throws: `.unknownClass`; `.invalidArgument` for a class that is not marked.
    public func unmark(_ className: String) throws(FreeholdError) {
        try transaction.requireSteady()
        let schema = transaction.schema, number = try schema.number(of: className)
        guard schema.classes[number].sync != nil else { throw refused("class '\(className)' is not synced") }
        try replace(by: schema.marking(number, nil), number)
    }

    /// Ends the open epoch: later changes belong to the next one. What was pending before is sent once the commit is durable.
    ///
    /// - Returns: the epoch that ends.
    package func seal() throws(FreeholdError) -> UInt64 {
        try transaction.requireOpen()
        guard transaction.schema.hasSynced else { throw refused("no class is synced") }
        var body = try body()
        defer { transaction.changedSync = body }
        body.epoch += 1
        return body.epoch - 1
    }

    /// The names of the synced classes, in the order of their numbers.
    public var classes: [String] { transaction.schema.present.filter { $0.sync != nil }.map(\.name) }

    /// The state of sync that the transaction began with, or has changed; a new one if no class was synced before.
    func body() throws(FreeholdError) -> SyncBody {
        var known = transaction.changedSync
        if known == nil { known = try SyncBody(transaction.base, in: transaction.pending.access) }
        let body = known ?? SyncBody(newIn: transaction.core.session), count = transaction.schema.classes.count
        guard body.byteCount <= BlockLayout.maximumBody(references: TopBlock.firstTable + count) else {
            throw FreeholdError(.valueTooLarge, "the state of sync does not fit beside \(count) classes", path: transaction.core.path)
        }
        return body
    }

    /// The state of sync as the commit finds it. After an answer, synced classes or properties that are new to the file ask for all rows
    /// again: what the server has of them was passed over.
    func bodyOfCommit() throws(FreeholdError) -> SyncBody {
        var body = try body()
        guard transaction.isSchemaChanged, body.history != 0 else { return body }
        let before = try transaction.core.schema(transaction.base.schema, in: transaction.pending.access)
        if transaction.schema.synced.hasMore(transaction.schema, than: before) { (body.history, body.cursor) = (0, .never) }
        return body
    }

    private func replace(by changed: StoredSchema, _ number: Int) throws(FreeholdError) {
        let writer = try transaction.writer(number)
        try writer.open(keepingRows: true)
        writer.reshaping.rename(as: changed.classes[number])
        transaction.replaceSchema(by: changed)
    }

    /// The numbers of the properties of this name: classes that extend one class may have one each.
    private func properties(named name: String, in stored: StoredClass) throws(FreeholdError) -> [UInt32] {
        let found = stored.properties.filter { $0.name.isSame(as: name) && !$0.isClass }.map(\.number)
        return found.isEmpty ? [stored.properties[try stored.index(of: name)].number] : found
    }

    private func refused(_ message: String) -> FreeholdError { FreeholdError(.invalidArgument, message, path: transaction.core.path) }
}

extension WriteTransaction {
    /// Its synced classes.
    public var sync: SyncDeclarations { SyncDeclarations(transaction: self) }
}

extension CommitContents {
    init(of transaction: WriteTransaction) throws(FreeholdError) {
        let system = transaction.core.session.system
        let sync = transaction.schema.hasSynced ? try transaction.sync.bodyOfCommit() : nil
        // The first synced class of a file. (A copy has none to begin with, too: it has no sidecar until somebody opens it.)
        if let sync, transaction.base.view.bodyLength == 0, transaction.capturesSync {
            try transaction.core.session.write(transaction.core.session.newSidecar(sync.replica))
        }
        self.init(base: transaction.base, schema: transaction.schema, isSchemaChanged: transaction.isSchemaChanged,
                  writers: transaction.writers, pending: transaction.pending,
                  sync: sync, capturesSync: transaction.capturesSync, applied: transaction.appliedIdentities,
                  captureTools: sync == nil ? nil : transaction.writing.capture,
                  wallMilliseconds: { system.wallClockNanoseconds / 1_000_000 })
    }
}

extension Snapshot {
    /// The state of sync; nil without synced classes.
    func syncState() throws(FreeholdError) -> SyncBody? { try SyncBody(contents().top, in: core.access) }

    /// Whether a class is synced.
    package var hasSynced: Bool { get throws(FreeholdError) { try contents().schema.hasSynced } }

    /// How much is pending in synced classes.
    package func pendingCounts() throws(FreeholdError) -> PendingCounts {
        let (schema, top) = try contents()
        var counts = PendingCounts()
        if !schema.hasSynced { return counts }
        for stored in schema.presentTables where schema.isCaptured(Int(stored.number)) {
            try counts.add(PendingTrees(TableRoot(top.table(Int(stored.number)), in: core.access)), in: core.access)
        }
        return counts
    }
}

extension SyncBody {
    /// The state of a file that has had no synced class, with a new identity.
    init(newIn session: Session) {
        self.init(replica: .random(session.system), home: session.file.identity.hash)
    }
}

extension ReplicaIdentity {
    /// A new identity, which is not the server's.
    static func random(_ system: any System) -> ReplicaIdentity {
        var words: (UInt64, UInt64) = (0, 0)
        // Safe: the bytes are those of the two words.
        withUnsafeMutableBytes(of: &words) { system.fillRandom($0) }
        return ReplicaIdentity(high: words.0 | 1, low: words.1)
    }
}

extension FileIdentity {
    /// A number that another inode hardly has.
    var hash: UInt64 {
        // Safe: a hash wraps.
        var mixed = device &* 0x9E37_79B9_7F4A_7C15 ^ inode
        for _ in 0..<2 {
            mixed = (mixed ^ mixed >> 32) &* 0xD6E8_FEB8_6659_FD93
        }
        return mixed ^ mixed >> 32
    }
}
