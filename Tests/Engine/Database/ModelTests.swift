import DatabaseKit
@testable import FreeholdEngine
import TestKit
import Testing

/// Random histories against the naive model, on a simulated machine.
@Suite struct ModelTests {
    static let seeds = TestScale.seeds(2, full: 6)

    @Test("a random history leaves what the model says", arguments: seeds)
    func history(seed: UInt64) throws {
        let machine = SimulatedSystem(seed: seed)
        defer { machine.discard() }
        let process = machine.makeProcess()
        var history = History(seed: seed)
        var database = try Database.open("/model.freehold", OpenOptions.simulated(seed: seed), on: process)
        for round in 0..<30 {
            let durability: Durability = history.random.oneIn(3) ? .full : .processCrash
            try history.transact(on: database, durability: durability)
            let snapshot = try database.snapshot()
            if history.model.order.isEmpty { continue }
            let differences = try Comparison.differences(history.model, snapshot)
            #expect(differences.isEmpty, "seed \(seed), round \(round): \(differences.prefix(5).joined(separator: "; "))")
            snapshot.end()
            let report = try database.check()
            #expect(report.isClean, "seed \(seed), round \(round): \(report.problems.prefix(5))")
            if !differences.isEmpty || !report.isClean { return }
            if history.random.oneIn(6) {
                database.close()
                database = try Database.open("/model.freehold", OpenOptions.simulated(seed: seed), on: process)
            }
        }
    }

    @Test("a snapshot that moves on shows the model's state each time, and what was got of it before stays as it was", arguments: TestScale.seeds(1, full: 3))
    func moving(seed: UInt64) throws {
        let machine = SimulatedSystem(seed: seed)
        defer { machine.discard() }
        var history = History(seed: seed &+ 1000)  // Safe: any seed will do.
        let database = try Database.open("/moving.freehold", OpenOptions.simulated(seed: seed), on: machine.makeProcess())
        let snapshot = try database.snapshot()
        for round in 0..<30 {
            for _ in 0...(round % 3) { try history.transact(on: database, durability: .processCrash) }
            // What somebody keeps has to be made anew, what nobody keeps goes on.
            var kept: [(state: TableState, count: Int)] = []
            if history.random.oneIn(3) {
                for schema in try snapshot.classes {
                    let state = try snapshot.table(schema.name).state
                    kept.append((state, state.root.count))
                }
            }
            try snapshot.refresh()
            if history.model.order.isEmpty { continue }
            let differences = try Comparison.differences(history.model, snapshot)
            #expect(differences.isEmpty, "seed \(seed), round \(round): \(differences.prefix(5).joined(separator: "; "))")
            #expect(kept.allSatisfy { $0.state.root.count == $0.count }, "seed \(seed), round \(round)")
            if !differences.isEmpty { return }
        }
    }
}
