import Foundation
import FreeholdEngine
import FreeholdMerge
import SyncBackends

/// What a cluster says of itself: its history, and the synced classes with their numbers.
public struct PostgresCatalog: Sendable {
    /// The history of the cluster: one that was restored from a backup gets another number.
    public let history: UInt64
    /// Counts additions of classes and properties. A server that has an older one reads the catalogue again.
    public let version: Int64
    /// The classes. A number of a class or property stays what it is.
    public let schema: SyncSchema
    /// The rules of streams and rights with their number; nil if there are none: all users see and change everything.
    public let rules: (number: Int64, text: String)?

    /// Reads it.
    ///
    /// - Throws: `.notFound` if the database was not prepared; `.io`.
    public init(_ connection: PostgresConnection) throws(FreeholdError) { try self.init(connection, evenIfMoved: false) }

    init(_ connection: PostgresConnection, evenIfMoved: Bool) throws(FreeholdError) {
        let isThere = try connection.run("SELECT to_regclass('freehold.property') IS NOT NULL").bool(0, 0)
        guard isThere else {
            throw FreeholdError(.notFound, "the database has no tables of Freehold; make them with `freehold-sync-server init`")
        }
        guard try connection.run("SELECT to_regclass('freehold.ended') IS NOT NULL").bool(0, 0) else {
            throw FreeholdError(.notFound, "the tables of Freehold are of an earlier version; call `freehold-sync-server init` again")
        }
        try connection.run("BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY")
        do throws(FreeholdError) {
            let state = try connection.run("SELECT history, version, moved FROM freehold.state")
            guard state.count == 1 else { throw FreeholdError(.corrupt, "the table freehold.state has no row; restore it") }
            if state.bool(0, 2), !evenIfMoved {
                throw FreeholdError(.io, """
                    the data is in another database now, or on its way there; if the move was given up, call \
                    `freehold-sync-server tenants stay`
                    """)
            }
            (history, version) = (UInt64(bitPattern: state.int(0, 0)), state.int(0, 1))
            try Self.requireOwnNumbers(connection)
            schema = try Self.classes(connection)
            let found = try connection.run("SELECT number, text FROM freehold.rules ORDER BY number DESC LIMIT 1")
            rules = found.count == 1 ? (found.int(0, 0), found.text(0, 1)) : nil
            try connection.run("COMMIT")
        } catch {
            try? connection.run(script: "ROLLBACK")
            throw error
        }
    }

    /// The data of a dump has numbers of transactions that this cluster has not given yet: no cursor would contain them.
    private static func requireOwnNumbers(_ connection: PostgresConnection) throws(FreeholdError) {
        let newest = try connection.run("SELECT last FROM freehold.\"row\" ORDER BY last DESC LIMIT 1")
        let next = try PostgresStore.snapshot(connection, knowsRunning: false).next
        guard newest.count == 1, newest.transaction(0, 0) >= next else { return }
        throw FreeholdError(.corrupt, """
            the data is of another cluster, as a restored dump leaves it: run `freehold-sync-server init --restored` before servers \
            use it
            """)
    }

    static func classes(_ connection: PostgresConnection) throws(FreeholdError) -> SyncSchema {
        let classes = try connection.run("SELECT name, update_wins, key, key_type FROM freehold.class ORDER BY number")
        let found = try connection.run("""
            SELECT class, name, kind, is_unique, type, target FROM freehold.property ORDER BY class, number
            """)
        var properties = [[SyncSchema.Property]](repeating: [], count: classes.count)
        for place in 0..<found.count {
            guard let kind = SyncSchema.Kind(text: found.text(place, 2)), properties.indices.contains(Int(found.int(place, 0))) else {
                throw FreeholdError(.corrupt, "the table freehold.property has a class or kind that no server writes; restore it")
            }
            let type = found.isNull(place, 4) ? nil : PropertyType(rawValue: UInt8(truncatingIfNeeded: found.int(place, 4)))
            properties[Int(found.int(place, 0))].append(.init(
                found.text(place, 1), kind, isUnique: found.bool(place, 3), type: type,
                target: found.isNull(place, 5) ? nil : found.text(place, 5)))
        }
        return SyncSchema(classes: (0..<classes.count).map { place in
            let key = PropertyType(rawValue: UInt8(truncatingIfNeeded: classes.int(place, 3))) ?? .string
            return SyncSchema.Class(classes.text(place, 0), conflict: classes.bool(place, 1) ? .updateWins : .deletionWins,
                                    key: .init(classes.text(place, 2), key), properties: properties[place])
        })
    }

    // MARK: Additions

    /// Adds the classes and properties that are not there yet, in a transaction of its own, with their tables and columns. What is there
    /// stays as it is.
    ///
    /// - Parameters:
    ///   - tables: the schema of new tables.
    ///   - attempts: how often it is tried to get the locks of tables that others read or write, half a second each.
    /// - Returns: what was added, as `Class` or `Class.property`.
    /// - Throws: `.schemaMismatch` if something is there in another way; nothing is added then.
    public static func add(_ schema: SyncSchema, to connection: PostgresConnection, tables: String = "app", attempts: Int = 20)
        throws(FreeholdError) -> [String]
    {
        var attempt = 0
        while true {
            do throws(FreeholdError) {
                return try addOnce(schema, to: connection, tables: tables)
            } catch {
                attempt += 1
                guard error.code == .busy, attempt < attempts else { throw error }
                usleep(200_000)
            }
        }
    }


    /// Waits for no lock for long: who comes behind a waiting one waits as well.
    private static func addOnce(_ schema: SyncSchema, to connection: PostgresConnection, tables: String) throws(FreeholdError)
        -> [String]
    {
        try connection.transaction { () throws(FreeholdError) in
            try connection.run("SELECT set_config('lock_timeout', '300ms', true)")
            // One server at a time.
            guard try connection.run("SELECT pg_try_advisory_xact_lock(8)").bool(0, 0) else {
                throw FreeholdError(.busy, "another server adds classes; do it again")
            }
            try connection.run("SELECT version FROM freehold.state FOR UPDATE")
            var growth = Growth(known: try classes(connection))
            try growth.add(schema, to: connection)
            guard try connection.run("SELECT count(*) FROM freehold.class").int(0, 0) <= SchemaText.mostClasses else {
                throw FreeholdError(.valueTooLarge, "the server would have more than \(SchemaText.mostClasses) classes")
            }
            var maker = try ClassTableMaker(connection, in: tables)
            try maker.make(for: classes(connection))
            if !growth.added.isEmpty { try connection.run("UPDATE freehold.state SET version = version + 1") }
            return growth.added
        }
    }

    /// Gives the data a new history, and numbers of transactions above all that it has: call it when it was restored from a backup or
    /// a dump, before a server uses it.
    public static func beginHistory(_ connection: PostgresConnection) throws(FreeholdError) {
        // Numbers of transactions that ended in the cluster before are others here.
        try connection.run("DELETE FROM freehold.ended")
        // Ledgers may have somewhat higher ones than the tables: of batches that changed nothing.
        try connection.run("""
            UPDATE freehold.state SET history = $1, version = version + 1, moved = false, \
            ended_from = pg_snapshot_xmax(pg_current_snapshot()), base = \(room) + greatest(base, \
            (SELECT max(last)::text::bigint FROM freehold."row"), (SELECT max(since)::text::bigint FROM freehold.view), \
            (SELECT max(transaction)::text::bigint FROM freehold.owed))
            """, .int(.random(in: 1...Int64.max)))
    }

    private static let room: Int64 = 1 << 32
}

extension PropertyType {
    /// The type of PostgreSQL that a value becomes one of.
    fileprivate var castName: String? {
        switch self {
        case .bool: "boolean"
        case .int: "bigint"
        case .float: "real"
        case .double: "double precision"
        case .decimal: "numeric"
        case .string: "text"
        case .uuid: "uuid"
        case .date: "timestamptz"
        case .data, .objectId, .link, .mixed: nil
        }
    }

    /// Whether SQL changes values of the type to ones of another.
    fileprivate func casts(to other: PropertyType) -> Bool {
        let numbers: Set<PropertyType> = [.int, .float, .double, .decimal]
        if other == .string { return castName != nil }
        if self == .string { return other.castName != nil }
        return numbers.contains(self) && numbers.contains(other) || self == .bool && other == .int || self == .int && other == .bool
    }
}

extension SyncSchema {
    /// What another schema has and this one has not, as `Class` or `Class.property`.
    ///
    /// - Throws: `.schemaMismatch` if it has something in another way.
    func lacking(_ other: SyncSchema) throws(FreeholdError) -> [String] { try Growth.lacking(self, other) }
}

/// Classes that are added to those of a cluster.
private struct Growth {
    let known: SyncSchema
    private(set) var added: [String] = []

    init(known: SyncSchema) { self.known = known }

    /// What another schema has and the known one has not, as `Class` or `Class.property`.
    static func lacking(_ known: SyncSchema, _ schema: SyncSchema) throws(FreeholdError) -> [String] {
        let growth = Growth(known: known)
        var found: [String] = []
        for type in schema.classes {
            guard let same = known.classes.first(where: { $0.name.isSame(as: type.name) }) else {
                found.append(type.name)
                continue
            }
            try growth.check(type, same)
            for property in type.properties {
                if let old = same.properties.first(where: { $0.name.isSame(as: property.name) }) {
                    try growth.check(property, old, of: type)
                } else {
                    found.append("\(type.name).\(property.name)")
                }
            }
        }
        return found
    }

    mutating func add(_ schema: SyncSchema, to connection: PostgresConnection) throws(FreeholdError) {
        var next = known.classes.count
        for type in schema.classes {
            if let number = known.classes.firstIndex(where: { $0.name.isSame(as: type.name) }) {
                try check(type, known.classes[number])
                try add(type, known.classes[number], Int64(number), to: connection)
                continue
            }
            try connection.run("INSERT INTO freehold.class VALUES ($1, $2, $3, $4, $5)", .int(Int64(next)), .text(type.name),
                               .bool(type.conflict == .updateWins), .text(type.key.name), .int(Int64(type.key.type.rawValue)))
            added.append(type.name)
            try add(type, nil, Int64(next), to: connection)
            next += 1
        }
    }

    private mutating func add(_ type: SyncSchema.Class, _ old: SyncSchema.Class?, _ number: Int64, to connection: PostgresConnection)
        throws(FreeholdError)
    {
        var next = Int64(old?.properties.count ?? 0)
        for property in type.properties {
            if let same = old?.properties.first(where: { $0.name.isSame(as: property.name) }) {
                try check(property, same, of: type)
                continue
            }
            try connection.run("INSERT INTO freehold.property VALUES ($1, $2, $3, $4, $5, $6, $7)", .int(number), .int(next),
                               .text(property.name), .text(property.kind.text), .bool(property.isUnique),
                               property.type.map { .int(Int64($0.rawValue)) } ?? .null, property.target.map { .text($0) } ?? .null)
            if old != nil { added.append("\(type.name).\(property.name)") }
            next += 1
        }
    }

    private func check(_ new: SyncSchema.Class, _ old: SyncSchema.Class) throws(FreeholdError) {
        guard new.key.name.isSame(as: old.key.name), new.key.type == old.key.type else {
            throw mismatch(new.name, "the primary key `\(new.key.name)` (\(new.key.type))", "`\(old.key.name)` (\(old.key.type))")
        }
        guard new.conflict == old.conflict else {
            throw mismatch(new.name, "\(new.conflict)", "\(old.conflict)")
        }
    }

    private func check(_ new: SyncSchema.Property, _ old: SyncSchema.Property, of owner: SyncSchema.Class) throws(FreeholdError) {
        let place = "\(owner.name).\(new.name)"
        guard new.kind == old.kind else { throw mismatch(place, "the kind `\(new.kind.text)`", "`\(old.kind.text)`") }
        guard new.isUnique == old.isUnique else {
            throw mismatch(place, new.isUnique ? "unique values" : "values that need not be unique", "the contrary")
        }
        guard let type = new.type, let before = old.type, type != before else { return }
        throw mismatch(place, "the type \(type)", "\(before)", copying: copy(new, before, of: owner))
    }

    /// SQL that gives a property of another name and type the values that are there; empty where SQL has no such change of types.
    private func copy(_ new: SyncSchema.Property, _ old: PropertyType, of owner: SyncSchema.Class) -> String {
        guard new.kind == .plain, !new.name.contains("."), let type = new.type, old.casts(to: type), let cast = type.castName else {
            return ""
        }
        let (table, column) = (ClassTableNames.quoted(owner.name), ClassTableNames.quoted(new.name))
        let copied = ClassTableNames.quoted(new.name + "2")
        return "UPDATE app.\(table) SET \(copied) = \(column)::\(cast) WHERE \(column) IS NOT NULL;"
    }

    private func mismatch(_ place: String, _ new: String, _ old: String, copying: String = "") -> FreeholdError {
        let way = copying.isEmpty ? "" : ", then copy what is there by SQL, once (here with a 2 behind the name): \(copying)"
        return FreeholdError(.schemaMismatch, """
            \(place) has \(new), and at the server \(old): what has been synced keeps its meaning. Change the declaration back, or \
            give the new one another name and sync once, so that the server has it\(way)
            """)
    }
}
