import CShims
import DatabaseKit
@testable import FreeholdEngine
import TestKit
import Testing

/// Writing, appending to and truncating parts of strings and data, wherever those stand, against arrays of bytes.
@Suite struct PartialWriteTests {
    static let seeds = TestScale.seeds(12)

    /// A class of blobs with a few objects, enough of them for a cluster if asked for.
    static func makeBlobs(_ database: Database, sealed: Bool) throws {
        try database.write { transaction in
            try transaction.createClass(ClassSchema("Blob", primaryKey: "id", [
                PropertySchema("id", .int), PropertySchema("bytes", .data, isNullable: true), PropertySchema("name", .string, isIndexed: true),
                PropertySchema("text", .string),
            ]))
            let blobs = try transaction.table("Blob")
            for id in 0..<(sealed ? 300 : 6) as Range<Int64> {
                try transaction.insert(into: blobs, values: [.int(id), .null, .string("n\(id)"), .string("text")])
            }
        }
    }

    @Test("random changes of parts leave what they leave of an array", arguments: seeds)
    func againstArrays(seed: UInt64) throws {
        let machine = SimulatedSystem(seed: seed)
        defer { machine.discard() }
        let database = try Database.open("/parts.freehold", .simulated(seed: seed), on: machine.makeProcess())
        defer { database.close() }
        try Self.makeBlobs(database, sealed: seed % 2 == 0)
        var model: [Int64: [UInt8]] = [:], random = SeededRandom(seed: seed)
        for round in 0..<24 {
            let before = model
            let transaction = try database.beginWrite()
            let blobs = try transaction.table("Blob"), column = try blobs.column("bytes")
            for _ in 0..<Int.random(in: 1...5, using: &random) {
                let saved = model, savepoint = random.oneIn(3) ? try transaction.savepoint() : nil
                for _ in 0..<3 {
                    let id = Int64.random(in: 0..<6, using: &random)
                    model[id] = try change(model[id] ?? [], ObjectKey(id), transaction, blobs, column, &random)
                }
                guard let savepoint, random.oneIn(2) else { continue }
                try transaction.rollback(to: savepoint)
                model = saved
            }
            try compare(model, try transaction.table("Blob"), "seed \(seed), round \(round), in the transaction")
            if random.oneIn(4) {
                transaction.rollback()
                model = before
            } else {
                try transaction.commit(.processCrash)
            }
            try compare(model, try database.snapshot().table("Blob"), "seed \(seed), round \(round)")
            let report = try database.check()
            #expect(report.isClean, "seed \(seed), round \(round): \(report.problems.prefix(3))")
            if !report.isClean { return }
        }
    }

    private func change(_ old: [UInt8], _ key: ObjectKey, _ transaction: WriteTransaction, _ blobs: Table, _ column: Column,
                        _ random: inout SeededRandom) throws -> [UInt8] {
        let length = [1, 50, 5000, 70_000, 200_000].randomElement(using: &random)!
        let bytes = [UInt8](repeating: UInt8.random(in: 0...255, using: &random), count: Int.random(in: 0...length, using: &random))
        var new = old
        switch Int.random(in: 0..<4, using: &random) {
        case 0:
            new += bytes
            try transaction.append(bytes, to: key, in: blobs, column)
        case 1:
            new.removeLast(Int.random(in: 0...old.count, using: &random))
            try transaction.truncate(key, in: blobs, column, to: new.count)
        default:
            let offset = Int.random(in: 0...old.count, using: &random)
            new.replaceSubrange(offset..<min(old.count, offset + bytes.count), with: bytes)
            try transaction.write(bytes, to: key, in: blobs, column, at: offset)
        }
        return new
    }

    private func compare(_ model: [Int64: [UInt8]], _ blobs: Table, _ what: String) throws {
        let column = try blobs.column("bytes")
        for (id, bytes) in model {
            let row = try #require(try blobs.row(ObjectKey(id)))
            #expect(try row.byteCount(column) == bytes.count, "\(what), object \(id)")
            #expect(try row.read(column, 0..<Int.max) == bytes, "\(what), object \(id): bytes")
        }
    }

    @Test("a value of two levels of index blocks grows, shrinks and changes at their border")
    func twoLevels() throws {
        let folder = try TemporaryFolder(), database = try Database.open(folder.file("levels.freehold"))
        defer { database.close() }
        try Self.makeBlobs(database, sealed: false)
        let border = LargeValue.chunkBytes * LargeValue.fanOut, key = ObjectKey(1)
        var model = [UInt8](repeating: 7, count: border - 100_000)
        func change(_ body: (WriteTransaction, Table, Column) throws -> Void) throws {
            try database.write(durability: .processCrash) { transaction in
                let blobs = try transaction.table("Blob")
                try body(transaction, blobs, try blobs.column("bytes"))
            }
            let blobs = try database.snapshot().table("Blob"), column = try blobs.column("bytes")
            let row = try #require(try blobs.row(key))
            let isEqual = try row.withBytes(column) { freehold_shim_compare($0.baseAddress, model, min($0.count, model.count)) == 0 }
            let count = try row.byteCount(column)
            #expect(isEqual && model.count == count)
        }
        try change { try $0.append(model, to: key, in: $1, $2) }
        for (round, count) in [100_000, 1, 61_440, 300_000].enumerated() {
            let bytes = [UInt8](repeating: UInt8(round), count: count)
            model += bytes
            try change { try $0.append(bytes, to: key, in: $1, $2) }
        }
        let patch = [UInt8](repeating: 99, count: 150_000)
        model.replaceSubrange(border - 75_000..<border + 75_000, with: patch)
        try change { try $0.write(patch, to: key, in: $1, $2, at: border - 75_000) }
        for end in [border + 1, border, border - 1] {
            model.removeLast(model.count - end)
            try change { try $0.truncate(key, in: $1, $2, to: end) }
        }
        let report = try database.check()
        #expect(report.isClean, "\(report.problems.prefix(3))")
    }

    @Test("a change of a part makes the blocks that hold it anew, and those above, however long the value")
    func cost() throws {
        let machine = SimulatedSystem(seed: 1)
        defer { machine.discard() }
        let database = try Database.open("/cost.freehold", .simulated, on: machine.makeProcess())
        try Self.makeBlobs(database, sealed: true)
        func blocks(_ body: (WriteTransaction, Table, Column) throws -> Void) throws -> Int {
            let transaction = try database.beginWrite(), blobs = try transaction.table("Blob")
            try body(transaction, blobs, try blobs.column("bytes"))
            let count = transaction.pending.count
            try transaction.commit(.processCrash)
            return count
        }
        let key = ObjectKey(2)
        _ = try blocks { try $0.append([UInt8](repeating: 1, count: 6_000_000), to: key, in: $1, $2) }
        #expect(try blocks { try $0.write([2, 2, 2], to: key, in: $1, $2, at: 3_000_000) } <= 8)
        #expect(try blocks { try $0.append([3], to: key, in: $1, $2) } <= 8)
        #expect(try blocks { try $0.truncate(key, in: $1, $2, to: 5_000_000) } <= 8)
        // Many small pieces in one transaction fill what is there.
        let appended = try blocks { transaction, blobs, column in
            for _ in 0..<2000 { try transaction.append([4, 4, 4, 4], to: key, in: blobs, column) }
        }
        #expect(appended <= 12, "\(appended) blocks")
    }

    @Test("what cannot be written is refused, and changes nothing")
    func refusals() throws {
        let machine = SimulatedSystem(seed: 3)
        defer { machine.discard() }
        let database = try Database.open("/refused.freehold", .simulated, on: machine.makeProcess())
        try Self.makeBlobs(database, sealed: false)
        let transaction = try database.beginWrite(), blobs = try transaction.table("Blob"), key = ObjectKey(0)
        let bytes = try blobs.column("bytes"), text = try blobs.column("text"), name = try blobs.column("name")
        func refused(_ code: FreeholdError.Code, _ body: () throws -> Void) {
            let error = #expect(throws: FreeholdError.self) { try body() }
            #expect(error?.code == code, "\(error as Any)")
        }
        try transaction.append([1, 2, 3], to: key, in: blobs, bytes)
        refused(.invalidArgument) { try transaction.write([1], to: key, in: blobs, bytes, at: 4) }
        refused(.invalidArgument) { try transaction.write([1], to: key, in: blobs, bytes, at: -1) }
        refused(.invalidArgument) { try transaction.write([1], to: key, in: blobs, bytes, at: .max) }
        refused(.invalidArgument) { try transaction.truncate(key, in: blobs, bytes, to: 4) }
        refused(.typeMismatch) { try transaction.truncate(key, in: blobs, blobs.column("id"), to: 0) }
        refused(.noSuchObject) { try transaction.append([1], to: ObjectKey(77), in: blobs, bytes) }
        refused(.invalidArgument) { try transaction.append([0xff], to: key, in: blobs, text) }
        try transaction.append(Array(" ä".utf8), to: key, in: blobs, text)
        refused(.invalidArgument) { try transaction.truncate(key, in: blobs, text, to: 6) }
        refused(.invalidArgument) { try transaction.write(Array("b".utf8), to: key, in: blobs, text, at: 5) }
        try transaction.write(Array("ö".utf8), to: key, in: blobs, text, at: 5)
        try transaction.write(Array("N".utf8), to: key, in: blobs, name, at: 0)
        refused(.valueTooLarge) { try transaction.append([UInt8](repeating: 65, count: 100_000), to: key, in: blobs, name) }
        // Memory that is not touched: only its length counts.
        let huge = UnsafeRawBufferPointer(start: UnsafeRawPointer(bitPattern: 4096), count: LargeValue.maximumBytes)
        refused(.valueTooLarge) { try transaction.append(huge, to: key, in: blobs, bytes) }
        let row = try #require(try blobs.row(key))
        #expect(try row.value(bytes) == .data([1, 2, 3]))
        #expect(try row.string(text) == "text ö")
        #expect(try row.string(name) == "N0")
        try transaction.commit()
        #expect(try database.check().isClean)
        let found = try database.snapshot().table("Blob")
        #expect(try found.keys(found.column("name"), equals: .string("N0")) == [key])
    }
}
