import DatabaseKit
@testable import FreeholdEngine
import Platform
import TestKit
import Testing

/// What a writer keeps of a class from one transaction to the next must not outlive what others do to the class.
@Suite struct SeveralWritersTests {
    static let seeds = TestScale.seeds(2, full: 4)

    @Test("writers that take turns, of one process and of two, leave what the model says", arguments: seeds)
    func turns(seed: UInt64) throws {
        let machine = SimulatedSystem(seed: seed)
        defer { machine.discard() }
        let process = machine.makeProcess()
        let databases = try [process, process, machine.makeProcess()].map {
            try Database.open("/turns.freehold", OpenOptions.simulated, on: $0)
        }
        var history = History(seed: seed)
        history.bulk = 90
        var writer = 0
        for round in 0..<60 {
            if history.random.oneIn(3) { writer = Int.random(in: 0..<3, using: &history.random) }
            try history.transact(on: databases[writer], durability: .processCrash)
            if history.model.order.isEmpty || round % 4 != 0 { continue }
            let reader = databases[Int.random(in: 0..<3, using: &history.random)]
            let differences = try Comparison.differences(history.model, try reader.snapshot())
            #expect(differences.isEmpty, "seed \(seed), round \(round): \(differences.prefix(5).joined(separator: "; "))")
            let report = try reader.check()
            #expect(report.isClean, "seed \(seed), round \(round): \(report.problems.prefix(5))")
            if !differences.isEmpty || !report.isClean { return }
        }
    }

    @Test("a writer whose commits fail half-way goes on from what stands in the file", arguments: seeds)
    func failing(seed: UInt64) throws {
        let machine = SimulatedSystem(seed: seed)
        defer { machine.discard() }
        let databases = try [machine.makeProcess(), machine.makeProcess()].map {
            try Database.open("/failing.freehold", OpenOptions.simulated, on: $0)
        }
        var history = History(seed: seed)
        history.bulk = 90
        try history.transact(on: databases[0], durability: .processCrash)
        var failures = 0
        for round in 0..<120 {
            let database = databases[round / 8 % 2]
            if history.random.oneIn(3) {
                machine.inject(FaultRule(.write, code: ErrorNumber.noSpace, pathEnding: ".freehold",
                                         skipping: Int.random(in: 0..<3, using: &history.random), times: 1,
                                         writesPart: history.random.oneIn(2)))
            }
            do { try history.transact(on: database, durability: .processCrash) } catch let error as FreeholdError where error.code == .diskFull {
                failures += 1
            }
            if round % 4 != 0 { continue }
            let differences = try Comparison.differences(history.model, try database.snapshot())
            #expect(differences.isEmpty, "seed \(seed), round \(round): \(differences.prefix(5).joined(separator: "; "))")
            let report = try database.check()
            #expect(report.isClean, "seed \(seed), round \(round): \(report.problems.prefix(5))")
            if !differences.isEmpty || !report.isClean { return }
        }
        #expect(failures > 0)
    }

    // The freed pages of a large commit have chunks of their own in the space log. A writer that was exactly one version behind a
    // log whose first part had been dropped took them for live.
    @Test("a writer that is some large commits behind, beside snapshots that are held, knows what they freed", arguments: seeds)
    func behindLargeCommits(seed: UInt64) throws {
        let machine = SimulatedSystem(seed: seed)
        defer { machine.discard() }
        let databases = try (0..<3).map { _ in try Database.open("/behind.freehold", OpenOptions.simulated, on: machine.makeProcess()) }
        var random = SeededRandom(seed: seed), held: [Snapshot] = []
        try databases[0].write(durability: .processCrash) { transaction in
            let properties = [PropertySchema("id", .int), PropertySchema("text", .string)]
            try transaction.createClass(ClassSchema("Note", primaryKey: "id", properties))
            for key in 0..<20_000 as Range<Int64> {
                try transaction.insert(into: "Note", key: .int(key), [("text", .string("note \(key)"))])
            }
        }
        for round in 0..<max(24, TestScale.count(32)) {
            for _ in 0...random.below(5) {
                try databases[round % 2].write(durability: .processCrash) { transaction in
                    let table = try transaction.table("Note"), text = try table.column("text")
                    for _ in 0..<250 {
                        let value = Value.string(String(repeating: "abcdefgh ", count: random.below(9)))
                        try transaction.set(ObjectKey(Int64(random.below(20_000))), in: table, text, to: value)
                    }
                }
            }
            if round % 5 == 0 { held.append(try databases[2].snapshot()) }
            if held.count > 2 { held.removeFirst().end() }
            if round % 4 == 3 {
                let report = try databases[2].check()
                #expect(report.isClean, "seed \(seed), round \(round): \(report.problems.prefix(3))")
                if !report.isClean { return }
            }
        }
    }

    // A text that grows moves its row to the end of the buffer. Were the buffer kept for ever, it would grow with the
    // number of commits.
    @Test("texts of the tail that are changed in commit after commit cost no memory")
    func changingTexts() throws {
        let machine = SimulatedSystem(seed: 1)
        defer { machine.discard() }
        let database = try Database.open("/texts.freehold", OpenOptions.simulated, on: machine.makeProcess())
        try database.write { transaction in
            try transaction.createClass(ClassSchema("Note", primaryKey: "id", [PropertySchema("id", .int), PropertySchema("text", .string)]))
            for key in 0..<3 as Range<Int64> { try transaction.insert(into: "Note", key: .int(key), []) }
        }
        for round in 0..<600 {
            let text = String(repeating: "x", count: 100 + round % 400)
            try database.write(durability: .processCrash) { transaction in
                let table = try transaction.table("Note")
                try transaction.set(ObjectKey(Int64(round % 3)), in: table, table.column("text"), to: .string(text))
                #expect(table.writer!.buffer.used <= 66 * 1024)
            }
            let snapshot = try database.snapshot()
            let table = try snapshot.table("Note")
            #expect(try table.value(ObjectKey(Int64(round % 3)), table.column("text")) == .string(text))
        }
        #expect(try database.check().isClean)
    }
}
