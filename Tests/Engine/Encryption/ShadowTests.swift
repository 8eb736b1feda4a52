import DatabaseKit
@testable import FreeholdEngine
import Platform
import TestKit
import Testing

/// The memory in which blocks are decrypted: it is bounded, and many threads use it at once.
@Suite struct ShadowTests {
    private typealias Secret = EncryptionTests

    @Test("a scan of a file larger than the bound, a snapshot for each part, stays within it")
    func bounded() throws {
        let machine = SimulatedSystem(seed: 31)
        defer { machine.discard() }
        let rows = 60_000
        try Secret.make(on: machine.makeProcess(), rows: rows)
        var options = Secret.options()
        options.decryptedBytesLimit = 256 << 10
        let database = try Database.open(Secret.path, options, on: machine.makeProcess())
        defer { database.close() }
        let shadow = try #require(try database.core().shadow)
        let length = try database.information().fileLength
        #expect(length > 4 * UInt64(options.decryptedBytesLimit))
        let snapshot = try database.snapshot()
        var greatest = 0
        for _ in 0..<2 {
            for part in 0..<40 {
                try snapshot.refresh()
                let notes = try snapshot.table("Note")
                let text = try notes.column("text")
                for id in part * rows / 40..<(part + 1) * rows / 40 {
                    let row = try #require(try notes.row(ObjectKey(Int64(id))))
                    let found = try row.string(text)
                    if found != "\(Secret.marker) \(id)" { Issue.record("row \(id) says \(found)") }
                }
                snapshot.end()
                greatest = max(greatest, shadow.residentBytes)
                try snapshot.begin()
            }
        }
        #expect(greatest > 0 && greatest <= options.decryptedBytesLimit, "\(greatest) bytes")
        // While it is held, what a snapshot has read stays.
        let all = try Secret.texts(database)
        #expect(all.count == rows + 1)
        snapshot.end()
        #expect(shadow.residentBytes <= options.decryptedBytesLimit)
        #expect(shadow.generation > 10)
    }

    @Test("passes over a file larger than the bound, all within one snapshot, stay within it and give what was written")
    func passes() throws {
        let machine = SimulatedSystem(seed: 33)
        defer { machine.discard() }
        let rows = 40_000, filler = String(repeating: "x", count: 180)
        let database = try Database.open(Secret.path, Secret.options(), on: machine.makeProcess())
        try database.write { transaction in
            try transaction.createClass(ClassSchema("Note", primaryKey: "id", [
                PropertySchema("id", .int), PropertySchema("text", .string), PropertySchema("number", .int), PropertySchema("real", .double),
            ]))
            let notes = try transaction.table("Note")
            for id in 0..<rows {
                try transaction.insert(into: notes, values: [
                    .int(Int64(id)), .string("note \(id) \(filler)"), .int(Int64(id) * 1_000_003 % 99_991), .double(Double(id) * 1.37),
                ])
            }
        }
        try database.write { _ = try $0.insert(into: "Note", key: .int(Int64(rows)), [("text", .string("note \(rows) ")), ("number", .int(1))]) }
        database.close()
        var options = Secret.options()
        options.decryptedBytesLimit = 1 << 20
        let small = try Database.open(Secret.path, options, on: machine.makeProcess())
        defer { small.close() }
        #expect(try small.information().fileLength > 6 * UInt64(options.decryptedBytesLimit))
        let shadow = try #require(try small.core().shadow), snapshot = try small.snapshot()
        let notes = try snapshot.table("Note"), text = try notes.column("text"), number = try notes.column("number"), real = try notes.column("real")
        var greatest = 0
        for _ in 0..<2 {
            var next = 0, kept: [Row] = []
            try notes.forEach { row in
                if !(try row.string(text).hasPrefix("note \(next) ")) { Issue.record("row \(next) says \(try row.string(text))") }
                if next % 997 == 0 { kept.append(row) }
                next += 1
                greatest = max(greatest, shadow.residentBytes + snapshot.passingBytes)
                // Another pass meanwhile: nothing is taken from under the bytes that are being looked at.
                guard next == rows / 2 else { return true }
                let isSteady = try row.withBytes(text) { bytes in
                    let before = Array(bytes)
                    _ = try notes.sum(number)
                    return before.elementsEqual(bytes)
                }
                #expect(isSteady)
                return true
            }
            #expect(next == rows + 1)
            // Rows outlive the pass, whatever was given back behind them.
            for (place, row) in kept.enumerated() { #expect(try row.string(text).hasPrefix("note \(place * 997) ")) }
            let sum = (0..<rows).reduce(Int64(1)) { $0 + Int64($1) * 1_000_003 % 99_991 }
            #expect(try notes.sum(number) == .int(sum) && notes.maximum(real) == .double(Double(rows - 1) * 1.37))
            #expect(try notes.keys(limit: 3, offset: rows - 1).map(\.rawValue) == [Int64(rows - 1), Int64(rows)])
            greatest = max(greatest, shadow.residentBytes + snapshot.passingBytes)
        }
        #expect(snapshot.passingBytes > 0)
        // A row's blocks may lie in as many chunks; and a pass within a pass gives nothing back.
        #expect(greatest < options.decryptedBytesLimit * 2, "\(greatest) bytes")
        #expect(try small.check().isClean)
        #expect(shadow.residentBytes <= options.decryptedBytesLimit)
        try small.copy(to: "/copy.freehold", encryption: .none, .simulated, on: machine.makeProcess())
        #expect(shadow.residentBytes <= options.decryptedBytesLimit)
        let copy = try Database.open("/copy.freehold", .simulated, on: machine.makeProcess())
        #expect(try StateDigest.of(copy.snapshot()) == StateDigest.of(snapshot))
    }

    @Test("threads that pass over a file larger than the bound, each within a snapshot, all read what was written")
    func passingThreads() async throws {
        let folder = try TemporaryFolder()
        var options = OpenOptions()
        options.encryptionKey = .forTests
        options.decryptedBytesLimit = 256 << 10
        let database = try Database.open(folder.file("passes.freehold"), options)
        defer { database.close() }
        try database.write { transaction in
            try transaction.createClass(ClassSchema("Note", primaryKey: "id", [PropertySchema("id", .int), PropertySchema("text", .string)]))
            let notes = try transaction.table("Note")
            for id in 0..<20_000 { try transaction.insert(into: notes, values: [.int(Int64(id)), .string("note \(id)")]) }
        }
        let wrong = try await withThrowingTaskGroup(of: Int.self) { group -> Int in
            for worker in 0..<4 {
                group.addTask {
                    var wrong = 0
                    for round in 0..<3 {
                        let snapshot = try database.snapshot()
                        defer { snapshot.end() }
                        let notes = try snapshot.table("Note"), text = try notes.column("text")
                        var next = Int64(worker * 100 + round)
                        try notes.forEach(from: ObjectKey(next)) { row in
                            if try row.string(text) != "note \(next)" { wrong += 1 }
                            next += 1
                            return true
                        }
                        if next != 20_000 { wrong += 1 }
                    }
                    return wrong
                }
            }
            return try await group.reduce(0, +)
        }
        #expect(wrong == 0)
    }

    @Test("writers go on when what they knew was given back")
    func writersGoOn() throws {
        let machine = SimulatedSystem(seed: 32)
        defer { machine.discard() }
        try Secret.make(on: machine.makeProcess(), rows: 5000)
        var options = Secret.options()
        options.decryptedBytesLimit = 64 << 10
        let database = try Database.open(Secret.path, options, on: machine.makeProcess())
        defer { database.close() }
        for round in 0..<60 {
            try database.write(durability: .processCrash) { transaction in
                let notes = try transaction.table("Note")
                for step in 0..<5 {
                    let id = ObjectKey(Int64((round * 997 + step * 613) % 5000))
                    try transaction.set(id, in: notes, notes.column("text"), to: .string("round \(round)"))
                }
                try transaction.insert(into: notes, values: [.int(Int64(10_000 + round)), .string("new"), .int(3)])
            }
        }
        #expect(try database.snapshot().table("Note").count == 5061)
        #expect(try database.check().isClean)
    }

    @Test("threads that touch the same blocks first at the same time all read what was written")
    func threads() async throws {
        let folder = try TemporaryFolder()
        var options = OpenOptions()
        options.encryptionKey = .forTests
        options.decryptedBytesLimit = 256 << 10
        let database = try Database.open(folder.file("threads.freehold"), options)
        defer { database.close() }
        try database.write { transaction in
            try transaction.createClass(ClassSchema("Note", primaryKey: "id", [PropertySchema("id", .int), PropertySchema("text", .string)]))
            let notes = try transaction.table("Note")
            for id in 0..<20_000 { try transaction.insert(into: notes, values: [.int(Int64(id)), .string("note \(id)")]) }
        }
        let counts = try await withThrowingTaskGroup(of: Int.self) { group -> [Int] in
            for worker in 0..<6 {
                group.addTask {
                    var read = 0
                    for round in 0..<12 {
                        let snapshot = try database.snapshot()
                        defer { snapshot.end() }
                        let notes = try snapshot.table("Note")
                        let text = try notes.column("text")
                        for step in 0..<800 {
                            let id = (worker % 2 * 7919 + round * 1300 + step * 3) % 20_000
                            guard let row = try notes.row(ObjectKey(Int64(id))), try row.string(text) == "note \(id)" else { continue }
                            read += 1
                        }
                    }
                    return read
                }
            }
            var counts: [Int] = []
            for try await count in group { counts.append(count) }
            return counts
        }
        #expect(counts == Array(repeating: 9600, count: 6))
    }
}
