import DatabaseKit
@testable import FreeholdEngine
import TestKit

/// A cache in a simulated machine's file: filled, emptied and filled again by several processes, with small commits between, so that
/// commits cut the file and make holes in it. What every version held is noted, and compared with what is found.
final class Tide {
    struct State {
        let model: [Int64: UInt8]
        let version: UInt64
        /// From this place of the machine's log on the version is committed, and from this one on durable; nil if it never was by itself.
        let committed: Int
        let durable: Int?
    }

    let machine: SimulatedSystem
    private(set) var states: [State] = []
    private(set) var firstPlace = 0
    private(set) var complaints: [String] = []
    private let seed: UInt64
    private var random: SeededRandom
    private var members: [(process: SimulatedProcess, database: Database)] = []
    private var model: [Int64: UInt8] = [:]
    private var held: (snapshot: Snapshot, model: [Int64: UInt8])?
    private var nextID: Int64 = 0
    /// Who commits: a member, or any.
    private var hand: Int?

    private static let path = "/tide.freehold"
    private static let schema = ClassSchema("Entry", primaryKey: "id", [PropertySchema("id", .int), PropertySchema("bytes", .data)])

    init(seed: UInt64) throws {
        self.seed = seed
        random = SeededRandom(seed: seed ^ 0x71DE)
        var options = SimulatedSystem.Options(seed: seed)
        options.fileCapacity = 1 << 26
        options.recordsMappedStores = false
        machine = SimulatedSystem(options)
        for _ in 0..<Int.random(in: 1...3, using: &random) { try join() }
        try commit { transaction, _ in try transaction.createClass(Self.schema) }
        firstPlace = machine.operationCount
    }

    private func join() throws {
        let process = machine.makeProcess()
        members.append((process, try Database.open(Self.path, .simulated(seed: seed), on: process)))
    }

    /// A few tides; the last ebb leaves entries at the end of the file, so that there are holes before them.
    func run() throws {
        for tide in 0..<4 where complaints.isEmpty {
            // A process looks whether the file can be cut at its own 16th commit.
            hand = random.oneIn(4) ? nil : Int.random(in: 0..<members.count, using: &random)
            try fill(Int.random(in: 60...120, using: &random), large: true)
            if random.oneIn(3) { try hold() }
            try keep(0)
            try ripple(Int.random(in: 10...20, using: &random))
            if random.oneIn(2) { held = nil }
            try fill(Int.random(in: 30...70, using: &random), large: true)
            try compare()
            if random.oneIn(3), tide < 3 { try replaceOne() }
            held = nil
            try keep(tide % 2 == 0 ? 0 : 5)
        }
        held = nil
        hand = 0
        try fill(200, large: true)
        try keep(3)
        try ripple(150)
        // By chance no ebb so far may have lasted until its process looked.
        for _ in 0..<4 where !machine.cutPlaces.contains(where: { $0 > firstPlace }) {
            try keep(0)
            try ripple(20)
        }
        try compare()
        for (_, database) in members { complaints += try database.check().problems.map { "the checker finds \($0)" } }
    }

    func end() {
        held = nil
        for (_, database) in members { database.close() }
        members = []
        machine.discard()
    }

    // MARK: what happens

    private func commit(_ body: (WriteTransaction, inout [Int64: UInt8]) throws -> Void) throws {
        let database = members[hand ?? Int.random(in: 0..<members.count, using: &random)].database
        let durability: Durability = random.oneIn(4) ? .full : .processCrash
        let transaction = try database.beginWrite(timeoutMilliseconds: 1000)
        var draft = model
        do { try body(transaction, &draft) } catch {
            transaction.rollback()
            throw error
        }
        let version = try transaction.commit(durability).rawValue
        model = draft
        let place = machine.operationCount
        states.append(State(model: model, version: version, committed: place, durable: durability == .full ? place : nil))
    }

    private func fill(_ count: Int, large: Bool) throws {
        let first = nextID, mark = UInt8.random(in: 1...255, using: &random)
        nextID += Int64(count)
        try commit { transaction, draft in
            let entries = try transaction.table("Entry")
            for id in first..<first + Int64(count) {
                _ = try transaction.insert(into: entries, values: [.int(id), .data(Self.bytes(id, mark, large: large))])
                draft[id] = large ? mark | 1 : mark & ~1
            }
        }
    }

    /// Deletes all entries but the newest few.
    private func keep(_ count: Int) throws {
        let doomed = model.keys.sorted().dropLast(count)
        try commit { transaction, draft in
            let entries = try transaction.table("Entry")
            for id in doomed {
                try transaction.delete(ObjectKey(id), from: entries)
                draft[id] = nil
            }
        }
    }

    /// Small commits.
    private func ripple(_ count: Int) throws {
        for _ in 0..<count { try fill(1, large: false) }
    }

    private func hold() throws {
        held = (try members[0].database.snapshot(), model)
    }

    /// One process dies within a write, and another one comes.
    private func replaceOne() throws {
        let place = Int.random(in: 0..<members.count, using: &random)
        if place == 0, let held {
            members[0].process.leak(held.snapshot)
            self.held = nil
        }
        let (process, database) = members.remove(at: place)
        process.leak(try database.beginWrite(timeoutMilliseconds: 1000))
        process.leak(database)
        process.kill()
        try join()
    }

    /// The bytes of an entry: the lowest bit of the mark tells how many they are.
    private static func bytes(_ id: Int64, _ mark: UInt8, large: Bool) -> [UInt8] {
        let mark = large ? mark | 1 : mark & ~1
        return [UInt8](repeating: mark, count: large ? 24 << 10 + Int(id % 5) * 1000 : 40)
    }

    // MARK: what is found

    private func compare() throws {
        let snapshot = try members.randomElement(using: &random)!.database.snapshot()
        complaints += try Self.differences(snapshot, model)
        if let held { complaints += try Self.differences(held.snapshot, held.model).map { "held: \($0)" } }
    }

    private static func differences(_ snapshot: Snapshot, _ model: [Int64: UInt8]) throws -> [String] {
        let entries = try snapshot.table("Entry"), bytes = try entries.column("bytes")
        let keys = try entries.keys().map(\.rawValue)
        if Set(keys) != Set(model.keys) { return ["\(keys.count) entries instead of \(model.count)"] }
        return try keys.compactMap { id in
            let mark = model[id]!
            return try entries.value(ObjectKey(id), bytes) == .data(Self.bytes(id, mark, large: mark & 1 == 1)) ? nil : "entry \(id) differs"
        }
    }

    /// Opens what a crash left and compares it with what was committed.
    func judge(_ crash: CrashCase, sameBoot: Bool = false) throws -> [String] {
        let image = sameBoot ? machine.image(at: crash.place, surviving: .all, boot: .same) : machine.image(crash)
        defer { image.discard() }
        let what = "seed \(seed), \(crash)\(sameBoot ? ", same boot" : "")"
        do {
            let database = try Database.open(Self.path, .simulated(seed: seed), on: image.makeProcess())
            defer { database.close() }
            var found = try database.check().problems.map { "\(what): \($0)" }
            let snapshot = try database.snapshot()
            let oldest = states.lastIndex { (sameBoot ? $0.committed : $0.durable ?? .max) <= crash.place } ?? 0
            guard let state = states.lastIndex(where: { $0.version <= snapshot.version.rawValue }), state >= oldest else {
                return found + ["\(what): version \(snapshot.version), although \(states[oldest].version) was acknowledged"]
            }
            found += try Self.differences(snapshot, states[state].model).map { "\(what): \($0)" }
            return found
        } catch { return ["\(what): \(error)"] }
    }
}
