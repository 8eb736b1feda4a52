import CShims
import DatabaseKit
@testable import FreeholdEngine
import Platform
import TestKit
import Testing

/// A crash at every write and every flush of random histories, with all, none, some and torn parts of what was not
/// flushed: whatever is left opens, passes the checker, and holds exactly one committed state, no older than the newest
/// commit that was acknowledged as durable.
///
/// `FREEHOLD_LONG=6`, as `tools/test --all` has it, makes six times as many images.
@Suite struct CrashTests {
    /// Images each seed must reach; 20 seeds make 10,000.
    static let imagesPerSeed = 500
    static let seeds = TestScale.seeds(10)

    @Test("after a power cut the file holds a committed state, the newest acknowledged one or later", arguments: seeds)
    func powerCut(seed: UInt64) throws {
        var images: Set<UInt64> = []
        var part: UInt64 = 0
        while images.count < Self.imagesPerSeed {
            let life = try Life(seed: seed &* 1000 + part)
            defer { life.machine.discard() }
            for crash in life.machine.crashCases(from: life.firstPlace, seed: seed, subsets: 4, torn: 2) {
                let image = life.machine.image(crash)
                defer { image.discard() }
                images.insert(try life.fingerprint(of: image))
                try life.judge(image, at: crash.place, acknowledged: \.durable, "\(crash)")
            }
            part += 1
        }
        #expect(images.count >= Self.imagesPerSeed)
    }

    @Test("when every process is killed, nothing acknowledged is lost", arguments: seeds)
    func everyoneKilled(seed: UInt64) throws {
        let life = try Life(seed: seed &* 7919)
        defer { life.machine.discard() }
        for place in life.firstPlace...life.machine.operationCount {
            let image = life.machine.image(at: place, surviving: .all, boot: .same)
            defer { image.discard() }
            try life.judge(image, at: place, acknowledged: \.committed, "killed at operation \(place)")
        }
    }
}

/// One history on one simulated machine, with what was acknowledged when.
private final class Life {
    let machine: SimulatedSystem
    /// Before this place the file is still being made.
    private(set) var firstPlace = 0
    private var states: [State] = []
    private let seed: UInt64
    private static let path = "/crash.freehold"

    struct State {
        let digest: Int
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
        machine = SimulatedSystem(options)
        let process = machine.makeProcess()
        var history = History(seed: seed)
        history.bulk = 60
        history.reshapes = seed % 2 == 0
        let database = try Database.open(Self.path, OpenOptions.simulated(seed: seed), on: process)
        defer { database.close() }
        firstPlace = machine.operationCount
        states = [State(digest: StateDigest.of(history.model), committed: 0, durable: 0)]
        for _ in 0..<8 {
            let durability: Durability = history.random.oneIn(2) ? .full : .processCrash
            let before = history.model
            try history.transact(on: database, durability: durability)
            if history.model == before { continue }
            let present = try StateDigest.of(database.snapshot())
            guard present == StateDigest.of(history.model) else {
                throw Unexpected("seed \(seed): the database differs from the model before any crash")
            }
            let place = machine.operationCount
            states.append(State(digest: StateDigest.of(history.model), committed: place, durable: durability == .full ? place : nil))
        }
    }

    func fingerprint(of image: SimulatedSystem) throws -> UInt64 {
        let file = try image.makeProcess().openFile(Self.path, .readOnly)
        defer { file.close() }
        var bytes = [UInt8](repeating: 0, count: try file.length())
        let count = try bytes.withUnsafeMutableBytes { buffer throws(SystemError) in try file.read(into: buffer, at: 0) }
        return freehold_shim_checksum(bytes, count)
    }

    /// Opens what a crash left and compares it with the states that may be there.
    func judge(_ image: SimulatedSystem, at place: Int, acknowledged: KeyPath<State, Int>, _ what: String) throws {
        try judge(image, what, oldest: states.lastIndex { $0[keyPath: acknowledged] <= place } ?? 0)
    }

    func judge(_ image: SimulatedSystem, at place: Int, acknowledged: KeyPath<State, Int?>, _ what: String) throws {
        try judge(image, what, oldest: states.lastIndex { ($0[keyPath: acknowledged] ?? .max) <= place } ?? 0)
    }

    private func judge(_ image: SimulatedSystem, _ what: String, oldest: Int) throws {
        do {
            let database = try Database.open(Self.path, OpenOptions.simulated(seed: seed), on: image.makeProcess())
            defer { database.close() }
            let report = try database.check()
            #expect(report.isClean, "seed \(seed), \(what): \(report.problems.prefix(3))")
            let digest = try StateDigest.of(database.snapshot())
            let found = states.lastIndex { $0.digest == digest }
            #expect(found != nil, "seed \(seed), \(what): no committed state")
            if let found { #expect(found >= oldest, "seed \(seed), \(what): state \(found) although \(oldest) was acknowledged") }
        } catch {
            Issue.record("seed \(seed), \(what): \(error)")
        }
    }
}
