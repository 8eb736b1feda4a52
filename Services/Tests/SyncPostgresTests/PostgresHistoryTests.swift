import FreeholdEngine
@testable import FreeholdMerge
import Foundation
import Testing
@testable import SyncPostgres

/// The seeded histories of `Tests/Sync` on PostgreSQL: every type, deletions, copied files, power cuts, streams, with the same judge.
/// At the end of each, the tables of classes have what the rows have.
/// Several transactions are open at a time, and end in any order.
@Suite("Histories on PostgreSQL", .serialized)
struct PostgresHistoryTests {
    private static let seeds: UInt64 = ProcessInfo.processInfo.environment["FREEHOLD_LONG"] == nil ? 4 : 20

    @Test("the rules hold")
    func rules() throws {
        let cluster = try Cluster(), connections = Connections(cluster.address), reader = try PostgresConnection(cluster.address)
        var count = 0
        for variant in HistoryVariant.rules {
            var rules = variant.rules
            rules.restores = 0
            rules.makeStore = { try HistoryStore(connections, $0) }
            for seed in 1...Self.seeds {
                if let violation = World(seed: seed, rules).run() { Issue.record("\(variant.name), seed \(seed): \(violation)") }
                let problems = try TableJudge.problems(reader, World.schema)
                if problems != [] { Issue.record("\(variant.name), seed \(seed): \(problems)") }
                count += 1
            }
        }
        #expect(count == Int(Self.seeds) * HistoryVariant.rules.count)
    }

    @Test("the rules hold where snapshots are those of a replica")
    func replica() throws {
        let cluster = try Cluster(), connections = Connections(cluster.address)
        for variant in HistoryVariant.rules {
            var rules = variant.rules
            rules.restores = 0
            rules.makeStore = { schema in
                let store = try HistoryStore(connections, schema)
                store.change = { $0.readsEnded = true }
                return store
            }
            for seed in 101...(100 + Self.seeds / 2) {
                if let violation = World(seed: seed, rules).run() { Issue.record("\(variant.name), seed \(seed): \(violation)") }
            }
        }
    }

    @Test("a cursor that knows no transaction in progress is caught")
    func cursor() throws {
        let cluster = try Cluster(), connections = Connections(cluster.address)
        var rules = HistoryRules()
        (rules.restores, rules.copies, rules.steps) = (0, 0, 250)
        rules.makeStore = { schema in
            let store = try HistoryStore(connections, schema)
            store.change = { $0.knowsRunning = false }
            return store
        }
        #expect((1...30 as ClosedRange<UInt64>).contains { World(seed: $0, rules).run() != nil })
    }
}
