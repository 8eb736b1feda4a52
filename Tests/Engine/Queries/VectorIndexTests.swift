import DatabaseKit
@testable import FreeholdEngine
import TestKit
import Testing

/// The nearest vectors that an index of sign bits finds, against those of all.
@Suite("Indexes of vectors") struct VectorIndexTests {
    private static let dimensions = 70

    private func make(_ machine: SimulatedSystem) throws -> Database {
        let database = try Database.open("/vectors.freehold", OpenOptions.simulated, on: machine.makeProcess())
        try database.write(durability: .full) { transaction in
            try transaction.createClass(ClassSchema("Item", [
                PropertySchema("number", .int), PropertySchema("embedding", .data, isNullable: true), PropertySchema("title", .string),
                PropertySchema("parts", .data, collections: [.list]),
            ]))
            try transaction.createClass(ClassSchema("Book", superclass: "Item", []))
        }
        return database
    }

    /// Vectors around few centres, some equal.
    private static func vector(_ random: inout SeededRandom, _ dimensions: Int = dimensions) -> [Float] {
        var centre = SeededRandom(seed: UInt64(random.below(12)))
        let spread: Float = random.oneIn(6) ? 0 : 0.7
        return (0..<dimensions).map { _ in Float.random(in: -1...1, using: &centre) + spread * Float.random(in: -1...1, using: &random) }
    }

    private static func value(_ random: inout SeededRandom) -> Value {
        switch random.below(20) {
        case 0: .null
        case 1: .data(VectorElements.float32.bytes(of: vector(&random, [dimensions - 1, dimensions + 1][random.below(2)])))
        case 2: .data(VectorElements.float32.bytes(of: Array(repeating: [0, .nan][random.below(2)], count: dimensions)))
        default: .data(VectorElements.float32.bytes(of: vector(&random)))
        }
    }

    private func change(_ database: Database, _ random: inout SeededRandom, _ count: Int, fills: Bool = false) throws {
        try database.write(durability: .full) { transaction in
            let items = try transaction.table("Item"), embedding = try items.column("embedding")
            for _ in 0..<count {
                let key = ObjectKey(Int64(random.below(Int(max(1, items.nextKey.rawValue)))))
                switch fills ? 0 : random.below(10) {
                case 0...4:
                    let values = [("number", Value.int(Int64(random.below(100)))), ("embedding", Self.value(&random))]
                    try transaction.insert(into: random.oneIn(2) ? "Book" : "Item", values)
                case 5...6: if try items.contains(key) { try transaction.set(key, in: items, embedding, to: Self.value(&random)) }
                case 7: if try items.contains(key) { try transaction.set(key, in: items, items.column("number"), to: .int(7)) }
                default: if try items.contains(key) { try transaction.delete(key, from: items) }
                }
            }
        }
    }

    private func addIndex(_ database: Database) throws {
        try database.write(durability: .full) { try $0.vectors.add("embedding", dimensions: Self.dimensions, to: "Item") }
    }

    private static func nearest(_ random: inout SeededRandom, count: Int) -> QueryNearest {
        QueryNearest(PropertyPath("embedding"), to: vector(&random), count: count)
    }

    /// The nearest of all, each measured.
    private static func naive(_ nearest: BoundNearest, _ table: Table, _ keys: [ObjectKey]) throws -> [ObjectKey] {
        let scores = try VectorScores(nearest, table).scores(of: keys)
        let found = zip(keys, scores).filter { !$0.1.isNaN }
        return found.sorted { $0.1 != $1.1 ? $0.1 > $1.1 : $0.0.rawValue < $1.0.rawValue }.prefix(nearest.count).map(\.0)
    }

    /// Compares random queries; returns how many of them an index has answered.
    private func compare(_ database: Database, _ random: inout SeededRandom, _ comment: String) throws -> Int {
        let snapshot = try database.snapshot()
        defer { snapshot.end() }
        var answered = 0
        for name in ["Item", "Book"] {
            let table = try snapshot.table(name), limit = [60, 100][random.below(2)]
            let query = Self.nearest(&random, count: [1, 10, 50][random.below(3)])
            let nearest = try QueryBinder(table).nearest(query)
            let keys = limit == 100 ? try table.keys() : try table.keys(matching: ObjectQuery("number < \(limit)"))
            let wanted = try Self.naive(nearest, table, keys)
            let all = try VectorScores(nearest, table).best(of: limit == 100 ? nil : keys, requiringLength: true, firstRound: .max)
            #expect(all == wanted, "\(comment): \(name), number < \(limit)")
            let prepared = try table.prepare(ObjectQuery("number < \(limit) \(query)"))
            let found = try prepared.keys()
            #expect(Set(found).intersection(wanted).count >= wanted.count * 8 / 10 && found.count == wanted.count)
            if try prepared.explanation().contains("an index of sign bits") { answered += 1 }
        }
        return answered
    }

    @Test("if all are measured the answer is that without the index, in every state of tail and tree",
          arguments: TestScale.seeds(2, long: 12))
    func histories(seed: UInt64) throws {
        let machine = SimulatedSystem(seed: seed)
        defer { machine.discard() }
        var random = SeededRandom(seed: seed), answered = 0
        let database = try make(machine)
        defer { database.close() }
        if seed % 2 == 0 { try addIndex(database) }
        try change(database, &random, 4600, fills: true)
        if seed % 2 == 1 { try addIndex(database) }
        for round in 0..<4 {
            answered += try compare(database, &random, "seed \(seed), round \(round)")
            try change(database, &random, [1, 30, 300, 900][round])
            let problems = try database.check().problems
            #expect(problems.isEmpty, "seed \(seed), round \(round): \(problems.prefix(3))")
        }
        #expect(answered > 5, "\(answered)")
        try database.write(durability: .full) { transaction in
            let savepoint = try transaction.savepoint()
            try transaction.vectors.drop("embedding", from: "Item")
            try transaction.rollback(to: savepoint)
        }
        #expect(try compare(database, &random, "seed \(seed), not dropped") > 0)
        try database.write(durability: .full) { try $0.vectors.drop("embedding", from: "Item") }
        #expect(try compare(database, &random, "seed \(seed), dropped") == 0)
        #expect(try database.check().problems.isEmpty)
    }

    @Test("nearly all of the nearest are found, whatever the vectors are like", arguments: SampleVectors.allCases)
    func recall(sample: SampleVectors) throws {
        let machine = SimulatedSystem(seed: 5)
        defer { machine.discard() }
        var random = SeededRandom(seed: 5), found = 0, wanted = 0
        let database = try make(machine), count = max(2_600, TestScale.count(6_000))
        defer { database.close() }
        try database.write { transaction in
            for _ in 0..<count {
                let bytes = VectorElements.float32.bytes(of: sample.vector(&random))
                try transaction.insert(into: "Item", [("number", .int(Int64(random.below(100)))), ("embedding", .data(bytes))])
            }
            try transaction.vectors.add("embedding", dimensions: sample.dimensions, metric: sample.metric, to: "Item")
        }
        let table = try database.snapshot().table("Item")
        for round in 0..<20 {
            let query = QueryNearest(PropertyPath("embedding"), to: sample.vector(&random), count: 10, metric: sample.metric)
            let nearest = try QueryBinder(table).nearest(query)
            let keys = round % 2 == 0 ? try table.keys() : try table.keys(matching: ObjectQuery("number < 90"))
            let exact = try Self.naive(nearest, table, keys)
            let answer = try VectorScores(nearest, table).best(of: round % 2 == 0 ? nil : keys, requiringLength: true)
            // Of equal scores any may be found.
            let last = try #require(try VectorScores(nearest, table).scores(of: exact).last)
            found += try VectorScores(nearest, table).scores(of: answer).count { $0 >= last }
            wanted += exact.count
        }
        #expect(wanted == 200 && found * 100 >= wanted * 97, "\(sample): \(found) of \(wanted)")
    }

    @Test("a copy and a salvaged file have the index, and answer by it; writers need write feature 3")
    func copies() throws {
        let machine = SimulatedSystem(seed: 1)
        defer { machine.discard() }
        let database = try make(machine)
        var random = SeededRandom(seed: 1)
        try change(database, &random, 2600, fills: true)
        #expect(try database.snapshot().root.writeFeatures == 0)
        try addIndex(database)
        #expect(try database.snapshot().root.writeFeatures == FormatFeatures.derivedIndexes | FormatFeatures.vectors)
        let query = ObjectQuery(.constant(true), [.nearest(Self.nearest(&random, count: 10))])
        let wanted = try database.snapshot().table("Item").keys(matching: query)
        let process = machine.makeProcess()
        try database.copy(to: "/copy.freehold", encryption: .same, .simulated, on: process)
        database.close()
        _ = try Database.salvage(from: "/vectors.freehold", to: "/salvaged.freehold", .simulated, on: process)
        for path in ["/copy.freehold", "/salvaged.freehold"] {
            let copy = try Database.open(path, OpenOptions.simulated, on: process)
            let prepared = try copy.snapshot().table("Item").prepare(query)
            #expect(try prepared.keys() == wanted && wanted.count == 10, "\(path)")
            #expect(try prepared.explanation().contains("the nearest 10, starting with"), "\(path)")
            #expect(try copy.check().problems.isEmpty, "\(path)")
        }
    }

    @Test("an index takes little more than its rows, also after many small commits", arguments: [384, 768, 1024])
    func size(dimensions: Int) throws {
        let machine = SimulatedSystem(seed: 1)
        defer { machine.discard() }
        let database = try make(machine)
        defer { database.close() }
        var random = SeededRandom(seed: 1)
        let vectors = (0..<8).map { _ in Value.data((0..<dimensions).map { _ in UInt8(random.below(256)) }) }
        try database.write { try $0.vectors.add("embedding", dimensions: dimensions, elements: .int8, to: "Item") }
        for count in [1_000, 300, 300, 1, 900, 59] {
            try database.write { transaction in
                for number in 0..<count { try transaction.insert(into: "Item", [("embedding", vectors[number % 8])]) }
            }
        }
        let snapshot = try database.snapshot(), use = try #require(try snapshot.spaceUse().classes.first?.derivedIndexes.first)
        let documents = try snapshot.vectorIndexes()[0].documents, rows = documents * dimensions / 8
        #expect(use.kind == "vectors" && documents > 2_000 && Int(use.bytes) < rows * 108 / 100, "\(use.bytes) for \(rows)")
    }

    @Test("explanations say why an index is not used")
    func notes() throws {
        let machine = SimulatedSystem(seed: 1)
        defer { machine.discard() }
        let database = try make(machine)
        defer { database.close() }
        var random = SeededRandom(seed: 1)
        try change(database, &random, 2_700, fills: true)
        func explanation(_ table: Table, _ metric: VectorMetric = .cosine) throws -> String {
            let query = QueryNearest(PropertyPath("embedding"), to: Self.vector(&random), count: 3, metric: metric)
            return try table.prepare(ObjectQuery(.constant(true), [.nearest(query)])).explanation()
        }
        try DerivedBudget.$standard.withValue(DerivedBudget(objects: 800, bytes: 1 << 20)) { try addIndex(database) }
        let begun = try explanation(try database.snapshot().table("Book"))
        #expect(begun.contains("note: the index of vectors over 'embedding' is not used yet: it is being built, "), "\(begun)")
        #expect(!begun.contains("index of sign bits"))
        try database.buildIndexes()
        let other = try explanation(database.snapshot().table("Item"), .dot)
        let note = "note: the index of vectors over 'embedding' is not used: it is for 70 dimensions, float32, cosine"
        #expect(other.contains(note), "\(other)")
        let used = try explanation(try database.snapshot().table("Item"))
        #expect(used.contains("starting with those that an index of sign bits finds near") && !used.contains("note: "), "\(used)")
        try database.write { transaction in
            let inside = try explanation(try transaction.table("Item"))
            #expect(inside.contains("note: the index of vectors over 'embedding' is not used within a write transaction"), "\(inside)")
        }
    }

    @Test("indexes are listed, not added twice, and dropped by their property")
    func listed() throws {
        let machine = SimulatedSystem(seed: 1)
        defer { machine.discard() }
        let database = try make(machine)
        defer { database.close() }
        var random = SeededRandom(seed: 1)
        try change(database, &random, 600, fills: true)
        try addIndex(database)
        try addIndex(database)
        let index = try #require(try database.snapshot().vectorIndexes().first)
        #expect(try database.snapshot().vectorIndexes().count == 1)
        #expect(index.className == "Item" && index.index == VectorIndex("embedding", dimensions: 70) && index.percent == 100)
        #expect(index.state == .complete && index.documents > 300)
        try database.write { transaction in
            let error = #expect(throws: FreeholdError.self) {
                try transaction.vectors.add("embedding", dimensions: 70, metric: .dot, to: "Item")
            }
            #expect(error?.message.contains("another index of vectors over 'embedding'; drop it first") == true)
            try transaction.vectors.add("embedding", dimensions: 3, elements: .int8, metric: .euclidean, to: "Book")
        }
        let second = try #require(try database.snapshot().vectorIndexes().last)
        #expect(second.className == "Book" && second.index.dimensions == 3)
        #expect(second.index.elements == .int8 && second.index.metric == .euclidean)
        try database.write { try $0.vectors.drop("embedding", from: "Item") }
        let error = #expect(throws: FreeholdError.self) { try database.write { try $0.vectors.drop("embedding", from: "Item") } }
        #expect(error?.message == "class 'Item' has no index of vectors over 'embedding'")
        #expect(try database.check().problems.isEmpty)
    }

    @Test("properties and dimensions of no vectors cannot be indexed", arguments: [
        ("title", 3, "is over one property of type data"), ("parts", 3, "is over one property of type data"),
        ("embedding", 0, "1 to 65535 dimensions, not 0"), ("embedding", 65_536, "not 65536"), ("embeding", 3, "embeding"),
    ])
    func refused(property: String, dimensions: Int, message: String) throws {
        let machine = SimulatedSystem(seed: 1)
        defer { machine.discard() }
        let database = try make(machine)
        defer { database.close() }
        let error = #expect(throws: FreeholdError.self) {
            try database.write { try $0.vectors.add(property, dimensions: dimensions, to: "Item") }
        }
        #expect(error?.message.contains(message) == true, "\(String(describing: error))")
    }

    @Test("long and short vectors are filed, changed and found", arguments: [1, 64, 500, 513, 4100, 40_000])
    func sizes(dimensions: Int) throws {
        let machine = SimulatedSystem(seed: 1)
        defer { machine.discard() }
        let database = try make(machine)
        defer { database.close() }
        var random = SeededRandom(seed: 1)
        try database.write { try $0.vectors.add("embedding", dimensions: dimensions, elements: .int8, to: "Item") }
        for round in 0..<2 {
            try database.write(durability: .full) { transaction in
                let items = try transaction.table("Item")
                for number in 0..<(dimensions > 1000 ? 60 : 600) {
                    let value = Value.data((0..<dimensions).map { _ in UInt8(random.below(256)) })
                    if round == 0 {
                        try transaction.insert(into: "Item", [("embedding", value)])
                    } else if number % 7 == 0 {
                        try transaction.set(ObjectKey(Int64(number)), in: items, items.column("embedding"), to: value)
                    }
                }
            }
            let problems = try database.check().problems
            #expect(problems.isEmpty, "\(problems.prefix(3))")
        }
        #expect(try database.snapshot().vectorIndexes()[0].documents > 10)
    }
}
