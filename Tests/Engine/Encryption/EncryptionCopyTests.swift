import DatabaseKit
@testable import FreeholdEngine
import Platform
import TestKit
import Testing

/// Backups, copies and compactions of databases with a past, plain and encrypted, while others write and keys change.
@Suite struct EncryptionCopyTests {
    private static let path = "/source.freehold"

    private static func options(_ key: UInt8?) -> OpenOptions {
        var options = OpenOptions.simulated
        options.encryptionKey = key.map { .forTests($0) }
        options.decryptedBytesLimit = 128 << 10
        return options
    }

    private func make(_ process: SimulatedProcess, _ key: UInt8?, rows: Int64 = 6000) throws -> Database {
        let database = try Database.open(Self.path, Self.options(key), on: process)
        try database.write { transaction in
            try transaction.createClass(ClassSchema("Note", primaryKey: "id", [
                PropertySchema("id", .int), PropertySchema("text", .string, isIndexed: true), PropertySchema("next", linkTo: "Note"),
            ]))
            let notes = try transaction.table("Note")
            for id in 0..<rows {
                try transaction.insert(into: notes, values: [.int(id), .string("note \(id) \(id * 77)"), id > 0 ? .link(ObjectKey(id - 1)) : .null])
            }
        }
        return database
    }

    /// Deletes, changes and adds, here and there.
    private func change(_ database: Database, _ random: inout SeededRandom) throws {
        try database.write(durability: random.oneIn(4) ? .full : .processCrash) { transaction in
            let notes = try transaction.table("Note"), text = try notes.column("text")
            let start = Int64.random(in: 0..<6000, using: &random)
            for id in start..<start + 80 where try notes.contains(ObjectKey(id)) {
                if random.oneIn(2) { try transaction.delete(ObjectKey(id), from: notes) } else {
                    try transaction.set(ObjectKey(id), in: notes, text, to: .string("changed \(id) \(random.next())"))
                }
            }
            for _ in 0..<Int.random(in: 0...5, using: &random) {
                let id = Int64.random(in: 10_000..<1_000_000, using: &random)
                if try !notes.contains(ObjectKey(id)) { try transaction.insert(into: notes, values: [.int(id), .string("new \(id)"), .null]) }
            }
        }
    }

    @Test("a compacted file is no longer than 1.1 of a fresh copy, and holds the same", arguments: [nil, 0] as [UInt8?], TestScale.seeds(2))
    func compactness(key: UInt8?, seed: UInt64) throws {
        let machine = SimulatedSystem(seed: seed), process = machine.makeProcess()
        defer { machine.discard() }
        var random = SeededRandom(seed: seed)
        var database = try make(process, key)
        for _ in 0..<40 { try change(database, &random) }
        let digest = try StateDigest.of(database.snapshot())
        try database.copy(to: "/copy", encryption: .same, Self.options(key), on: process)
        let fresh = try #require(try process.status(of: "/copy")).length
        let inPlace = try database.compact()
        #expect(inPlace.lengthAfter < inPlace.lengthBefore)
        #expect(try StateDigest.of(database.snapshot()) == digest && database.check().isClean)
        // In place some room is left for the next commits, a few pages of which a small file consists to a good part.
        #expect(Int(inPlace.lengthAfter) <= fresh * 11 / 10 + 256 << 10, "seed \(seed): \(inPlace.lengthAfter) bytes in place, \(fresh) copied")
        database.close()
        let anew = try Database.compactFile(at: Self.path, Self.options(key), on: process)
        #expect(Int(anew.lengthAfter) <= fresh * 11 / 10, "seed \(seed): \(anew.lengthAfter) bytes anew, \(fresh) copied")
        database = try Database.open(Self.path, Self.options(key), on: process)
        #expect(try StateDigest.of(database.snapshot()) == digest && database.check().isClean)
        database.close()
        #expect(machine.nonces.repeated.isEmpty)
    }

    @Test("an encrypted backup made while others write, and change the key, holds the version it began with")
    func backup() throws {
        let machine = SimulatedSystem(seed: 61)
        defer { machine.discard() }
        let process = machine.makeProcess()
        var random = SeededRandom(seed: 61)
        let database = try make(process, 0, rows: 20_000)
        let other = try Database.open(Self.path, Self.options(0), on: machine.makeProcess())
        let digest = try StateDigest.of(database.snapshot())
        var calls = 0
        _ = try database.backup(to: "/backup", on: process) { _, _ in
            calls += 1
            try? change(other, &random)
            if calls == 1 { try? other.changeKey(to: .forTests(1)) }
        }
        #expect(calls > 0)
        #expect(try StateDigest.of(database.snapshot()) != digest)
        // The first page was copied before the key was changed.
        let backup = try Database.open("/backup", Self.options(0), on: process)
        #expect(try StateDigest.of(backup.snapshot()) == digest && backup.check().isClean)
        // Under one data key with the file it was made from, it is written on, and no nonce comes again.
        for _ in 0..<5 {
            try change(backup, &random)
            try change(other, &random)
        }
        backup.close()
        let refused = #expect(throws: FreeholdError.self) { try Database.open(Self.path, Self.options(0), on: machine.makeProcess()) }
        #expect(refused?.code == .wrongKey)
        try Database.open(Self.path, Self.options(1), on: machine.makeProcess()).close()
        #expect(machine.nonces.count > 100 && machine.nonces.repeated.isEmpty)
    }

    @Test("processes that have a file open go on through changes of its key, and write what each other reads")
    func changedKeys() throws {
        let machine = SimulatedSystem(seed: 62)
        defer { machine.discard() }
        var random = SeededRandom(seed: 62)
        let first = try make(machine.makeProcess(), 0)
        var open = [first]
        for key in 1...4 as ClosedRange<UInt8> {
            // Whoever changes it, the others neither notice nor lose it.
            try open[Int(key) % open.count].changeKey(to: .forTests(key))
            for database in open { try change(database, &random) }
            open.append(try Database.open(Self.path, Self.options(key), on: machine.makeProcess()))
            let wrong = #expect(throws: FreeholdError.self) { try Database.open(Self.path, Self.options(key - 1), on: machine.makeProcess()) }
            #expect(wrong?.code == .wrongKey)
            let digests = try open.map { try StateDigest.of($0.snapshot()) }
            #expect(digests.allSatisfy { $0 == digests[0] })
        }
        #expect(try open[2].check().isClean)
        open.forEach { $0.close() }
        #expect(machine.nonces.repeated.isEmpty)
    }
}
