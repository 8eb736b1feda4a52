import DatabaseKit
@testable import FreeholdEngine
import TestKit
import Testing

/// What the feed and the trees say of classes whose columns moved, and of objects made again while they are in the tail.
@Suite struct ReshapedFeedTests {
    private func withDatabase(_ schema: ClassSchema, _ body: (Database) throws -> Void) throws {
        let machine = SimulatedSystem(seed: 1)
        defer { machine.discard() }
        let database = try Database.open("/reshaped.freehold", OpenOptions.simulated, on: machine.makeProcess())
        defer { database.close() }
        try database.write(durability: .processCrash) { try $0.createClass(schema) }
        try body(database)
        let report = try database.check()
        #expect(report.isClean, "\(report.problems.prefix(5))")
    }

    @Test("trees and dictionaries of the columns behind a dropped one go on being theirs")
    func columnsBehindADroppedOne() throws {
        try withDatabase(ClassSchema("Note", [
            PropertySchema("first", .int, isIndexed: true), PropertySchema("second", .int, isIndexed: true), PropertySchema("word", .string),
            PropertySchema("next", linkTo: "Note"), PropertySchema("others", linkTo: "Note", collections: [.list]),
        ])) { database in
            func insert(_ keys: Range<Int64>) throws {
                try database.write(durability: .processCrash) { transaction in
                    for key in keys {
                        try transaction.insert(into: "Note", [("second", .int(key % 10)), ("word", .string("word \(key % 7)")),
                                                              ("next", key > 0 ? .link(ObjectKey(key / 2)) : .null),
                                                              ("others", .list(key > 0 ? [.link(ObjectKey(key / 3))] : []))])
                    }
                }
            }
            func expectEverything(_ count: Int64) throws {
                let notes = try database.snapshot().table("Note")
                let second = try notes.column("second"), word = try notes.column("word")
                #expect(try notes.count(second, equals: .int(3)) == (0..<count).count { $0 % 10 == 3 })
                #expect(try notes.row(ObjectKey(5))?.string(word) == "word 5")
                #expect(try notes.row(ObjectKey(count - 1))?.string(word) == "word \((count - 1) % 7)")
                #expect(try notes.backlinks(to: ObjectKey(4), from: notes.column("next")) == [8, 9].map { ObjectKey($0) })
                #expect(try notes.backlinks(to: ObjectKey(4), from: notes.column("others")) == [12, 13, 14].map { ObjectKey($0) })
            }
            try insert(0..<700)
            let before = try database.snapshot()
            try database.write(durability: .processCrash) { try $0.dropProperty("first", from: "Note") }
            try expectEverything(700)
            let notes = try #require(try database.snapshot().changes(since: before)["Note"])
            #expect(try notes.counts() == ChangeCounts() && notes.properties.map { $0.before?.name } == ["first"])
            try insert(700..<1400)
            try expectEverything(1400)
        }
    }

    @Test("a property that was nowhere set, and may be null from now on, has what it had, and the feed tells no change")
    func nullableWhereNothingStood() throws {
        try withDatabase(ClassSchema("Note", [PropertySchema("word", .string)])) { database in
            try database.write(durability: .processCrash) { transaction in
                for key in 0..<700 { try transaction.insert(into: "Note", [("word", .string("word \(key)"))]) }
            }
            try database.write(durability: .processCrash) { transaction in
                try transaction.addProperty(PropertySchema("rank", .int), to: "Note")
                try transaction.addProperty(PropertySchema("name", .string), to: "Note")
            }
            let before = try database.snapshot()
            try database.write(durability: .processCrash) { transaction in
                try transaction.setNullable(true, "rank", in: "Note")
                try transaction.setNullable(true, "name", in: "Note")
            }
            let after = try database.snapshot(), table = try after.table("Note")
            let row = try #require(try table.row(ObjectKey(3)))
            let rank = try table.column("rank"), name = try table.column("name")
            #expect(try row.value(rank) == .int(0) && row.value(name) == .string("") && !row.isNull(rank))
            let notes = try #require(try after.changes(since: before)["Note"])
            #expect(try notes.counts() == ChangeCounts())
            #expect(notes.properties.map { $0.after?.isNullable } == [true, true])
        }
    }

    @Test("an object made again in the tail stays another one while its tail is taken up, cut back to a savepoint, and written again")
    func tailIncarnations() throws {
        try withDatabase(ClassSchema("Note", primaryKey: "id", [PropertySchema("id", .int), PropertySchema("word", .string)])) { database in
            func insert(_ transaction: WriteTransaction, _ keys: [Int64]) throws {
                for key in keys { try transaction.insert(into: "Note", key: .int(key), [("word", .string("word \(key)"))]) }
            }
            try database.write(durability: .processCrash) { try insert($0, Array(0..<10)) }
            let before = try database.snapshot()
            try database.write(durability: .processCrash) { transaction in
                try transaction.delete([3, 4, 5].map { ObjectKey($0) }, from: transaction.table("Note"))
                try insert(transaction, [3, 4])
            }
            let between = try database.snapshot()
            for round in 0..<4 as Range<Int64> {
                let now = try database.snapshot()
                #expect(try now.changes(since: before)["Note"]?.counts() == ChangeCounts(inserted: Int(round), deleted: 1, replaced: 2))
                if round > 0 { #expect(try now.changes(since: between)["Note"]?.counts() == ChangeCounts(inserted: Int(round))) }
                // Each takes the tail's rows up and writes them again with one more; the second does so after going back.
                try database.write(durability: .processCrash) { transaction in
                    let savepoint = try transaction.savepoint()
                    if round == 1 {
                        try transaction.delete([3].map { ObjectKey($0) }, from: transaction.table("Note"))
                        try insert(transaction, [3, 900])
                        try transaction.rollback(to: savepoint)
                    }
                    try insert(transaction, [100 + round])
                }
            }
            // One whose object was deleted for good is an insertion when it is given again, also of one made again before.
            try database.write(durability: .processCrash) { try insert($0, [5]) }
            #expect(try database.snapshot().changes(since: before)["Note"]?.counts() == ChangeCounts(inserted: 4, replaced: 3))
            #expect(try database.snapshot().changes(since: between)["Note"]?.counts() == ChangeCounts(inserted: 5))
            try database.write(durability: .processCrash) { try insert($0, Array(1000..<1300)) }
            #expect(try database.snapshot().changes(since: before)["Note"]?.counts() == ChangeCounts(inserted: 304, replaced: 3))
        }
    }
}
