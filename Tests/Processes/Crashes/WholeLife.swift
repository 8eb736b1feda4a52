import DatabaseKit
@testable import FreeholdEngine
import TestKit

/// A database from its first version on, at the hands of several simulated processes: written with and without savepoints,
/// read, its changes told, copied and compacted, its processes killed in the middle of a write, the power cut.
///
/// Whatever happens, each process sees what the model says, or, after a power cut, what the model said at some commit since the
/// newest one that was acknowledged as durable; and the history goes on from there.
final class WholeLife {
    private(set) var complaints: [String] = []
    private(set) var commits = 0
    private let seed: UInt64
    private var random: SeededRandom
    private var history: History
    private var machine: SimulatedSystem
    /// The processes, each with its open database.
    private var members: [(process: SimulatedProcess, database: Database)] = []
    /// Versions held by the first of them.
    private var held: [(model: NaiveDatabase, snapshot: Snapshot)] = []
    /// What this machine's file held from which version on, and from which operation on durably.
    private var states: [State] = []
    private var firstPlace = 0
    private var copies = 0

    private static let path = "/life.freehold"

    private struct State {
        let model: NaiveDatabase
        let version: Version
        /// The identity that its changes are sent under; nil where nothing is synced.
        let replica: ReplicaIdentity?
        let durable: Int?
    }

    init(seed: UInt64) throws {
        self.seed = seed
        random = SeededRandom(seed: seed ^ 0x11FE)
        history = History(seed: seed)
        history.bulk = 25
        history.reshapes = seed % 2 == 1
        history.extraClasses = history.randomClasses()
        var options = SimulatedSystem.Options(seed: seed)
        options.fileCapacity = 1 << 26
        options.recordsMappedStores = false
        machine = SimulatedSystem(options)
        try begin(history.model, members: Int.random(in: 1...3, using: &random))
    }

    private func begin(_ model: NaiveDatabase, members count: Int) throws {
        for _ in 0..<count { try join() }
        firstPlace = machine.operationCount
        states = [try newestState(model, durable: 0)]
    }

    /// The newest version, with what the model says of it.
    private func newestState(_ model: NaiveDatabase, durable: Int?) throws -> State {
        let snapshot = try members[0].database.snapshot()
        defer { snapshot.end() }
        return State(model: model, version: snapshot.version, replica: try snapshot.syncState()?.replica, durable: durable)
    }

    private func join() throws {
        let process = machine.makeProcess()
        members.append((process, try Database.open(Self.path, .simulated(seed: seed), on: process)))
    }

    /// Lives so many events, or until something is wrong.
    func run(events: Int) throws {
        defer { end() }
        for event in 0..<events where complaints.isEmpty {
            try happen()
            complaints = complaints.map { "seed \(seed), event \(event): \($0)" }
        }
        if complaints.isEmpty { try compare(check: true) }
    }

    private func end() {
        held = []
        for (_, database) in members { database.close() }
        members = []
        machine.discard()
    }

    private func happen() throws {
        switch Int.random(in: 0..<16, using: &random) {
        case 0..<8: try write()
        case 8, 9: try holdAndTell()
        case 10: try killOne()
        case 11: try reopen()
        case 12, 13: try cutPower()
        case 14: try copyOrCompact()
        default: try compare(check: random.oneIn(2))
        }
    }

    private func write() throws {
        let database = members.randomElement(using: &random)!.database
        let durability: Durability = random.oneIn(2) ? .full : .processCrash
        let before = history.model
        if isSynced, !before.order.isEmpty, random.oneIn(3) { try changeSync(database, durability) }
        guard try history.transactUnlessTooLarge(on: database, durability: durability, savepoints: random.oneIn(3)),
              history.model != before else { return }
        commits += 1
        states.append(try newestState(history.model, durable: durability == .full ? machine.operationCount : nil))
        if random.oneIn(3) { try compare(check: false) }
    }

    /// Whether classes are synced, in a third of all lives.
    private var isSynced: Bool { seed / 3 % 3 == 1 }

    /// Marks classes, ends an epoch, or drops what is pending: the objects stay as they are.
    private func changeSync(_ database: Database, _ durability: Durability) throws {
        switch random.below(4) {
        case 0: try History.settleSync(on: database, durability: durability)
        case 1: try History.sealSync(on: database, durability: durability)
        default: try history.markSynced(on: database, durability: durability)
        }
    }

    /// Everybody sees what the model has.
    private func compare(check: Bool) throws {
        let database = members.randomElement(using: &random)!.database
        let snapshot = try database.snapshot()
        if !history.model.order.isEmpty { complaints += try Comparison.differences(history.model, snapshot) }
        snapshot.end()
        if check { complaints += try database.check().problems.map { "the checker finds \($0)" } }
    }

    private func holdAndTell() throws {
        if history.model.order.isEmpty { return }
        held.append((history.model, try members[0].database.snapshot()))
        let old = held.randomElement(using: &random)!, new = random.oneIn(4) ? held.randomElement(using: &random)! : held.last!
        complaints += try ChangeOracle.complaints(old, new, &random)
        if held.count > 3 { held.removeFirst() }
    }

    /// One process dies, half of the time while it writes; another one comes.
    private func killOne() throws {
        let place = Int.random(in: 0..<members.count, using: &random)
        if place == 0 { leakHeld() }
        let (process, database) = members.remove(at: place)
        if random.oneIn(2) { process.leak(try history.begin(on: database)) }
        process.leak(database)
        process.kill()
        try join()
    }

    private func leakHeld() {
        for (_, snapshot) in held { members[0].process.leak(snapshot) }
        held = []
    }

    private func reopen() throws {
        let place = Int.random(in: 0..<members.count, using: &random)
        if place == 0 { held = [] }
        let (process, database) = members.remove(at: place)
        database.close()
        members.insert((process, try Database.open(Self.path, .simulated(seed: seed), on: process)), at: place)
    }

    /// The power fails at some operation of this machine's, with some of what was not flushed then.
    private func cutPower() throws {
        let place = Int.random(in: firstPlace...machine.operationCount, using: &random)
        let part = random.next() % 1_000_000
        let surviving = [SurvivingWrites.none, .all, .sectors(seed: part), .torn(seed: part)].randomElement(using: &random)!
        // What they do now comes too late for the image.
        held = []
        for (_, database) in members { database.close() }
        let count = members.count
        members = []
        let old = machine, before = states
        machine = old.image(CrashCase(place: place, surviving: surviving))
        old.discard()
        try join()
        let opened = try newestState(history.model, durable: nil)
        // A file whose newest commits may be gone takes another identity when it is opened, in a version of its own.
        let tookIdentity = opened.replica != nil && !before.contains { $0.replica == opened.replica }
        let version = Version(opened.version.rawValue - (tookIdentity ? 1 : 0))
        let oldest = before.lastIndex { ($0.durable ?? .max) <= place } ?? 0
        // A version above it with the same objects is one in which they were rewritten, or moved.
        guard let found = before.lastIndex(where: { $0.version <= version }), found >= oldest else {
            return complaints.append("version \(version) after a crash at \(place), \(surviving), although \(before[oldest].version) was durable")
        }
        history.resume(from: before[found].model)
        try begin(history.model, members: count - 1)
        try compare(check: true)
    }

    private func copyOrCompact() throws {
        let database = members.randomElement(using: &random)!.database
        if random.oneIn(2) {
            _ = try database.compact()
            return try compare(check: true)
        }
        copies += 1
        let path = "/copy\(copies).freehold", system = machine.makeProcess()
        if random.oneIn(2) { try database.copy(to: path, encryption: .same, .simulated(seed: seed), on: system) } else { _ = try database.backup(to: path, on: system) }
        let copy = try Database.open(path, .simulated(seed: seed), on: machine.makeProcess())
        defer { copy.close() }
        let snapshot = try copy.snapshot()
        if !history.model.order.isEmpty { complaints += try Comparison.differences(history.model, snapshot).map { "the copy: \($0)" } }
        snapshot.end()
        complaints += try copy.check().problems.map { "the checker finds in the copy \($0)" }
    }
}
