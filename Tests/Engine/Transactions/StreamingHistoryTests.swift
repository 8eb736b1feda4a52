import DatabaseKit
@testable import FreeholdEngine
import TestKit
import Testing

/// Random histories of several processes that stream long values, commit, change parts, compact and die, against a dictionary.
@Suite struct StreamingHistoryTests {
    static let seeds = TestScale.seeds(12)

    @Test("several streams at once beside commits, compactions and deaths leave what the model says", arguments: seeds)
    func histories(seed: UInt64) throws {
        var history = try StreamingHistory(seed: seed)
        defer { history.end() }
        for round in 0..<60 {
            try history.step()
            if round % 5 == 4 { try history.judge("seed \(seed), step \(round)") }
            if !history.complaints.isEmpty { break }
        }
        try history.judge("seed \(seed), at the end")
        try history.reopenAfterPowerCut()
        #expect(history.complaints.isEmpty, "\(history.complaints.prefix(4).joined(separator: "\n"))")
    }

    /// A number for what all blobs hold.
    private static func digest(of database: Database) throws -> Int {
        let blobs = try database.snapshot().table("Blob"), column = try blobs.column("bytes")
        var hasher = Hasher()
        try blobs.forEach { row in
            hasher.combine(row.key.rawValue)
            try row.withBytes(column) { hasher.combine(bytes: $0) }
            return true
        }
        return hasher.finalize()
    }

    @Test("a crash at every write and every flush of a streamed value leaves a committed state", arguments: TestScale.seeds(4))
    func crashes(seed: UInt64) throws {
        var options = SimulatedSystem.Options(seed: seed)
        options.fileCapacity = 1 << 26
        options.recordsMappedStores = false
        let machine = SimulatedSystem(options)
        defer { machine.discard() }
        let database = try Database.open(StreamingHistory.path, .simulated(seed: seed), on: machine.makeProcess())
        let other = try Database.open(StreamingHistory.path, .simulated(seed: seed), on: machine.makeProcess())
        try PartialWriteTests.makeBlobs(database, sealed: false)
        let start = machine.operationCount
        var states: [(place: Int, isDurable: Bool, digest: Int)] = [(start, true, try Self.digest(of: database))]
        func commit(_ database: Database, _ durability: Durability, _ body: (WriteTransaction, Table, Column) throws -> Void) throws {
            try database.write(durability: durability) { transaction in
                let blobs = try transaction.table("Blob")
                try body(transaction, blobs, try blobs.column("bytes"))
            }
            states.append((machine.operationCount, durability == .full, try Self.digest(of: database)))
        }
        let value = try database.beginLargeValue(), lost = try other.beginLargeValue()
        for piece in 0..<8 {
            try value.write(LargeValueWriterTests.bytes(160_000, piece))
            try lost.write(LargeValueWriterTests.bytes(150_000, piece))
            try commit(piece % 2 == 0 ? database : other, piece % 3 == 0 ? .full : .processCrash) { transaction, blobs, column in
                try transaction.set(ObjectKey(2), in: blobs, column, to: .data(LargeValueWriterTests.bytes(30_000 * piece, piece)))
            }
        }
        try value.finish()
        try commit(database, .processCrash) { try $0.set(ObjectKey(1), in: $1, $2, to: value) }
        try commit(other, .full) { try $0.write([1, 2, 3], to: ObjectKey(1), in: $1, $2, at: 500_000) }
        lost.cancel()
        try commit(other, .full) { try $0.truncate(ObjectKey(1), in: $1, $2, to: 100_000) }
        try commit(database, .processCrash) { try $0.append([9], to: ObjectKey(1), in: $1, $2) }

        for crash in machine.crashCases(from: start, seed: seed, subsets: 1, torn: 1) {
            let image = machine.image(crash)
            defer { image.discard() }
            let opened = try Database.open(StreamingHistory.path, .simulated(seed: seed), on: image.makeProcess())
            let report = try opened.check()
            #expect(report.isClean, "seed \(seed), \(crash): \(report.problems.prefix(3))")
            let digest = try Self.digest(of: opened), found = states.lastIndex { $0.digest == digest }
            let oldest = states.lastIndex { $0.isDurable && $0.place <= crash.place } ?? 0
            #expect(found.map { $0 >= oldest } ?? false, "seed \(seed), \(crash): state \(found as Any), \(oldest) was acknowledged")
            #expect(try opened.information().reservedBytes == 0)
            opened.close()
        }
    }
}

/// Processes with one database, and what they are doing.
struct StreamingHistory {
    static let path = "/streams.freehold"

    let machine: SimulatedSystem
    private(set) var complaints: [String] = []
    private let seed: UInt64
    private var random: SeededRandom
    private var members: [(process: SimulatedProcess, database: Database)] = []
    private var model: [Int64: [UInt8]] = [:]
    private var streams: [(value: LargeValueWriter, owner: Int, bytes: [UInt8], isFinished: Bool)] = []
    private var held: (snapshot: Snapshot, model: [Int64: [UInt8]])?
    private var salt = 0

    init(seed: UInt64) throws {
        self.seed = seed
        random = SeededRandom(seed: seed &* 977)
        var options = SimulatedSystem.Options(seed: seed)
        options.fileCapacity = 1 << 26
        options.recordsMappedStores = false
        machine = SimulatedSystem(options)
        for _ in 0..<3 { try join() }
        try PartialWriteTests.makeBlobs(members[0].database, sealed: seed % 2 == 0)
    }

    private mutating func join() throws {
        let process = machine.makeProcess()
        members.append((process, try Database.open(Self.path, .simulated(seed: seed), on: process)))
    }

    mutating func end() {
        held?.snapshot.end()
        held = nil
        streams = []
        for member in members { member.database.close() }
        members = []
        machine.discard()
    }

    private mutating func bytes(upTo limit: Int) -> [UInt8] {
        salt += 1
        return LargeValueWriterTests.bytes(Int.random(in: 0...limit, using: &random), salt)
    }

    mutating func step() throws {
        switch Int.random(in: 0..<20, using: &random) {
        case 0, 1, 2: try begin()
        case 3, 4, 5, 6, 7: try write()
        case 8: try finish()
        case 9, 10, 11: try attach()
        case 12: if let place = streams.indices.randomElement(using: &random) { streams.remove(at: place).value.cancel() }
        case 13, 14, 15: try commit()
        case 16: try changePart()
        case 17: try kill()
        case 18: if random.oneIn(3) { try anyDatabase().compact() } else { try hold() }
        default: try commit()
        }
    }

    private mutating func anyDatabase() -> Database { members[Int.random(in: 0..<members.count, using: &random)].database }

    private mutating func begin() throws {
        guard streams.count < 4 else { return }
        let owner = Int.random(in: 0..<members.count, using: &random)
        let expected = random.oneIn(2) ? Int.random(in: 0...3_000_000, using: &random) : nil
        streams.append((try members[owner].database.beginLargeValue(expectedByteCount: expected), owner, [], false))
    }

    private mutating func write() throws {
        guard let place = streams.indices.randomElement(using: &random), !streams[place].isFinished, streams[place].bytes.count < 3_000_000
        else { return try finish() }
        let piece = bytes(upTo: random.oneIn(2) ? 900_000 : 5000)
        try streams[place].value.write(piece)
        streams[place].bytes += piece
    }

    private mutating func finish() throws {
        guard let place = streams.indices.filter({ !streams[$0].isFinished }).randomElement(using: &random) else { return }
        try streams[place].value.finish()
        streams[place].isFinished = true
    }

    private mutating func attach() throws {
        guard let place = streams.indices.filter({ streams[$0].isFinished }).randomElement(using: &random) else { return try finish() }
        let stream = streams[place], key = Int64.random(in: 0..<6, using: &random), fate = Int.random(in: 0..<6, using: &random)
        let transaction = try members[stream.owner].database.beginWrite()
        let blobs = try transaction.table("Blob"), column = try blobs.column("bytes")
        let savepoint = try transaction.savepoint()
        try transaction.set(ObjectKey(key), in: blobs, column, to: stream.value)
        if random.oneIn(3), try blobs.row(ObjectKey(key))?.read(column, 0..<Int.max) != stream.bytes { complaints.append("wrong in its transaction") }
        switch fate {
        case 0: return transaction.rollback()
        case 1:
            try transaction.rollback(to: savepoint)
            try transaction.commit(.processCrash)
        case 2:
            try transaction.set(ObjectKey(key), in: blobs, column, to: .data([7]))
            try transaction.commit(.processCrash)
            model[key] = [7]
        default:
            try transaction.commit(random.oneIn(2) ? .full : .processCrash)
            model[key] = stream.bytes
            streams.remove(at: place)
        }
    }

    private mutating func commit() throws {
        let key = Int64.random(in: 0..<6, using: &random), new = bytes(upTo: random.oneIn(4) ? 400_000 : 3000)
        let durability: Durability = random.oneIn(4) ? .full : .processCrash
        try anyDatabase().write(durability: durability) { transaction in
            let blobs = try transaction.table("Blob")
            try transaction.set(ObjectKey(key), in: blobs, blobs.column("bytes"), to: .data(new))
        }
        model[key] = new
    }

    private mutating func changePart() throws {
        let key = Int64.random(in: 0..<6, using: &random), old = model[key] ?? [], new = bytes(upTo: 90_000)
        let offset = Int.random(in: 0...old.count, using: &random)
        try anyDatabase().write(durability: .processCrash) { transaction in
            let blobs = try transaction.table("Blob")
            try transaction.write(new, to: ObjectKey(key), in: blobs, blobs.column("bytes"), at: offset)
        }
        model[key, default: []].replaceSubrange(offset..<min(old.count, offset + new.count), with: new)
    }

    private mutating func kill() throws {
        let place = Int.random(in: 0..<members.count, using: &random), member = members[place]
        release()
        member.process.kill()
        member.process.leak(member.database)
        for stream in streams where stream.owner == place { member.process.leak(stream.value) }
        streams.removeAll { $0.owner == place }
        let joined = machine.makeProcess()
        members[place] = (joined, try Database.open(Self.path, .simulated(seed: seed), on: joined))
    }

    private mutating func hold() throws {
        release()
        held = (try anyDatabase().snapshot(), model)
    }

    private mutating func release() {
        if let held { compare(held.model, held.snapshot, "seed \(seed), held version \(held.snapshot.version)") }
        held?.snapshot.end()
        held = nil
    }

    private mutating func compare(_ model: [Int64: [UInt8]], _ snapshot: Snapshot, _ what: String) {
        do {
            let blobs = try snapshot.table("Blob"), column = try blobs.column("bytes")
            for (key, bytes) in model where try blobs.row(ObjectKey(key))?.read(column, 0..<Int.max) != bytes {
                complaints.append("\(what): object \(key) differs")
            }
        } catch { complaints.append("\(what): \(error)") }
    }

    mutating func judge(_ what: String) throws {
        let database = anyDatabase()
        compare(model, try database.snapshot(), what)
        let report = try database.check()
        if !report.isClean { complaints.append("\(what): \(report.problems.prefix(3))") }
    }

    /// What is durable by then is there after a power cut, and pages that were reserved can be used.
    mutating func reopenAfterPowerCut() throws {
        try members[0].database.write { transaction in
            let blobs = try transaction.table("Blob")
            try transaction.set(ObjectKey(0), in: blobs, blobs.column("bytes"), to: .data([1]))
        }
        model[0] = [1]
        let image = machine.image(surviving: .torn(seed: seed))
        defer { image.discard() }
        let database = try Database.open(Self.path, .simulated(seed: seed), on: image.makeProcess())
        compare(model, try database.snapshot(), "seed \(seed), after a power cut")
        let report = try database.check(), information = try database.information()
        if !report.isClean || information.reservedBytes != 0 { complaints.append("seed \(seed), after a power cut: \(report.problems.prefix(3))") }
        let value = try database.beginLargeValue()
        try value.write(LargeValueWriterTests.bytes(1_500_000, 1))
        try value.finish()
        try database.write { transaction in
            let blobs = try transaction.table("Blob")
            try transaction.set(ObjectKey(5), in: blobs, blobs.column("bytes"), to: value)
        }
        model[5] = LargeValueWriterTests.bytes(1_500_000, 1)
        compare(model, try database.snapshot(), "seed \(seed), after a power cut and another stream")
    }
}
