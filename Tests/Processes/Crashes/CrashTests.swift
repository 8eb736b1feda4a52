import DatabaseKit
@testable import FreeholdEngine
import TestKit
import Testing

/// A crash at every write and every flush of random histories, with all, none, some and torn parts of what was not
/// flushed: whatever is left opens, passes the checker, and holds exactly one committed state, no older than the newest
/// commit that was acknowledged as durable.
///
/// `FREEHOLD_LONG=6` makes six times as many images; `tools/test --all` has it at 3, `--long` at 20.
@Suite struct CrashTests {
    /// Of so many lives, each cut off at every place, this many distinct images must come for each seed.
    static let livesPerSeed = 3
    static let leastImagesPerSeed = 80
    static let seeds = TestScale.seeds(10)

    @Test("after a power cut the file holds a committed state, the newest acknowledged one or later", arguments: seeds)
    func powerCut(seed: UInt64) throws {
        var images = 0
        for part in 0..<UInt64(Self.livesPerSeed) {
            let life = try Life(seed: seed &* 1000 + part)
            defer { life.machine.discard() }
            let checker = life.checker()
            for crash in life.machine.crashCases(from: life.firstPlace, seed: seed, subsets: 4, torn: 2) {
                life.judge(checker, crash, acknowledged: { $0.durable ?? .max })
            }
            images += checker.distinct
        }
        #expect(images >= Self.leastImagesPerSeed, "seed \(seed): \(images) distinct images")
    }

    @Test("when every process is killed, nothing acknowledged is lost", arguments: seeds)
    func everyoneKilled(seed: UInt64) throws {
        let life = try Life(seed: seed &* 7919)
        defer { life.machine.discard() }
        let checker = life.checker()
        for place in life.firstPlace...life.machine.operationCount {
            life.judge(checker, CrashCase(place: place, surviving: .all), boot: .same, acknowledged: \.committed)
        }
    }
}

/// One history on one simulated machine, with what was acknowledged when.
private final class Life {
    let machine: SimulatedSystem
    /// Before this place the file is still being made.
    private(set) var firstPlace = 0
    private var states: [State] = []
    private var syncSteps = 0, hasBeenPending = false
    /// The identities that the file has had; after a power cut that may have taken commits, opening it gives it another one.
    private var replicas: Set<ReplicaIdentity> = []
    /// Whether classes are synced, in a third of all lives.
    private var isSynced: Bool { seed / 3 % 3 == 1 }
    private let seed: UInt64
    private static let path = "/crash.freehold"

    struct State {
        let digest: Int
        /// What is pending for sync.
        let pending: Int
        let version: Version
        /// From this place on, the state is committed.
        var committed: Int
        /// From this place on, the state was acknowledged as durable; nil if never.
        var durable: Int?
    }

    init(seed: UInt64) throws {
        self.seed = seed
        var options = SimulatedSystem.Options(seed: seed)
        options.fileCapacity = 1 << 26
        options.recordsMappedStores = false
        options.collation = .invented(2)
        machine = SimulatedSystem(options)
        let process = machine.makeProcess()
        var history = History(seed: seed)
        history.bulk = 60
        history.reshapes = seed % 2 == 0
        if !history.reshapes { history.extraClasses = [History.spot] }
        if isSynced { history.extraClasses.append(History.crate) }
        let database = try Database.open(Self.path, OpenOptions.simulated(seed: seed), on: process)
        defer { database.close() }
        firstPlace = machine.operationCount
        let first = try Self.present(database)
        states = [State(digest: StateDigest.of(history.model), pending: first.pending, version: first.version, committed: 0, durable: 0)]
        var isDeclared = false
        for _ in 0..<8 {
            let durability: Durability = history.random.oneIn(2) ? .full : .processCrash
            if isSynced, !history.model.order.isEmpty {
                try changeSync(&history, database, durability)
            }
            if !history.reshapes, !history.model.order.isEmpty {
                if isDeclared {
                    try history.changeDerived(on: database, durability: durability)
                } else {
                    try history.declareDerived(on: database, durability: durability)
                    try requireEntries(database)
                    isDeclared = true
                }
            }
            let before = history.model
            guard try history.transactUnlessTooLarge(on: database, durability: durability), history.model != before else { continue }
            let present = try Self.present(database)
            guard present.digest == StateDigest.of(history.model) else {
                throw Unexpected("seed \(seed): the database differs from the model before any crash")
            }
            note(present, durability)
        }
        if syncSteps > 0, !hasBeenPending { throw Unexpected("seed \(seed): nothing was pending") }
    }

    private func note(_ present: Present, _ durability: Durability) {
        let place = machine.operationCount
        states.append(State(digest: present.digest, pending: present.pending, version: present.version, committed: place,
                            durable: durability == .full ? place : nil))
        hasBeenPending = hasBeenPending || present.hasPending
        if let replica = present.replica { replicas.insert(replica) }
    }

    /// Marks the classes that can be synced, ends an epoch, or drops what is pending, each in a commit of its own.
    private func changeSync(_ history: inout History, _ database: Database, _ durability: Durability) throws {
        switch syncSteps % 4 {
        case 0, 3: try history.markSynced(on: database, durability: durability)
        case 1: try History.sealSync(on: database, durability: durability)
        default: try History.settleSync(on: database, durability: durability)
        }
        syncSteps += 1
        note(try Self.present(database), durability)
        try history.transactSynced(on: database, durability: durability)
        note(try Self.present(database), durability)
    }

    /// Indexes of words, places, vectors and in a collation that are begun, and have many entries.
    private func requireEntries(_ database: Database) throws {
        let snapshot = try database.snapshot()
        defer { snapshot.end() }
        for entry in try snapshot.derivedStates() {
            guard entry.state == .building(coveredCount: 150), let root = entry.root,
                  let kind = DerivedKinds.kind(of: entry.index, in: snapshot.core.access),
                  kind.counts(root.contents).reduce(0, +) > 40 else {
                throw Unexpected("seed \(seed): derived index \(entry.index.number) of \(entry.stored.name) is not as it should begin")
            }
        }
    }

    private struct Present {
        let digest: Int
        let pending: Int
        let hasPending: Bool
        let version: Version
        let replica: ReplicaIdentity?
    }

    private static func present(_ database: Database) throws -> Present {
        let snapshot = try database.snapshot()
        defer { snapshot.end() }
        return Present(digest: try StateDigest.of(snapshot), pending: try StateDigest.ofPending(in: snapshot),
                       hasPending: try !snapshot.pendingCounts().isEmpty, version: snapshot.version,
                       replica: try snapshot.syncState()?.replica)
    }

    func checker() -> ImageChecker {
        ImageChecker(machine, paths: [Self.path], from: firstPlace, OpenOptions.simulated(seed: seed))
    }

    /// Opens what a crash left and compares it with the states that may be there.
    func judge(_ checker: ImageChecker, _ crash: CrashCase, boot: Boot = .next, acknowledged: (State) -> Int) {
        let what = "seed \(seed), \(crash)\(boot == .same ? ", everybody killed" : "")"
        let oldest = states.lastIndex { acknowledged($0) <= crash.place } ?? 0
        do {
            let found = try checker.judge(crash, boot: boot) { found in
                let version = found.snapshot.version
                if version < states[oldest].version { return ["version \(version), although \(states[oldest].version) was acknowledged"] }
                guard found.isNew else { return [] }
                let digest = try StateDigest.of(found.snapshot), pending = try StateDigest.ofPending(in: found.snapshot)
                // A version above it with the same objects is one in which they were rewritten.
                var candidates = states.filter { $0.version <= version }.suffix(1)
                if let replica = try found.snapshot.syncState()?.replica, !replicas.contains(replica) {
                    // The commit that has given it another identity may have the number of one that was lost.
                    candidates = states[oldest...].filter { $0.version < version }[...]
                }
                let isMeant = candidates.contains { $0.digest == digest && $0.pending == pending }
                return try found.database.check().problems.map { "the checker finds \($0)" } + (isMeant ? [] : ["version \(version) holds no committed state"])
            }
            #expect(found.isEmpty, "\(what): \(found.prefix(3))")
        } catch { Issue.record("\(what): \(error)") }
    }
}
