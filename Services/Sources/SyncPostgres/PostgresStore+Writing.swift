import FreeholdEngine
import FreeholdMerge

/// What a transaction has changed is written at its end.
extension PostgresStore {
    func write(_ transaction: UInt64) throws(FreeholdError) {
        let objects = cache.saved.sorted()
        try writeRows(objects)
        try writeClassTables(objects)
        try writeHolders(objects)
        try writeViews()
        try connection.run("INSERT INTO freehold.link VALUES ($1, $2) ON CONFLICT DO NOTHING", each: cache.links)
        for replica in cache.savedLedgers.sorted() { try write(cache.ledgers[replica]!, of: replica) }
    }

    private func writeRows(_ objects: [SyncObject]) throws(FreeholdError) {
        let parameters = { [cache, coding] (object: SyncObject) in
            PostgresTables.parameters(coding.bytes(of: object), cache.rows[object]!!.columns, coding)
        }
        // What was not there is locked by name, and nobody else makes it meanwhile.
        let new = objects.filter { cache.before[$0] == nil }
        let isCopied = new.count >= leastCopied && locksNames
        if isCopied { try connection.copy(new.lazy.map(parameters), into: PostgresTables.copied) }
        for part in Self.parts(of: isCopied ? objects.filter { cache.before[$0] != nil } : objects) {
            try connection.run(PostgresTables.save, each: part.map(parameters))
        }
    }

    /// A batch may have millions of objects: what is sent of some of them is made when those before are sent.
    private static func parts<Element>(of all: [Element]) -> some Sequence<ArraySlice<Element>> {
        stride(from: 0, to: all.count, by: 10_000).lazy.map { all[$0..<min($0 + 10_000, all.count)] }
    }

    private func writeViews() throws(FreeholdError) {
        if cache.savedViews.isEmpty { return }
        let all = cache.savedViews.sorted { ($0.object, $0.user.rawValue) < ($1.object, $1.user.rawValue) }
        for part in Self.parts(of: all) { try write(views: part) }
    }

    private func write(views names: ArraySlice<ViewKey>) throws(FreeholdError) {
        let views = names.map { cache.views[$0.object]![$0.user]! }
        try connection.run("""
            INSERT INTO freehold.view SELECT object, "user", own <> 0, links, sees <> 0, since, began, \
            convert_from(reaches, 'UTF8')::bigint[] \
            FROM unnest($1::bytea[], $2::bigint[], $3::bigint[], $4::bigint[], $5::bigint[], $6::xid8[], $7::xid8[], $8::bytea[]) \
            AS one (object, "user", own, links, sees, since, began, reaches) ON CONFLICT (object, "user") \
            DO UPDATE SET own = excluded.own, links = excluded.links, sees = excluded.sees, since = excluded.since, \
            began = excluded.began, reaches = excluded.reaches
            """, .byteArrays(names.map { coding.bytes(of: $0.object) }), .ints(names.map(\.user.rawValue)),
            .ints(views.map { $0.isOwn ? 1 : 0 }), .ints(views.map { Int64($0.links) }), .ints(views.map { $0.sees ? 1 : 0 }),
            .transactions(views.map(\.since)), .transactions(views.map(\.began)), .byteArrays(views.map { Self.text($0.reaches) }))
    }

    /// An array as PostgreSQL reads it.
    private static func text(_ reaches: [SyncReach: Int32]) -> [UInt8]? {
        if reaches.isEmpty { return nil }
        return Array("{\(numbers(reaches).map { "\($0)" }.joined(separator: ","))}".utf8)
    }

    private func writeClassTables(_ objects: [SyncObject]) throws(FreeholdError) {
        if objects.isEmpty { return }
        // Other software may keep rows locked, and wait for ours: it is never the one whose transaction ends.
        try connection.run("SELECT set_config('lock_timeout', '\(Self.patience)', true)")
        let writer = ClassTableWriter(connection: connection, tables: try knownTables())
        for part in Self.parts(of: objects) {
            try writer.write(part.map { object in
                .init(object: object, before: cache.before[object], after: cache.rows[object]!, found: cache.found[object])
            })
        }
        try requireUnchanged(objects)
        try writeRefused()
    }

    func writeHolders(_ objects: [SyncObject]) throws(FreeholdError) {
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

    func write(_ ledger: SyncLedger, of replica: UInt32) throws(FreeholdError) {
        let number = PostgresValue.int(Int64(replica))
        try connection.run("UPDATE freehold.replica SET ledger = $2 WHERE number = $1", number, .bytes(coding.bytes(of: ledger)))
        let owed = ledger.owed.sorted { $0.key < $1.key }
        if owed.isEmpty { return }
        try connection.run("""
            INSERT INTO freehold.owed SELECT $1, object, transaction FROM unnest($2::bytea[], $3::xid8[]) AS one (object, transaction) \
            ON CONFLICT (replica, object) DO UPDATE SET transaction = excluded.transaction
            """, number, .byteArrays(owed.map { coding.bytes(of: $0.key) }), .transactions(owed.map(\.value)))
    }

    /// What a file has durably is not kept for it; if a batch has come meanwhile, the next pull forgets it.
    func forget(_ cache: Cache) throws(FreeholdError) {
        for replica in cache.savedLedgers {
            let old = cache.read[replica] ?? SyncLedger(), new = cache.ledgers[replica]!, number = PostgresValue.int(Int64(replica))
            let before = coding.bytes(of: old), after = coding.bytes(of: new)
            if before != after {
                try connection.run("UPDATE freehold.replica SET ledger = $3 WHERE number = $1 AND ledger = $2", number, .bytes(before),
                                   .bytes(after))
            }
            let gone = old.owed.filter { new.owed[$0.key] == nil }
            if gone.isEmpty { continue }
            try connection.run("""
                DELETE FROM freehold.owed o USING unnest($2::bytea[], $3::xid8[]) AS one (object, transaction) \
                WHERE o.replica = $1 AND o.object = one.object AND o.transaction = one.transaction
                """, number, .byteArrays(gone.map { coding.bytes(of: $0.key) }), .transactions(gone.map(\.value)))
        }
    }
}
