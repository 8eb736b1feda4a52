import FreeholdEngine

/// How much a database has.
public struct PostgresCounts: Sendable {
    public let objects: Int64
    public let deleted: Int64
    public let files: Int64
    public let users: Int64

    public init(_ connection: PostgresConnection) throws(FreeholdError) {
        let found = try connection.run("""
            SELECT (SELECT count(*) FROM freehold."row" WHERE alive), (SELECT count(*) FROM freehold."row" WHERE NOT alive), \
            (SELECT count(*) FROM freehold.replica WHERE owner IS NOT NULL), (SELECT count(*) FROM freehold.account)
            """)
        (objects, deleted, files, users) = (found.int(0, 0), found.int(0, 1), found.int(0, 2), found.int(0, 3))
    }
}
