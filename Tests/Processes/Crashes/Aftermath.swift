import DatabaseKit
@testable import FreeholdEngine
import Platform
import TestKit

/// What follows a power cut in a `SharedLife`: on the machine that comes up, a reader or a writer begins a session and others join it, all are
/// killed, under the same boot they may come back, and the power is cut again. Nothing that was durable before either cut may be lost.
struct Aftermath {
    private let life: SharedLife
    private let first: CrashCase
    private var random: SeededRandom
    /// What the second life's commits hold, and how new a version must be found from which place on.
    private var commits: [(version: UInt64, model: Ledger.Model)] = []
    private var promises: [(place: Int, version: UInt64)] = []

    init(_ life: SharedLife, seed: UInt64) {
        self.life = life
        random = SeededRandom(seed: seed ^ 0xAF7E)
        let part = random.next() % 1_000_000, place = Int.random(in: life.firstPlace...life.machine.operationCount, using: &random)
        first = CrashCase(place: place, surviving: [.all, .sectors(seed: part), .torn(seed: part), .none].randomElement(using: &random)!)
    }

    /// - Returns: what is wrong.
    mutating func run() throws -> [String] {
        let image = life.machine.image(first)
        defer { image.discard() }
        guard let path = image.firstExisting(of: SharedLife.paths) else { return ["no file after \(first)"] }
        promises = [(0, life.ledger.promised(at: first.place, afterPowerCut: true))]
        do {
            for _ in 0..<Int.random(in: 1...2, using: &random) { try session(image, path) }
            let part = random.next() % 1_000_000
            let second = CrashCase(
                place: Int.random(in: 0...image.operationCount, using: &random),
                surviving: [.none, .sectors(seed: part), .torn(seed: part)].randomElement(using: &random)!)
            let last = image.image(second)
            defer { last.discard() }
            return try judge(last, path, at: second.place).map { "\(first), then \(second): \($0)" }
        } catch { return ["\(first): \(error)"] }
    }

    /// A reader comes first, or a writer; there are a few commits, and all are killed.
    private mutating func session(_ image: SimulatedSystem, _ path: String) throws {
        let process = image.makeProcess()
        var kept: [AnyObject] = []
        if random.oneIn(2), let database = try openForReading(path, on: image.makeProcess()) {
            kept = [database, try database.snapshot()]
        }
        if kept.isEmpty || !random.oneIn(4) {
            var options = life.options
            options.createIfMissing = false
            let database = try Database.open(path, options, on: process)
            kept.append(database)
            for _ in 0..<Int.random(in: 0...3, using: &random) { try commit(to: database, image) }
        }
        for object in kept { process.leak(object) }
        image.killAllProcesses()
    }

    /// Nil where the dead writers' flush has to be finished by a writer first.
    private func openForReading(_ path: String, on process: SimulatedProcess) throws(FreeholdError) -> Database? {
        var options = life.options
        options.readOnly = true
        do throws(FreeholdError) { return try Database.open(path, options, on: process) } catch {
            if error.code == .readOnly { return nil }
            throw error
        }
    }

    private mutating func commit(to database: Database, _ image: SimulatedSystem) throws {
        let durability: Durability = random.oneIn(3) ? .full : .processCrash
        let transaction = try database.beginWrite()
        let table = try transaction.table("Entry"), keys = try table.keys().map(\.rawValue)
        let base = contents(of: transaction.lease.newest.version)
        guard var model = base.first(where: { Set($0.keys) == Set(keys) }) else {
            transaction.rollback()
            throw Unexpected("a writer begins with \(keys.count) entries, not \(base.map(\.count))")
        }
        let id = (keys.max() ?? 0) + 1
        _ = try transaction.insert(into: table, values: [.int(id), .data(SharedLife.bytes(id, 4))])
        model[id] = 4
        let version = transaction.version.rawValue
        commits.append((version, model))
        try transaction.commit(durability)
        if durability == .full { promises.append((image.operationCount, version)) }
    }

    /// What a version may hold: of the second life's commits the newest at or below it, or what the first life left.
    private func contents(of version: UInt64) -> [Ledger.Model] {
        if let commit = commits.last(where: { $0.version <= version }) { return [commit.model] }
        return life.ledger.contents(of: version, at: first.place)
    }

    private func judge(_ image: SimulatedSystem, _ path: String, at place: Int) throws -> [String] {
        let database = try Database.open(path, life.options, on: image.makeProcess())
        defer { database.close() }
        let snapshot = try database.snapshot()
        defer { snapshot.end() }
        let version = snapshot.version.rawValue
        let promised = promises.filter { $0.place <= place }.map(\.version).max() ?? 0
        if version < promised { return ["version \(version), although \(promised) was acknowledged"] }
        var found = try database.check().problems.map { "the checker finds \($0)" }
        if let difference = try SharedLife.difference(snapshot, contents(of: version)) { found.append(difference) }
        return found
    }
}
