import FreeholdEngine
import FreeholdMerge

/// What other software writes into the tables of classes.
///
/// 1. A trigger notes the object, in the writer's transaction (`freehold.foreign`).
/// 2. Who takes it over has the object locked by name, takes the notes away, and then reads the tables: so it has all that the notes were
///    for. What is otherwise than the row is what has been written.
/// 3. What others write meanwhile leaves another note. A transaction that has written over it, as it waited for that row, finds the note
///    and is done again.
extension PostgresStore {
    /// Notes that are taken over at once: the server has a few kilobytes for each object.
    static let mostOfTransaction: Int64 = 20_000

    /// How long a server waits for a row of a class that other software has locked: less than PostgreSQL takes to look for deadlocks.
    static let patience = "200ms"

    func knownTables() throws(FreeholdError) -> ClassTables {
        if classTables == nil { classTables = try ClassTables(connection, schema) }
        return classTables!
    }

    /// The objects of the transactions of other software to which the first notes belong: a transaction is taken over whole, as unique
    /// values may have changed hands in it. One that is too large for that is taken over in parts.
    public func notedObjects(_ most: Int64) throws(FreeholdError) -> [SyncObject] {
        let tables = try knownTables()
        let found = try connection.run("""
            SELECT DISTINCT class, key FROM (SELECT class, key FROM freehold.foreign WHERE transaction IN \
            (SELECT transaction FROM freehold.foreign ORDER BY number LIMIT $1) ORDER BY number LIMIT $2) f ORDER BY class, key
            """, .int(most), .int(Self.mostOfTransaction))
        return (0..<found.count).compactMap { object(found, $0, tables) }
    }

    private func object(_ rows: PostgresRows, _ place: Int, _ tables: ClassTables) -> SyncObject? {
        let type = Int(rows.int(place, 0))
        guard tables.tables.indices.contains(type), let table = tables.tables[type] else { return nil }
        return table.key.type.key(of: rows.bytes(place, 1)).map { SyncObject(type: Int32(type), key: $0) }
    }

    public func foreignChanges(of objects: [SyncObject]) throws(FreeholdError) -> [SyncForeignChange] {
        guard mode == .writing else { return [] }
        // Nobody's views are made anew meanwhile.
        try keepUsers()
        let tables = try knownTables()
        try lock(objects.map { coding.bytes(of: $0) })
        let noted = try takeNotes(objects, tables)
        if noted.isEmpty { return [] }
        let names = noted.keys.sorted()
        try fetch(names)
        var reading = ForeignReading(connection, tables, writer: ClassTableWriter(connection: connection, tables: tables))
        try reading.read(names)
        try reading.normalise(names.map { cache.rows[$0] ?? nil })
        return names.map { object in
            let change = reading.change(of: object, row: cache.rows[object] ?? nil, wasDeleted: noted[object]!)
            cache.found[object] = change.found
            cache.refused += change.refused
            return change.made
        }
    }

    /// - Returns: whether an object was deleted, by the objects that are noted.
    private func takeNotes(_ objects: [SyncObject], _ tables: ClassTables) throws(FreeholdError) -> [SyncObject: Bool] {
        let (types, keys) = noteNames(objects, tables)
        let found = try connection.run("""
            DELETE FROM freehold.foreign f USING unnest($1::bigint[], $2::bytea[]) n(class, key) \
            WHERE f.class = n.class AND f.key = n.key RETURNING f.class, f.key, f.deleted
            """, .ints(types), .byteArrays(keys))
        var noted: [SyncObject: Bool] = [:]
        for place in 0..<found.count {
            guard let object = object(found, place, tables) else { continue }
            noted[object] = noted[object] == true || found.bool(place, 2)
        }
        return noted
    }

    private func noteNames(_ objects: [SyncObject], _ tables: ClassTables) -> (types: [Int64], keys: [[UInt8]]) {
        var types: [Int64] = [], keys: [[UInt8]] = []
        for object in objects {
            guard let key = tables.tables[Int(object.type)]?.key.type.image(of: object.key) else { continue }
            types.append(Int64(object.type))
            keys.append(key)
        }
        return (types, keys)
    }

    /// Nobody has written about the objects since their notes were taken: else it would be lost here.
    func requireUnchanged(_ objects: [SyncObject]) throws(FreeholdError) {
        let (types, keys) = noteNames(objects, try knownTables())
        let found = try connection.run("""
            SELECT EXISTS (SELECT FROM freehold.foreign f JOIN unnest($1::bigint[], $2::bytea[]) n(class, key) \
            ON f.class = n.class AND f.key = n.key), set_config('lock_timeout', '30s', true)
            """, .ints(types), .byteArrays(keys))
        if found.bool(0, 0), looksAgain { throw FreeholdError(.busy, "other software has written what a batch changes; do it again") }
    }

    // MARK: Refusals

    /// Takes the notes of an object away, which can never be taken over.
    func setAside(_ object: SyncObject, _ reason: String) throws(FreeholdError) {
        let (types, keys) = noteNames([object], try knownTables())
        try connection.transaction { () throws(FreeholdError) in
            try connection.run("DELETE FROM freehold.foreign WHERE class = $1 AND key = $2", .int(types[0]), .bytes(keys[0]))
            try connection.run("INSERT INTO freehold.refused (class, key, place, reason) VALUES ($1, $2, '', $3)",
                               .text(schema.classes[Int(object.type)].name), .bytes(keys[0]), .text(reason))
        }
    }

    public func noteRefused(_ property: Int32, of object: SyncObject) throws(FreeholdError) {
        let name = schema.classes[Int(object.type)].properties[Int(property)].name
        cache.refused.append(.init(object: object, place: name, reason: "another object has this unique value; it is null now"))
    }

    /// What was refused is said for 90 days.
    func writeRefused() throws(FreeholdError) {
        if cache.refused.isEmpty { return }
        try connection.run("DELETE FROM freehold.refused WHERE at < now() - interval '90 days'")
        let tables = try knownTables()
        try connection.run("INSERT INTO freehold.refused (class, key, place, reason) VALUES ($1, $2, $3, $4)",
                           each: cache.refused.map { one in
            [.text(schema.classes[Int(one.object.type)].name),
             .bytes(tables.tables[Int(one.object.type)]?.key.type.image(of: one.object.key) ?? []), .text(one.place), .text(one.reason)]
        })
    }
}
