import DatabaseKit
@testable import FreeholdEngine
import TestKit
import Testing

/// Random histories with synced classes: what is pending explains every difference from the last state that was settled.
@Suite struct SyncHistoryTests {
    @Test("pending, replayed on the settled state, gives the present one", arguments: TestScale.seeds(6, full: 40))
    func replays(seed: UInt64) throws {
        let machine = SimulatedSystem(seed: seed)
        defer { machine.discard() }
        var history = History(seed: seed)
        history.bulk = 120
        history.reshapes = seed % 4 == 1
        history.extraClasses = [History.crate]
        let database = try Database.open("/synced.freehold", OpenOptions.simulated(seed: seed), on: machine.makeProcess())
        for _ in 0..<3 { try history.transact(on: database, durability: .processCrash) }
        while history.model.order.isEmpty { try history.transact(on: database, durability: .processCrash) }
        var base = try database.snapshot(), refused = 0
        try history.markSynced(on: database, durability: .processCrash)
        for round in 0..<40 {
            let hasSavepoints = history.random.oneIn(3)
            if try !history.transactUnlessTooLarge(on: database, durability: .processCrash, savepoints: hasSavepoints) { refused += 1 }
            let now = try database.snapshot()
            let complaints = try PendingOracle.complaints(base: base, now: now)
            #expect(complaints.isEmpty, "seed \(seed), round \(round): \(complaints.prefix(5).joined(separator: "; "))")
            #expect(try Comparison.differences(history.model, now).isEmpty)
            let report = try database.check()
            #expect(report.isClean, "seed \(seed), round \(round): \(report.problems.prefix(5))")
            if !complaints.isEmpty || !report.isClean { return }
            if history.random.oneIn(4) {
                try History.sealSync(on: database, durability: .processCrash)
            }
            if history.random.oneIn(6) {
                try History.settleSync(on: database, durability: .processCrash)
                base = try database.snapshot()
            }
        }
        #expect(refused < 20)
    }
}
