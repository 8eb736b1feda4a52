import Testing
@testable import BlockKit
@testable import FreeholdEngine

/// How large the file gets under long runs of small random updates, with the block sizes of a table of objects:
/// clusters of six columns under nodes of 64.
@Suite("Footprint under random updates")
struct FootprintTests {
    private func ratio(stuck: Bool, seed: UInt64) throws -> Double {
        let database = try TestDatabase(seed: seed, clusters: 1200, leafGranules: [83, 33, 9, 5, 5, 5], fanOut: 64)
        if stuck { database.hold() }
        for step in 0..<5000 {
            try database.update(1)
            if step % 50 == 0 { database.held = Array(database.held.prefix(stuck ? 1 : 0)) + [database.newest] }
        }
        let audit = SpaceWalk.audit(top: database.newest.top, access: database.file.access(), map: database.map)
        #expect(audit.problems == [])
        for version in database.held { #expect(try database.isIntact(version)) }
        return Double(database.newest.length) / Double(database.map.liveBytes)
    }

    @Test("Without a stuck reader the file stays within 2.2 times its live data")
    func withoutStuckReader() throws {
        let ratio = try ratio(stuck: false, seed: 42)
        #expect(ratio <= 2.2)
    }

    @Test("With a reader stuck at the start it stays within 3 times")
    func withStuckReader() throws {
        let ratio = try ratio(stuck: true, seed: 42)
        #expect(ratio <= 3)
    }

    @Test("A small commit is one write of one page, for a long time")
    func onePage() throws {
        let database = try TestDatabase(seed: 7, clusters: 50)
        var single = 0
        for _ in 0..<1500 {
            let pending = database.transaction()
            let (top, table) = try database.edit(pending)
            database.replaceTail(table, pending, granules: 24)
            let writes = database.file.writes
            let outcome = try database.commit(pending, top: top)
            if outcome.bytesWritten == 4096, database.file.writes == writes + 1 { single += 1 }
        }
        #expect(single > 1450, "chunks and folds are rare")
        #expect(database.newest.length < 1 << 20)
    }

    @Test("A stuck reader's pages are not looked at again at each commit")
    func stuckReaderCost() throws {
        let database = try TestDatabase(seed: 3, clusters: 300)
        database.hold()
        for _ in 0..<600 { try database.update(3) }
        let cost = database.map.waiting.cost()
        #expect(cost.first?.version == 1)
        #expect(cost.first.map(\.pages) ?? 0 > database.map.waitingPages / 2)
    }
}
