/// One writer's changes: made in memory, seen only by itself, and taken into the file as a whole or not at all.
///
/// ```swift
/// let transaction = try database.beginWrite()
/// let people = try transaction.table("Person")
/// _ = try transaction.insert(into: people, primaryKey: .int(1)) { row in try row.set("name", .string("Ada")) }
/// try transaction.commit()
/// ```
/// It holds the writer lock of the whole database, over all processes, until it is committed or rolled back (which
/// also happens when it is let go). Use it on one thread at a time; best on the one that began it: a transaction that ends on
/// another has all processes take the writer lock in a slower way from then on, until the last of them closes the file. If the
/// thread that began it ends before another thread calls `commit` or `rollback`, the lock goes to the next writer of any process that
/// wants it: then the transaction is lost, and `commit` throws `.notInWrite`, having written nothing.
public final class WriteTransaction {
    let core: DatabaseCore
    let lease: WriteLease
    let writing: WriterTools
    let pending: PendingBlocks
    // Safe (all exclusivity below): a transaction is used on one thread, and nothing here re-enters it.
    @exclusivity(unchecked) private(set) var schema: Schema
    @exclusivity(unchecked) private(set) var isSchemaChanged = false
    private let base: TopBlock
    @exclusivity(unchecked) private(set) var writers: [TableWriter?]
    /// The savepoints that can be gone back to, oldest first.
    @exclusivity(unchecked) var levels: [SavepointLevel] = []
    @exclusivity(unchecked) private(set) var isFinished = false
    @exclusivity(unchecked) private var usesBlocks = true

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

    /// The version this transaction will make.
    public var version: Version { Version(lease.nextVersion) }

    /// The version that it began with.
    public var versionBefore: Version { Version(lease.newest.version) }

    /// Every class, as this transaction sees it.
    public var classes: [ClassSchema] { schema.publicClasses }

    /// The class so named; throws `.unknownClass`.
    ///
    /// - Parameter withSubclasses: whether objects of classes that extend it are among its objects.
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

    /// What writes the table that has a class's objects.
    func writer(_ number: Int) throws(FreeholdError) -> TableWriter {
        let number = schema.table(of: number)
        if let writer = writers[number] { return writer }
        let writer = try writing.tableWriter(schema.classes[number], at: base.table(number), in: pending)
        if let level = levels.last { writer.watch(for: level.saved) }
        writers[number] = writer
        return writer
    }

    /// Goes back to the schema of a savepoint; what writes classes made since then is let go.
    func takeBack(_ schema: Schema, isChanged: Bool) {
        while writers.count > schema.classes.count { writers.removeLast()?.isGone = true }
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

    func replaceSchema(by schema: Schema) {
        self.schema = schema
        isSchemaChanged = true
        while writers.count < schema.classes.count { writers.append(nil) }
    }

    /// Adds a class, or does nothing if the very same class is there.
    ///
    /// A class with a `superclass` shares the keys, the primary key and the properties of that, which may have objects already. Of
    /// such classes at most 32 extend one another, and all that share a root have at most 900 properties together.
    ///
    /// - Throws: `.schemaMismatch` if there is another class of this name; `.unknownClass` for a superclass or link target that does
    ///   not exist; `.invalidArgument` for a class that cannot be.
    public func createClass(_ wanted: ClassSchema) throws(FreeholdError) {
        try requireOpen()
        if let stored = schema.find(wanted.name), schema.publicClass(Int(stored.number)) == wanted.plain { return }
        guard let superclass = wanted.superclass else {
            schema = try schema.adding(wanted)
            isSchemaChanged = true
            writers.append(nil)
            return
        }
        let writer = try writer(schema.number(of: superclass))
        try writer.requireNoneIsFilled()
        let changed = try schema.adding(wanted)
        try writer.adopt(changed.classes[Int(writer.number)], isNewClass: true)
        replaceSchema(by: changed)
    }

    /// Adds many classes at once, none of which extends another; they may link to one another in any order. Those that are there
    /// already have to be the very same.
    ///
    /// - Throws: what `createClass` does; then none of them is added.
    public func createClasses(_ wanted: [ClassSchema]) throws(FreeholdError) {
        try requireOpen()
        let missing = wanted.filter { wanted in
            schema.find(wanted.name).map { schema.publicClass(Int($0.number)) != wanted.plain } ?? true
        }
        if missing.isEmpty { return }
        if let heir = missing.first(where: { $0.superclass != nil }) {
            throw FreeholdError(.invalidArgument, "class '\(heir.name)' extends another one; create it by itself", path: core.path)
        }
        replaceSchema(by: try schema.adding(missing))
    }

    /// Adds a property to a class; the objects it has get null, or the type's zero if it is required.
    public func addProperty(_ property: PropertySchema, to className: String) throws(FreeholdError) {
        try requireOpen()
        // The writer comes first: it must have known the class without the property to fill the property's tree.
        let writer = try writer(schema.number(of: className))
        try writer.requireNoneIsFilled()
        schema = try schema.adding(property, to: className)
        isSchemaChanged = true
        try writer.adopt(schema.classes[Int(writer.number)])
        // Of a subclass's property null tells that an object's class does not have it.
        let added = writer.stored.properties.count - 1, made = writer.stored.properties[added]
        guard made.owner != nil, !made.isNullable, made.shape == nil else { return }
        try writer.fillNulls(added, becoming: writer.stored) { _ in made.initialValue }
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
        try undoing { () throws(FreeholdError) in try writer.adopt(changed.classes[Int(writer.number)], indexOver: columns) }
        schema = changed
        isSchemaChanged = true
    }

    /// Discards every change. Harmless after a commit.
    public func rollback() {
        guard !isFinished else { return }
        isFinished = true
        endSavepoints()
        guard core.session.takeOver(lease) else {
            // Lost, it leaves its tools and the lock to whoever has them.
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

    /// Takes the changes into the file and gives the writer lock back.
    ///
    /// - Parameter durability: `.full` returns when the changes survive a power cut; `.processCrash` returns at once,
    ///   and they survive the death of any process.
    /// - Returns: the version made; the version before if nothing was changed.
    @discardableResult
    public func commit(_ durability: Durability = .full) throws(FreeholdError) -> Version { try commit(durability) { _ in } }

    /// The same, and holds the version made, before anybody can make another one.
    ///
    /// - Parameter held: set to a snapshot of the version made, also if this throws behind the commit; nil if nothing was changed or committed.
    @discardableResult
    public func commit(_ durability: Durability = .full, holding held: inout Snapshot?) throws(FreeholdError) -> Version {
        var made: Snapshot?
        defer { held = made }
        return try commit(durability) { root in
            // The next writer waits for the lock, so nobody takes the version away before it is held. Failing, there is nothing to hold.
            made = try? Snapshot(core: core, at: root) { cell throws(FreeholdError) in
                guard cell.hold(root.version) else { throw core.session.invalidityError() }
            }
        }
    }

    private func commit(_ durability: Durability, whenCommitted: (Root) -> Void) throws(FreeholdError) -> Version {
        try requireOpen()
        // Before anything is looked at: of a forked child's inherited transaction nothing can be read.
        try core.session.checkValid()
        try core.session.requireTakeOver(lease)
        for writer in writers { try writer?.requireNoneIsFilled() }
        endSavepoints()
        guard isSchemaChanged || writers.contains(where: { $0?.isChanged == true }) else {
            rollback()
            // What it saw is promised with its own commit, though that is empty.
            if durability == .full { try core.session.waitUntilDurable(lease.newest) }
            return Version(lease.newest.version)
        }
        do throws(FreeholdError) {
            let (root, top) = try write()
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

    /// Leaves to the next transaction of this process what this one knows of the classes. After many changes that
    /// would be much, and is let go.
    private func keepWriters(_ top: MutableBlock) {
        if isSchemaChanged || pending.count > Self.keptBlocks { return writing.forgetTables() }
        for writer in writers {
            guard let writer, writer.isChanged else { continue }
            // Failing, it reads the class anew at the next transaction, which then meets the error.
            try? writer.keep(as: top.view.reference(TopBlock.firstTable + Int(writer.number)))
        }
    }

    private static let keptBlocks = 2048

    /// Makes the new top block and writes every pending block; returns the root to publish and the top block, which
    /// by then refers to the places in the file.
    private func write() throws(FreeholdError) -> (Root, MutableBlock) {
        try requireAttachedValues()
        let (top, block) = TopBlock.make(tables: schema.classes.count, from: base, in: pending)
        for writer in writers {
            guard let writer, writer.isChanged else { continue }
            pending.free(base.table(Int(writer.number)))
            let isDropped = schema.classes[Int(writer.number)].isDropped
            block.setReference(TopBlock.firstTable + Int(writer.number), isDropped ? .null : try writer.finish())
        }
        if isSchemaChanged {
            try pending.freeTree(base.schema)
            let bytes = SchemaCodec.encode(schema)
            // Safe: the bytes are copied into blocks before the call returns.
            let stored = bytes.withUnsafeBytes { LargeValue.write($0, table: 0, in: pending) }
            block.setReference(TopBlock.schema, stored)
        }
        pending.free(lease.newest.top)
        return (try core.writeBlocks(of: pending, top: top, after: lease), block)
    }
}
