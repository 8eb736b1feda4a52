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
