/// One version of the whole database, held for reading: its contents never change, whatever others commit.
///
/// ```swift
/// let snapshot = try database.snapshot()
/// print(snapshot.version, try snapshot.table("Person").count)
/// try snapshot.refresh()
/// ```
/// Beginning one takes no lock and no system call, and never waits for a writer. While it is held, the space of its
/// version is kept: end or refresh it when done. Use it on one thread at a time.
public final class Snapshot {
    let core: DatabaseCore
    private let cell: ReaderCell
    /// The snapshot whose pin this one reads under; nil if it has its own.
    private let holder: Snapshot?
    // Safe: the core keeps it as long as this snapshot keeps the core.
    private let shadow: Unmanaged<Shadow>?
    // Safe (all exclusivity below): a snapshot is used on one thread, and nothing here re-enters it.
    @exclusivity(unchecked) private(set) var root: Root
    /// When `root` was known to be the visible root.
    @exclusivity(unchecked) private var moment = VisibleRoot.Moment.never
    /// Whether a version is held: false after `end`, and once a parked version was found to be taken away.
    @exclusivity(unchecked) public private(set) var isHeld = true
    /// Whether the version is parked: see `park`.
    @exclusivity(unchecked) public private(set) var isParked = false
    @exclusivity(unchecked) private var parsed: Parsed?
    /// The data of the classes that were read, by the number of the table: of the `parsed` version, or an older version
    /// of the same classes.
    @exclusivity(unchecked) private var states: [TableState?] = []
    /// How many such snapshots exist at once; their windows share the memory of one.
    private let windowShare: Int
    /// For passes over more of an encrypted file than is to stay in memory; created on first use.
    @exclusivity(unchecked) private var passing: Passing?

    private struct Passing {
        let window: BlockWindow
        /// Kept while the version is held, as rows count no references to them.
        var states: [TableState] = []
    }

    /// What was read of the version so far.
    private struct Parsed {
        let version: UInt64
        /// The shadow's generation: what was decrypted then is where it was.
        let generation: UInt64
        let top: TopBlock
        let schema: StoredSchema
    }

    init(core: DatabaseCore) throws(FreeholdError) {
        self.core = core
        (holder, windowShare) = (nil, 1)
        cell = try core.session.readers.claim()
        shadow = core.shadow.map { Unmanaged.passUnretained($0) }  // Safe: see there.
        do {
            root = try cell.pin(noting: &moment)
            shadow?.takeUnretainedValue().enter()
        } catch {
            core.session.readers.release(cell)
            throw error
        }
    }

    /// Holds a version that is held for as long as this takes: `pin` stores it in the cell.
    init(core: DatabaseCore, at root: Root, _ pin: (ReaderCell) throws(FreeholdError) -> Void) throws(FreeholdError) {
        self.core = core
        self.root = root
        (holder, windowShare) = (nil, 1)
        cell = try core.session.readers.claim()
        shadow = core.shadow.map { Unmanaged.passUnretained($0) }  // Safe: see there.
        do { try pin(cell) } catch {
            core.session.readers.release(cell)
            throw error
        }
        shadow?.takeUnretainedValue().enter()
    }

    /// Reads under the pin of another snapshot.
    fileprivate init(under holder: Snapshot, windowShare: Int) {
        self.windowShare = windowShare
        core = holder.core
        root = holder.root
        self.holder = holder
        cell = holder.cell
        shadow = holder.shadow
    }

    deinit {
        if holder != nil { return }
        if isHeld {
            try? cell.unpin()
            if !isParked { shadow?.takeUnretainedValue().leave() }
        }
        core.session.readers.release(cell)
    }

    /// Whether tables taken before `end` are valid again as soon as the same version is held again. False where blocks
    /// are decrypted, because that memory may have been given back meanwhile.
    public var keepsTables: Bool { shadow == nil }

    /// The version held.
    public var version: Version { Version(root.version) }

    /// Holds the newest version again after `end`. Does nothing if one is held.
    @inline(__always)
    public func begin() throws(FreeholdError) {
        if isHeld { return }
        if holder == nil, cell.pinAgain(root.version, at: moment) { isHeld = true } else { try beginAnew() }
        shadow?._withUnsafeGuaranteedRef { $0.enter() }
    }

    @inline(never)
    private func beginAnew() throws(FreeholdError) {
        try requireOwnPin()
        root = try cell.pin(noting: &moment)
        isHeld = true
    }

    /// Releases the version; tables and rows taken from it must not be used any more.
    @inline(__always)
    public func end() {
        guard isHeld else { return }
        isHeld = false
        if holder != nil { return }
        // If not, the lease is lost already; the next `begin` reports it.
        _ = cell.unpinIfValid()
        if let shadow { leave(shadow) }
        if isParked { isParked = false }
    }

    // Safe: see there.
    private func leave(_ shadow: Unmanaged<Shadow>) {
        passing = nil
        if !isParked { shadow._withUnsafeGuaranteedRef { $0.leave() } }
    }

    /// Moves to the newest version; returns whether that is a different one.
    @discardableResult
    public func refresh() throws(FreeholdError) -> Bool {
        try core.access.requireIntactMapping()
        try requireOwnPin()
        let before = root.version
        end()
        try begin()
        return root.version != before
    }

    /// Lets commits of any process take the version away if it costs too much (`OpenOptions.parkedBytesLimit`,
    /// `parkedVersionsLimit`): for a program that holds a version for long and reads it seldom. Tables and rows taken
    /// from the snapshot must not be used until `resume`, which every call that reads from the snapshot does itself.
    public func park() throws(FreeholdError) {
        try requireOwnPin()
        guard isHeld else { throw FreeholdError(.closed, "this snapshot has ended; begin another", path: core.path) }
        if isParked { return }
        try core.session.checkValid()
        guard cell.park(root.version) else { throw core.session.member.invalidityError() }
        isParked = true
        shadow?._withUnsafeGuaranteedRef { $0.leave() }
    }

    /// Holds a parked version firmly again; does nothing if it is not parked.
    ///
    /// Throws `.revoked` if a commit has taken it away. The snapshot has ended then, and `refresh` or `begin` hold the
    /// newest version.
    public func resume() throws(FreeholdError) {
        guard isParked else { return }
        isParked = false
        try core.session.checkValid()
        defer { if !isHeld { passing = nil } }
        switch cell.resume(root.version) {
        case .active: shadow?._withUnsafeGuaranteedRef { $0.enter() }
        case .lost:
            isHeld = false
            throw core.session.member.invalidityError()
        case .revoked:
            isHeld = false
            parsed = nil
            throw FreeholdError(.revoked, "version \(root.version) was parked and kept too much of the file, so it was released; "
                + "refresh the snapshot to go on with the newest version", path: core.path)
        }
    }

    /// Every class of this version.
    public var classes: [ClassSchema] {
        get throws(FreeholdError) {
            try current().schema.publicClasses
        }
    }

    /// The class with this name; throws `.unknownClass`.
    ///
    /// - Parameter withSubclasses: whether objects of its subclasses are among its objects.
    public func table(_ name: String, withSubclasses: Bool = true) throws(FreeholdError) -> Table {
        let now = try current(), number = try now.schema.number(of: name)
        return Table(state: try state(now.schema.table(of: number), now), schemaOf: now.schema, owner: self, writer: nil,
                     scope: now.schema.scope(of: number, withSubclasses: withSubclasses))
    }

    private func state(_ number: Int, _ now: Parsed) throws(FreeholdError) -> TableState {
        let reference = now.top.table(number)
        if let known = states[number], known.reference == reference { return known }
        // A state that nothing else references moves on to the newer version. It keeps its memory, and the dictionaries
        // that did not change.
        if isKnownUniquelyReferenced(&states[number]), let known = states[number] {
            states[number] = nil
            try known.move(to: reference)
            states[number] = known
            return known
        }
        let state = try TableState(now.schema.classes[number], reference: reference, in: core.access)
        states[number] = state
        return state
    }

    /// The class of this number. If this version does not have the class, or hides it: as `other` describes it, without
    /// objects.
    func state(_ number: Int, as other: StoredClass) throws(FreeholdError) -> TableState {
        let now = try current()
        if let stored = now.schema.find(number: number), !ClassSchema.isHidden(stored.name) { return try state(number, now) }
        return try TableState(other, root: TableRoot(), buffer: nil, in: core.access)
    }

    /// The schema of this version, and the block with its tables.
    func contents() throws(FreeholdError) -> (schema: StoredSchema, top: TopBlock) {
        let now = try current()
        return (now.schema, now.top)
    }

    /// The number by which programs count the versions of their classes (`WriteTransaction.setSchemaVersion`); nil if
    /// none was set.
    public var schemaVersion: UInt64? {
        get throws(FreeholdError) {
            try current().schema.version
        }
    }

    /// Identifies this version's classes, to be compared with another snapshot's without comparing the classes.
    public var schemaIdentity: SchemaIdentity {
        get throws(FreeholdError) {
            SchemaIdentity(schema: try current().schema)
        }
    }

    /// The table that has the object a mixed property links to.
    public func table(of object: ObjectReference) throws(FreeholdError) -> Table {
        try table(schema().name(ofClass: object.classNumber))
    }

    /// The schema of this version.
    func schema() throws(FreeholdError) -> StoredSchema { try current().schema }

    private func current() throws(FreeholdError) -> Parsed {
        guard isHeld else {
            throw FreeholdError(.closed, "this snapshot has ended; begin another", path: core.path)
        }
        if isParked { try resume() }
        try core.session.checkValid()
        try core.access.requireIntactMapping()
        let generation = shadow?._withUnsafeGuaranteedRef { $0.generation } ?? 0
        if let parsed, parsed.version == root.version, parsed.generation == generation { return parsed }
        let top = try TopBlock(root.top, in: core.access)
        let schema = try core.schema(top.schema, in: core.access)
        if shadow != nil || parsed?.schema !== schema { states = Array(repeating: nil, count: schema.classes.count) }
        let fresh = Parsed(version: root.version, generation: generation, top: top, schema: schema)
        parsed = fresh
        return fresh
    }

    // MARK: passes

    /// The window of this snapshot; nil if there is no address space for one.
    func window() -> BlockWindow? {
        if let passing { return passing.window }
        guard let shadow = core.shadow, let made = BlockWindow(
            beside: core.access, length: root.length, limit: shadow.windowLimit(share: windowShare), trusting: true) else { return nil }
        passing = Passing(window: made)
        return made
    }

    /// The class, read through the window.
    func state(_ main: TableState, through window: BlockWindow) -> TableState {
        if let known = passing?.states.first(where: { $0.stored === main.stored }) { return known }
        let state = TableState(main, through: window)
        passing?.states.append(state)
        return state
    }

    /// The number of bytes decrypted for its passes.
    // Allowed: tests check that it is bounded.
    var passingBytes: Int { passing?.window.residentBytes ?? 0 }
}

extension Snapshot: TableOwner {
    var scanThreadLimit: Int { core.threadLimit }
    var crowding: ShadowGauge? { core.shadow?.crowding }
    func scanReader(amongThreads threads: Int) throws(FreeholdError) -> any TableOwner { try reader(amongThreads: threads) }
}

extension Snapshot {
    /// A second snapshot of this version: it stays when this one ends or moves on.
    ///
    /// - Throws: `.closed` if this snapshot has ended.
    public func another() throws(FreeholdError) -> Snapshot {
        _ = try contents()
        return try Snapshot(core: core, at: root) { cell throws(FreeholdError) in try cell.pin(root, sharing: self.cell) }
    }

    /// A reader of this version for one more thread. Any number of threads may read a version at once, each with a
    /// reader of its own. A reader keeps this snapshot, which must stay at its version meanwhile. A reader cannot be
    /// moved.
    ///
    /// ```swift
    /// let snapshot = try database.snapshot()
    /// let readers = try (0..<8).map { _ in try snapshot.reader() }  // one for each of eight threads
    /// ```
    /// - Throws: `.closed` if this snapshot has ended.
    public func reader() throws(FreeholdError) -> Snapshot { try reader(amongThreads: 1) }

    /// One of several readers that make a pass together: their windows together use the memory of one.
    func reader(amongThreads windowShare: Int) throws(FreeholdError) -> Snapshot {
        guard isHeld, !isParked else { throw FreeholdError(.closed, "this snapshot has ended or is parked; begin another", path: core.path) }
        try core.session.checkValid()
        return Snapshot(under: holder ?? self, windowShare: windowShare)
    }

    private func requireOwnPin() throws(FreeholdError) {
        if holder == nil { return }
        throw FreeholdError(.invalidArgument, "a reader stays at the version of its snapshot", path: core.path)
    }
}

extension WriteTransaction {
    /// A snapshot of the version that the transaction began with.
    ///
    /// - Throws: `.notInWrite` if the transaction has ended.
    public func snapshotBefore() throws(FreeholdError) -> Snapshot {
        try requireOpen()
        try core.session.checkValid()
        // The newest version is held by itself, and does not change as long as this transaction has the writer lock.
        return try Snapshot(core: core, at: lease.newest) { cell throws(FreeholdError) in
            guard cell.hold(lease.newest.version) else { throw core.session.member.invalidityError() }
        }
    }
}
