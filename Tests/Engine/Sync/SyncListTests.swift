import DatabaseKit
@testable import FreeholdEngine
import TestKit
import Testing

/// What a commit notes of lists: elements by their identities.
@Suite struct SyncListTests {
    /// An entry of elements in words: `+3…5 2|9`, `~3`, `>3@7 2|-`, `-3`, with the counts of the identities of the only replica.
    static func words(_ change: ElementChange) -> String {
        func word(_ identity: SyncIdentity) -> String {
            identity == .none ? "-" : identity.replica == 1 ? "\(identity.count)" : "\(identity.replica).\(identity.count)"
        }
        let elements = change.first == change.last ? word(change.first) : "\(word(change.first))…\(word(change.last))"
        switch change.act {
        case .inserted: return "+\(elements) \(word(change.left))|\(word(change.right))"
        case .changed: return "~\(elements)"
        case .moved: return ">\(elements)@\(word(change.position)) \(word(change.left))|\(word(change.right))"
        case .deleted: return "-\(elements)"
        }
    }

    /// The identities of a list in words: `1…4 7@9`.
    static func identities(_ database: Database, _ key: Int64, _ name: String, in className: String = "Task") throws -> String {
        let snapshot = try database.snapshot(), stored = try #require(snapshot.schema().find(className))
        let trees = PendingTrees(try snapshot.state(Int(stored.number), as: stored).root)
        let number = try #require(stored.properties.first { $0.name == name }).number
        let runs = try IdentityReader(trees: trees, access: snapshot.core.access).runs(of: key, number)
        return runs.map { run in
            let first = "\(run.first.count)", last = run.count > 1 ? "…\(run.last.count)" : ""
            return first + last + (run.position == run.first ? "" : "@\(run.position.count)")
        }.joined(separator: " ")
    }

    static func set(_ database: Database, _ values: [Int], _ name: String = "list", of key: Int64 = 0) throws {
        try SyncCaptureTests.set(database, key, name, .list(values.map { .int(Int64($0)) }))
    }

    @Test("elements keep their identities where the lists agree; hunks are changes, deletions and insertions")
    func hunks() throws {
        try SyncCaptureTests.withFile { database, _, _ in
            try Self.set(database, [10, 20, 30, 40])
            #expect(try SyncCaptureTests.pending(database) == ["0 list +1…4 -|-"])
            #expect(try Self.identities(database, 0, "list") == "1…4")
            try History.settleSync(on: database, durability: .processCrash)
            try Self.set(database, [10, 21, 30, 31, 32, 40])
            #expect(try SyncCaptureTests.pending(database) == ["0 list +5…6 3|4", "0 list ~2"])
            #expect(try Self.identities(database, 0, "list") == "1…3 5…6 4")
            // Of what was not sent, nothing is left.
            try Self.set(database, [10, 30, 31, 40])
            #expect(try SyncCaptureTests.pending(database) == ["0 list +5 3|4", "0 list -2"])
            try Self.set(database, [10, 30, 40])
            #expect(try SyncCaptureTests.pending(database) == ["0 list -2"])
            try Self.set(database, [])
            #expect(try SyncCaptureTests.pending(database) == ["0 list -1", "0 list -2", "0 list -3…4"])
            #expect(try Self.identities(database, 0, "list") == "")
            try Self.set(database, [1])
            #expect(try Self.identities(database, 0, "list") == "7")
        }
    }

    @Test("a value that went from one hunk to another was moved: the element has another position")
    func moves() throws {
        try SyncCaptureTests.withFile { database, _, _ in
            try Self.set(database, [1, 2, 3, 4, 5])
            try History.settleSync(on: database, durability: .processCrash)
            try Self.set(database, [5, 1, 2, 3, 4])
            #expect(try SyncCaptureTests.pending(database) == ["0 list >5@6 -|1"])
            #expect(try Self.identities(database, 0, "list") == "5@6 1…4")
            // Moved on: the first move is replaced.
            try Self.set(database, [1, 2, 3, 5, 4])
            #expect(try SyncCaptureTests.pending(database) == ["0 list >5@7 3|4"])
            // A value of a moved element changes in place.
            try Self.set(database, [1, 2, 3, 50, 4])
            #expect(try SyncCaptureTests.pending(database) == ["0 list ~5", "0 list >5@7 3|4"])
            try Self.set(database, [1, 2, 3, 4])
            #expect(try SyncCaptureTests.pending(database) == ["0 list -5"])
        }
    }

    @Test("what was inserted and then moved stands beside nothing at its first place")
    func movedOn() throws {
        try SyncCaptureTests.withFile { database, _, _ in
            try Self.set(database, [1, 2])
            try History.settleSync(on: database, durability: .processCrash)
            try Self.set(database, [1, 11, 12, 13, 2])
            #expect(try SyncCaptureTests.pending(database) == ["0 list +3…5 1|2"])
            try Self.set(database, [12, 1, 11, 13, 2])
            // What stood on its right stands beside the next older one.
            #expect(try SyncCaptureTests.pending(database) == ["0 list +3 1|2", "0 list +4 -|-", "0 list +5 3|2", "0 list >4@6 -|1"])
            try Self.set(database, [1, 11, 13, 2])
            #expect(try SyncCaptureTests.pending(database) == ["0 list +3 1|2", "0 list +5 3|2"])
        }
    }

    @Test("if a neighbour goes, the next one that was there before stands for it")
    func neighbours() throws {
        try SyncCaptureTests.withFile { database, _, _ in
            try Self.set(database, [1, 2, 3, 4])
            try History.settleSync(on: database, durability: .processCrash)
            try Self.set(database, [1, 2, 9, 3, 4])
            try Self.set(database, [1, 2, 8, 9, 3, 4])
            #expect(try SyncCaptureTests.pending(database) == ["0 list +5 2|3", "0 list +6 2|5"])
            // The newer one between them is none that the older one can stand beside.
            try Self.set(database, [1, 8, 9, 3, 4])
            #expect(try SyncCaptureTests.pending(database) == ["0 list +5 1|3", "0 list +6 1|5", "0 list -2"])
            try Self.set(database, [8, 9, 4])
            #expect(try SyncCaptureTests.pending(database) == ["0 list +5 -|4", "0 list +6 -|5", "0 list -1", "0 list -2", "0 list -3"])
            try Self.set(database, [8])
            #expect(try SyncCaptureTests.pending(database).prefix(1) == ["0 list +6 -|-"])
        }
    }

    @Test("an element of a sealed epoch is deleted for the others, too")
    func sealed() throws {
        try SyncCaptureTests.withFile { database, _, _ in
            try Self.set(database, [1, 2])
            try History.sealSync(on: database, durability: .processCrash)
            try Self.set(database, [1, 2, 3])
            try Self.set(database, [1])
            #expect(try SyncCaptureTests.pending(database) == ["0 list +1 -|-", "0 list -2"])
        }
    }

    @Test("lists of new objects have identities and no entries; so have those that exist when their class is marked")
    func created() throws {
        try SyncCaptureTests.withFile { database, _, _ in
            let key = try database.write { transaction in
                let list = Value.list([.int(1), .int(2), .int(3)])
                return try transaction.insert(into: "Task", [("id", .string("d")), ("title", .string("")), ("list", list)])
            }.rawValue
            #expect(try SyncCaptureTests.pending(database) == ["\(key) new"])
            #expect(try Self.identities(database, key, "list") == "1…3")
            try Self.set(database, [1, 4, 3, 5], of: key)
            #expect(try SyncCaptureTests.pending(database) == ["\(key) new", "\(key) list +4 3|-", "\(key) list ~2"])
            // Nobody knows of the object's first elements.
            try Self.set(database, [3], of: key)
            #expect(try SyncCaptureTests.pending(database) == ["\(key) new"])
            try History.sealSync(on: database, durability: .processCrash)
            try Self.set(database, [], of: key)
            #expect(try SyncCaptureTests.pending(database) == ["\(key) new", "\(key) list -3"])
            try Self.set(database, [7], of: key)
            try SyncCaptureTests.delete(database, key)
            #expect(try SyncCaptureTests.pending(database) == ["\(key) deleted", "\(key) was d"])
            #expect(try Self.identities(database, key, "list") == "")
        }
    }

    @Test("elements whose target is deleted go without an entry; embedded ones are deleted")
    func links() throws {
        try SyncCaptureTests.withFile { database, _, _ in
            let link = { Value.link(ObjectKey($0)) }
            try SyncCaptureTests.set(database, 0, "others", .list([link(1), link(0), link(2), link(1)]))
            try History.settleSync(on: database, durability: .processCrash)
            try database.write { transaction in
                let table = try transaction.table("Task"), column = try table.column("places")
                for street in ["x", "y"] {
                    let list = try transaction.list(of: ObjectKey(0), in: table, column)
                    _ = try list.embed([("street", .string(street))], at: 0)
                }
            }
            #expect(try SyncCaptureTests.pending(database) == ["0 places +5…6 -|-"])
            try History.settleSync(on: database, durability: .processCrash)
            try SyncCaptureTests.delete(database, 1, "Project")
            #expect(try SyncCaptureTests.pending(database).isEmpty)
            #expect(try Self.identities(database, 0, "others") == "2…3")
            // The link had replaced another one, which the server still has.
            try SyncCaptureTests.set(database, 0, "others", .list([link(0), link(0)]))
            try SyncCaptureTests.set(database, 0, "others", .list([link(0), link(2)]))
            try SyncCaptureTests.delete(database, 2, "Project")
            #expect(try SyncCaptureTests.pending(database) == ["0 others -3"])
            try SyncCaptureTests.set(database, 0, "places", .list([]))
            #expect(try SyncCaptureTests.pending(database) == ["0 others -3", "0 places -5…6"])
        }
    }

    /// A list of which more is pending than a walk would read for one element.
    @Test("an element that goes is found in many entries, with what was typed behind it, inserted before it or moved beside it")
    func manyEntries() throws {
        try SyncCaptureTests.withFile { database, _, _ in
            var values = Array(0..<4)
            try Self.set(database, values)
            try History.settleSync(on: database, durability: .processCrash)
            // Identities 5 to 34, typed one by one in front of the last element.
            for value in 100..<130 {
                values.insert(value, at: values.count - 1)
                try Self.set(database, values)
            }
            func entries() throws -> [String] { try SyncCaptureTests.pending(database) }
            #expect(try entries().prefix(3) == ["0 list +5 3|4", "0 list +6 5|4", "0 list +7 6|4"])
            // The one typed behind it stands beside the one before it.
            values.remove(at: 3 + 10)
            try Self.set(database, values)
            #expect(try entries().contains("0 list +16 14|4") && entries().count == 29 && database.check().isClean)
            // All of them stood before the last element.
            values.removeLast()
            try Self.set(database, values)
            #expect(try entries().filter { "0 list +".utf8.elementsEqual($0.utf8.prefix(8)) }.count == 29)
            #expect(try entries().contains("0 list +16 14|-") && entries().contains("0 list -4") && database.check().isClean)
            // An element that is inserted, and one that is moved behind it in the same commit: their positions are consecutive.
            let moved = values.remove(at: 0)
            values.insert(contentsOf: [500, moved], at: 20)
            try Self.set(database, values)
            #expect(try entries().contains("0 list >1@36 35|24") && database.check().isClean)
            values.remove(at: 20)
            try Self.set(database, values)
            #expect(try entries().contains("0 list >1@36 23|24") && database.check().isClean)
        }
    }

    @Test("a million elements inserted by one commit are one entry, and few bytes of identities")
    func bulk() throws {
        try SyncCaptureTests.withFile { database, _, _ in
            let count = TestScale.count(1) > 1 ? 1_000_000 : 50_000
            try Self.set(database, Array(0..<count))
            #expect(try SyncCaptureTests.pending(database) == ["0 list +1…\(count) -|-"])
            try database.write { transaction in
                let table = try transaction.table("Task"), list = try transaction.list(of: ObjectKey(0), in: table, table.column("list"))
                try list.remove(at: count / 2)
            }
            #expect(try SyncCaptureTests.pending(database)
                == ["0 list +1…\(count / 2) -|-", "0 list +\(count / 2 + 2)…\(count) \(count / 2)|-"])
            #expect(try database.snapshot().pendingCounts().changes == count - 1)
        }
    }
}
