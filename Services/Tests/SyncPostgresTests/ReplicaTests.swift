import FreeholdEngine
@testable import FreeholdMerge
import Foundation
@testable import SyncPostgres
import Testing

/// A hot standby that answers questions: PostgreSQL does not tell there which transactions are in progress.
@Suite(.serialized) struct ReplicaTests {
    private static let schema = World.schema

    /// A cluster with tables and a standby.
    private final class Pair {
        let primary: Cluster, standby: Cluster
        let connection: PostgresConnection
        let reader: PostgresConnection

        init() throws {
            primary = try Cluster()
            connection = try PostgresConnection(primary.address)
            try PostgresStore.makeTables(connection)
            // As if the data had been in another cluster before.
            try connection.run(script: "UPDATE freehold.state SET base = 1000000007")
            _ = try PostgresCatalog.add(ReplicaTests.schema, to: connection)
            standby = try Cluster(standbyOf: primary)
            reader = try PostgresConnection(standby.address)
        }

        func store() throws -> PostgresStore { PostgresStore(try PostgresConnection(primary.address), schema: ReplicaTests.schema) }

        /// Waits until the standby has all that the primary has written by now.
        func catchUp() throws {
            let place = try connection.run("SELECT pg_current_wal_insert_lsn()::text").text(0, 0)
            for _ in 0..<3_000 {
                if try reader.run("SELECT pg_last_wal_replay_lsn() >= $1::text::pg_lsn", .text(place)).bool(0, 0) { return }
                usleep(10_000)
            }
            Issue.record("the standby does not follow")
        }

        func snapshot() throws -> SyncCursor {
            try catchUp()
            return try PostgresStore.snapshotByEnded(reader)
        }
    }

    @Test("a transaction that ends after later ones is in no snapshot before its end")
    func inProgress() throws {
        let pair = try Pair(), early = try pair.store(), late = try pair.store()
        let first = try early.begin()
        try early.connection.run("INSERT INTO freehold.\"user\" VALUES (77)") // it writes something that a standby hears of
        let second = try late.begin()
        try late.commit(second)
        let third = try late.begin()
        try late.commit(third)
        let between = try pair.snapshot()
        #expect(!between.contains(first) && between.contains(second) && between.contains(third))
        #expect(try pair.reader.run("SELECT count(*) FROM freehold.\"user\" WHERE number = 77").int(0, 0) == 0)
        // What PostgreSQL says there: nothing is in progress. If that is true one day, the table is not needed any more.
        let told = try PostgresStore.snapshot(pair.reader, knowsRunning: true)
        #expect(told.contains(first), "a standby tells which transactions are in progress")
        try early.commit(first)
        let after = try pair.snapshot()
        #expect(after.contains(first) && after.contains(between) && !between.contains(after))
        #expect(try pair.reader.run("SELECT count(*) FROM freehold.\"user\" WHERE number = 77").int(0, 0) == 1)
    }

    @Test("a transaction that is given up is in no snapshot, and holds none up")
    func cancelled() throws {
        let pair = try Pair(), store = try pair.store()
        let first = try store.begin()
        store.cancel(first)
        let second = try store.begin()
        try store.commit(second)
        let snapshot = try pair.snapshot(), primary = try PostgresStore.snapshot(pair.connection, knowsRunning: true)
        #expect(snapshot.contains(second))
        #expect(primary.contains(snapshot))
    }

    @Test("a standby is not asked when it cannot know what has ended")
    func forgotten() throws {
        let pair = try Pair(), early = try pair.store(), late = try pair.store()
        _ = try early.begin()
        try early.connection.run("INSERT INTO freehold.\"user\" VALUES (77)")
        let second = try late.begin()
        try late.commit(second)
        try late.forgetEnded(below: second - late.base + 1)
        #expect(try pair.connection.run("SELECT count(*) FROM freehold.ended").int(0, 0) == 0)
        // `early` is older than what is known, and still in progress.
        #expect { try pair.snapshot() } throws: { ($0 as? FreeholdError)?.code == .busy }
        early.cancel(0)
        let third = try late.begin()
        try late.commit(third)
        #expect(try pair.snapshot().contains(third))
    }

    @Test("a standby that was promoted is not asked: its own transactions say nothing of the primary")
    func promoted() throws {
        let pair = try Pair(), store = try pair.store()
        try store.commit(try store.begin())
        _ = try pair.snapshot()
        #expect(try pair.reader.run("SELECT pg_promote(true, 60)").bool(0, 0))
        #expect { try PostgresStore.snapshotByEnded(pair.reader) } throws: { ($0 as? FreeholdError)?.code == .busy }
    }

    @Test("a call that has a limit ends when the server does not answer, and the connection is lost")
    func limit() throws {
        let pair = try Pair(), connection = try PostgresConnection(pair.primary.address, limit: 2)
        let isReplica = try connection.isReplica
        #expect(connection.isAlive && !isReplica)
        #expect { try connection.run("SELECT pg_sleep(600)") } throws: { error in
            (error as? FreeholdError)?.message.split(separator: "it has not answered in 2 seconds").count == 2
        }
        #expect(!connection.isAlive)
        #expect(throws: FreeholdError.self) { try connection.run(script: "SELECT 1") }
        #expect { try PostgresConnection(pair.primary.address, limit: 2).run("SELECT 1/0") } throws: { error in
            (error as? FreeholdError)?.message.split(separator: "division by zero").count == 2
        }
    }

    @Test("a history that begins again forgets what has ended in the one before")
    func restored() throws {
        let pair = try Pair(), store = try pair.store()
        try store.commit(try store.begin())
        try PostgresCatalog.beginHistory(pair.connection)
        #expect(try pair.connection.run("SELECT count(*) FROM freehold.ended").int(0, 0) == 0)
        let transaction = try store.begin()
        try store.commit(transaction)
        #expect(try pair.snapshot().contains(transaction))
    }

    @Test("cursors that contain each other")
    func containing() throws {
        var random = SystemRandomNumberGenerator()
        for _ in 0..<3_000 {
            let cursors = try (0..<2).map { _ in
                let next = UInt64.random(in: 1...12, using: &random)
                return try #require(SyncCursor(next: next, running: (1..<max(2, next)).filter { one in
                    one < next && Bool.random(using: &random)
                }))
            }
            let all = (1...12 as ClosedRange<UInt64>).allSatisfy { cursors[0].contains($0) || !cursors[1].contains($0) }
            // Transactions that both name as running say nothing else of the two; what is `next` says that there were that many.
            if cursors[0].next >= cursors[1].next { #expect(cursors[0].contains(cursors[1]) == all) }
            if cursors[0].contains(cursors[1]) { #expect(all) }
        }
    }
}
