import FreeholdEngine
import FreeholdMerge

/// A sync server's tables in PostgreSQL: one connection, one transaction at a time.
///
/// 1. A batch's transaction locks by name what it names before it reads it, so that each row is read as the last commit left it.
/// 2. What a transaction reads is kept until its end; what it changes is written at its end, at once.
/// 3. A pull is one snapshot, and writes nothing in it.
public final class PostgresStore: SyncStore {
    let connection: PostgresConnection
    private let schema: SyncSchema
    private let coding: StoreCoding
    private var mode = Mode.none
    private var cache = Cache()
    private var numbers: [ReplicaIdentity: UInt32] = [:]
    private var replicas: [UInt32: ReplicaIdentity] = [:]
    /// For tests: whether objects are locked by name.
    package var locksNames = true
    /// For tests: whether a cursor says which transactions are in progress.
    package var knowsRunning = true

    private enum Mode { case none, writing, reading }

    /// What a transaction has read and changed.
    private struct Cache {
        var rows: [SyncObject: StoredRow?] = [:]
        var taken: Set<SyncObject> = []
        var saved: Set<SyncObject> = []
        var views: [ViewKey: SyncView?] = [:]
        var savedViews: Set<ViewKey> = []
        var ledgers: [UInt32: SyncLedger] = [:]
        var savedLedgers: Set<UInt32> = []
        var links: [[PostgresValue]] = []
        var locks: Set<Int64> = []
        /// Whether nobody else locks by name meanwhile, or others do.
        var isAlone = false, isAmongOthers = false
        var users: [SyncUser]?
        var read: [UInt32: SyncLedger] = [:]
    }

    private struct ViewKey: Hashable {
        let object: SyncObject
        let user: SyncUser
    }

    public init(_ connection: PostgresConnection, schema: SyncSchema) {
        (self.connection, self.schema, coding) = (connection, schema, StoreCoding(schema))
    }

    /// Makes the tables that are not there yet.
    public static func makeTables(_ connection: PostgresConnection) throws(FreeholdError) {
        try connection.run(script: "BEGIN; SELECT pg_advisory_xact_lock(7); \(PostgresTables.script) COMMIT;")
    }

    // MARK: Transactions

    public func begin() throws(FreeholdError) -> UInt64 {
        (cache, mode) = (Cache(), .writing)
        try connection.run("BEGIN ISOLATION LEVEL READ COMMITTED")
        return try connection.run("SELECT pg_current_xact_id()").transaction(0, 0)
    }

    public func enter(_ transaction: UInt64) {}

    public func commit(_ transaction: UInt64) throws(FreeholdError) {
        try write(transaction)
        try connection.run("COMMIT")
        (cache, mode) = (Cache(), .none)
    }

    public func cancel(_ transaction: UInt64) {
        // A connection that is lost has rolled back; the next call reports it.
        try? connection.run(script: "ROLLBACK")
        (cache, mode, numbers, replicas) = (Cache(), .none, [:], [:])
    }

    /// Calls `body` within one snapshot, then forgets what it says is not needed any more.
    public func reading<Result>(_ pull: SyncPull, _ body: () throws(FreeholdError) -> Result) throws(FreeholdError) -> Result {
        for one in [pull.replica] + pull.inherited { _ = try number(of: one) }
        (cache, mode) = (Cache(), .reading)
        do throws(FreeholdError) {
            try connection.run("BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY")
            let result = try body()
            try connection.run("COMMIT")
            mode = .none
            try forget()
            cache = Cache()
            return result
        } catch {
            cancel(0)
            throw error
        }
    }

    public var snapshot: SyncCursor {
        get throws(FreeholdError) {
            let found = try connection.run("""
                SELECT pg_snapshot_xmax(s), ARRAY(SELECT x FROM pg_snapshot_xip(s) x ORDER BY x) FROM pg_current_snapshot() s
                """)
            let running = knowsRunning ? try found.ints(0, 1).map { UInt64(bitPattern: $0) } : []
            guard let cursor = SyncCursor(next: found.transaction(0, 0), running: running) else {
                throw FreeholdError(.corrupt, "PostgreSQL gives a snapshot whose transactions are not ascending")
            }
            return cursor
        }
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
        try lock(names)
        try fetch(batch.changes.map(\.object))
    }

    private func isUnique(_ path: SyncPath, _ type: Int32) -> Bool {
        schema.classes[Int(type)].properties[Int(path.property)].isUnique && path.instance == .none && path.key.isNull
    }

    private func holderName(_ value: SyncValue, _ property: Int32, _ type: Int32) -> [UInt8] {
        coding.bytes(of: .list([.int(Int64(type)), .int(Int64(property)), value]))
    }

    private func lock(_ names: [[UInt8]]) throws(FreeholdError) {
        guard mode == .writing, locksNames else { return }
        if cache.isAlone { return }
        let hashes = Set(names.map(Self.hash)).subtracting(cache.locks).sorted()
        if hashes.isEmpty { return }
        // PostgreSQL has room for 6,400 locks by default, of all transactions together.
        if !cache.isAmongOthers {
            cache.isAlone = hashes.count > Self.maximumLocks
            cache.isAmongOthers = !cache.isAlone
            try connection.run(cache.isAlone ? "SELECT pg_advisory_xact_lock(3)" : "SELECT pg_advisory_xact_lock_shared(3)")
            if cache.isAlone { return }
        }
        try connection.run("SELECT pg_advisory_xact_lock(k) FROM unnest($1::bigint[]) k", .ints(hashes))
        cache.locks.formUnion(hashes)
    }

    /// A batch that names more is merged while no other one is.
    private static let maximumLocks = 500

    /// FNV-1a of 64 bits: two names with one hash wait for one another, and that is all.
    private static func hash(_ name: [UInt8]) -> Int64 {
        // Safe: a hash, modulo 2⁶⁴.
        Int64(bitPattern: name.reduce(0xcbf2_9ce4_8422_2325) { ($0 ^ UInt64($1)) &* 0x100_0000_01b3 })
    }

    // MARK: Rows

    private func fetch(_ objects: [SyncObject]) throws(FreeholdError) {
        let missing = objects.filter { cache.rows[$0] == nil }
        for start in stride(from: 0, to: missing.count, by: 10_000) {
            let part = missing[start..<min(start + 10_000, missing.count)]
            for object in part { cache.rows[object] = .some(nil) }
            let names = PostgresValue.byteArrays(part.map { coding.bytes(of: $0) })
            try keep(connection.run("SELECT object, \(PostgresTables.columns) FROM freehold.\"row\" WHERE object = ANY($1)", names))
        }
        for user in mode == .writing ? try users : [] { try fetchViews(missing, user) }
    }

    private func keep(_ rows: PostgresRows) throws(FreeholdError) {
        for place in 0..<rows.count {
            let object = try coding.object(rows.bytes(place, 0))
            cache.rows[object] = try StoredRow(PostgresTables.row(rows, place, from: 1, coding), of: object.type, schema)
        }
    }

    /// What the transaction has changed stays: it is newer than what it would read.
    private func fetchViews(_ objects: [SyncObject], _ user: SyncUser) throws(FreeholdError) {
        let objects = objects.filter { cache.views[ViewKey(object: $0, user: user)] == nil }
        if objects.isEmpty { return }
        for object in objects { cache.views[ViewKey(object: object, user: user)] = .some(nil) }
        let rows = try connection.run("""
            SELECT object, own, links, sees, since FROM freehold.view WHERE "user" = $1 AND object = ANY($2)
            """, .int(user.rawValue), .byteArrays(objects.map { coding.bytes(of: $0) }))
        for place in 0..<rows.count {
            var view = SyncView()
            (view.isOwn, view.links) = (rows.bool(place, 1), Int32(truncatingIfNeeded: rows.int(place, 2)))
            (view.sees, view.since) = (rows.bool(place, 3), rows.transaction(place, 4))
            cache.views[ViewKey(object: try coding.object(rows.bytes(place, 0)), user: user)] = view
        }
    }

    public func row(_ object: SyncObject) throws(FreeholdError) -> StoredRow? {
        if let row = cache.rows[object] { return row }
        try lock([coding.bytes(of: object)])
        try fetch([object])
        defer { if mode == .none { cache = Cache() } }
        return cache.rows[object] ?? nil
    }

    public func take(_ object: SyncObject) throws(FreeholdError) -> StoredRow? {
        let row = try row(object)
        cache.taken.insert(object)
        return row
    }

    public func save(_ row: StoredRow, of object: SyncObject, transaction: UInt64) {
        cache.rows[object] = row
        cache.taken.remove(object)
        cache.saved.insert(object)
    }

    public func changes(since cursor: SyncCursor, for user: SyncUser) throws(FreeholdError) -> [SyncObject] {
        let found = try connection.run("""
            SELECT object FROM freehold."row" WHERE last >= $1 UNION SELECT object FROM freehold.view WHERE since >= $1 AND "user" = $2
            """, .transaction(cursor.oldest), .int(user.rawValue))
        return try fetched(found, user)
    }

    private func fetched(_ found: PostgresRows, _ user: SyncUser?) throws(FreeholdError) -> [SyncObject] {
        let objects = try (0..<found.count).map { place throws(FreeholdError) in try coding.object(found.bytes(place, 0)) }
        try fetch(objects)
        if let user { try fetchViews(objects, user) }
        return objects
    }

    public func forEachObject(_ body: (SyncObject) -> Void) throws(FreeholdError) {
        for object in try fetched(connection.run("SELECT object FROM freehold.\"row\""), nil) { body(object) }
    }

    public func holders(of value: SyncValue, property: Int32, type: Int32) throws(FreeholdError) -> [SyncObject] {
        let name = holderName(value, property, type)
        try lock([name])
        let found = try connection.run("SELECT object FROM freehold.holder WHERE name = $1", .bytes(name))
        let objects = try (0..<found.count).map { place throws(FreeholdError) in try coding.object(found.bytes(place, 0)) }
        return objects.filter { !cache.taken.contains($0) }
    }

    public func note(links targets: [SyncObject], of object: SyncObject) {
        let name = PostgresValue.bytes(coding.bytes(of: object))
        for target in targets { cache.links.append([.bytes(coding.bytes(of: target)), name]) }
    }

    public func linking(to target: SyncObject) throws(FreeholdError) -> [SyncObject] {
        let found = try connection.run("SELECT object FROM freehold.link WHERE target = $1", .bytes(coding.bytes(of: target)))
        return try (0..<found.count).map { place throws(FreeholdError) in try coding.object(found.bytes(place, 0)) }
    }

    // MARK: Replicas

    public func number(of replica: ReplicaIdentity) throws(FreeholdError) -> UInt32 {
        if let number = numbers[replica] { return number }
        let key = [PostgresValue.int(Int64(bitPattern: replica.high)), .int(Int64(bitPattern: replica.low))]
        let find = "SELECT number FROM freehold.replica WHERE high = $1 AND low = $2"
        var found = try connection.run(find, key)
        if found.count == 0 {
            let wasOpen = mode == .writing
            do throws(FreeholdError) {
                if !wasOpen { try connection.run("BEGIN") }
                try connection.run("SELECT pg_advisory_xact_lock(2)")
                try connection.run("""
                    INSERT INTO freehold.replica (number, high, low) SELECT max(number) + 1, $1, $2 FROM freehold.replica \
                    ON CONFLICT DO NOTHING
                    """, key)
                if !wasOpen { try connection.run("COMMIT") }
            } catch {
                if !wasOpen { cancel(0) }
                throw error
            }
            found = try connection.run(find, key)
        }
        let number = UInt32(truncatingIfNeeded: found.int(0, 0))
        (numbers[replica], replicas[number]) = (number, replica)
        return number
    }

    public func replica(_ number: UInt32) throws(FreeholdError) -> ReplicaIdentity {
        if let replica = replicas[number] { return replica }
        let found = try connection.run("SELECT high, low FROM freehold.replica WHERE number = $1", .int(Int64(number)))
        guard found.count == 1 else {
            throw FreeholdError(.corrupt, "freehold.replica has no number \(number); restore it from a backup")
        }
        let replica = ReplicaIdentity(high: found.transaction(0, 0), low: found.transaction(0, 1))
        replicas[number] = replica
        return replica
    }

    /// A batch adds to what a ledger owes, so it is not read then.
    public func ledger(_ replica: UInt32) throws(FreeholdError) -> SyncLedger {
        if let ledger = cache.ledgers[replica] { return ledger }
        let lock = mode == .writing ? " FOR UPDATE" : "", number = PostgresValue.int(Int64(replica))
        let found = try connection.run("SELECT ledger FROM freehold.replica WHERE number = $1\(lock)", number)
        var ledger = found.count == 0 || found.isNull(0, 0) ? SyncLedger() : try coding.ledger(found.bytes(0, 0))
        if mode != .writing {
            let owed = try connection.run("SELECT object, transaction FROM freehold.owed WHERE replica = $1", number)
            for place in 0..<owed.count { ledger.owed[try coding.object(owed.bytes(place, 0))] = owed.transaction(place, 1) }
            if mode == .reading { cache.read[replica] = ledger }
        }
        if mode != .none { cache.ledgers[replica] = ledger }
        return ledger
    }

    public func save(_ ledger: SyncLedger, of replica: UInt32) {
        cache.ledgers[replica] = ledger
        cache.savedLedgers.insert(replica)
    }

    public func ancestors(of replica: UInt32) throws(FreeholdError) -> [SyncAncestor] {
        let found = try connection.run("SELECT ancestors FROM freehold.replica WHERE number = $1", .int(Int64(replica)))
        return found.count == 0 || found.isNull(0, 0) ? [] : try coding.ancestors(found.bytes(0, 0))
    }

    public func save(_ ancestors: [SyncAncestor], of replica: UInt32) throws(FreeholdError) {
        try connection.run("UPDATE freehold.replica SET ancestors = $2 WHERE number = $1", .int(Int64(replica)),
                           .bytes(coding.bytes(of: ancestors)))
    }

    public func claim(_ name: SyncClaim) throws(FreeholdError) -> SyncClaim.Amount? {
        let found = try connection.run("SELECT amount FROM freehold.claim WHERE name = $1", .bytes(coding.bytes(of: name)))
        return found.count == 0 ? nil : try coding.amount(found.bytes(0, 0))
    }

    public func save(_ amount: SyncClaim.Amount, of name: SyncClaim) throws(FreeholdError) {
        try connection.run("INSERT INTO freehold.claim VALUES ($1, $2) ON CONFLICT (name) DO UPDATE SET amount = excluded.amount",
                           .bytes(coding.bytes(of: name)), .bytes(coding.bytes(of: amount)))
    }

    // MARK: Users

    /// A batch notes for all users what they see: none may come meanwhile.
    public var users: [SyncUser] {
        get throws(FreeholdError) {
            if let users = cache.users { return users }
            if mode == .writing { try connection.run("SELECT pg_advisory_xact_lock_shared(1)") }
            let found = try connection.run("SELECT number FROM freehold.\"user\" ORDER BY number")
            let users = (0..<found.count).map { SyncUser(rawValue: found.int($0, 0)) }
            if mode == .writing { cache.users = users }
            return users
        }
    }

    public func add(_ user: SyncUser) throws(FreeholdError) {
        try connection.run("SELECT pg_advisory_xact_lock(1)") // every batch holds it as one of many
        cache.isAlone = true
        let made = try connection.run("""
            INSERT INTO freehold."user" VALUES ($1) ON CONFLICT DO NOTHING RETURNING number
            """, .int(user.rawValue))
        guard made.count == 1 else { throw FreeholdError(.busy, "another server adds user \(user.rawValue); try again") }
    }

    public func view(of object: SyncObject, by user: SyncUser) throws(FreeholdError) -> SyncView? {
        let name = ViewKey(object: object, user: user)
        if let view = cache.views[name] { return view }
        try lock([coding.bytes(of: object)])
        try fetchViews([object], user)
        defer { if mode == .none { cache = Cache() } }
        return cache.views[name] ?? nil
    }

    public func save(_ view: SyncView, of object: SyncObject, by user: SyncUser) {
        let name = ViewKey(object: object, user: user)
        cache.views[name] = view
        cache.savedViews.insert(name)
    }

    // MARK: Writing

    private func write(_ transaction: UInt64) throws(FreeholdError) {
        let objects = cache.saved.sorted()
        try connection.run(PostgresTables.save, each: objects.map { object in
            PostgresTables.parameters(coding.bytes(of: object), cache.rows[object]!!.columns, coding)
        })
        try writeHolders(objects)
        let views = cache.savedViews.sorted { ($0.object, $0.user.rawValue) < ($1.object, $1.user.rawValue) }
        try connection.run("""
            INSERT INTO freehold.view VALUES ($1, $2, $3, $4, $5, $6) ON CONFLICT (object, "user") \
            DO UPDATE SET own = excluded.own, links = excluded.links, sees = excluded.sees, since = excluded.since
            """, each: views.map { name in
                let view = cache.views[name]!!
                return [.bytes(coding.bytes(of: name.object)), .int(name.user.rawValue), .bool(view.isOwn), .int(Int64(view.links)),
                        .bool(view.sees), .transaction(view.since)]
            })
        try connection.run("INSERT INTO freehold.link VALUES ($1, $2) ON CONFLICT DO NOTHING", each: cache.links)
        for replica in cache.savedLedgers.sorted() { try write(cache.ledgers[replica]!, of: replica) }
    }

    private func writeHolders(_ objects: [SyncObject]) throws(FreeholdError) {
        let objects = objects.filter { schema.classes[Int($0.type)].properties.contains { $0.isUnique } }
        if objects.isEmpty { return }
        try connection.run("DELETE FROM freehold.holder WHERE object = ANY($1)", .byteArrays(objects.map { coding.bytes(of: $0) }))
        var made: [[PostgresValue]] = []
        for object in objects {
            guard let row = cache.rows[object]!, row.isAlive else { continue }
            for (property, one) in schema.classes[Int(object.type)].properties.enumerated() where one.isUnique {
                let value = row.value(of: Int32(property))
                if value.isNull { continue }
                made.append([.bytes(holderName(value, Int32(property), object.type)), .bytes(coding.bytes(of: object))])
            }
        }
        try connection.run("INSERT INTO freehold.holder VALUES ($1, $2)", each: made)
    }

    private func write(_ ledger: SyncLedger, of replica: UInt32) throws(FreeholdError) {
        let number = PostgresValue.int(Int64(replica))
        try connection.run("UPDATE freehold.replica SET ledger = $2 WHERE number = $1", number, .bytes(coding.bytes(of: ledger)))
        let owed = ledger.owed.sorted { $0.key < $1.key }
        try connection.run("""
            INSERT INTO freehold.owed VALUES ($1, $2, $3) ON CONFLICT (replica, object) DO UPDATE SET transaction = excluded.transaction
            """, each: owed.map { [number, .bytes(coding.bytes(of: $0.key)), .transaction($0.value)] })
    }

    /// What a file has durably is not kept for it; if a batch has come meanwhile, the next pull forgets it.
    private func forget() throws(FreeholdError) {
        for replica in cache.savedLedgers {
            let old = cache.read[replica] ?? SyncLedger(), new = cache.ledgers[replica]!, number = PostgresValue.int(Int64(replica))
            let before = coding.bytes(of: old), after = coding.bytes(of: new)
            if before != after {
                try connection.run("UPDATE freehold.replica SET ledger = $3 WHERE number = $1 AND ledger = $2", number, .bytes(before),
                                   .bytes(after))
            }
            let gone = old.owed.filter { new.owed[$0.key] == nil }
            try connection.run("DELETE FROM freehold.owed WHERE replica = $1 AND object = $2 AND transaction = $3", each: gone.map {
                [number, .bytes(coding.bytes(of: $0.key)), .transaction($0.value)]
            })
        }
    }
}
