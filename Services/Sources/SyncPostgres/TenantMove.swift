import Foundation
import FreeholdEngine
import FreeholdMerge

/// Moves a tenant's data into another database, in this cluster or another one.
///
/// 1. The table of tenants says that the data is on its way: servers refuse the tenant's requests, which are sent again.
/// 2. The old database says that its data has moved. That waits for each batch that has begun; those that begin later are refused, also by
///    a server that has not read the table.
/// 3. What other software has written is taken over; it is refused from now on.
/// 4. All is copied in one transaction of the new database. Its transactions have numbers above the old ones from now on, so files go on
///    with their cursors.
/// 5. The table of tenants says where the data is.
///
/// A move that is interrupted is called again, with the same target.
public struct TenantMove {
    private let table: TenantTable
    private let schemaOfTables: String

    public init(_ table: TenantTable, tables: String = "app") { (self.table, schemaOfTables) = (table, tables) }

    /// - Throws: `.notFound` if there is no such tenant; `.alreadyExists` if the target has other data; `.io`. The data is where it was
    ///   then, and `stay` lets servers use it again.
    public func move(_ name: String, to target: String) throws(FreeholdError) {
        try table.lock(name)
        defer { table.unlock(name) }
        var tenant = try table.tenant(name)
        if tenant.address.isSame(as: target) {
            throw FreeholdError(.invalidArgument, "the data of `\(name)` is there; call `tenants stay` if a move was given up")
        }
        if let other = tenant.target, !other.isSame(as: target) {
            throw FreeholdError(.invalidArgument, "the data of `\(name)` is on its way to \(other); move it there, or call `tenants stay`")
        }
        if let other = try table.all().first(where: { $0.address.isSame(as: target) }) {
            throw FreeholdError(.alreadyExists, "the tenant `\(other.name)` has this database")
        }
        let old = try PostgresConnection(tenant.address), new = try PostgresConnection(target)
        try requireOther(old, new)
        if tenant.target == nil {
            // Nothing is closed for a move that cannot be. It is looked at again in the transaction that copies.
            try requireEmpty(new)
            tenant.target = target
            try table.save(tenant)
        }
        try close(old)
        try takeOver(tenant.address)
        try copy(old, to: new)
        try table.save(.init(name, address: target))
    }

    /// Gives a move up: servers use the database that the data was in.
    public func stay(_ name: String) throws(FreeholdError) {
        try table.lock(name)
        defer { table.unlock(name) }
        let tenant = try table.tenant(name)
        try PostgresConnection(tenant.address).run("UPDATE freehold.state SET moved = false, version = version + 1 WHERE moved")
        try table.save(.init(name, address: tenant.address))
    }

    /// Two addresses may be of one database. A lock by number is one of its database.
    private func requireOther(_ old: PostgresConnection, _ new: PostgresConnection) throws(FreeholdError) {
        let number = PostgresValue.int(.random(in: .min ... .max))
        try old.run("SELECT pg_advisory_lock($1)", number)
        let isOther = try new.run("SELECT pg_try_advisory_lock($1)", number).bool(0, 0)
        try old.run("SELECT pg_advisory_unlock($1)", number)
        if isOther { return }
        throw FreeholdError(.invalidArgument, "the target is the database that the data is in; name an empty one")
    }

    private func requireEmpty(_ new: PostgresConnection) throws(FreeholdError) {
        if try !new.run("SELECT to_regclass('freehold.account') IS NOT NULL").bool(0, 0) { return }
        if try count(new) != 0 { throw notEmpty }
    }

    /// What a database has of Freehold that a move would have to keep.
    private func count(_ connection: PostgresConnection) throws(FreeholdError) -> Int64 {
        try connection.run("SELECT (SELECT count(*) FROM freehold.class) + (SELECT count(*) FROM freehold.account)").int(0, 0)
    }

    private var notEmpty: FreeholdError {
        FreeholdError(.alreadyExists, """
            the target has data of Freehold that is not this tenant's, or not what it is now; name an empty database, or drop \
            the schemas freehold and \(schemaOfTables) in it
            """)
    }

    /// Every transaction that serves a batch has read the state, and so holds this lock's contrary until its end.
    private func close(_ old: PostgresConnection) throws(FreeholdError) {
        try old.transaction { () throws(FreeholdError) in
            try old.run("LOCK TABLE freehold.state IN ACCESS EXCLUSIVE MODE")
            try old.run("UPDATE freehold.state SET moved = true, version = version + 1 WHERE NOT moved")
        }
    }

    private func takeOver(_ address: String) throws(FreeholdError) {
        let worker = PostgresWorker(address, servesMoved: true), connection = try PostgresConnection(address)
        var before = Int64.max
        while true {
            let left = try connection.run("SELECT count(*) FROM freehold.foreign").int(0, 0)
            if left == 0 { return }
            // Nothing comes any more: what does not become less is locked.
            if left >= before { throw locked(left) }
            before = left
            try ForeignTaker.takeSome(worker)
        }
    }

    private func locked(_ left: Int64) -> FreeholdError {
        FreeholdError(.busy, """
            \(left) writes of other software cannot be taken over, as it holds locks; end its transactions, and call it again
            """)
    }

    // MARK: Copying

    private func copy(_ old: PostgresConnection, to new: PostgresConnection) throws(FreeholdError) {
        try PostgresStore.makeTables(new)
        try old.run("BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY")
        let state = try old.run("SELECT history, version, horizon FROM freehold.state")
        let history = state.int(0, 0), next = try PostgresStore.snapshot(old, knowsRunning: false).next
        try new.transaction { () throws(FreeholdError) in
            try new.run("LOCK TABLE freehold.state IN ACCESS EXCLUSIVE MODE")
            if try count(new) != 0 {
                let present = try new.run("SELECT history, version FROM freehold.state")
                // The last step of this move was missing: whatever else was done to the data since would have changed its version.
                if present.int(0, 0) == history, present.int(0, 1) == state.int(0, 1) + 1 { return }
                throw notEmpty
            }
            for name in try tables(old) { try copy(name, old, to: new) }
            try makeClassTables(new)
            try new.run("UPDATE freehold.state SET history = $1, version = $2, horizon = $3, base = $4", .int(history),
                        .int(state.int(0, 1) + 1), .transaction(state.transaction(0, 2)), .int(Int64(next)))
        }
        try old.run("COMMIT")
    }

    private func tables(_ connection: PostgresConnection) throws(FreeholdError) -> [String] {
        // A class before its properties, which refer to it.
        let found = try connection.run("""
            SELECT tablename::text FROM pg_tables WHERE schemaname = 'freehold' \
            AND tablename NOT IN ('state', 'tenant', 'foreign', 'ended', 'layout') \
            ORDER BY tablename <> 'class', tablename
            """)
        return (0..<found.count).map { found.text($0, 0) }
    }

    private func copy(_ table: String, _ old: PostgresConnection, to new: PostgresConnection) throws(FreeholdError) {
        let found = try old.run("""
            SELECT attname::text FROM pg_attribute WHERE attrelid = $1::text::regclass AND attnum > 0 AND NOT attisdropped ORDER BY attnum
            """, .text("freehold.\(ClassTableNames.quoted(table))"))
        let columns = (0..<found.count).map { ClassTableNames.quoted(found.text($0, 0)) }.joined(separator: ", ")
        let name = "freehold.\(ClassTableNames.quoted(table)) (\(columns))"
        try new.run("DELETE FROM freehold.\(ClassTableNames.quoted(table))")
        try old.copyOut("COPY \(name) TO STDOUT (FORMAT binary)", into: new, "COPY \(name) FROM STDIN (FORMAT binary)")
    }

    /// The tables of classes are made of the rows.
    private func makeClassTables(_ new: PostgresConnection) throws(FreeholdError) {
        try new.run("SELECT set_config('freehold.merging', 'on', true)")
        try new.run("UPDATE freehold.class SET in_schema = NULL, in_table = NULL, in_column = NULL")
        try new.run("UPDATE freehold.property SET in_column = NULL, column_type = NULL")
        let schema = try PostgresCatalog.classes(new)
        var maker = try ClassTableMaker(new, in: schemaOfTables)
        try maker.make(for: schema)
        let writer = ClassTableWriter(connection: new, tables: try ClassTables(new, schema))
        let store = PostgresStore(new, schema: schema)
        var rows: [ClassTableWriter.Change] = []
        try store.forEachObject { object throws(FreeholdError) in
            if let row = try store.row(object) { rows.append(.init(object: object, before: nil, after: row)) }
            if rows.count < 2_000 { return }
            try writer.write(rows)
            rows = []
        }
        try writer.write(rows)
    }
}
