/// One writer's changes: made in memory, visible only to the transaction itself, and committed as a whole or not at
/// all.
///
/// ```swift
/// let transaction = try database.beginWrite()
/// let people = try transaction.table("Person")
/// _ = try transaction.insert(into: people, primaryKey: .int(1)) { row in try row.set("name", .string("Ada")) }
/// try transaction.commit()
/// ```
/// It holds the writer lock of the whole database, over all processes, until it is committed, rolled back or released
/// (which rolls it back). Use it on one thread at a time, best on the one that began it. If it ends on another thread,
/// all processes take the writer lock in a slower way from then on, until the last of them closes the file. If the
/// thread that began it ends before another thread calls `commit` or `rollback`, the lock goes to the next writer of
/// any process that wants it. Then the transaction is lost, and `commit` throws `.notInWrite`, having written nothing.
public final class WriteTransaction {
    let core: DatabaseCore
    let lease: WriteLease
    let writing: WriterTools
    let pending: PendingBlocks
    // Safe (all exclusivity below): a transaction is used on one thread, and nothing here re-enters it.
    @exclusivity(unchecked) private(set) var schema: StoredSchema
    @exclusivity(unchecked) private(set) var isSchemaChanged = false
    /// The version that it began with.
    let base: TopBlock
    @exclusivity(unchecked) private(set) var writers: [TableWriter?]
    /// The savepoints that can be rolled back to, oldest first.
    @exclusivity(unchecked) var levels: [SavepointLevel] = []
    @exclusivity(unchecked) private(set) var isFinished = false
    @exclusivity(unchecked) private var usesBlocks = true
    /// The state of sync, if the transaction itself has changed it.
    @exclusivity(unchecked) var changedSync: SyncBody?
    /// Whether the commit notes changes of synced classes.
    @exclusivity(unchecked) var capturesSync = true
    /// The identities of what it applies from the server: set by one that does, together with `capturesSync`.
    @exclusivity(unchecked) var appliedIdentities: AppliedIdentities?

    init(core: DatabaseCore, lease: WriteLease) throws(FreeholdError) {
        self.core = core
        self.lease = lease
        core.shadow?.enter()
        writing = core.writing
        pending = writing.takePendingBlocks()
        pending.version = lease.nextVersion
        do throws(FreeholdError) {
            base = try TopBlock(lease.newest.top, in: pending.access)
            schema = try core.schema(base.schema, in: pending.access)
        } catch {
            writing.recycle(pending)
            core.shadow?.leave()
            if let failure = core.failureOfWrite(lease) { throw failure }
            throw error
        }
        writers = Array(repeating: nil, count: schema.classes.count)
    }

    deinit {
        if !isFinished { rollback() }
    }

    /// The version this transaction will create.
    public var version: Version { Version(lease.nextVersion) }

    /// The version that it began with.
    public var versionBefore: Version { Version(lease.newest.version) }

    /// Every class, as this transaction sees it.
    public var classes: [ClassSchema] { schema.publicClasses }

    /// The class with this name; throws `.unknownClass`.
    ///
    /// - Parameter withSubclasses: whether objects of its subclasses are among its objects.
    public func table(_ name: String, withSubclasses: Bool = true) throws(FreeholdError) -> Table {
        try requireOpen()
        let number = try schema.number(of: name), writer = try writer(number)
        return Table(state: writer.state, schemaOf: schema, owner: self, writer: writer,
                     scope: schema.scope(of: number, withSubclasses: withSubclasses))
    }

    /// The table that has the object a mixed property links to.
    public func table(of object: ObjectReference) throws(FreeholdError) -> Table {
        try table(schema.name(ofClass: object.classNumber))
    }

    /// The writer of the table that has a class's objects.
    func writer(_ number: Int) throws(FreeholdError) -> TableWriter {
        let number = schema.table(of: number)
        if let writer = writers[number] { return writer }
        let writer = try writing.tableWriter(schema.classes[number], at: base.table(number), in: pending)
        if let level = levels.last { writer.watch(for: level.saved) }
        writers[number] = writer
        return writer
    }

    /// Restores the schema of a savepoint; releases the writers of classes created since then.
    func takeBack(_ schema: StoredSchema, isChanged: Bool) {
        while writers.count > schema.classes.count { writers.removeLast()?.tail.leave() }
        self.schema = schema
        isSchemaChanged = isChanged
    }

    private func endSavepoints() {
        if levels.isEmpty { return }
        levels.removeAll()
        pending.release(to: nil)
        for writer in writers {
            writer?.watch(for: nil)
            writer?.follow(nil)
        }
    }

    func requireOpen() throws(FreeholdError) {
        if isFinished { throw FreeholdError(.notInWrite, "this write transaction has ended; begin another", path: core.path) }
    }

    func replaceSchema(by schema: StoredSchema) {
        self.schema = schema
        isSchemaChanged = true
        while writers.count < schema.classes.count { writers.append(nil) }
    }

    /// Adds a class with its full-text indexes and indexes of places. If the class exists, only its indexes are added.
    ///
    /// A class with a `superclass` shares its keys, primary key and properties; the superclass may have objects
    /// already. Of such classes at most 32 extend one another, and all that share a root have at most 900 properties
    /// together.
    ///
    /// - Throws: `.schemaMismatch` if there is a different class of this name; `.unknownClass` for a superclass or link
    ///   target that does not exist; `.invalidArgument` for an invalid class.
    public func createClass(_ wanted: ClassSchema) throws(FreeholdError) {
        try requireOpen()
        let plain = wanted.withoutDerived
        if let superclass = plain.superclass, !schema.has(plain) {
            let writer = try writer(schema.number(of: superclass))
            try writer.requireNoneIsFilled()
            let changed = try schema.adding(plain)
            try undoingIfSteady { () throws(FreeholdError) in
                try writer.reshaping.adopt(changed.classes[Int(writer.number)], isNewClass: true)
                replaceSchema(by: changed)
            }
        } else if !schema.has(plain) {
            replaceSchema(by: try schema.adding(plain))
        }
        try derived.addAll(of: [wanted])
        try sync.markAll(of: [wanted])
    }

    /// Adds many classes at once, none of which extends another; they may link to one another in any order. Those that
    /// exist already have to be identical, but for such indexes.
    ///
    /// - Throws: what `createClass` does; then none of them is added, unless such an index is refused.
    public func createClasses(_ wanted: [ClassSchema]) throws(FreeholdError) {
        try requireOpen()
        let missing = wanted.map(\.withoutDerived).filter { !schema.has($0) }
        if let heir = missing.first(where: { $0.superclass != nil }) {
            throw FreeholdError(.invalidArgument, "class '\(heir.name)' extends another one; create it separately", path: core.path)
        }
        if !missing.isEmpty { replaceSchema(by: try schema.adding(missing)) }
        try derived.addAll(of: wanted)
        try sync.markAll(of: wanted)
    }

    /// Adds a property to a class; existing objects get null, or the type's zero if it is required.
    ///
    /// - Throws: `.schemaMismatch` if the class has a property of this name; `.duplicateKey` for a required unique
    ///   property if there are several objects: make it unique by `addIndex` once they have different values.
    public func addProperty(_ property: PropertySchema, to className: String) throws(FreeholdError) {
        try requireOpen()
        // The writer comes first: it must have known the class without the property to fill the property's tree.
        let writer = try writer(schema.number(of: className))
        try writer.requireNoneIsFilled()
        try property.requireDistinct(in: table(className))
        let changed = try schema.adding(property, to: className)
        try undoingIfSteady { () throws(FreeholdError) in
            try writer.reshaping.adopt(changed.classes[Int(writer.number)])
            // Null in a subclass's property says that an object's class does not have it.
            let added = writer.stored.properties.count - 1, made = writer.stored.properties[added]
            if made.owner != nil, !made.isNullable, made.shape == nil {
                try writer.reshaping.fillNulls(added, becoming: writer.stored) { _ in made.initialValue }
            }
            replaceSchema(by: changed)
        }
    }

    /// Adds an index to a class, over one property (which becomes an indexed, or a unique one) or over several, and files every
    /// object in it.
    ///
    /// Throws `.duplicateKey`, naming objects, if the index is to be unique and objects have equal values; nothing is changed then.
    public func addIndex(_ index: IndexSchema, to className: String) throws(FreeholdError) {
        try requireOpen()
        let writer = try writer(schema.number(of: className))
        try writer.requireNoneIsFilled()
        let changed = try schema.adding(index, to: className)
        var columns: [Int] = []
        for name in index.properties { columns.append(try writer.stored.place(of: name, in: UInt32(try schema.number(of: className)))) }
        if changed.classes[Int(writer.number)] == writer.stored { return }
        try undoing { () throws(FreeholdError) in try writer.reshaping.adopt(changed.classes[Int(writer.number)], indexOver: columns) }
        schema = changed
        isSchemaChanged = true
    }

    /// Discards every change. Harmless after a commit.
    public func rollback() {
        guard !isFinished else { return }
        isFinished = true
        endSavepoints()
        guard core.session.takeOver(lease) else {
            // A lost transaction leaves its tools and the lock to their present owner.
            core.session.abandonWrite(lease)
            return leaveBlocks()
        }
        if isSchemaChanged { writing.forgetTables() }
        if pending.hasAttached {
            core.session.skip(lease.nextVersion)
            _ = writing.commitWriter?.releaseAttached()
        }
        writing.recycle(pending)
        leaveBlocks()
        _ = core.failureOfWrite(lease)
        core.session.abandonWrite(lease)
    }

    /// Ends the use of blocks, once.
    private func leaveBlocks() {
        if usesBlocks { core.shadow?.leave() }
        usesBlocks = false
    }

    /// Commits the changes and gives the writer lock back.
    ///
    /// - Parameter durability: `.full` returns when the changes survive a power cut; `.processCrash` returns at once,
    ///   and they survive the death of any process.
    /// - Returns: the version created; the previous version if nothing was changed.
    /// - Throws: what stopped an earlier change half way, such as a damaged block: nothing is committed then.
    @discardableResult
    public func commit(_ durability: Durability = .full) throws(FreeholdError) -> Version { try commit(durability) { _ in } }

    /// Commits the changes, and holds the new version before another one can be created.
    ///
    /// - Parameter held: set to a snapshot of the new version, also if this throws after the commit; nil if nothing was
    ///   changed or committed.
    @discardableResult
    public func commit(_ durability: Durability = .full, holding held: inout Snapshot?) throws(FreeholdError) -> Version {
        var made: Snapshot?
        defer { held = made }
        return try commit(durability) { root in
            // The next writer waits for the lock, so nobody takes the version away before it is held. If this fails,
            // nothing is held.
            made = try? Snapshot(core: core, at: root) { cell throws(FreeholdError) in
                guard cell.hold(root.version) else { throw core.session.member.invalidityError() }
            }
        }
    }

    private func commit(_ durability: Durability, whenCommitted: (Root) -> Void) throws(FreeholdError) -> Version {
        try requireOpen()
        // First of all: nothing can be read of a transaction that a forked child inherited.
        try core.session.checkValid()
        try core.session.requireTakeOver(lease)
        for writer in writers { try writer?.requireNoneIsFilled() }
        do throws(FreeholdError) { try pending.requireWhole() } catch {
            rollback()
            throw error
        }
        endSavepoints()
        guard isSchemaChanged || changedSync != nil || writers.contains(where: { $0?.isChanged == true }) else {
            rollback()
            // What it saw is promised with its own commit, though that is empty.
            if durability == .full { try core.session.flusher.waitUntilDurable(lease.newest) }
            return Version(lease.newest.version)
        }
        do throws(FreeholdError) {
            try requireAttachedValues()
            var contents = try CommitContents(of: self)
            let (place, top) = try contents.make(since: lease.newest.version) { () throws(FreeholdError) in
                isSchemaChanged ? try core.schema(base.schema, in: pending.access) : schema
            } opening: { table throws(FreeholdError) in
                try writer(table)
            }
            pending.free(lease.newest.top)
            var root = try core.writeBlocks(of: pending, top: place, after: lease)
            root.writeFeatures |= schema.writeFeatures
            try core.access.requireIntactMapping()
            if let failure = core.failureOfWrite(lease) { throw failure }
            try core.publish(root, pending, durability, ending: lease) {
                isFinished = true
                noteTakenValues()
                keepWriters(top)
                writing.recycle(pending)
                leaveBlocks()
                whenCommitted(root)
            }
            return Version(root.version)
        } catch {
            if !isFinished { rollback() }
            throw error
        }
    }

    /// Keeps what this transaction knows of the classes for the next one of this process. After many changes that would
    /// be large, and is released.
    private func keepWriters(_ top: MutableBlock) {
        if isSchemaChanged || pending.count > Self.keptBlocks { return writing.forgetTables() }
        for writer in writers {
            guard let writer, writer.isChanged else { continue }
            // If this fails, the next transaction reads the class anew, and meets the error.
            try? writer.keep(as: top.view.reference(TopBlock.firstTable + Int(writer.number)))
        }
    }

    private static let keptBlocks = 2048
}

extension WriteTransaction: TableOwner {}

extension PropertySchema {
    /// Throws if the objects of a table would all get one value in this new property, which is unique.
    fileprivate func requireDistinct(in table: Table) throws(FreeholdError) {
        guard isUnique, !isNullable, table.count > 1 else { return }
        throw FreeholdError(.duplicateKey, "property '\(name)' of class '\(table.schema.name)' cannot be unique from the start: its "
            + "\(table.count) objects would have the same value; add it, give them different values, and then make it unique")
    }
}
