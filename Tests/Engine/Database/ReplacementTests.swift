import DatabaseKit
@testable import FreeholdEngine
import Platform
import Synchronization
import TestKit
import Testing

/// Files that get a name while others open, write and close what has that name: compaction into a new file, backups to one path.
///
/// Simulated processes, switched at every call and named point, killed and cut off by a seed.
@Suite struct ReplacementTests {
    private static let path = "/x.freehold"

    /// What the processes of a run were told.
    private final class Promises: Sendable {
        struct State {
            var commits: [(id: Int64, isFull: Bool)] = []
            var complaints: [String] = []
            var replacements = 0
        }
        let state = Synchronization.Mutex(State())

        func complain(_ text: String) { state.withLock { $0.complaints.append(text) } }
        func replaced() { state.withLock { $0.replacements += 1 } }
    }

    private static func makeMachine(_ seed: UInt64) -> SimulatedSystem {
        var options = SimulatedSystem.Options(seed: seed)
        options.fileCapacity = 1 << 26
        options.recordsMappedStores = false
        options.switchOneIn = [2, 4, 16][Int(seed % 3)]
        return SimulatedSystem(options)
    }

    private static var options: OpenOptions {
        var options = OpenOptions.simulated
        options.reserve = 1 << 25
        return options
    }

    private static func make(_ process: SimulatedProcess) throws {
        let database = try Database.open(path, options, on: process)
        try database.write { transaction in
            try transaction.createClass(ClassSchema("Note", primaryKey: "id", [PropertySchema("id", .int), PropertySchema("text", .string)]))
            for id in 0..<Int64(30) { try insert(id, transaction) }
        }
        database.close()
    }

    private static func insert(_ id: Int64, _ transaction: WriteTransaction) throws {
        try transaction.insert(into: "Note", key: .int(id), [("id", .int(id)), ("text", .string("note \(id)"))])
    }

    private static func ids(_ database: Database) throws -> Set<Int64> {
        let table = try database.snapshot().table("Note"), column = try table.column("id")
        var found: Set<Int64> = []
        try table.forEach { row in
            if case .int(let id) = try row.value(column) { found.insert(id) }
            return true
        }
        return found
    }

    /// Opens, commits and closes, a few times.
    private static func write(_ process: SimulatedProcess, _ number: Int64, _ promises: Promises) {
        do {
            for round in 0..<Int64(4) {
                let database = try Database.open(path, options, on: process)
                let id = 1000 * number + round, isFull = (number + round) % 2 == 0
                try database.write(durability: isFull ? .full : .processCrash) { try insert(id, $0) }
                promises.state.withLock { $0.commits.append((id, isFull)) }
                database.close()
            }
        } catch { promises.complain("writer \(number): \(error)") }
    }

    private static func compact(_ process: SimulatedProcess, _ promises: Promises) {
        for _ in 0..<2 {
            do {
                _ = try Database.compactFile(at: path, options, on: process)
                promises.replaced()
            } catch let error as FreeholdError where error.code == .inUse {
            } catch { promises.complain("compaction: \(error)") }
        }
    }

    /// What the machine holds in the end.
    private static func judge(_ machine: SimulatedSystem, _ promises: Promises, onlyFull: Bool, _ what: String) throws {
        let state = promises.state.withLock { $0 }
        #expect(state.complaints.isEmpty, "\(what): \(state.complaints)")
        let process = machine.makeProcess()
        let database = try Database.open(path, options, on: process)
        let found = try ids(database), promised = Set(0..<30).union(state.commits.filter { $0.isFull || !onlyFull }.map(\.id))
        #expect(promised.isSubset(of: found), "\(what): commits \(promised.subtracting(found).sorted()) are lost")
        #expect(try database.check().isClean, "\(what)")
        database.close()
        _ = try Database.compactFile(at: path, options, on: process)
        #expect(try process.listDirectory("/") == ["x.freehold"], "\(what)")
    }

    @Test("a compaction into a new file keeps what others commit while it copies", arguments: TestScale.seeds(60))
    func amongWriters(seed: UInt64) throws {
        let machine = Self.makeMachine(seed), promises = Promises()
        defer { machine.discard() }
        try Self.make(machine.makeProcess())
        machine.makeProcess().start { Self.compact($0, promises) }
        if seed % 4 == 0 { machine.makeProcess().start { Self.compact($0, promises) } }
        for number in 1...Int64(2) { machine.makeProcess().start { Self.write($0, number, promises) } }
        #expect(machine.run(stepLimit: 400_000) == .finished, "seed \(seed)")
        try Self.judge(machine, promises, onlyFull: false, "seed \(seed)")
    }

    /// Who is killed, or the whole machine, by a seed; of a power cut anything may survive that was not flushed.
    @Test("killed or cut off anywhere, it leaves the old file or the new one", arguments: TestScale.seeds(60))
    func killed(seed: UInt64) throws {
        let machine = Self.makeMachine(seed &+ 5000), promises = Promises()  // Safe: any seed will do.
        defer { machine.discard() }
        try Self.make(machine.makeProcess())
        let compactor = machine.makeProcess()
        compactor.start { Self.compact($0, promises) }
        machine.makeProcess().start { Self.write($0, 1, promises) }
        var random = SeededRandom(seed: seed)
        let strike = Int.random(in: 0..<500, using: &random), isCut = seed % 3 == 0
        machine.onStep = { step in
            guard step.process === compactor, step.processStep >= strike, compactor.isAlive else { return .proceed }
            return isCut ? .powerCut : .kill
        }
        let end = machine.run(stepLimit: 400_000)
        #expect(end == .finished || end == .powerCut, "seed \(seed): \(end)")
        machine.onStep = nil
        machine.killAllProcesses()
        let next = end == .powerCut ? machine.image(surviving: .torn(seed: seed)) : machine
        defer { if next !== machine { next.discard() } }
        try Self.judge(next, promises, onlyFull: end == .powerCut, "seed \(seed)")
    }

    @Test("a compaction in place beside writers and a reader keeps all, wherever it is killed")
    func inPlace() throws {
        var effects = 0
        for seed in TestScale.seeds(24) { effects += try compactInPlace(seed) }
        #expect(effects > 0)
    }

    /// Returns 1 if the compaction did anything and came to its end.
    ///
    /// Long because it is one story: what stands in the file, who works on it, who dies, and what is left.
    private func compactInPlace(_ seed: UInt64) throws -> Int {
        let machine = Self.makeMachine(seed &+ 9000), promises = Promises()  // Safe: any seed will do.
        defer { machine.discard() }
        try Self.make(machine.makeProcess())
        let first = try Database.open(Self.path, Self.options, on: machine.makeProcess())
        let filling = Int64(1_000_000)..<1_003_500
        var random = SeededRandom(seed: seed)
        try first.write { transaction in
            for id in filling {
                let text = (0..<12).map { _ in String(random.next(), radix: 36) }.joined()
                try transaction.insert(into: "Note", key: .int(id), [("id", .int(id)), ("text", .string(text))])
            }
        }
        // Scattered, so that no commit finds the end of the file free.
        try first.write { try $0.delete(filling.filter { $0 % 3 != 0 }.map { ObjectKey($0) }, from: $0.table("Note")) }
        first.close()
        let compactor = machine.makeProcess()
        compactor.start { process in
            do {
                let database = try Database.open(Self.path, Self.options, on: process)
                let report = try database.compact()
                if report.movedBlocks > 0 || report.lengthAfter < report.lengthBefore { promises.replaced() }
                database.close()
            } catch { promises.complain("compaction: \(error)") }
        }
        for number in 1...Int64(2) { machine.makeProcess().start { Self.write($0, number, promises) } }
        machine.makeProcess().start { process in
            do {
                let database = try Database.open(Self.path, Self.options, on: process)
                for _ in 0..<4 {
                    let snapshot = try database.snapshot(), digest = try StateDigest.of(snapshot)
                    process.sleep(milliseconds: 1)
                    if try StateDigest.of(snapshot) != digest { promises.complain("a held version changed") }
                }
                database.close()
            } catch { promises.complain("reader: \(error)") }
        }
        // The first seed's compaction is left alone, also where a sanitizer allows only two seeds.
        let strike = seed % 3 == 1 ? Int.max : Int.random(in: 20..<600, using: &random), isCut = seed % 3 == 2
        machine.onStep = { step in
            guard step.process === compactor, step.processStep >= strike, compactor.isAlive else { return .proceed }
            return isCut ? .powerCut : .kill
        }
        let end = machine.run(stepLimit: 400_000)
        #expect(end == .finished || end == .powerCut, "seed \(seed): \(end)")
        machine.onStep = nil
        machine.killAllProcesses()
        let next = end == .powerCut ? machine.image(surviving: .sectors(seed: seed)) : machine
        defer { if next !== machine { next.discard() } }
        try Self.judge(next, promises, onlyFull: end == .powerCut, "seed \(seed)")
        return promises.state.withLock { $0.replacements }
    }

    @Test("a run that was killed leaves a file that the next one removes; a living one's stays")
    func leftovers() throws {
        let machine = Self.makeMachine(1), dead = machine.makeProcess(), process = machine.makeProcess()
        defer { machine.discard() }
        try Self.make(process)
        dead.leak(try UnfinishedFile(for: "/b.freehold", permissions: 0o600, dead))
        dead.kill()
        let living = try UnfinishedFile(for: "/b.freehold", permissions: 0o600, machine.makeProcess())
        let source = try Database.open(Self.path, Self.options, on: process)
        #expect(try process.listDirectory("/").filter { $0.contains("unfinished") } == [String(living.path.dropFirst())])
        _ = try source.backup(to: "/b.freehold", on: process)
        #expect(try process.listDirectory("/").filter { $0.contains("unfinished") } == [String(living.path.dropFirst())])
        let late = #expect(throws: SystemError.self) { try living.take(name: "/b.freehold") }
        #expect(late?.code == ErrorNumber.exists)
        living.end()
        source.close()
        #expect(try process.listDirectory("/") == ["b.freehold", "x.freehold"])
    }

    @Test("of several backups to one path one gets it, and an opener who made a database there keeps it", arguments: TestScale.seeds(80))
    func onePath(seed: UInt64) throws {
        let machine = Self.makeMachine(seed), promises = Promises()
        defer { machine.discard() }
        try Self.make(machine.makeProcess())
        for _ in 0..<2 {
            machine.makeProcess().start { process in
                do {
                    let source = try Database.open(Self.path, Self.options, on: process)
                    defer { source.close() }
                    if seed % 2 == 0 {
                        _ = try source.backup(to: "/b.freehold", on: process)
                    } else {
                        try source.copy(to: "/b.freehold", encryption: .same, Self.options, on: process)
                    }
                    promises.replaced()
                } catch let error as FreeholdError where error.code == .alreadyExists {
                } catch { promises.complain("\(error)") }
            }
        }
        machine.makeProcess().start { process in
            do {
                let database = try Database.open("/b.freehold", Self.options, on: process)
                try database.write { transaction in
                    try transaction.createClass(ClassSchema("Own", primaryKey: "id", [PropertySchema("id", .int)]))
                    try transaction.insert(into: "Own", key: .int(1), [("id", .int(1))])
                }
                database.close()
            } catch { promises.complain("opener: \(error)") }
        }
        #expect(machine.run(stepLimit: 400_000) == .finished, "seed \(seed)")
        let state = promises.state.withLock { $0 }, process = machine.makeProcess()
        #expect(state.complaints.isEmpty && state.replacements <= 1, "seed \(seed): \(state)")
        let found = try Database.open("/b.freehold", Self.options, on: process)
        #expect(try found.snapshot().table("Own").count == 1, "seed \(seed)")
        if state.replacements == 1 { #expect(try Self.ids(found) == Set(0..<30), "seed \(seed)") }
        #expect(try found.check().isClean)
        found.close()
        #expect(try process.listDirectory("/") == ["b.freehold", "x.freehold"], "seed \(seed)")
    }
}
