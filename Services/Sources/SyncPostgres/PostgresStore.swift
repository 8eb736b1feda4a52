import FreeholdEngine
import FreeholdMerge

/// A sync server's tables in PostgreSQL: one connection, one transaction at a time.
///
/// 1. A batch's transaction locks by name what it names before it reads it, so that each row is read as the last commit left it.
/// 2. What a transaction reads is kept until its end; what it changes is written at its end, at once.
/// 3. A pull is one snapshot, and writes nothing in it.
public final class PostgresStore: SyncStore {
    let connection: PostgresConnection
    let schema: SyncSchema
    let coding: StoreCoding
    /// Read when something is written for the first time.
    var classTables: ClassTables?
    var mode = Mode.none
    var cache = Cache()
    var numbers: [ReplicaIdentity: UInt32] = [:]
    var replicas: [UInt32: ReplicaIdentity] = [:]
    /// What is added to the cluster's numbers of transactions: the data may have been in another cluster, whose numbers were larger.
    var base: UInt64 = 0
    /// What the cluster must still say of itself when a transaction begins; nil if nobody asks.
    var expected: (history: UInt64, version: Int64)?
    /// Whether the next transaction is to lock all at once: the one before had too many to lock.
    private var isToBeAlone = false
    /// Whether it said something else: its catalogue is to be read again.
    private(set) var isOutdated = false
    /// Whether the connection leads to a replica of the cluster, which is only read.
    let isReplica: Bool
    /// Whether a snapshot's transactions in progress are found by the table `ended`: PostgreSQL does not tell them at a replica.
    package var readsEnded: Bool
    /// From how many new rows on they are copied; fewer are written by a statement each.
    package var leastCopied = 64
    /// How many objects of an answer are in memory at once.
    package var partCount = 10_000
    /// For tests: whether objects are locked by name.
    package var locksNames = true
    /// For tests: whether a cursor says which transactions are in progress.
    package var knowsRunning = true
    /// For tests: whether a batch looks whether other software has written meanwhile.
    package var looksAgain = true

    enum Mode { case none, writing, reading }

    /// What a transaction has read and changed.
    struct Cache {
        var rows: [SyncObject: StoredRow?] = [:]
        /// In a transaction that writes: the rows that are in the database.
        var before: [SyncObject: StoredRow] = [:]
        var taken: Set<SyncObject> = []
        var saved: Set<SyncObject> = []
        /// Of objects whose views were read: of all users, or of the one who asks.
        var views: [SyncObject: [SyncUser: SyncView]] = [:]
        var savedViews: Set<ViewKey> = []
        var ledgers: [UInt32: SyncLedger] = [:]
        var savedLedgers: Set<UInt32> = []
        var links: [[PostgresValue]] = []
        var locks: Set<Int64> = []
        /// Whether nobody else locks by name meanwhile, or others do.
        var isAlone = false, isAmongOthers = false
        /// Whether no user is added meanwhile.
        var keepsUsers = false
        /// Users that a transaction has asked for: none is added, and none gets other claims, until it ends.
        var people = PeopleCache()
        /// The user of a pull.
        var asker: SyncUser?
        var read: [UInt32: SyncLedger] = [:]
        /// What the tables of classes have of objects that other software has written.
        var found: [SyncObject: FoundObject] = [:]
        var refused: [ForeignRefusal] = []
    }

    struct ViewKey: Hashable {
        let object: SyncObject
        let user: SyncUser
    }

    public init(_ connection: PostgresConnection, schema: SyncSchema, isReplica: Bool = false) {
        (self.connection, self.schema, coding) = (connection, schema, StoreCoding(schema))
        (self.isReplica, readsEnded) = (isReplica, isReplica)
    }

    /// Makes the tables that are not there yet.
    public static func makeTables(_ connection: PostgresConnection) throws(FreeholdError) {
        let layout = PostgresValue.int(hash(Array(PostgresTables.script.utf8)))
        // What changes nothing waits for nobody: `ALTER TABLE` locks a table also when the column is there.
        let isThere = try connection.run("SELECT to_regclass('freehold.layout') IS NOT NULL").bool(0, 0)
        if isThere, try connection.run("SELECT EXISTS (SELECT FROM freehold.layout WHERE script = $1)", layout).bool(0, 0) { return }
        try connection.run(script: "BEGIN; SELECT pg_advisory_xact_lock(7); \(PostgresTables.script) COMMIT;")
        try connection.run("INSERT INTO freehold.layout VALUES ($1) ON CONFLICT DO NOTHING", layout)
    }

    // MARK: Transactions

    public func begin() throws(FreeholdError) -> UInt64 {
        (cache, mode) = (Cache(), .writing)
        try connection.run("BEGIN ISOLATION LEVEL READ COMMITTED")
        // The triggers that note writes of other software let this transaction pass.
        let number = try connection.run("SELECT pg_current_xact_id(), set_config('freehold.merging', 'on', true)").transaction(0, 0)
        try readState()
        return number + base
    }

    /// Who moves the data elsewhere waits for all transactions that have read this.
    func readState() throws(FreeholdError) {
        let state = try connection.run("SELECT history, version, base FROM freehold.state")
        if state.count == 1 { base = UInt64(max(0, state.int(0, 2))) }
        guard let expected else { return }
        guard state.count == 1, UInt64(bitPattern: state.int(0, 0)) == expected.history, state.int(0, 1) == expected.version else {
            isOutdated = true
            cancel(0)
            throw FreeholdError(.busy, "the cluster has other classes or another history than before; do it again")
        }
    }

    public func enter(_ transaction: UInt64) {}

    public func commit(_ transaction: UInt64) throws(FreeholdError) {
        try write(transaction)
        try connection.run(script: "\(Self.noteEnd); COMMIT")
        isToBeAlone = false
        (cache, mode) = (Cache(), .none)
    }

    public func cancel(_ transaction: UInt64) {
        // A connection that is lost has rolled back; the next call reports it.
        try? connection.run(script: "ROLLBACK")
        (cache, mode, numbers, replicas) = (Cache(), .none, [:], [:])
    }

    /// Calls `body` within one snapshot, then forgets what it says is not needed any more.
    ///
    /// - Parameters:
    ///   - user: whose views are read; nil for those of all.
    ///   - primary: for a replica, where it is forgotten.
    public func reading<Result>(
        _ pull: SyncPull, for user: SyncUser? = nil, forgettingAt primary: PostgresStore? = nil, _ body: () throws(FreeholdError) -> Result
    ) throws(FreeholdError) -> Result {
        if !isReplica { for one in [pull.replica] + pull.inherited { _ = try number(of: one) } }
        (cache, mode) = (Cache(), .reading)
        cache.asker = user
        do throws(FreeholdError) {
            try connection.run("BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY")
            try readState()
            let result = try body()
            try connection.run("COMMIT")
            mode = .none
            try (primary ?? self).forget(cache)
            cache = Cache()
            return result
        } catch {
            cancel(0)
            throw error
        }
    }

    public var snapshot: SyncCursor {
        get throws(FreeholdError) {
            if readsEnded { return try Self.snapshotByEnded(connection, isReplica: isReplica) }
            return try Self.snapshot(connection, knowsRunning: knowsRunning)
        }
    }

    static func snapshot(_ connection: PostgresConnection, knowsRunning: Bool) throws(FreeholdError) -> SyncCursor {
        let found = try connection.run("""
            SELECT pg_snapshot_xmax(s), ARRAY(SELECT x FROM pg_snapshot_xip(s) x ORDER BY x), (SELECT base FROM freehold.state) \
            FROM pg_current_snapshot() s
            """)
        let base = UInt64(max(0, found.int(0, 2)))
        let running = knowsRunning ? try found.ints(0, 1).map { UInt64(bitPattern: $0) + base } : []
        guard let cursor = SyncCursor(next: found.transaction(0, 0) + base, running: running) else {
            throw FreeholdError(.corrupt, "PostgreSQL gives a snapshot whose transactions are not ascending")
        }
        return cursor
    }

    public var horizon: UInt64 {
        get throws(FreeholdError) { try connection.run("SELECT horizon FROM freehold.state").transaction(0, 0) }
    }

    // MARK: Locks by name

    public func prepare(_ batch: SyncPush) throws(FreeholdError) {
        var names: [[UInt8]] = []
        for change in batch.changes {
            names.append(coding.bytes(of: change.object))
            let type = change.object.type
            for one in change.registers where isUnique(one.path, type) && !one.value.isNull {
                names.append(holderName(one.value, one.path.property, type))
            }
        }
        try keepUsers()
        try lock(names)
        try fetch(batch.changes.map(\.object))
    }

    func isUnique(_ path: SyncPath, _ type: Int32) -> Bool {
        schema.classes[Int(type)].properties[Int(path.property)].isUnique && path.instance == .none && path.key.isNull
    }

    func holderName(_ value: SyncValue, _ property: Int32, _ type: Int32) -> [UInt8] {
        coding.bytes(of: .list([.int(Int64(type)), .int(Int64(property)), value]))
    }

    func lock(_ names: [[UInt8]]) throws(FreeholdError) {
        guard mode == .writing, locksNames else { return }
        if cache.isAlone { return }
        let hashes = Set(names.map(Self.hash)).subtracting(cache.locks).sorted()
        if hashes.isEmpty { return }
        // PostgreSQL has room for 6,400 locks by default, of all transactions together.
        if !cache.isAmongOthers {
            cache.isAlone = isToBeAlone || hashes.count > Self.maximumLocks
            cache.isAmongOthers = !cache.isAlone
            try connection.run(cache.isAlone ? "SELECT pg_advisory_xact_lock(3)" : "SELECT pg_advisory_xact_lock_shared(3)")
            if cache.isAlone { return }
        }
        // What it has to lock is known only as it goes on: who sees what it links to.
        if cache.locks.count + hashes.count > Self.maximumLocks {
            isToBeAlone = true
            throw FreeholdError(.busy, "the batch concerns more objects than can be locked one by one; do it again, alone")
        }
        try connection.run("SELECT pg_advisory_xact_lock(k) FROM unnest($1::bigint[]) k", .ints(hashes))
        cache.locks.formUnion(hashes)
    }

    /// A batch that names more is merged while no other one is.
    static let maximumLocks = 500

    /// FNV-1a of 64 bits: two names with one hash wait for one another, and that is all.
    static func hash(_ name: [UInt8]) -> Int64 {
        // Safe: a hash, modulo 2⁶⁴.
        Int64(bitPattern: name.reduce(0xcbf2_9ce4_8422_2325) { ($0 ^ UInt64($1)) &* 0x100_0000_01b3 })
    }
}
