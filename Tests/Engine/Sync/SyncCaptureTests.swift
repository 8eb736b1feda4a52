import DatabaseKit
@testable import FreeholdEngine
import TestKit
import Testing

/// What a commit notes of synced classes, change by change.
@Suite struct SyncCaptureTests {
    static let path = "/synced.freehold"

    static let classes = [
        ClassSchema("Task", primaryKey: "id", [
            PropertySchema("id", .string), PropertySchema("title", .string), PropertySchema("note", .string, isNullable: true),
            PropertySchema("stock", .int), PropertySchema("tags", .string, collections: [.set]),
            PropertySchema("map", .int, collections: [.map]), PropertySchema("list", .int, collections: [.list]),
            PropertySchema("project", linkTo: "Project"), PropertySchema("others", linkTo: "Project", collections: [.list]),
            PropertySchema("some", linkTo: "Project", collections: [.set]), PropertySchema("named", linkTo: "Project", collections: [.map]),
            PropertySchema("place", linkTo: "Place"), PropertySchema("places", linkTo: "Place", collections: [.list]),
        ]),
        ClassSchema("Project", primaryKey: "number", [PropertySchema("number", .int), PropertySchema("name", .string)]),
        ClassSchema("Place", isEmbedded: true, [PropertySchema("street", .string), PropertySchema("inner", linkTo: "Place")]),
        ClassSchema("Other", [PropertySchema("task", linkTo: "Task"), PropertySchema("value", .int)]),
    ]

    /// A file with the classes, of which tasks and projects are synced, and nothing is pending.
    static func withFile(encrypted: Bool = false, _ body: (Database, SimulatedSystem, SimulatedProcess) throws -> Void) throws {
        let machine = SimulatedSystem(seed: 1)
        defer { machine.discard() }
        let process = machine.makeProcess()
        let database = try Database.open(path, encrypted ? OpenOptions.simulated(seed: 3) : .simulated, on: process)
        defer { database.close() }
        try database.write { transaction in
            try transaction.createClasses(classes)
            for number in 0..<3 as Range<Int64> {
                try transaction.insert(into: "Project", [("number", .int(number)), ("name", .string("p"))])
            }
            try insertTasks(transaction)
            try mark(transaction)
        }
        try History.settleSync(on: database, durability: .processCrash)
        try body(database, machine, process)
    }

    static func insertTasks(_ transaction: WriteTransaction) throws {
        for id in ["a", "b", "c"] {
            try transaction.insert(into: "Task", [("id", .string(id)), ("title", .string(id)), ("stock", .int(10))])
        }
    }

    static func mark(_ transaction: WriteTransaction) throws {
        try transaction.sync.mark("Task", SyncRules(onConflict: .updateWins, counters: ["stock"], merged: ["note"]))
        try transaction.sync.mark("Project")
    }

    /// What is pending of a class, in words: `0 title`, `0+2 new`, `1 deleted`, `0 stock +3/2`.
    static func pending(_ database: Database, _ name: String = "Task") throws -> [String] {
        let snapshot = try database.snapshot(), schema = try snapshot.schema(), stored = try #require(schema.find(name))
        let trees = PendingTrees(try snapshot.state(Int(stored.number), as: stored).root)
        func property(_ number: UInt32) -> String { stored.properties.first { $0.number == number }?.name ?? "\(number)" }
        var found: [String] = []
        try trees.forEachChange(in: snapshot.core.access) { entry in
            switch entry.what {
            case .created(let last): found.append(last == entry.key ? "\(entry.key) new" : "\(entry.key)…\(last) new")
            case .deleted: found.append("\(entry.key) deleted")
            case .property(let number): found.append("\(entry.key) \(property(number))")
            case .member(let number, let bytes): found.append("\(entry.key) \(property(number)){\(String(decoding: bytes, as: UTF8.self))}")
            case .mapKey(let number, let bytes): found.append("\(entry.key) \(property(number))[\(String(decoding: bytes, as: UTF8.self))]")
            case .element(let number, let change): found.append("\(entry.key) \(property(number)) \(SyncListTests.words(change))")
            }
        }
        try trees.forEachDeletion(in: snapshot.core.access) { key, object in
            found.append("\(object) was \(String(decoding: key, as: UTF8.self))")
        }
        try trees.forEachSum(in: snapshot.core.access) { sum in
            let amount = (sum.amount > 0 ? "+" : "") + "\(sum.amount)"
            found.append("\(sum.key) \(property(sum.property)) \(amount)/\(sum.increments)@\(sum.origin.epoch)")
        }
        #expect(try database.check().problems.isEmpty)
        return found
    }

    static func body(_ database: Database) throws -> SyncBody { try #require(try database.snapshot().syncState()) }

    /// Changes a property of a task.
    static func set(_ database: Database, _ key: Int64, _ name: String, _ value: Value) throws {
        try database.write(durability: .processCrash) { transaction in
            let table = try transaction.table("Task")
            try transaction.set(ObjectKey(key), in: table, table.column(name), to: value)
        }
    }

    static func delete(_ database: Database, _ key: Int64, _ name: String = "Task") throws {
        try database.write(durability: .processCrash) { try $0.delete(ObjectKey(key), from: $0.table(name)) }
    }

    @Test("a changed property is noted once, with the stamp of its last change; the same value is no change", arguments: [false, true])
    func properties(encrypted: Bool) throws {
        try Self.withFile(encrypted: encrypted) { database, _, _ in
            try Self.set(database, 0, "title", .string("x"))
            let first = try Self.body(database).clock.last
            #expect(try Self.pending(database) == ["0 title"])
            try Self.set(database, 0, "title", .string("x"))
            #expect(try Self.body(database).clock.last == first)
            try Self.set(database, 0, "title", .string("y"))
            try Self.set(database, 1, "note", .string("n"))
            #expect(try Self.pending(database) == ["0 title", "1 note"])
            #expect(try Self.body(database).clock.last > first)
            #expect(try Self.pending(database, "Project").isEmpty)
        }
    }

    @Test("one commit has one stamp, above those before it, whatever the wall clock says")
    func stamps() throws {
        try Self.withFile { database, machine, _ in
            var last = SyncStamp.none
            for (step, wall) in [1_800_000_000_000, 1_700_000_000_000, 1_900_000_000_000 as Int64].enumerated() {
                machine.wallClockNanoseconds = wall * 1_000_000
                try database.write { transaction in
                    let table = try transaction.table("Task")
                    for key in 0..<3 as Range<Int64> {
                        try transaction.set(ObjectKey(key), in: table, table.column("title"), to: .string("\(step)"))
                    }
                }
                let snapshot = try database.snapshot(), stored = try #require(snapshot.schema().find("Task"))
                var stamps: Set<UInt64> = []
                try PendingTrees(snapshot.state(Int(stored.number), as: stored).root).forEachChange(in: snapshot.core.access) {
                    stamps.insert($0.stamp.rawValue)
                }
                let body = try Self.body(database)
                #expect(stamps == [body.clock.last.rawValue] && body.clock.last > last)
                if step != 1 { #expect(body.clock.last == SyncStamp(milliseconds: wall)) }
                last = body.clock.last
            }
        }
    }

    @Test("increments of a counter are summed by epoch, with the number of commits")
    func counters() throws {
        try Self.withFile { database, _, _ in
            try Self.set(database, 0, "stock", .int(13))
            try Self.set(database, 0, "stock", .int(9))
            #expect(try Self.pending(database) == ["0 stock -1/2@1"])
            try History.sealSync(on: database, durability: .processCrash)
            try Self.set(database, 0, "stock", .int(10))
            #expect(try Self.pending(database) == ["0 stock -1/2@1", "0 stock +1/1@2"])
            // Of a new object the first value counts as an increment.
            try database.write { _ = try $0.insert(into: "Task", [("id", .string("d")), ("title", .string("")), ("stock", .int(4))]) }
            #expect(try Self.pending(database) == ["3 new", "0 stock -1/2@1", "0 stock +1/1@2", "3 stock +4/1@2"])
        }
    }

    @Test("a counter whose increments exceed 64 bits is refused by the commit, and nothing is changed")
    func tooManyIncrements() throws {
        try Self.withFile { database, _, _ in
            try Self.set(database, 0, "stock", .int(.max))
            #expect(throws: FreeholdError.self) { try Self.set(database, 0, "stock", .int(.min)) }
            // From 10 up by 2⁶³ - 11, and down to -20: the sum still fits.
            try Self.set(database, 0, "stock", .int(-1))
            try Self.set(database, 0, "stock", .int(-20))
            #expect(try Self.pending(database) == ["0 stock -30/3@1"])
            // From 10 down by 2⁶³ - 1.
            try Self.set(database, 1, "stock", .int(-.max + 10))
            #expect(throws: FreeholdError.self) {
                try database.write { transaction in
                    let table = try transaction.table("Task")
                    for key in [0, 2] as [Int64] {
                        try transaction.set(ObjectKey(key), in: table, table.column("title"), to: .string("lost"))
                    }
                    try transaction.set(ObjectKey(1), in: table, table.column("stock"), to: .int(.min))
                }
            }
            #expect(try Self.pending(database) == ["0 stock -30/3@1", "1 stock -\(Int64.max)/1@1"])
            let snapshot = try database.snapshot(), table = try snapshot.table("Task")
            #expect(try table.value(ObjectKey(2), table.column("title")) == .string("c"))
            // What the refused commit had noted before is not in the next one.
            try Self.set(database, 2, "title", .string("x"))
            #expect(try Self.pending(database) == ["2 title", "0 stock -30/3@1", "1 stock -\(Int64.max)/1@1"])
        }
    }

    @Test("consecutive new objects of a commit are one entry; a change of one of them is noted by itself")
    func runs() throws {
        try Self.withFile { database, _, _ in
            try database.write { transaction in
                for id in 0..<2000 { try transaction.insert(into: "Task", [("id", .string("n\(id)")), ("title", .string("t"))]) }
            }
            #expect(try Self.pending(database) == ["3…2002 new"])
            try database.write { _ = try $0.insert(into: "Task", [("id", .string("m")), ("title", .string("t"))]) }
            try Self.set(database, 1000, "title", .string("x"))
            #expect(try Self.pending(database) == ["3…2002 new", "2003 new", "1000 title"])
            // One that nobody knows of leaves nothing, and splits the run.
            try Self.delete(database, 1000)
            try Self.delete(database, 3)
            try Self.delete(database, 2002)
            #expect(try Self.pending(database) == ["4…999 new", "1001…2001 new", "2003 new"])
            try database.write { transaction in
                let most = (100..<900 as Range<Int64>).filter { $0 % 100 != 50 }
                try transaction.delete(most.map { ObjectKey($0) }, from: transaction.table("Task"))
            }
            let alone = (1...8).map { "\($0 * 100 + 50) new" }
            #expect(try Self.pending(database) == ["4…99 new"] + alone + ["900…999 new", "1001…2001 new", "2003 new"])
            #expect(try database.snapshot().pendingCounts().created == 96 + 8 + 100 + 1001 + 1)
        }
    }

    @Test("a deletion is noted with its primary key, and takes what is pending of the object along")
    func deletions() throws {
        try Self.withFile { database, _, _ in
            try Self.set(database, 0, "title", .string("x"))
            try Self.set(database, 1, "title", .string("y"))
            try Self.delete(database, 0)
            try Self.delete(database, 2, "Project")
            #expect(try Self.pending(database) == ["0 deleted", "1 title", "0 was a"])
            #expect(try Self.pending(database, "Project") == ["2 deleted"])
        }
    }

    @Test("another object under a primary key is a deletion and a creation; the last deletion stands for all")
    func recreations() throws {
        try Self.withFile { database, _, _ in
            try database.write { transaction in
                let table = try transaction.table("Task")
                try transaction.delete(ObjectKey(0), from: table)
                _ = try transaction.insert(into: "Task", [("id", .string("a")), ("title", .string("new"))])
                try transaction.delete(ObjectKey(1), from: transaction.table("Project"))
                _ = try transaction.insert(into: "Project", [("number", .int(1)), ("name", .string("new"))])
            }
            #expect(try Self.pending(database) == ["3 new", "0 deleted", "0 was a"])
            #expect(try Self.pending(database, "Project") == ["1 new", "1 deleted"])
            // It was not sent: the first deletion stays.
            try Self.delete(database, 3)
            #expect(try Self.pending(database) == ["0 deleted", "0 was a"])
            try Self.delete(database, 1, "Project")
            #expect(try Self.pending(database, "Project") == ["1 deleted"])
            try database.write { _ = try $0.insert(into: "Task", [("id", .string("a")), ("title", .string("newer"))]) }
            try History.sealSync(on: database, durability: .processCrash)
            // It may have been sent: its deletion stands for both.
            try Self.delete(database, 4)
            #expect(try Self.pending(database) == ["4 deleted", "4 was a"])
        }
    }

    @Test("an object that gets another primary key is another object")
    func changedKeys() throws {
        try Self.withFile { database, _, _ in
            try database.write { transaction in
                try transaction.setPrimaryKey(nil, of: "Task")
                let table = try transaction.table("Task")
                try transaction.set(ObjectKey(2), in: table, table.column("id"), to: .string("z"))
                try transaction.setPrimaryKey("id", of: "Task")
            }
            #expect(try Self.pending(database) == ["2 new", "2 deleted", "2 was c", "2 stock +10/1@1"])
        }
    }

    @Test("increments of the open epoch that go with their object end the epoch")
    func droppedIncrements() throws {
        try Self.withFile { database, _, _ in
            try Self.set(database, 0, "stock", .int(11))
            try Self.set(database, 1, "stock", .int(11))
            try Self.delete(database, 0)
            #expect(try Self.body(database).epoch == 2)
            try Self.set(database, 1, "stock", .int(12))
            #expect(try Self.pending(database) == ["0 deleted", "0 was a", "1 stock +1/1@1", "1 stock +1/1@2"])
            try database.write { _ = try $0.insert(into: "Project", [("number", .int(9)), ("name", .string(""))]) }
            try Self.delete(database, 9, "Project")
            try Self.delete(database, 2)
            #expect(try Self.body(database).epoch == 2)
            try History.sealSync(on: database, durability: .processCrash)
            try Self.delete(database, 1)
            #expect(try Self.body(database).epoch == 3, "those of epoch 2 are sealed: epoch 3 goes on")
        }
    }

    @Test("members of sets, keys of maps and elements of lists are noted by themselves")
    func collections() throws {
        try Self.withFile { database, _, _ in
            try Self.set(database, 0, "tags", .set([.string("x"), .string("y")]))
            try Self.set(database, 0, "map", .map(["p": .int(1), "q": .int(2)]))
            try Self.set(database, 0, "list", .list([.int(1), .int(2)]))
            #expect(try Self.pending(database) == ["0 tags{x}", "0 tags{y}", "0 map[p]", "0 map[q]", "0 list +1…2 -|-"])
            try History.settleSync(on: database, durability: .processCrash)
            try Self.set(database, 0, "tags", .set([.string("y"), .string("z")]))
            try Self.set(database, 0, "map", .map(["p": .int(1), "q": .int(3), "r": .int(4)]))
            try Self.set(database, 0, "list", .list([.int(1), .int(2)]))
            #expect(try Self.pending(database) == ["0 tags{x}", "0 tags{z}", "0 map[q]", "0 map[r]"])
            try Self.set(database, 0, "map", .map(["r": .int(4)]))
            #expect(try Self.pending(database) == ["0 tags{x}", "0 tags{z}", "0 map[p]", "0 map[q]", "0 map[r]"])
        }
    }

    @Test("members and keys that are too long for an entry are refused by the commit")
    func longElements() throws {
        try Self.withFile { database, _, _ in
            let long = String(repeating: "x", count: 60_001)
            #expect(throws: FreeholdError.self) { try Self.set(database, 0, "tags", .set([.string(long)])) }
            #expect(throws: FreeholdError.self) { try Self.set(database, 0, "map", .map([long: .int(1)])) }
            let fitting = String(long.dropLast())
            try Self.set(database, 0, "tags", .set([.string(fitting)]))
            try Self.set(database, 0, "map", .map([fitting: .int(1)]))
            #expect(try Self.pending(database) == ["0 tags{\(fitting)}", "0 map[\(fitting)]"])
            try Self.set(database, 0, "tags", .set([]))
            #expect(try Self.pending(database).count == 2)
        }
    }

    @Test("links that go with their target are no change; links that a program changes are")
    func links() throws {
        try Self.withFile { database, _, _ in
            let link = { Value.link(ObjectKey($0)) }
            try database.write { transaction in
                let table = try transaction.table("Task")
                try transaction.set(ObjectKey(0), in: table, table.column("project"), to: link(1))
                try transaction.set(ObjectKey(0), in: table, table.column("others"), to: .list([link(1), link(0), link(1)]))
                try transaction.set(ObjectKey(0), in: table, table.column("some"), to: .set([link(0), link(1)]))
                try transaction.set(ObjectKey(0), in: table, table.column("named"), to: .map(["p": link(1), "q": link(0)]))
                try transaction.set(ObjectKey(1), in: table, table.column("project"), to: link(1))
            }
            try History.settleSync(on: database, durability: .processCrash)
            try Self.delete(database, 1, "Project")
            #expect(try Self.pending(database).isEmpty)
            #expect(try Self.pending(database, "Project") == ["1 deleted"])
            // Another object under the key of the target is another target.
            try database.write { transaction in
                try transaction.delete(ObjectKey(0), from: transaction.table("Project"))
                _ = try transaction.insert(into: "Project", [("number", .int(0)), ("name", .string("another"))])
            }
            #expect(try Self.pending(database).isEmpty && Self.pending(database, "Project") == ["0 new", "0 deleted", "1 deleted"])
            try Self.set(database, 0, "project", link(0))
            try Self.set(database, 0, "project", .null)
            try Self.set(database, 0, "others", .list([link(0)]))
            try Self.set(database, 0, "others", .list([]))
            #expect(try Self.pending(database) == ["0 project"])
        }
    }

    @Test("an embedded object is noted with the property that owns it, its changes by themselves")
    func embedded() throws {
        try Self.withFile { database, _, _ in
            let key = try database.write { transaction in
                let table = try transaction.table("Task")
                return try transaction.embed([("street", .string("x"))], in: ObjectKey(0), of: table, table.column("place"))
            }
            #expect(try Self.pending(database) == ["0 place"])
            #expect(try Self.pending(database, "Place").isEmpty)
            func rename(_ street: String) throws {
                try database.write { transaction in
                    let table = try transaction.table("Place")
                    try transaction.set(key, in: table, table.column("street"), to: .string(street))
                }
            }
            try rename("y")
            #expect(try Self.pending(database, "Place") == ["\(key.rawValue) street"])
            try Self.set(database, 0, "place", .null)
            #expect(try Self.pending(database, "Place").isEmpty)
            #expect(try Self.pending(database) == ["0 place"])
            // One that the server has goes with the property, which has changed.
            try database.write { transaction in
                let table = try transaction.table("Task")
                _ = try transaction.embed([("street", .string("x"))], in: ObjectKey(0), of: table, table.column("place"))
            }
            try History.settleSync(on: database, durability: .processCrash)
            try Self.set(database, 0, "place", .null)
            #expect(try Self.pending(database) == ["0 place"] && Self.pending(database, "Place").isEmpty)
        }
    }

    @Test("what a savepoint or the transaction takes back is not noted, and a class that is not synced neither")
    func takenBack() throws {
        try Self.withFile { database, _, _ in
            let transaction = try database.beginWrite(), table = try transaction.table("Task")
            let savepoint = try transaction.savepoint()
            try transaction.set(ObjectKey(0), in: table, table.column("title"), to: .string("x"))
            try transaction.rollback(to: savepoint)
            try transaction.set(ObjectKey(1), in: table, table.column("title"), to: .string("x"))
            try transaction.set(ObjectKey(1), in: table, table.column("title"), to: .string("b"))
            _ = try transaction.insert(into: "Other", [("task", .link(ObjectKey(1))), ("value", .int(1))])
            try transaction.commit(.processCrash)
            #expect(try Self.pending(database).isEmpty)
            try Self.delete(database, 1)
            #expect(try Self.pending(database, "Other").isEmpty)
        }
    }
}
