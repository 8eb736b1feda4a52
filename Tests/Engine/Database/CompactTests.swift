import DatabaseKit
@testable import FreeholdEngine
import Platform
import TestKit
import Testing

/// Files that have become larger than what they hold are made small again, while others go on.
@Suite struct CompactTests {
    private static let path = "/compact.freehold"

    /// A file of which two thirds of the objects were deleted here and there, and some changed.
    private func make(_ process: SimulatedProcess, objects: Int64 = 6000) throws -> Database {
        let database = try Database.open(Self.path, .simulated, on: process)
        try database.write { transaction in
            try transaction.createClass(ClassSchema("Note", primaryKey: "id", [
                PropertySchema("id", .int), PropertySchema("text", .string, isIndexed: true), PropertySchema("next", linkTo: "Note"),
            ]))
            let notes = try transaction.table("Note")
            for id in 0..<objects {
                try transaction.insert(into: notes, values: [.int(id), .string("note \(id) " + String(repeating: "x", count: Int(id % 60))),
                                                              id > 0 ? .link(ObjectKey(id - 1)) : .null])
            }
        }
        for round in 0..<Int64(12) {
            try database.write(durability: .processCrash) { transaction in
                let notes = try transaction.table("Note")
                let gone = (0..<objects).filter { $0 % 37 == round * 2 || $0 % 37 == round * 2 + 1 }.map { ObjectKey($0) }
                try transaction.delete(gone, from: notes)
                try transaction.set(ObjectKey(36), in: notes, notes.column("text"), to: .string("round \(round)"))
            }
        }
        return database
    }

    @Test("in place, the file gets nearly as short as a fresh copy, and holds the same")
    func inPlace() throws {
        let machine = SimulatedSystem(seed: 1), process = machine.makeProcess()
        defer { machine.discard() }
        let database = try make(process)
        let before = try StateDigest.of(database.snapshot())
        let report = try database.compact()
        #expect(report.lengthAfter < report.lengthBefore)
        #expect(report.movedBlocks > 0)
        #expect(try StateDigest.of(database.snapshot()) == before)
        #expect(try database.check().isClean)
        let usage = try database.information()
        #expect(usage.fileLength < usage.usedBytes * 110 / 100 + 200_000, "\(usage.fileLength) bytes for \(usage.usedBytes) in use")
        let again = try database.compact()
        #expect(again.lengthAfter <= report.lengthAfter + 65_536)
    }

    @Test("others write and read between its steps, and a held version stays whole")
    func amongOthers() throws {
        let machine = SimulatedSystem(seed: 2)
        defer { machine.discard() }
        let database = try make(machine.makeProcess())
        let other = try Database.open(Self.path, .simulated, on: machine.makeProcess())
        var held: Snapshot?, digest = 0
        var steps = 0, errors: [String] = []
        try database.compact { _ in
            steps += 1
            do {
                if steps == 1 {
                    held = try other.snapshot()
                    digest = try StateDigest.of(#require(held))
                }
                try other.write(durability: .processCrash) { transaction in
                    let notes = try transaction.table("Note")
                    try transaction.set(ObjectKey(36), in: notes, notes.column("text"), to: .string("step \(steps)"))
                    try transaction.insert(into: notes, values: [.int(100_000 + Int64(steps)), .string("new"), .null])
                }
            } catch { errors.append("\(error)") }
        }
        #expect(steps > 0 && errors.isEmpty, "\(steps) steps: \(errors)")
        #expect(try StateDigest.of(#require(held)) == digest)
        held?.end()
        #expect(try database.snapshot().table("Note").contains(ObjectKey(100_000 + Int64(steps))))
        #expect(try database.check().isClean)
        // With nobody holding the old version the rest goes too.
        let report = try database.compact()
        #expect(report.lengthAfter < report.lengthBefore)
        #expect(try database.check().isClean)
    }

    @Test("a crash at any step of a compaction leaves the same content")
    func crash() throws {
        var options = SimulatedSystem.Options(seed: 3)
        options.recordsMappedStores = false
        let machine = SimulatedSystem(options)
        defer { machine.discard() }
        let database = try make(machine.makeProcess(), objects: 700)
        try database.write { transaction in
            let notes = try transaction.table("Note")
            try transaction.set(ObjectKey(36), in: notes, notes.column("text"), to: .string("durable"))
        }
        let digest = try StateDigest.of(database.snapshot()), start = machine.operationCount
        try database.compact()
        for crash in machine.crashCases(from: start, seed: 3, subsets: 2, torn: 1) {
            let image = machine.image(crash)
            defer { image.discard() }
            let found = try Database.open(Self.path, .simulated, on: image.makeProcess())
            #expect(try found.check().isClean, "\(crash)")
            #expect(try StateDigest.of(found.snapshot()) == digest, "\(crash)")
            found.close()
        }
    }

    @Test("written anew, the file has the size of a copy; an open one is refused")
    func anew() throws {
        let machine = SimulatedSystem(seed: 4), process = machine.makeProcess()
        defer { machine.discard() }
        let database = try make(process)
        let digest = try StateDigest.of(database.snapshot())
        let other = try Database.open(Self.path, .simulated, on: machine.makeProcess())
        database.close()
        let refusal = #expect(throws: FreeholdError.self) { try Database.compactFile(at: Self.path, .simulated, on: process) }
        #expect(refusal?.code == .inUse)
        other.close()
        let report = try Database.compactFile(at: Self.path, .simulated, on: process)
        #expect(report.lengthAfter < report.lengthBefore)
        let anew = try Database.open(Self.path, .simulated, on: process)
        #expect(try StateDigest.of(anew.snapshot()) == digest)
        #expect(try anew.check().isClean)
        #expect(try process.listDirectory("/").filter { $0.contains("compacting") }.isEmpty)
    }

    @Test("a file most of which is reusable gives storage back in the middle, but not all of it")
    func holes() throws {
        let machine = SimulatedSystem(seed: 5), process = machine.makeProcess()
        defer { machine.discard() }
        let database = try Database.open(Self.path, .simulated, on: process)
        try database.write { transaction in
            try transaction.createClass(ClassSchema("Blob", primaryKey: "id", [PropertySchema("id", .int), PropertySchema("bytes", .data)]))
            for id in 0..<Int64(120) { try transaction.insert(into: "Blob", key: .int(id), [("id", .int(id)), ("bytes", .data(Array(repeating: 7, count: 100_000)))]) }
        }
        // What a reader holds at the end of the file keeps it from being cut.
        try database.write { transaction in try transaction.insert(into: "Blob", key: .int(500), [("id", .int(500)), ("bytes", .data([1]))]) }
        try database.write { transaction in try transaction.delete((0..<110).map { ObjectKey($0) }, from: transaction.table("Blob")) }
        let reader = try database.snapshot()
        for id in 0..<Int64(200) {
            try database.write { transaction in try transaction.insert(into: "Blob", key: .int(1000 + id), [("id", .int(1000 + id)), ("bytes", .data([2]))]) }
        }
        #expect(try reader.table("Blob").count == 11)
        reader.end()
        #expect(try database.check().isClean)
        let status = try #require(try process.status(of: Self.path)), usage = try database.information()
        #expect(status.storedLength < Int(usage.usedBytes) * 3 + 8 << 20, "\(status.storedLength) stored of \(status.length), \(usage.usedBytes) used")
    }
}
