import DatabaseKit
@testable import FreeholdEngine
import TestKit
import Testing

/// The documents that differ between two versions, against all documents of both.
@Suite struct DerivedDifferenceTests {
    @Test("the documents that differ between two versions of a random history are found", arguments: TestScale.seeds(24, full: 150))
    func histories(seed: UInt64) throws {
        let machine = SimulatedSystem(seed: seed)
        defer { machine.discard() }
        let database = try Database.open("/derived.freehold", OpenOptions.simulated, on: machine.makeProcess())
        var history = History(seed: seed)
        history.bulk = seed % 4 == 0 ? 400 : 60
        history.reshapes = seed % 5 == 0
        var held: [(model: NaiveDatabase, snapshot: Snapshot)] = []
        var random = SeededRandom(seed: seed &* 77)
        for _ in 0..<12 {
            try history.transact(on: database, durability: .processCrash)
            if history.model.order.isEmpty { continue }
            held.append((history.model, try database.snapshot()))
            for _ in 0..<3 {
                let old = held.randomElement(using: &random)!, new = held.last!
                let schemas = (try old.snapshot.schema(), try new.snapshot.schema())
                guard let (index, table) = NaiveDocuments.randomIndex(schemas.0, schemas.1, &random) else { continue }
                let limit = random.oneIn(4) ? Int64(random.below(400)) : nil
                let complaints = try complaints(index, table, old, new, below: limit)
                #expect(complaints.isEmpty, "seed \(seed), \(index): \(complaints.prefix(5).joined(separator: "; "))")
                if !complaints.isEmpty { return }
            }
            if random.oneIn(3) { held.removeFirst() }
        }
    }

    /// What the difference says wrong.
    private func complaints(_ index: StoredDerived, _ table: Int, _ old: (model: NaiveDatabase, snapshot: Snapshot),
                            _ new: (model: NaiveDatabase, snapshot: Snapshot), below limit: Int64?) throws -> [String] {
        let before = try NaiveDocuments(index, ofTable: table, in: old.snapshot).values
        let after = try NaiveDocuments(index, ofTable: table, in: new.snapshot).values
        var found: [String] = [], missing = Set(before.keys).union(after.keys).filter { key in
            (limit.map { key < $0 } ?? true) && !NaiveDocuments.areEqual(before[key], after[key])
        }
        let stored = try new.snapshot.schema().classes[table]
        let births = (try births(table, old), try births(table, new))
        try difference(index, stored, old.snapshot, new.snapshot, below: limit) { key, one, other in
            let values = try [one, other].map { document in
                try document.map { document in try index.fields.indices.map { try document.value($0) } }
            }
            if !NaiveDocuments.areEqual(values[0], before[key]) { found.append("\(key) had \(values[0] ?? []), not \(before[key] ?? [])") }
            if !NaiveDocuments.areEqual(values[1], after[key]) { found.append("\(key) has \(values[1] ?? []), not \(after[key] ?? [])") }
            if let limit, key >= limit { found.append("\(key) is beyond \(limit)") }
            if missing.remove(key) == nil, index.fields.allSatisfy({ $0.link == nil }), births.0[key] == births.1[key] {
                found.append("\(key) does not differ")
            }
        }
        return found + missing.sorted().map { "\($0) is missing: \(before[$0] ?? []), \(after[$0] ?? [])" }
    }

    /// What tells the objects of a table from others under the same keys.
    private func births(_ table: Int, _ version: (model: NaiveDatabase, snapshot: Snapshot)) throws -> [Int64: Int] {
        let schema = try version.snapshot.schema(), classes = schema.present.filter { schema.table(of: Int($0.number)) == table }
        return classes.reduce(into: [:]) { $0.merge(version.model.classes[$1.name]!.births) { one, _ in one } }
    }

    /// Calls `body` with the documents that differ; their keys have to ascend.
    private func difference(_ index: StoredDerived, _ stored: StoredClass, _ old: Snapshot, _ new: Snapshot, below limit: Int64? = nil,
                            _ body: (Int64, DerivedDocument?, DerivedDocument?) throws -> Void) throws {
        let tables = (try old.derivedTables(), try new.derivedTables())
        let difference = try DerivedDifference(index, of: stored, from: tables.0, to: tables.1, since: old.root.version, below: limit)
        var all: [(Int64, DerivedDocument?, DerivedDocument?)] = []
        try difference.forEach { all.append(($0, $1, $2)) }
        for (place, entry) in all.enumerated() {
            #expect(place == 0 || all[place - 1].0 < entry.0, "keys ascend")
            try body(entry.0, entry.1, entry.2)
        }
    }

    /// Articles with an author, the first 300 of each in clusters, and an index over the title and the author's name.
    private func filled(_ machine: SimulatedSystem) throws -> (Database, StoredDerived, StoredClass) {
        let database = try Database.open("/derived.freehold", OpenOptions.simulated, on: machine.makeProcess())
        try database.write(durability: .processCrash) { transaction in
            try transaction.createClass(ClassSchema("Author", [PropertySchema("name", .string), PropertySchema("age", .int)]))
            try transaction.createClass(ClassSchema("Article", [
                PropertySchema("title", .string), PropertySchema("note", .int), PropertySchema("author", linkTo: "Author"),
            ]))
            for key in 0..<300 as Range<Int64> {
                try transaction.insert(into: "Author", [("name", .string("author \(key)")), ("age", .int(key))])
                try transaction.insert(into: "Article", [("title", .string("title \(key)")), ("author", .link(ObjectKey(key)))])
            }
        }
        try database.write(durability: .processCrash) { transaction in
            for name in ["Author", "Article"] { _ = try transaction.insert(into: name, []) }
        }
        let fields = [DerivedSchema.Field(link: nil, property: "title"), DerivedSchema.Field(link: "author", property: "name")]
        let stored = try database.snapshot().schema().adding(DerivedSchema(kind: 255, fields: fields), to: "Article").classes[1]
        return (database, stored.derived[0], stored)
    }

    /// The keys of the documents that one transaction changes.
    private func changed(by change: (WriteTransaction) throws -> Void) throws -> [Int64] {
        let machine = SimulatedSystem(seed: 1)
        defer { machine.discard() }
        let (database, index, stored) = try filled(machine), old = try database.snapshot()
        try database.write(durability: .processCrash) { try change($0) }
        var keys: [Int64] = []
        try difference(index, stored, old, database.snapshot()) { key, _, _ in keys.append(key) }
        return keys
    }

    private func set(_ key: Int64, _ name: String, _ property: String, _ value: Value, _ transaction: WriteTransaction) throws {
        let table = try transaction.table(name)
        try transaction.set(ObjectKey(key), in: table, table.column(property), to: value)
    }

    @Test("a field, a link and a linked field change documents; other properties and objects of the tail do not")
    func directly() throws {
        #expect(try changed { try set(7, "Article", "title", .string("new"), $0) } == [7])
        #expect(try changed { try set(7, "Article", "note", .int(5), $0) } == [])
        #expect(try changed { try set(7, "Article", "author", .link(ObjectKey(8)), $0) } == [7])
        #expect(try changed { try set(9, "Author", "name", .string("new"), $0) } == [9])
        #expect(try changed { try set(9, "Author", "age", .int(-1), $0) } == [])
        #expect(try changed { try set(300, "Article", "title", .string("new"), $0) } == [])
        #expect(try changed { transaction in
            try set(3, "Article", "author", .link(ObjectKey(9)), transaction)
            try set(4, "Article", "author", .link(ObjectKey(9)), transaction)
            try set(5, "Article", "title", .string("new"), transaction)
            try set(9, "Author", "name", .string("new"), transaction)
        } == [3, 4, 5, 9])
    }

    @Test("an object of a tail that a covered one links to changes its document")
    func targetInTail() throws {
        #expect(try changed { transaction in
            try set(20, "Article", "author", .link(ObjectKey(300)), transaction)
        } == [20])
        let machine = SimulatedSystem(seed: 1)
        defer { machine.discard() }
        let (database, index, stored) = try filled(machine)
        try database.write(durability: .processCrash) { try set(20, "Article", "author", .link(ObjectKey(300)), $0) }
        let old = try database.snapshot()
        #expect(try NaiveDocuments(index, ofTable: 1, in: old).values[300] == nil)
        try database.write(durability: .processCrash) { try set(300, "Author", "name", .string("new"), $0) }
        try difference(index, stored, old, database.snapshot()) { key, before, after in
            let names = (try before?.value(1), try after?.value(1))
            #expect(key == 20 && names.0 == .string("") && names.1 == .string("new"))
        }
    }

    @Test("deleting a target, an object, and putting another under its key are changes of the objects that had them")
    func deletion() throws {
        #expect(try changed { try $0.delete(ObjectKey(9), from: $0.table("Author")) } == [9])
        #expect(try changed { try $0.delete(ObjectKey(9), from: $0.table("Article")) } == [9])
        #expect(try changed { transaction in
            // What it has links to the author, too: 12 stays, with another author.
            try set(12, "Article", "author", .link(ObjectKey(9)), transaction)
            try transaction.delete(ObjectKey(9), from: transaction.table("Author"))
        } == [9, 12])
    }
}
