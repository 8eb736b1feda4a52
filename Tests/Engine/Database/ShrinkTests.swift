import DatabaseKit
@testable import FreeholdEngine
import TestKit
import Testing

/// A file that lost most of its objects gives the disk its space back while it is open.
@Suite struct ShrinkTests {
    @Test("after most objects are deleted and a few commits the file is shorter")
    func shrinks() throws {
        let machine = SimulatedSystem(seed: 5)
        defer { machine.discard() }
        let process = machine.makeProcess()
        let database = try Database.open("/shrink.freehold", OpenOptions.simulated, on: process)
        try database.write { transaction in
            try transaction.createClass(ClassSchema("Note", primaryKey: "id", [PropertySchema("id", .int), PropertySchema("text", .string)]))
            let notes = try transaction.table("Note")
            for id in 0..<4000 {
                try transaction.insert(into: notes, values: [.int(Int64(id)), .string("note \(id) " + String(repeating: "x", count: 300))])
            }
        }
        let before = try database.information().fileLength
        try database.write { transaction in
            let notes = try transaction.table("Note")
            for id in 100..<4000 { try transaction.delete(ObjectKey(Int64(id)), from: notes) }
        }
        for round in 0..<120 {
            try database.write { transaction in
                let notes = try transaction.table("Note")
                try transaction.set(ObjectKey(Int64(round % 100)), in: notes, notes.column("text"), to: .string("round \(round)"))
            }
        }
        let after = try database.information().fileLength
        #expect(after < before / 2, "\(before) bytes before, \(after) after")
        #expect(try database.snapshot().table("Note").count == 100)
        #expect(try database.check().isClean)
    }

    @Test("a version that is held keeps the end of the file it needs")
    func heldVersionStays() throws {
        let machine = SimulatedSystem(seed: 6)
        defer { machine.discard() }
        let process = machine.makeProcess()
        let database = try Database.open("/shrink.freehold", OpenOptions.simulated, on: process)
        try database.write { transaction in
            try transaction.createClass(ClassSchema("Note", [PropertySchema("text", .string)]))
            let notes = try transaction.table("Note")
            for id in 0..<3000 { try transaction.insert(into: notes, values: [.string("note \(id) " + String(repeating: "y", count: 300))]) }
        }
        let old = try database.snapshot()
        try database.write { transaction in
            let notes = try transaction.table("Note")
            for id in 0..<3000 { try transaction.delete(ObjectKey(Int64(id)), from: notes) }
        }
        for _ in 0..<100 {
            try database.write { transaction in _ = try transaction.insert(into: "Note", [("text", .string("new"))]) }
        }
        let notes = try old.table("Note")
        var read = 0
        try notes.forEach { row in
            read += try row.string(notes.column("text")).hasPrefix("note ") ? 1 : 0
            return true
        }
        #expect(read == 3000)
    }

    @Test("a commit that makes the version longer while the file is too long keeps all of it", arguments: 8...20)
    func growsWhileTooLong(smallCommits: Int) throws {
        let machine = SimulatedSystem(seed: 7)
        defer { machine.discard() }
        let process = machine.makeProcess()
        let database = try Database.open("/cache.freehold", OpenOptions.simulated, on: process)
        try database.write { transaction in
            try transaction.createClass(ClassSchema("Entry", primaryKey: "id", [PropertySchema("id", .int), PropertySchema("bytes", .data)]))
            try Self.fill(transaction, 0..<120)
        }
        try database.write { transaction in
            let entries = try transaction.table("Entry")
            for id in 0..<120 { try transaction.delete(ObjectKey(Int64(id)), from: entries) }
        }
        for commit in 0..<smallCommits {
            try database.write { transaction in
                _ = try transaction.insert(into: transaction.table("Entry"), values: [.int(Int64(1000 + commit)), .data([1])])
            }
        }
        try database.write { transaction in try Self.fill(transaction, 0..<60) }
        #expect(try database.check().isClean)
        let entries = try database.snapshot().table("Entry"), bytes = try entries.column("bytes")
        for id in 0..<60 as Range<Int64> { #expect(try entries.value(ObjectKey(id), bytes) == .data(Self.bytes(id))) }
        // What another process finds in the file, not what this one has in memory.
        let other = try Database.open("/cache.freehold", OpenOptions.simulated, on: machine.makeProcess())
        #expect(try other.check().isClean)
        #expect(try other.snapshot().table("Entry").count == 60 + smallCommits)
    }

    private static func fill(_ transaction: WriteTransaction, _ ids: Range<Int64>) throws {
        let entries = try transaction.table("Entry")
        for id in ids { _ = try transaction.insert(into: entries, values: [.int(id), .data(bytes(id))]) }
    }

    private static func bytes(_ id: Int64) -> [UInt8] { [UInt8](repeating: UInt8(truncatingIfNeeded: id), count: 32 << 10) }
}
