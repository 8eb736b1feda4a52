import DatabaseKit
@testable import FreeholdEngine
import Platform
import TestKit
import Testing

/// What a damaged file still holds comes into a new one: every object that no destroyed page held, and nothing that was deleted.
@Suite struct SalvageTests {
    @Test("random pages destroyed, with or without the header", arguments: [1, 10, 100], [false, true])
    func random(pages: Int, isEncrypted: Bool) throws {
        for seed in 1...UInt64(TestScale.count(2)) {
            let wreck = try Wreck(seed: seed, isEncrypted: isEncrypted)
            defer { wreck.discard() }
            for round in 0..<6 {
                var random = SeededRandom(seed: seed << 8 | UInt64(round))
                var destroyed: Set<Int> = round % 3 == 2 ? wreck.header : []
                let candidates = (4..<wreck.pageCount).filter { !wreck.schemaPages.contains($0) }
                while destroyed.count < min(pages, candidates.count / 2) { destroyed.insert(candidates.randomElement(using: &random)!) }
                try wreck.salvage(destroying: destroyed, random: &random, "seed \(seed), round \(round), \(pages) pages")
            }
        }
    }

    @Test("each inner node, table root, top block and space block destroyed by itself", arguments: [false, true])
    func targeted(isEncrypted: Bool) throws {
        let wreck = try Wreck(seed: 77, isEncrypted: isEncrypted)
        defer { wreck.discard() }
        var random = SeededRandom(seed: 77)
        for page in wreck.innerPages.sorted() where !wreck.schemaPages.contains(page) {
            try wreck.salvage(destroying: [page], random: &random, "inner page \(page)")
            try wreck.salvage(destroying: wreck.header.union([page]), random: &random, "inner page \(page) and the header")
        }
    }

    @Test("an intact file comes over whole, and the report says so", arguments: [false, true])
    func intact(isEncrypted: Bool) throws {
        let wreck = try Wreck(seed: 5, isEncrypted: isEncrypted)
        defer { wreck.discard() }
        var random = SeededRandom(seed: 5)
        let report = try wreck.salvage(destroying: [], random: &random, "intact")
        #expect(report.isComplete)
        #expect(report.objects == wreck.objectCount)
        #expect(report.version != nil)
    }

    @Test("a file cut short gives what stands before the cut", arguments: [false, true])
    func truncated(isEncrypted: Bool) throws {
        let wreck = try Wreck(seed: 6, isEncrypted: isEncrypted)
        defer { wreck.discard() }
        for kept in [wreck.pageCount - 1, wreck.pageCount * 3 / 4, wreck.pageCount / 2, 10, 4, 1] {
            var random = SeededRandom(seed: 6)
            try wreck.salvage(destroying: Set(kept..<wreck.pageCount), cutTo: kept, random: &random, "cut to \(kept) pages")
        }
    }

    @Test("without a schema classes and properties get made-up names, and the values come over")
    func schemaLost() throws {
        let wreck = try Wreck(seed: 7, schemaChanges: false)
        defer { wreck.discard() }
        var random = SeededRandom(seed: 7)
        let (report, _) = try wreck.run(destroying: wreck.allSchemaPages(), cutTo: nil, random: &random)
        #expect(report.notes.contains { $0.contains("made up") }, "\(report)")
        #expect(report.classes.first?.name == "Class0")
        #expect(report.objects > 0)
    }

    @Test("an open file is refused, and a new file is never written over another")
    func refusals() throws {
        let wreck = try Wreck(seed: 8)
        defer { wreck.discard() }
        let database = try Database.open(Wreck.path, .simulated, on: wreck.process)
        let error = #expect(throws: FreeholdError.self) {
            try Database.salvage(from: Wreck.path, to: "/new", .simulated, on: wreck.machine.makeProcess())
        }
        #expect(error?.code == .inUse)
        database.close()
        let exists = #expect(throws: FreeholdError.self) {
            try Database.salvage(from: Wreck.path, to: Wreck.path, .simulated, on: wreck.process)
        }
        #expect(exists?.code == .alreadyExists)
    }

    @Test("a file that is no database gives an error and no new file", arguments: [0, 10, 5000, 300_000])
    func foreign(length: Int) throws {
        let machine = SimulatedSystem(seed: 10), process = machine.makeProcess()
        defer { machine.discard() }
        var random = SeededRandom(seed: UInt64(length))
        let text = Array("SQLite format 3\0 and whatever else stands in a text\n".utf8)
        let contents: [[UInt8]] = [
            (0..<length).map { text[$0 % text.count] }, (0..<length).map { _ in UInt8.random(in: 0...255, using: &random) },
            Array(repeating: 0, count: length),
        ]
        for (number, bytes) in contents.enumerated() {
            let file = try process.openFile("/foreign\(number)", .createExclusive(permissions: 0o644))
            try file.write(bytes, at: 0)
            file.close()
            let error = #expect(throws: FreeholdError.self) {
                try Database.salvage(from: "/foreign\(number)", to: "/new", .simulated, on: process)
            }
            #expect(error?.code == .notADatabase, "\(String(describing: error))")
            #expect(try process.listDirectory("/").allSatisfy { $0.hasPrefix("foreign") && !$0.contains(".") })
        }
    }

    @Test("a version that was committed but is not whole gives way to the durable one", arguments: [false, true])
    func unadoptable(isEncrypted: Bool) throws {
        let wreck = try Wreck(seed: 9, isEncrypted: isEncrypted)
        defer { wreck.discard() }
        let durable = try wreck.durableVersion()
        try wreck.commitTorn()
        let report = try Database.salvage(from: Wreck.path, to: "/salvaged", wreck.options, on: wreck.process)
        #expect(report.version == Version(durable))
        #expect(report.notes.contains { $0.contains("is incomplete") })
        #expect(report.objects == wreck.objectCount)
    }
}
