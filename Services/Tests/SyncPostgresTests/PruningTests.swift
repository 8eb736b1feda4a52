import FreeholdEngine
@testable import FreeholdMerge
@testable import SyncPostgres
import Testing

/// Deletions that are forgotten. The histories do so as well, between the transactions of batches.
@Suite("Pruning", .serialized)
struct PruningTests {
    private static let schema = SyncSchema(classes: [.init("Thing", properties: [.init("text", type: .string)])])

    /// A server with the objects "a", "b" and "c", of which "a" and "b" are deleted.
    private static func stage(_ cluster: Cluster) throws -> (PostgresConnection, PostgresStore) {
        let connection = try PostgresConnection(cluster.address)
        try PostgresStore.makeTables(connection)
        _ = try PostgresCatalog.add(schema, to: connection)
        let store = PostgresStore(try PostgresConnection(cluster.address), schema: schema)
        let server = SyncServer(schema: schema, store: store)
        for text in ["INSERT INTO app.\"Thing\" VALUES ('a', 'A'), ('b', 'B'), ('c', 'C')", "DELETE FROM app.\"Thing\" WHERE id < 'c'"] {
            try connection.run(script: text)
            try server.takeOver(store.notedObjects(10), now: 1_700_000_000_000)
        }
        return (connection, store)
    }

    private static func object(_ key: String) -> SyncObject { SyncObject(type: 0, key: .string(key)) }

    @Test("what a batch has locked stays until the next time, the rest is forgotten")
    func locks() throws {
        let cluster = try Cluster(), (connection, store) = try Self.stage(cluster)
        let batch = PostgresStore(try PostgresConnection(cluster.address), schema: Self.schema)
        _ = try batch.begin()
        #expect(try batch.row(Self.object("a"))?.isAlive == false)
        try store.mark(always: true)
        #expect(try store.prune(keeping: 0) == 1)
        #expect(try store.row(Self.object("a")) != nil)
        #expect(try store.row(Self.object("b")) == nil)
        batch.cancel(0)
        // A batch that names more objects than there are locks is merged while no other is.
        try connection.run(script: "BEGIN; SELECT pg_advisory_xact_lock(3)")
        try store.mark(always: true)
        #expect(try store.prune(keeping: 0) == 0)
        try connection.run(script: "ROLLBACK")
        try store.mark(always: true)
        #expect(try store.prune(keeping: 0) == 1)
        #expect(try store.row(Self.object("a")) == nil)
        #expect(try store.row(Self.object("c"))?.isAlive == true)
        #expect(try TableJudge.problems(connection, Self.schema) == [])
    }

    @Test("nothing is forgotten before a mark is old enough; a transaction in progress holds the horizon back")
    func ages() throws {
        let cluster = try Cluster(), (connection, store) = try Self.stage(cluster)
        #expect(try store.prune(keeping: 0) == 0)
        try store.mark()
        try store.mark() // within an hour it is one
        #expect(try connection.run("SELECT count(*) FROM freehold.mark").int(0, 0) == 1)
        #expect(try store.prune(keeping: 3600) == 0)
        try connection.run(script: "UPDATE freehold.mark SET taken = taken - interval '2 hours', oldest = '3'")
        #expect(try store.prune(keeping: 3600) == 0)
        let open = PostgresStore(try PostgresConnection(cluster.address), schema: Self.schema), transaction = try open.begin()
        try store.mark(always: true)
        #expect(try store.prune(keeping: 0) == 2)
        #expect(try store.horizon == transaction)
        open.cancel(transaction)
    }

    @Test("rows that other software copies into a table come to files")
    func copies() throws {
        let cluster = try Cluster(), (connection, store) = try Self.stage(cluster)
        try connection.run(script: #"COPY app."Thing" FROM PROGRAM 'printf "a\tone\nd\ttwo\ne\t\\\\N\n"'"#)
        let server = SyncServer(schema: Self.schema, store: store)
        try server.takeOver(store.notedObjects(10), now: 1_700_000_000_001)
        #expect(try store.row(Self.object("a"))?.value(of: 0) == .string("one"))
        #expect(try store.row(Self.object("d"))?.value(of: 0) == .string("two"))
        #expect(try store.row(Self.object("e"))?.value(of: 0).isNull == true)
        #expect(try TableJudge.problems(connection, Self.schema) == [])
    }
}
