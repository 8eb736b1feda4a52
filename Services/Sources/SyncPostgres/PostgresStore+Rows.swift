import FreeholdEngine
import FreeholdMerge

/// Rows of objects, and who sees them.
extension PostgresStore {
    func fetch(_ objects: [SyncObject]) throws(FreeholdError) {
        let missing = objects.filter { cache.rows[$0] == nil }
        for start in stride(from: 0, to: missing.count, by: 10_000) {
            let part = missing[start..<min(start + 10_000, missing.count)]
            for object in part { cache.rows[object] = .some(nil) }
            let names = PostgresValue.byteArrays(part.map { coding.bytes(of: $0) })
            try keep(connection.run("SELECT object, \(PostgresTables.columns) FROM freehold.\"row\" WHERE object = ANY($1)", names))
        }
        if mode != .none { try fetchViews(missing) }
    }

    func keep(_ rows: PostgresRows, except known: Set<SyncObject> = []) throws(FreeholdError) {
        for place in 0..<rows.count {
            let object = try coding.object(rows.bytes(place, 0))
            if known.contains(object) { continue }
            let row = try StoredRow(PostgresTables.row(rows, place, from: 1, coding), of: object.type, schema)
            cache.rows[object] = row
            if mode == .writing { cache.before[object] = row }
        }
    }

    /// What the transaction has changed stays: it is newer than what it would read.
    func fetchViews(_ objects: [SyncObject]) throws(FreeholdError) {
        let missing = objects.filter { cache.views[$0] == nil }
        for start in stride(from: 0, to: missing.count, by: 10_000) {
            let part = missing[start..<min(start + 10_000, missing.count)]
            for object in part { cache.views[object] = [:] }
            let names = PostgresValue.byteArrays(part.map { coding.bytes(of: $0) })
            if let asker = cache.asker {
                try keepViews(connection.run("\(Self.viewsOfObjects) AND \"user\" IN (-1, $2)", names, .int(asker.rawValue)))
            } else {
                try keepViews(connection.run(Self.viewsOfObjects, names))
            }
        }
    }

    private static let selectViews = "SELECT object, own, links, sees, since, began, \"user\", reaches FROM freehold.view"
    private static let viewsOfObjects = "\(selectViews) WHERE object = ANY($1)"

    /// The views of objects that are neighbours.
    private func fetchViews(_ objects: [SyncObject], from first: [UInt8], to last: [UInt8]) throws(FreeholdError) {
        if objects.contains(where: { cache.views[$0] != nil }) { return try fetchViews(objects) }
        for object in objects { cache.views[object] = [:] }
        let range = "\(Self.selectViews) WHERE object BETWEEN $1 AND $2"
        if let asker = cache.asker {
            try keepViews(connection.run("\(range) AND \"user\" IN (-1, $3)", .bytes(first), .bytes(last), .int(asker.rawValue)))
        } else {
            try keepViews(connection.run(range, .bytes(first), .bytes(last)))
        }
    }

    private func keepViews(_ rows: PostgresRows) throws(FreeholdError) {
        for place in 0..<rows.count {
            var view = SyncView()
            (view.isOwn, view.links) = (rows.bool(place, 1), Int32(truncatingIfNeeded: rows.int(place, 2)))
            (view.sees, view.since, view.began) = (rows.bool(place, 3), rows.transaction(place, 4), rows.transaction(place, 5))
            if !rows.isNull(place, 7) { view.reaches = Self.reaches(try rows.ints(place, 7)) }
            cache.views[try coding.object(rows.bytes(place, 0)), default: [:]][SyncUser(rawValue: rows.int(place, 6))] = view
        }
    }

    /// Three numbers each: which `follow`, how many links are left, how many lead there.
    static func reaches(_ numbers: [Int64]) -> [SyncReach: Int32] {
        var found: [SyncReach: Int32] = [:]
        for place in stride(from: 0, to: numbers.count - 2, by: 3) {
            let (follow, left) = (Int32(truncatingIfNeeded: numbers[place]), Int32(truncatingIfNeeded: numbers[place + 1]))
            found[SyncReach(follow: follow, left: left)] = Int32(truncatingIfNeeded: numbers[place + 2])
        }
        return found
    }

    static func numbers(_ reaches: [SyncReach: Int32]) -> [Int64] {
        reaches.sorted { $0.key < $1.key }.flatMap { [Int64($0.key.follow), Int64($0.key.left), Int64($0.value)] }
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
            SELECT object FROM freehold."row" WHERE last >= $1 \
            UNION SELECT object FROM freehold.view WHERE since >= $1 AND "user" IN (-1, $2)
            """, .transaction(cursor.oldest), .int(user.rawValue))
        return try objects(found)
    }

    private func objects(_ found: PostgresRows) throws(FreeholdError) -> [SyncObject] {
        try (0..<found.count).map { place throws(FreeholdError) in try coding.object(found.bytes(place, 0)) }
    }

    public func forEachPart(of objects: [SyncObject], _ body: ([SyncObject]) throws(FreeholdError) -> Void) throws(FreeholdError) {
        for start in stride(from: 0, to: objects.count, by: partCount) {
            let part = Array(objects[start..<min(start + partCount, objects.count)])
            try fetch(part)
            try body(part)
            // What is one part is read once, however often it is asked for.
            if mode == .reading, objects.count > partCount { forget(part) }
        }
    }

    private func forget(_ objects: [SyncObject]) {
        for object in objects {
            cache.rows[object] = nil
            cache.views[object] = nil
        }
    }

    /// In the order of the objects' bytes, some thousands at a time.
    public func forEachObject(_ body: (SyncObject) throws(FreeholdError) -> Void) throws(FreeholdError) {
        var last: [UInt8] = []
        while true {
            let rows = try connection.run("""
                SELECT object, \(PostgresTables.columns) FROM freehold."row" WHERE object > $1 ORDER BY object LIMIT 2000
                """, .bytes(last))
            if rows.count == 0 { return }
            let first = rows.bytes(0, 0)
            last = rows.bytes(rows.count - 1, 0)
            let objects = try objects(rows)
            // What a transaction has changed is newer.
            let known = Set(objects.filter { cache.rows[$0] != nil })
            try keep(rows, except: known)
            try fetchViews(objects, from: first, to: last)
            for object in objects { try body(object) }
            if mode != .writing { forget(objects) }
        }
    }

    public func holders(of value: SyncValue, property: Int32, type: Int32) throws(FreeholdError) -> [SyncObject] {
        let name = holderName(value, property, type)
        try lock([name])
        let found = try connection.run("SELECT object FROM freehold.holder WHERE name = $1", .bytes(name))
        return try objects(found).filter { !cache.taken.contains($0) }
    }

    public func note(links targets: [SyncObject], of object: SyncObject) {
        let name = PostgresValue.bytes(coding.bytes(of: object))
        for target in targets { cache.links.append([.bytes(coding.bytes(of: target)), name]) }
    }

    public func linking(to targets: [SyncObject]) throws(FreeholdError) -> Set<SyncObject> {
        var objects: Set<SyncObject> = []
        for start in stride(from: 0, to: targets.count, by: 10_000) {
            let names = targets[start..<min(start + 10_000, targets.count)].map { coding.bytes(of: $0) }
            let found = try connection.run("SELECT DISTINCT object FROM freehold.link WHERE target = ANY($1)", .byteArrays(names))
            for place in 0..<found.count { objects.insert(try coding.object(found.bytes(place, 0))) }
        }
        return objects
    }

    // MARK: Views

    public var users: [SyncUser] {
        get throws(FreeholdError) {
            try keepUsers()
            let found = try connection.run("SELECT number FROM freehold.\"user\" ORDER BY number")
            return (0..<found.count).map { SyncUser(rawValue: found.int($0, 0)) }
        }
    }

    /// A batch notes for all users what they see: none may come meanwhile.
    func keepUsers() throws(FreeholdError) {
        guard mode == .writing, !cache.keepsUsers else { return }
        try connection.run("SELECT pg_advisory_xact_lock_shared(1)")
        cache.keepsUsers = true
        // Other rules may have come while it waited.
        try readState()
    }

    public func holdUsers() throws(FreeholdError) {
        try connection.run("SELECT pg_advisory_xact_lock(1)") // every batch holds it as one of many
        (cache.isAlone, cache.keepsUsers) = (true, true)
        try readState()
    }

    public func add(_ user: SyncUser) throws(FreeholdError) {
        try holdUsers()
        let made = try connection.run("""
            INSERT INTO freehold."user" VALUES ($1) ON CONFLICT DO NOTHING RETURNING number
            """, .int(user.rawValue))
        guard made.count == 1 else { throw FreeholdError(.busy, "another server adds user \(user.rawValue); try again") }
    }

    public func viewed(by user: SyncUser) throws(FreeholdError) -> [SyncObject] {
        let found = try connection.run("SELECT object FROM freehold.view WHERE \"user\" = $1", .int(user.rawValue))
        let objects = try objects(found)
        try fetch(objects)
        return objects
    }

    public func view(of object: SyncObject, by user: SyncUser) throws(FreeholdError) -> SyncView? { try views(of: object)[user] }

    public func viewers(of object: SyncObject) throws(FreeholdError) -> [SyncUser] { Array(try views(of: object).keys) }

    private func views(of object: SyncObject) throws(FreeholdError) -> [SyncUser: SyncView] {
        if let views = cache.views[object] { return views }
        try lock([coding.bytes(of: object)])
        try fetchViews([object])
        defer { if mode == .none { cache = Cache() } }
        return cache.views[object] ?? [:]
    }

    public func save(_ view: SyncView, of object: SyncObject, by user: SyncUser) {
        cache.views[object, default: [:]][user] = view
        cache.savedViews.insert(ViewKey(object: object, user: user))
    }
}
