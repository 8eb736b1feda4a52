import DatabaseKit
@testable import FreeholdEngine
import Platform
import TestKit
import Testing

/// A backup is one version, whole, whatever is written meanwhile.
@Suite struct BackupTests {
    private static let path = "/source.freehold"

    private func make(_ process: SimulatedProcess) throws -> Database {
        let database = try Database.open(Self.path, .simulated, on: process)
        try database.write { transaction in
            try transaction.createClass(ClassSchema("Note", primaryKey: "id", [PropertySchema("id", .int), PropertySchema("text", .string)]))
            let notes = try transaction.table("Note")
            for id in 0..<Int64(20_000) { try transaction.insert(into: notes, values: [.int(id), .string("note \(id) \(id * 77)")]) }
        }
        return database
    }

    @Test("others write while it is made, and it holds the version it began with")
    func online() throws {
        let machine = SimulatedSystem(seed: 1)
        defer { machine.discard() }
        let process = machine.makeProcess()
        let database = try make(process)
        let other = try Database.open(Self.path, .simulated, on: machine.makeProcess())
        let digest = try StateDigest.of(database.snapshot())
        var calls = 0, last: (UInt64, UInt64) = (0, 1)
        let report = try database.backup(to: "/backup.freehold", on: process) { done, total in
            calls += 1
            last = (done, total)
            for _ in 0..<3 {
                try? other.write { transaction in
                    let notes = try transaction.table("Note")
                    for id in stride(from: Int64(calls), to: 20_000, by: 50) {
                        try transaction.set(ObjectKey(id), in: notes, notes.column("text"), to: .string("changed \(calls)"))
                    }
                }
            }
        }
        #expect(calls > 0 && last.0 == last.1 && report.copiedBytes == last.1)
        let backup = try Database.open("/backup.freehold", .simulated, on: process)
        #expect(try StateDigest.of(backup.snapshot()) == digest)
        #expect(try StateDigest.of(database.snapshot()) != digest)
        #expect(try backup.check().isClean)
        try backup.write { transaction in try transaction.insert(into: "Note", key: .int(90_000), [("id", .int(90_000)), ("text", .string("mine"))]) }
        #expect(try backup.check().isClean)
        #expect(try !database.snapshot().table("Note").contains(ObjectKey(90_000)))
    }

    @Test("it survives a power cut once it has its name, and has no name before it is whole")
    func powerCut() throws {
        var options = SimulatedSystem.Options(seed: 2)
        options.recordsMappedStores = false
        let machine = SimulatedSystem(options)
        defer { machine.discard() }
        let process = machine.makeProcess()
        let database = try make(process)
        let digest = try StateDigest.of(database.snapshot()), start = machine.operationCount
        _ = try database.backup(to: "/backup.freehold", on: process)
        let end = machine.operationCount
        for crash in machine.crashCases(from: start, seed: 2, subsets: 2, torn: 1) {
            let image = machine.image(crash), rebooted = image.makeProcess()
            defer { image.discard() }
            let isThere = try rebooted.status(of: "/backup.freehold") != nil
            if crash.place >= end { #expect(isThere, "\(crash)") }
            guard isThere else { continue }
            let backup = try Database.open("/backup.freehold", .simulated, on: rebooted)
            #expect(try StateDigest.of(backup.snapshot()) == digest, "\(crash)")
            backup.close()
        }
    }

    @Test("a damaged block gives an error and no backup; a file is never replaced")
    func damage() throws {
        let machine = SimulatedSystem(seed: 3), process = machine.makeProcess()
        defer { machine.discard() }
        let database = try make(process)
        let version = try database.backup(to: "/first", on: process).version
        #expect(try database.snapshot().version == version)
        let taken = #expect(throws: FreeholdError.self) { try database.backup(to: "/first", on: process) }
        #expect(taken?.code == .alreadyExists)
        let file = try process.openFile(Self.path, .readWrite)
        try file.write([UInt8](repeating: 0x5A, count: 512), at: 20 * 4096 + 128)
        file.close()
        let error = #expect(throws: FreeholdError.self) { try database.backup(to: "/second", on: process) }
        #expect(error?.code == .corrupt)
        #expect(try process.listDirectory("/").filter { $0.hasPrefix("second") }.isEmpty)
    }
}
