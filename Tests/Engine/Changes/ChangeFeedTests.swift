import DatabaseKit
@testable import FreeholdEngine
import TestKit
import Testing

/// What changed between two snapshots, against what two models say.
@Suite struct ChangeFeedTests {
    @Test("the feed between any two held versions turns the one into the other, and tells no more", arguments: TestScale.seeds(40, full: 200))
    func histories(seed: UInt64) throws { try run(seed, reshapes: false) }

    @Test("the same while classes and properties come, go and change", arguments: TestScale.seeds(10, full: 50))
    func reshapedHistories(seed: UInt64) throws { try run(seed, reshapes: true) }

    private func run(_ seed: UInt64, reshapes: Bool) throws {
        let machine = SimulatedSystem(seed: seed)
        defer { machine.discard() }
        let process = machine.makeProcess()
        let databases = try [process, process, machine.makeProcess()].map {
            try Database.open("/feed.freehold", OpenOptions.simulated, on: $0)
        }
        var history = History(seed: seed)
        history.bulk = seed % 4 == 0 ? 400 : 20
        history.reshapes = reshapes
        var held: [(model: NaiveDatabase, snapshot: Snapshot)] = []
        for round in 0..<8 {
            try history.transact(on: databases[Int.random(in: 0..<3, using: &history.random)], durability: .processCrash)
            if history.model.order.isEmpty { continue }
            held.append((history.model, try databases[0].snapshot()))
            var random = SeededRandom(seed: seed &+ UInt64(round))
            let old = held.randomElement(using: &random)!, new = random.oneIn(6) ? held.randomElement(using: &random)! : held.last!
            let complaints = try ChangeOracle.complaints(old, new, &random)
            #expect(complaints.isEmpty, "seed \(seed), round \(round): \(complaints.prefix(5).joined(separator: "; "))")
            if !complaints.isEmpty { return }
            if random.oneIn(3) { held.removeFirst() }
        }
    }

    /// A database of one class with so many objects in clusters, each with a number, a word and a note.
    private func filled(_ machine: SimulatedSystem, count: Int64) throws -> Database {
        let database = try Database.open("/feed.freehold", OpenOptions.simulated, on: machine.makeProcess())
        try database.write(durability: .processCrash) { transaction in
            try transaction.createClass(ClassSchema("Note", primaryKey: "id", [
                PropertySchema("id", .int), PropertySchema("number", .int, isIndexed: true), PropertySchema("word", .string),
                PropertySchema("text", .string, isNullable: true),
            ]))
            for key in 0..<count {
                try transaction.insert(into: "Note", key: .int(key), [("number", .int(key)), ("word", .string("word \(key % 7)"))])
            }
        }
        return database
    }

    private func set(_ key: Int64, _ property: String, _ value: Value, _ database: Database) throws {
        try database.write(durability: .processCrash) { transaction in
            let table = try transaction.table("Note")
            try transaction.set(ObjectKey(key), in: table, table.column(property), to: value)
        }
    }

    @Test("a change taken back, and one to the same value, is none")
    func takenBack() throws {
        let machine = SimulatedSystem(seed: 1)
        defer { machine.discard() }
        let database = try filled(machine, count: 1000)
        let before = try database.snapshot()
        try set(500, "number", .int(7), database)
        try set(500, "number", .int(500), database)
        try set(501, "word", .string("word \(501 % 7)"), database)
        let changes = try database.snapshot().changes(since: before)
        let notes = try #require(changes["Note"])
        #expect(try notes.counts() == ChangeCounts())
    }

    @Test("rows sealed from the tail, and blocks moved by evacuation, are no changes")
    func sealedAndMoved() throws {
        let machine = SimulatedSystem(seed: 1)
        defer { machine.discard() }
        let database = try filled(machine, count: 2000)
        try database.write(durability: .processCrash) { transaction in
            for key in 2000..<2200 as Range<Int64> {
                try transaction.insert(into: "Note", key: .int(key), [("number", .int(key)), ("text", .string("text \(key)"))])
            }
        }
        let before = try database.snapshot()
        // The first hundred rows more seal the tail; the updates leave sparse pages, whose blocks move.
        try database.write(durability: .processCrash) { transaction in
            for key in 2200..<2300 as Range<Int64> { try transaction.insert(into: "Note", key: .int(key), []) }
        }
        for round in 0..<300 as Range<Int64> { try set(round % 1000, "number", .int(-round), database) }
        for round in 0..<300 as Range<Int64> { try set(round % 1000, "number", .int(round % 1000), database) }
        let notes = try #require(try database.snapshot().changes(since: before)["Note"])
        #expect(try notes.counts() == ChangeCounts(inserted: 100))
        var inserted: [Int64] = []
        try notes.forEach { change in
            inserted.append(change.key.rawValue)
            return true
        }
        #expect(inserted == Array(2200..<2300))
    }

    @Test("a long text is compared chunk by chunk, and one changed byte of it is a change")
    func longTexts() throws {
        let machine = SimulatedSystem(seed: 1)
        defer { machine.discard() }
        let database = try filled(machine, count: 600)
        let long = String(repeating: "long ", count: 60_000)
        try set(10, "text", .string(long), database)
        let before = try database.snapshot()
        try set(10, "text", .string(long), database)
        try set(11, "text", .string("short"), database)
        #expect(try keysChanged(database, since: before) == [11])
        try set(10, "text", .string(long.dropLast() + "!"), database)
        #expect(try keysChanged(database, since: before) == [10, 11])
    }

    private func keysChanged(_ database: Database, since before: Snapshot) throws -> [Int64] {
        var keys: [Int64] = []
        try database.snapshot().changes(since: before)["Note"]?.forEach { change in
            #expect(change.kind == .changed && change.changedColumns.count == 1)
            keys.append(change.key.rawValue)
            return true
        }
        return keys
    }

    @Test("an object deleted and made again under its key is another one, in the tail and in clusters, also if it has the same values")
    func madeAgain() throws {
        let machine = SimulatedSystem(seed: 1)
        defer { machine.discard() }
        let database = try filled(machine, count: 700)
        let before = try database.snapshot()
        try database.write(durability: .processCrash) { transaction in
            let notes = try transaction.table("Note")
            for key in [3, 4] as [Int64] {
                try transaction.delete(ObjectKey(key), from: notes)
                try transaction.insert(into: "Note", key: .int(key), [("number", .int(key)), ("word", .string("word \(key % 7)"))])
            }
            // One that was never there before is no other one, though its key is below the greatest.
            try transaction.delete(ObjectKey(5), from: notes)
        }
        try database.write(durability: .processCrash) { try $0.delete(ObjectKey(4), from: $0.table("Note")) }
        let between = try database.snapshot()
        #expect(try between.changes(since: before)["Note"]?.counts() == ChangeCounts(deleted: 2, replaced: 1))
        try database.write(durability: .processCrash) { transaction in
            for key in [4, 5] as [Int64] { try transaction.insert(into: "Note", key: .int(key), []) }
        }
        for round in 0..<3 as Range<Int64> {
            let now = try database.snapshot()
            #expect(try now.changes(since: before)["Note"]?.counts() == ChangeCounts(inserted: Int(round) * 300, replaced: 3))
            #expect(try before.changes(since: now)["Note"]?.counts() == ChangeCounts(deleted: Int(round) * 300, replaced: 3))
            #expect(try now.changes(since: between)["Note"]?.counts() == ChangeCounts(inserted: 2 + Int(round) * 300))
            // The tail is sealed, and with the last round the cluster of those objects made anew.
            try database.write(durability: .processCrash) { transaction in
                for key in 0..<300 as Range<Int64> { try transaction.insert(into: "Note", key: .int(1000 + round * 300 + key), []) }
                if round == 1 { try transaction.delete(ObjectKey(9), from: transaction.table("Note")) }
                if round == 1 { try transaction.insert(into: "Note", key: .int(9), []) }
                if round == 1 { try transaction.delete(ObjectKey(9), from: transaction.table("Note")) }
                if round == 1 { try transaction.insert(into: "Note", key: .int(9), [("number", .int(9)), ("word", .string("word 2"))]) }
            }
            if round == 1 { break }
        }
        #expect(try database.snapshot().changes(since: before)["Note"]?.counts() == ChangeCounts(inserted: 600, replaced: 4))
        #expect(try database.check().isClean)
    }

    @Test("an incarnation that no held version can ask about is left out when its cluster is made anew")
    func forgotten() throws {
        let machine = SimulatedSystem(seed: 1)
        defer { machine.discard() }
        let database = try filled(machine, count: 700)
        func isIncarnated() throws -> Bool {
            let state = try database.snapshot().table("Note").state
            return try #require(try ClusterTree.cluster(for: 3, root: state.root.clusters, in: state.access)).hasIncarnations
        }
        func insert(_ keys: Range<Int64>) throws {
            try database.write(durability: .processCrash) { transaction in
                for key in keys { try transaction.insert(into: "Note", key: .int(key), []) }
            }
        }
        try database.write(durability: .processCrash) { try $0.delete([3, 4].map { ObjectKey($0) }, from: $0.table("Note")) }
        try insert(3..<4)
        try insert(1000..<1300)
        #expect(try isIncarnated())
        try database.write(durability: .full) { try $0.delete(ObjectKey(8), from: $0.table("Note")) }
        try database.write(durability: .full) { try $0.delete(ObjectKey(9), from: $0.table("Note")) }
        #expect(try !isIncarnated())
    }

    @Test("the way back is told by asking the older snapshot")
    func backwards() throws {
        let machine = SimulatedSystem(seed: 1)
        defer { machine.discard() }
        let database = try filled(machine, count: 700)
        let before = try database.snapshot()
        try database.write(durability: .processCrash) { transaction in
            let table = try transaction.table("Note")
            try transaction.delete((0..<300).map { ObjectKey($0) }, from: table)
            for key in 700..<1200 as Range<Int64> { try transaction.insert(into: "Note", key: .int(key), []) }
        }
        let after = try database.snapshot()
        #expect(try after.changes(since: before)["Note"]?.counts() == ChangeCounts(inserted: 500, deleted: 300))
        #expect(try before.changes(since: after)["Note"]?.counts() == ChangeCounts(inserted: 300, deleted: 500))
        #expect(try after.changes(since: after).classes.isEmpty)
    }

    @Test("a class made since is told with all its objects, and a property added since as a change where it is not its default")
    func schemaChanges() throws {
        let machine = SimulatedSystem(seed: 1)
        defer { machine.discard() }
        let database = try filled(machine, count: 700)
        let before = try database.snapshot()
        try database.write(durability: .processCrash) { transaction in
            try transaction.createClass(ClassSchema("Other", [PropertySchema("value", .int)]))
            try transaction.insert(into: "Other", [("value", .int(1))])
            try transaction.addProperty(PropertySchema("rank", .int), to: "Note")
            let table = try transaction.table("Note")
            try transaction.set(ObjectKey(3), in: table, table.column("rank"), to: .int(9))
        }
        let changes = try database.snapshot().changes(since: before)
        #expect(changes.classes.map(\.name) == ["Note", "Other"])
        #expect(try changes["Other"]?.counts() == ChangeCounts(inserted: 1))
        #expect(changes["Other"]?.before == nil)
        let notes = try #require(changes["Note"])
        #expect(notes.properties.map { $0.after?.name } == ["rank"] && notes.properties[0].before == nil)
        try notes.forEach { change in
            #expect(change.key == ObjectKey(3) && change.didChange(notes.columns[4]) && change.changedColumns.count == 1)
            return true
        }
        #expect(try notes.counts() == ChangeCounts(changed: 1))
    }

    @Test("snapshots of two databases, and changes of a snapshot that has moved on, are refused")
    func refusals() throws {
        let machine = SimulatedSystem(seed: 1)
        defer { machine.discard() }
        let database = try filled(machine, count: 10)
        let other = try Database.open("/other.freehold", OpenOptions.simulated, on: machine.makeProcess())
        let before = try database.snapshot(), now = try database.snapshot()
        expect(.invalidArgument) { _ = try now.changes(since: other.snapshot()) }
        try set(3, "number", .int(0), database)
        try now.refresh()
        let notes = try #require(try now.changes(since: before)["Note"])
        expect(.unknownProperty) { _ = try notes.counts(properties: ["nmber"]) }
        try before.refresh()
        expect(.invalidArgument) { _ = try notes.counts() }
        before.end()
        expect(.closed) { _ = try now.changes(since: before) }
    }

    private func expect(_ code: FreeholdError.Code, _ body: () throws -> Void) {
        #expect { try body() } throws: { ($0 as? FreeholdError)?.code == code }
    }
}
