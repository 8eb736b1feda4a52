import FreeholdEngine
import FreeholdMerge
import SyncBackends

/// The users of a cluster, and the files that belong to them.
struct PostgresAccounts {
    let connection: PostgresConnection

    /// Files that a user may have, and others' that only the user's batches have named: each takes a number that is never given back.
    static let mostFiles = 10_000

    /// The user with a name; a new one gets the next number.
    func user(_ name: String) throws(FreeholdError) -> SyncUser {
        let found = try connection.run("SELECT number FROM freehold.account WHERE name = $1", .text(name))
        if found.count == 1 { return SyncUser(rawValue: found.int(0, 0)) }
        return try connection.transaction { () throws(FreeholdError) in
            try connection.run("SELECT pg_advisory_xact_lock(4)") // numbers are given one after the other
            try connection.run("""
                INSERT INTO freehold.account (name, number) SELECT $1, coalesce(max(number), 0) + 1 FROM freehold.account \
                ON CONFLICT DO NOTHING
                """, .text(name))
            let number = try connection.run("SELECT number FROM freehold.account WHERE name = $1", .text(name)).int(0, 0)
            return SyncUser(rawValue: number)
        }
    }

    /// Whether a user's claims are to become others: those kept differ, and are not of a later token. A later token with the same claims is
    /// noted, so that none before it takes anything back.
    func hasOther(claims: String, issued: Int64, than user: SyncUser) throws(FreeholdError) -> Bool {
        let found = try connection.run("""
            SELECT \(Self.isOther), claims IS NOT DISTINCT FROM $2::text::jsonb AND issued < $3 FROM freehold.account WHERE number = $1
            """, .int(user.rawValue), .text(claims), .int(issued))
        if found.count == 1, found.bool(0, 1) {
            let note = "UPDATE freehold.account SET issued = $2 WHERE number = $1 AND issued < $2"
            try connection.run(note, .int(user.rawValue), .int(issued))
        }
        return found.count == 1 && found.bool(0, 0)
    }

    /// The claims that are kept, as text; empty without any.
    func claims(of user: SyncUser) throws(FreeholdError) -> String {
        let found = try connection.run("SELECT coalesce(claims::text, '') FROM freehold.account WHERE number = $1", .int(user.rawValue))
        return found.count == 1 ? found.text(0, 0) : ""
    }

    /// Keeps the claims of a token, if they are still to be.
    func keep(claims: String, issued: Int64, of user: SyncUser) throws(FreeholdError) {
        try connection.run("UPDATE freehold.account SET claims = $2::text::jsonb, issued = $3 WHERE number = $1 AND \(Self.isOther)",
                           .int(user.rawValue), .text(claims), .int(issued))
    }

    /// Of two tokens of one second, one counts, whichever came first: else two files would have the user's views made anew by turns. Tokens
    /// that do not say when they were issued count as they come.
    private static let isOther = """
        claims IS DISTINCT FROM $2::text::jsonb \
        AND (claims IS NULL OR issued < $3 OR issued = $3 AND ($3 = 0 OR claims < $2::text::jsonb))
        """

    /// Whose a file's identity is. One that nobody has used belongs to the user from now on.
    ///
    /// - Throws: `.invalidArgument` if the user has too many files.
    func owner(of replica: ReplicaIdentity, claimedBy user: SyncUser) throws(FreeholdError) -> SyncUser {
        let key = [PostgresValue.int(Int64(bitPattern: replica.high)), .int(Int64(bitPattern: replica.low))]
        let found = try connection.run("SELECT owner FROM freehold.replica WHERE high = $1 AND low = $2", key)
        if found.count == 1, !found.isNull(0, 0) { return SyncUser(rawValue: found.int(0, 0)) }
        let number = PostgresValue.int(user.rawValue)
        return try connection.transaction { () throws(FreeholdError) in
            try connection.run("SELECT pg_advisory_xact_lock(2)") // as the store does when it gives a number
            let files = try connection.run("SELECT count(*) FROM freehold.replica WHERE owner = $1", number).int(0, 0)
            guard files < Self.mostFiles else {
                throw FreeholdError(.invalidArgument, "the user has \(files) files, which is the most")
            }
            try connection.run("""
                INSERT INTO freehold.replica (number, high, low, owner) SELECT max(number) + 1, $1, $2, $3 FROM freehold.replica \
                ON CONFLICT (high, low) DO UPDATE SET owner = coalesce(freehold.replica.owner, excluded.owner)
                """, key + [number])
            let owner = try connection.run("SELECT owner FROM freehold.replica WHERE high = $1 AND low = $2", key).int(0, 0)
            return SyncUser(rawValue: owner)
        }
    }

    /// Those of some identities that are the user's.
    func owned(_ replicas: [ReplicaIdentity], by user: SyncUser) throws(FreeholdError) -> [ReplicaIdentity] {
        if replicas.isEmpty { return [] }
        let found = try connection.run("""
            SELECT high, low FROM freehold.replica WHERE owner = $1 AND (high, low) IN (SELECT * FROM unnest($2::bigint[], $3::bigint[]))
            """, [.int(user.rawValue)] + Self.columns(replicas))
        return Self.replicas(found)
    }

    /// Gives numbers to identities that a batch names and nobody has used: a restored server need not know who wrote what a file has.
    ///
    /// - Throws: `.invalidArgument` if the user's batches have named too many.
    func name(_ replicas: [ReplicaIdentity], by user: SyncUser) throws(FreeholdError) {
        let unknown = try connection.run("""
            SELECT h, l FROM unnest($1::bigint[], $2::bigint[]) AS one (h, l) \
            WHERE NOT EXISTS (SELECT FROM freehold.replica WHERE high = h AND low = l)
            """, Self.columns(replicas))
        if unknown.count == 0 { return }
        let number = PostgresValue.int(user.rawValue)
        try connection.transaction { () throws(FreeholdError) in
            try connection.run("SELECT pg_advisory_xact_lock(2)") // as the store does when it gives a number
            let named = try connection.run("SELECT count(*) FROM freehold.replica WHERE namer = $1", number).int(0, 0)
            guard Int(named) + unknown.count <= Self.mostFiles else {
                throw FreeholdError(.invalidArgument, """
                    the batch names \(unknown.count) files that nobody has synced, and the user's others \(named); the most are \
                    \(Self.mostFiles)
                    """)
            }
            try connection.run("""
                INSERT INTO freehold.replica (number, high, low, namer) \
                SELECT (SELECT max(number) FROM freehold.replica) + row_number() OVER (), h, l, $3 \
                FROM unnest($1::bigint[], $2::bigint[]) AS one (h, l) ON CONFLICT (high, low) DO NOTHING
                """, Self.columns(Self.replicas(unknown)) + [number])
        }
    }

    private static func columns(_ replicas: [ReplicaIdentity]) -> [PostgresValue] {
        [.ints(replicas.map { Int64(bitPattern: $0.high) }), .ints(replicas.map { Int64(bitPattern: $0.low) })]
    }

    private static func replicas(_ rows: PostgresRows) -> [ReplicaIdentity] {
        (0..<rows.count).map { ReplicaIdentity(high: rows.transaction($0, 0), low: rows.transaction($0, 1)) }
    }
}
