import DatabaseKit
@testable import FreeholdEngine
import TestKit
import Testing

/// The space of a version by class and property: its sum is what the space map counts, its parts are what was written.
@Suite struct SpaceUseTests {
    /// Measures the newest version, and compares the sums with those of `information` and `check`.
    private func measure(_ database: Database, _ note: String = "") throws -> SpaceUse {
        let snapshot = try database.snapshot()
        defer { snapshot.end() }
        let use = try snapshot.spaceUse(), information = try database.information(), report = try database.check()
        #expect(report.isClean, "\(note)\(report.problems.prefix(3))")
        #expect(use.version == information.version && use.version == snapshot.version)
        #expect(use.usedBytes == information.usedBytes, "\(note)\(use)")
        #expect(use.usedBytes - use.headerBytes - use.unusedBytes == report.liveBytes, "\(note)\(use)")
        #expect(try use.classes.map(\.name) == snapshot.classes.map(\.name))
        for (own, schema) in zip(use.classes, try snapshot.classes) {
            #expect(own.properties.map(\.name) == schema.properties.map(\.name))
            let keys = schema.primaryKeys.count > 1 ? [schema.primaryKeys] : []
            let indexes = Set(keys + schema.indexes.map(\.properties))
            #expect(Set(own.indexes.map(\.properties)) == indexes && own.indexes.count >= indexes.count, "\(note)\(own.indexes)")
        }
        return use
    }

    private func database(
        _ classes: [ClassSchema], _ options: OpenOptions = .simulated, _ fill: (WriteTransaction) throws -> Void = { _ in }
    ) throws -> Database {
        let machine = SimulatedSystem(seed: 1)
        let database = try Database.open("/use.freehold", options, on: machine.makeProcess())
        try database.write { transaction in
            for schema in classes { try transaction.createClass(schema) }
            try fill(transaction)
        }
        return database
    }

    @Test("an empty file has its header, its schema and its space map")
    func anEmptyFile() throws {
        let use = try measure(try database([]))
        #expect(use.classes.isEmpty && use.headerBytes >= 4096 && use.spaceMapBytes > 0 && use.otherBytes > 0)
    }

    @Test("values, long values, collections and indexes are told apart", arguments: [false, true])
    func partsAreToldApart(isEncrypted: Bool) throws {
        var options = OpenOptions.simulated
        if isEncrypted { (options.encryptionKey, options.decryptedBytesLimit) = (.forTests, 128 << 10) }
        let database = try database([
            ClassSchema("Thing", primaryKey: "id", indexes: [IndexSchema(["flag", "int"])], [
                PropertySchema("id", .int), PropertySchema("int", .int, isIndexed: true), PropertySchema("flag", .bool),
                PropertySchema("word", .string), PropertySchema("data", .data), PropertySchema("list", .int, collections: [.list]),
                PropertySchema("next", linkTo: "Thing"), PropertySchema("absent", .double, isNullable: true), PropertySchema("any", .mixed),
            ]),
        ], options) { transaction in
            let things = try transaction.table("Thing")
            for id: Int64 in 0..<3000 {
                let data = Value.data([UInt8](repeating: UInt8(id % 251), count: id % 1000 == 7 ? 200_000 : 10))
                let list = Value.list((0..<(id % 1000 == 9 ? 50_000 : 2)).map { .int(id &* 1_000_003 ^ $0) })  // Safe: any number will do.
                try transaction.insert(into: things, values: [
                    .int(id), .int(id &* 7_919 % 100_003), .bool(id % 2 == 0),  // Safe: any number will do.
                    .string(["red", "green", "blue"][Int(id % 3)]), data, list,
                    id > 0 ? .link(ObjectKey(id - 1)) : .null, .null, id % 2 == 0 ? .string("text \(id)") : .int(id),
                ])
            }
        }
        let thing = try #require(try measure(database, "encrypted: \(isEncrypted) ").classes.first)
        func property(_ name: String) throws -> SpaceUse.PropertyUse { try #require(thing.properties.first { $0.name == name }) }
        #expect(try property("id").bytes == 0)
        #expect(try property("int").valueBytes > 3000 && property("int").indexBytes > 3000 && property("int").longValueBytes == 0)
        #expect(try property("flag").bytes > 0 && property("flag").indexBytes == 0)
        #expect(try property("word").valueBytes > 0 && property("word").valueBytes < property("int").valueBytes)
        #expect(try (600_000..<700_000).contains(property("data").longValueBytes) && property("data").collectionBytes == 0)
        #expect(try property("list").collectionBytes > 150_000 && property("list").longValueBytes == 0)
        #expect(try property("next").indexBytes > 0 && property("absent").bytes == 0 && property("any").valueBytes > 0)
        #expect(thing.indexes[0].bytes > 3000 && thing.structureBytes > 0)
    }

    @Test("recent objects are counted apart until they are stored by columns")
    func recentObjects() throws {
        let classes = [ClassSchema("Note", [PropertySchema("text", .string)])]
        let database = try database(classes) { transaction in
            let notes = try transaction.table("Note")
            let text = String(repeating: "x", count: 100)
            for number in 0..<20 { try transaction.insert(into: notes, values: [.string("note \(number) \(text)")]) }
        }
        let recent = try #require(try measure(database).classes.first)
        #expect(recent.recentBytes > 2000 && recent.properties[0].bytes == 0)
        try database.write { transaction in
            let notes = try transaction.table("Note")
            for number in 0..<600 { try transaction.insert(into: notes, values: [.string("note \(number)")]) }
        }
        let sealed = try #require(try measure(database).classes.first)
        #expect(sealed.properties[0].bytes > 2000)
    }

    @Test("a subclass has the properties that it declares, its base class what they have in common")
    func subclasses() throws {
        let database = try database([
            ClassSchema("Animal", primaryKey: "id", [PropertySchema("id", .int), PropertySchema("name", .string, isIndexed: true)]),
            ClassSchema("Dog", superclass: "Animal", indexes: [IndexSchema(["name", "weight"])], [
                PropertySchema("weight", .double, isIndexed: true),
            ]),
            ClassSchema("$import:marks", [PropertySchema("mark", .string)]),
        ]) { transaction in
            let dogs = try transaction.table("Dog")
            for id: Int64 in 0..<1000 { try transaction.insert(into: dogs, values: [.int(id), .string("dog \(id)"), .double(Double(id))]) }
        }
        let use = try measure(database), animal = use.classes[0], dog = use.classes[1]
        #expect(animal.structureBytes > 0 && animal.properties[1].valueBytes > 0 && animal.properties[1].indexBytes > 0)
        #expect(dog.structureBytes == 0 && dog.properties.map(\.name) == ["weight"] && dog.properties[0].valueBytes >= 8000)
        #expect(dog.properties[0].indexBytes > 0 && dog.indexes[0].bytes > 0)
    }

    @Test("what deletions leave in pages counts as unused, and other versions do not count")
    func deletions() throws {
        let classes = [ClassSchema("Note", primaryKey: "id", [PropertySchema("id", .int), PropertySchema("text", .string)])]
        let database = try database(classes) { transaction in
            let notes = try transaction.table("Note")
            for id: Int64 in 0..<5000 { try transaction.insert(into: notes, values: [.int(id), .string("note number \(id) of many")]) }
        }
        let before = try measure(database), held = try database.snapshot()
        try database.write { transaction in
            let notes = try transaction.table("Note")
            try transaction.delete((0..<5000).filter { $0 % 600 < 500 }.map { ObjectKey($0) }, from: notes)
        }
        let after = try measure(database)
        #expect(after.classes[0].bytes < before.classes[0].bytes / 2)
        // The held version still has all.
        #expect(try held.spaceUse().classes[0].bytes == before.classes[0].bytes)
    }

    @Test("progress reaches the total, and ends the measurement by an error")
    func progress() throws {
        struct Stop: Error {}
        let database = try database([ClassSchema("Note", [PropertySchema("text", .string, isIndexed: true)])]) { transaction in
            let notes = try transaction.table("Note")
            for number in 0..<200_000 { try transaction.insert(into: notes, values: [.string("\(number)")]) }
        }
        let snapshot = try database.snapshot()
        var steps: [UInt64] = [], totals: Set<UInt64> = []
        _ = try snapshot.spaceUse { steps.append($0); totals.insert($1) }
        #expect(steps.count > 1 && steps == steps.sorted() && totals.count == 1 && steps.last == totals.first)
        #expect(throws: Stop.self) { try snapshot.spaceUse { _, _ in throw Stop() } }
        snapshot.end()
        #expect { try snapshot.spaceUse() } throws: { ($0 as? FreeholdError)?.code == .closed }
    }

    @Test("after each commit of a random history the sum is what the space map counts", arguments: TestScale.seeds(6))
    func randomHistories(seed: UInt64) throws {
        let machine = SimulatedSystem(seed: seed)
        defer { machine.discard() }
        var history = History(seed: seed)
        let database = try Database.open("/use.freehold", OpenOptions.simulated(seed: seed), on: machine.makeProcess())
        for round in 0..<15 {
            try history.transact(on: database, durability: .processCrash)
            _ = try measure(database, "seed \(seed), round \(round): ")
        }
    }
}
