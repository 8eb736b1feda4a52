import FreeholdEngine

/// Which database has a tenant's data: a table of one database that all servers share.
public struct TenantTable {
    /// A tenant, as tokens name it.
    public struct Tenant: Hashable, Sendable {
        /// The token's claim `tenant`; empty for tokens without one.
        public var name: String
        /// The database, as libpq takes it.
        public var address: String
        /// Where its data is on its way to; nil if it stays.
        public var target: String?

        public init(_ name: String, address: String, target: String? = nil) {
            (self.name, self.address, self.target) = (name, address, target)
        }
    }

    private let connection: PostgresConnection

    /// - Throws: `.notFound` if the database has no such table; `.io`.
    public init(_ connection: PostgresConnection) throws(FreeholdError) {
        self.connection = connection
        guard try connection.run("SELECT to_regclass('freehold.tenant') IS NOT NULL").bool(0, 0) else {
            throw FreeholdError(.notFound, "the database has no table of tenants; make it with `freehold-sync-server tenants add`")
        }
    }

    /// Makes the table if it is not there.
    public static func make(_ connection: PostgresConnection) throws(FreeholdError) -> TenantTable {
        try connection.run(script: """
            BEGIN; SELECT pg_advisory_xact_lock(7);
            CREATE SCHEMA IF NOT EXISTS freehold;
            CREATE TABLE IF NOT EXISTS freehold.tenant (name text PRIMARY KEY, address text NOT NULL, target text);
            COMMIT;
            """)
        return try TenantTable(connection)
    }

    /// All tenants, by name.
    public func all() throws(FreeholdError) -> [Tenant] {
        let found = try connection.run("SELECT name, address, target FROM freehold.tenant ORDER BY name COLLATE \"C\"")
        return (0..<found.count).map { place in
            Tenant(found.text(place, 0), address: found.text(place, 1), target: found.isNull(place, 2) ? nil : found.text(place, 2))
        }
    }

    /// - Throws: `.notFound`; `.io`.
    public func tenant(_ name: String) throws(FreeholdError) -> Tenant {
        guard let found = try all().first(where: { $0.name.isSame(as: name) }) else {
            throw FreeholdError(.notFound, "there is no tenant `\(name)`; `freehold-sync-server tenants list` shows all")
        }
        return found
    }

    /// - Throws: `.duplicateValue` if there is a tenant of this name, or one with this database; `.io`.
    public func add(_ tenant: Tenant) throws(FreeholdError) {
        // Two tenants in one database would see each other's objects.
        if let other = try all().first(where: { $0.name.isSame(as: tenant.name) || $0.address.isSame(as: tenant.address) }) {
            throw FreeholdError(.alreadyExists, "there is a tenant `\(other.name)` with the database \(other.address)")
        }
        try connection.run("INSERT INTO freehold.tenant VALUES ($1, $2)", .text(tenant.name), .text(tenant.address))
    }

    /// Lets servers forget a tenant. Its database stays as it is.
    public func remove(_ name: String) throws(FreeholdError) {
        _ = try tenant(name)
        try connection.run("DELETE FROM freehold.tenant WHERE name = $1", .text(name))
    }

    /// Lets nobody else move a tenant, or give its move up; it goes with the connection.
    func lock(_ name: String) throws(FreeholdError) {
        if try connection.run("SELECT pg_try_advisory_lock(9, hashtext($1))", .text(name)).bool(0, 0) { return }
        throw FreeholdError(.busy, "the tenant `\(name)` is being moved by another process; wait for it, or end it")
    }

    func unlock(_ name: String) {
        // Goes with the connection if it is lost.
        _ = try? connection.run("SELECT pg_advisory_unlock(9, hashtext($1))", .text(name))
    }

    func save(_ tenant: Tenant) throws(FreeholdError) {
        try connection.run("UPDATE freehold.tenant SET address = $2, target = $3 WHERE name = $1", .text(tenant.name),
                           .text(tenant.address), tenant.target.map { .text($0) } ?? .null)
    }
}
