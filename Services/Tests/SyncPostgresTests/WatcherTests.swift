import FreeholdMerge
import Foundation
import SyncBackends
@testable import SyncPostgres
import Testing

/// What notices that something was committed.
@Suite(.serialized) struct WatcherTests {
    private static let user = SyncUser(rawValue: 1)

    @Test("a request that was woken, looks for a long time and waits again is not woken by that")
    func wakesOnce() async throws {
        let cluster = try Cluster(), connection = try PostgresConnection(cluster.address)
        try PostgresStore.makeTables(connection)
        _ = try PostgresCatalog.add(World.schema, to: connection)
        let signal = PostgresWatcher.Signal(), bells = Bells { signal.give() }
        let watcher = PostgresWatcher(cluster.address, bells, signal, onForeign: {}, onHour: {}) { Issue.record("\($0)") }
        watcher.start()
        defer { watcher.end() }

        // Nobody can say what came before the first look, so that wakes all.
        bells.enter()
        await bells.wait(for: Self.user, past: bells.rings, until: .now + .seconds(60))
        #expect(bells.rings == 1)
        try looks(3, connection)
        let heard = bells.rings
        let waiting = Task { await bells.wait(for: Self.user, past: heard, until: .now + .seconds(60)) }
        for _ in 0..<6_000 where bells.waitingCount == 0 { usleep(10_000) }
        try looks(3, connection)
        #expect(bells.rings == 1 && bells.waitingCount == 1)

        // Of what is committed for the user it still is.
        try connection.run(script: """
            INSERT INTO freehold."user" VALUES (1);
            INSERT INTO freehold.view (object, "user", own, links, sees, since, began)
            VALUES ($$7$$, 1, true, 0, true, pg_current_xact_id(), pg_current_xact_id())
            """)
        await waiting.value
        #expect(bells.rings == 2)
        bells.leave()
        #expect(!bells.isAwaited)
    }

    /// Waits until the watcher has looked so often from now on: each look ends with a statement of its own.
    private func looks(_ count: Int, _ connection: PostgresConnection) throws {
        let last = "SELECT coalesce(max(query_start)::text, '') FROM pg_stat_activity WHERE application_name = 'freehold-sync-server'"
        for _ in 0...count {
            let before = try connection.run(last).text(0, 0)
            var hasLooked = false
            for _ in 0..<6_000 where !hasLooked {
                usleep(5_000)
                hasLooked = try connection.run(last).text(0, 0) != before
            }
            #expect(hasLooked, "the watcher does not look")
        }
    }
}
