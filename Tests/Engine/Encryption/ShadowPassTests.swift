import DatabaseKit
@testable import FreeholdEngine
import TestKit
import Testing

/// Passes of every kind over an encrypted file larger than the bound on decrypted memory, each within one snapshot.
@Suite struct ShadowPassTests {
    private static let rows = 24_000, limit = 1 << 20
    private static let filler = String(repeating: "x", count: 180)

    /// Notes, every third of them a `Memo`, every 300th with a long list; each links to the one before, and to one of the few objects of
    /// a class that has all of them in its tail.
    private func withNotes(_ body: (Database) throws -> Void) throws {
        let machine = SimulatedSystem(seed: 34)
        defer { machine.discard() }
        try withNotes(in: Database.open("/notes.freehold", Self.options, on: machine.makeProcess()), body)
    }

    private static var options: OpenOptions {
        var options = EncryptionTests.options()
        options.decryptedBytesLimit = limit
        return options
    }

    private func withNotes(in database: Database, _ body: (Database) throws -> Void) throws {
        defer { database.close() }
        try database.write { transaction in
            try transaction.createClass(ClassSchema("Shelf", [PropertySchema("place", .int)]))
            try transaction.createClass(ClassSchema("Note", [
                PropertySchema("text", .string), PropertySchema("number", .int), PropertySchema("shelf", linkTo: "Shelf"),
                PropertySchema("before", linkTo: "Note"), PropertySchema("marks", .int, collections: [.list]),
            ]))
            try transaction.createClass(ClassSchema("Memo", superclass: "Note", [PropertySchema("weight", .int)]))
        }
        try database.write(Self.fill)
        try body(database)
        #expect(try database.check().isClean)
    }

    private static func fill(_ transaction: WriteTransaction) throws {
        let shelves = try (0..<3).map { try transaction.insert(into: "Shelf", [("place", .int(Int64($0)))]) }
        var before = Value.null
        for id in 0..<rows {
            var values: [(String, Value)] = [
                ("text", .string("note \(id) \(filler)")), ("number", .int(Int64(id))), ("before", before), ("shelf", .link(shelves[id % 3])),
            ]
            if id % 300 == 0 { values.append(("marks", .list(marks(id).map { .int($0) }))) }
            if id % 3 == 2 { values.append(("weight", .int(Int64(id) * 7))) }
            before = .link(try transaction.insert(into: id % 3 == 2 ? "Memo" : "Note", values))
        }
    }

    private static func marks(_ id: Int) -> [Int64] { (0..<1500).map { Int64(id) + Int64($0) * 1_000_003 % 10_007 } }

    /// Numbers of the notes that a walk gives, whose texts are compared.
    private func numbers(_ notes: Table, _ walk: ((Row) throws -> Bool) throws -> Void) throws -> [Int] {
        let text = try notes.column("text"), number = try notes.column("number")
        var found: [Int] = []
        try walk { row in
            found.append(Int(try row.int(number)))
            if !(try row.string(text).hasPrefix("note \(found.last!) ")) { Issue.record("row \(row.key) says \(try row.string(text))") }
            return true
        }
        return found
    }

    private func expectBounded(_ snapshot: Snapshot, _ database: Database) throws {
        let bytes = try database.core().shadow!.residentBytes + snapshot.passingBytes
        #expect(bytes < Self.limit * 2, "\(bytes) bytes")
    }

    @Test("walks over one class of several, and its totals, stay within the bound")
    func family() throws {
        try withNotes { database in
            let length = try database.information().fileLength
            #expect(length > 4 * UInt64(Self.limit))
            let snapshot = try database.snapshot()
            defer { snapshot.end() }
            let memos = try snapshot.table("Memo"), plain = try snapshot.table("Note", withSubclasses: false)
            for _ in 0..<2 {
                #expect(try numbers(memos) { try memos.forEach($0) } == (0..<Self.rows).filter { $0 % 3 == 2 })
                #expect(try numbers(plain) { try plain.forEach($0) } == (0..<Self.rows).filter { $0 % 3 != 2 })
                let weights = (0..<Self.rows).filter { $0 % 3 == 2 }.map { Int64($0) * 7 }
                #expect(try memos.sum(memos.column("weight")) == .int(weights.reduce(0, +)))
                #expect(try memos.sum(memos.column("number")) == .int(weights.reduce(0, +) / 7))
                try expectBounded(snapshot, database)
            }
            #expect(snapshot.passingBytes > 0)
            let text = try memos.column("text")
            try memos.forEach { row in
                #expect(try row.className == "Memo")
                // What is passed is kept nowhere, unless it is asked to be.
                return try row.string(text).count > 0
            }
            try expectBounded(snapshot, database)
        }
    }

    @Test("objects read in groups, by key and by link, stay within the bound")
    func groups() throws {
        try withNotes { database in
            let snapshot = try database.snapshot()
            defer { snapshot.end() }
            let notes = try snapshot.table("Note"), memos = try snapshot.table("Memo")
            let text = try notes.column("text"), number = try notes.column("number"), before = try notes.column("before")
            for source in [notes, memos] {
                var wrong = 0, pairs = 0
                try source.forEach(following: before, into: notes, reading: text) { row, target in
                    let id = try row.int(number)
                    pairs += 1
                    if try target.map({ try $0.string(text).hasPrefix("note \(id - 1) ") }) ?? (id == 0) { return true }
                    wrong += 1
                    return true
                }
                #expect(wrong == 0 && pairs == source.count)
                try expectBounded(snapshot, database)
            }
            #expect(snapshot.passingBytes > 0)
            let keys = try notes.keys()
            #expect(try numbers(notes) { body in try notes.forEach(keys, reading: text) { try $0.map(body) ?? false } } == Array(0..<Self.rows))
            #expect(try numbers(memos) { body in
                try memos.forEach(keys, reading: text) { row in try row.map(body) ?? true }
            } == (0..<Self.rows).filter { $0 % 3 == 2 })
            try expectBounded(snapshot, database)
        }
    }

    @Test("lists that a walk came by are read on after the memory behind it was given back, and while another pass goes on within")
    func lists() throws {
        try withNotes { database in
            let snapshot = try database.snapshot()
            defer { snapshot.end() }
            let notes = try snapshot.table("Note"), marks = try notes.column("marks"), number = try notes.column("number")
            for _ in 0..<2 {
                var kept: [(id: Int, list: ListView, cursor: ElementWalk)] = []
                try notes.forEach { row in
                    let id = Int(try row.int(number))
                    guard id % 300 == 0 else { return true }
                    let list = try row.list(marks)
                    var cursor = list.walk()
                    #expect(try cursor.next() == .int(Int64(id)))
                    if id % 7200 == 0 {
                        var seen: [Int64] = []
                        try list.forEachInt { mark in
                            seen.append(mark)
                            if seen.count % 600 == 300 { _ = try notes.sum(number) }
                        }
                        #expect(seen == Self.marks(id))
                    }
                    kept.append((id, list, cursor))
                    return true
                }
                _ = try notes.sum(number)
                for index in kept.indices {
                    let id = kept[index].id, wanted = Self.marks(id).map { Value.int($0) }
                    #expect(try kept[index].cursor.next() == wanted[1])
                    #expect(kept[index].list.count == wanted.count)
                    #expect(try kept[index].list.values(in: 0..<wanted.count) == wanted)
                }
            }
            #expect(snapshot.passingBytes > 0)
        }
    }

    @Test("several threads find what one does, each by way of a window of its own, all of them within the bound of one")
    func threads() throws {
        // Of a real system: a simulated process does one thing at a time.
        let folder = try TemporaryFolder()
        try withNotes(in: Database.open(folder.file("notes.freehold"), Self.options)) { database in
            let snapshot = try database.snapshot()
            defer { snapshot.end() }
            let notes = try snapshot.table("Note"), memos = try snapshot.table("Memo")
            for _ in 0..<2 {
                for table in [notes, memos] {
                    for text in ["text CONTAINS '77'", "number > 12000 AND text CONTAINS '9 x'", "NOT (number BETWEEN {100, 23000})"] {
                        let condition = try table.prepare(ObjectQuery(text)).condition
                        let one = TableScan(table, condition, threads: 1), many = TableScan(table, condition, threads: 4)
                        #expect(try many.keys(limit: .max) == one.keys(limit: .max), "\(text)")
                        #expect(try many.count() == one.count(), "\(text)")
                        try expectBounded(snapshot, database)
                    }
                }
                let number = try notes.column("number")
                let one = try notes.summary(number, .all, threads: 1), many = try notes.summary(number, .all, threads: 4)
                #expect(one.integerSum == many.integerSum && one.count == many.count && one.integerBounds == many.integerBounds)
            }
            let text = try notes.column("text"), threads = 4
            let bytes = try notes.shared(threads) { piece, range throws(FreeholdError) in
                var most = 0
                try piece.forEachCluster(range, reading: text.index) { cluster, state throws(FreeholdError) in
                    _ = try state.leaf(cluster, cluster.count - 1, text.index)
                    most = max(most, (piece.owner as? Snapshot)?.passingBytes ?? 0)
                    return true
                }
                return most
            }
            // A window is looked at between two clusters, each of which is shorter than two chunks.
            let share = try #require(try database.core().shadow).windowLimit(share: threads)
            #expect(bytes.count > threads && bytes.max() ?? 0 > 0 && bytes.allSatisfy { $0 <= share + 2 * Shadow.chunkBytes }, "\(bytes), \(share) each")
            try expectBounded(snapshot, database)
        }
    }
}
