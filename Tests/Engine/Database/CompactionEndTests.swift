import DatabaseKit
@testable import FreeholdEngine
import Platform
import TestKit
import Testing

/// A compaction in place comes to its end whatever others hold, and never leaves the file longer than it was.
@Suite struct CompactionEndTests {
    private static let path = "/compact.freehold"

    private func make(_ process: SimulatedProcess, objects: Int64, keepingOneIn kept: Int64) throws -> Database {
        let database = try Database.open(Self.path, .simulated, on: process)
        try database.write { transaction in
            try transaction.createClass(ClassSchema("Note", primaryKey: "id", [
                PropertySchema("id", .int), PropertySchema("text", .string, isIndexed: true),
            ]))
            let notes = try transaction.table("Note")
            for id in 0..<objects {
                try transaction.insert(into: notes, values: [.int(id), .string("note \(id) " + String(repeating: "x", count: Int(id % 90)))])
            }
        }
        for first in stride(from: Int64(0), to: objects, by: 500) where kept > 1 {
            try database.write(durability: .processCrash) { transaction in
                let gone = (first..<min(first + 500, objects)).filter { $0 % kept != 0 }.map { ObjectKey($0) }
                try transaction.delete(gone, from: transaction.table("Note"))
            }
        }
        return database
    }

    /// - Parameter deletesFirst: whether what is deleted was gone before the version was held.
    @Test("while another process holds a version it ends, and the file is no longer than before", arguments: [true, false])
    func held(deletesFirst: Bool) throws {
        let machine = SimulatedSystem(seed: 11), process = machine.makeProcess()
        defer { machine.discard() }
        let database = try make(process, objects: 6000, keepingOneIn: deletesFirst ? 3 : 1)
        let other = try Database.open(Self.path, .simulated, on: machine.makeProcess()), held = try other.snapshot()
        let digest = try StateDigest.of(held)
        if !deletesFirst {
            try database.write { transaction in
                try transaction.delete((0..<6000).filter { $0 % 3 != 0 }.map { ObjectKey($0) }, from: transaction.table("Note"))
            }
        }
        let before = try #require(try process.status(of: Self.path)).length
        var steps = 0
        let report = try database.compact { _ in
            steps += 1
            // Without an end of its own it ends now.
            if steps == 2000 { held.end() }
        }
        #expect(steps < 2000)
        #expect(report.lengthAfter <= UInt64(before), "\(before) bytes before, \(report.lengthAfter) after \(steps) steps")
        if steps < 2000 { #expect(try StateDigest.of(held) == digest) }
        held.end()
        #expect(try database.check().isClean)
        let after = try database.compact()
        #expect(after.lengthAfter < UInt64(before))
        #expect(try database.check().isClean)
    }

    /// The index block of such a value takes what a step's last chunk leaves of its budget: each step once began the value anew.
    @Test("while a version is held, values of many chunks do not keep it going")
    func heldWithLongValues() throws {
        let machine = SimulatedSystem(seed: 12), process = machine.makeProcess()
        defer { machine.discard() }
        let database = try Database.open(Self.path, .simulated, on: process)
        try database.write { transaction in
            try transaction.createClass(ClassSchema("Blob", primaryKey: "id", [PropertySchema("id", .int), PropertySchema("bytes", .data)]))
            for id in 0..<Int64(3) {
                try transaction.insert(into: "Blob", key: .int(id), [("id", .int(id)), ("bytes", .data(Array(repeating: UInt8(id), count: 9_000_000)))])
            }
        }
        let held = try Database.open(Self.path, .simulated, on: machine.makeProcess()).snapshot()
        try database.write { try $0.delete([ObjectKey(0), ObjectKey(1)], from: $0.table("Blob")) }
        let before = try #require(try process.status(of: Self.path)).length
        var steps = 0
        let report = try database.compact { _ in
            steps += 1
            if steps == 400 { held.end() }
        }
        #expect(steps < 400)
        #expect(report.lengthAfter <= UInt64(before))
        held.end()
        #expect(try database.compact().lengthAfter < UInt64(before) / 2)
        #expect(try database.check().isClean)
    }

    @Test("whatever a file holds, compaction makes it no longer", arguments: [1, 2, 5] as [Int64])
    func neverLonger(keepingOneIn kept: Int64) throws {
        for objects in [0, 1, 30, 100, 300, 700, 1500, 4000] as [Int64] {
            let machine = SimulatedSystem(seed: UInt64(objects)), process = machine.makeProcess()
            defer { machine.discard() }
            let database = try make(process, objects: objects, keepingOneIn: kept)
            for round in 0..<3 {
                let before = try #require(try process.status(of: Self.path)).length
                let report = try database.compact()
                #expect(report.lengthAfter <= UInt64(before), "\(objects) objects, one of \(kept) kept, round \(round): \(before) → \(report.lengthAfter)")
                #expect(try database.check().isClean)
            }
        }
    }
}
