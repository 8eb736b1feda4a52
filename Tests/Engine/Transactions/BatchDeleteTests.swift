import DatabaseKit
@testable import FreeholdEngine
import TestKit
import Testing

/// Many deletions in one transaction, over many clusters, in every order, mixed with what else a transaction does;
/// compared with the naive model.
@Suite struct BatchDeleteTests {
    enum Order: CaseIterable { case ascending, descending, random }

    static let cases = TestScale.seeds(2, full: 6).flatMap { seed in Order.allCases.map { (seed, $0) } }

    private static let schema = ClassSchema("Thing", primaryKey: "id", [
        PropertySchema("id", .int), PropertySchema("city", .string, isIndexed: true),
        PropertySchema("nick", .string, isNullable: true, isIndexed: true), PropertySchema("name", .string),
        PropertySchema("number", .int, isNullable: true, isIndexed: true), PropertySchema("flag", .bool),
        PropertySchema("real", .double, isNullable: true), PropertySchema("small", .float),
        PropertySchema("when", .date, isNullable: true), PropertySchema("uuid", .uuid),
        PropertySchema("bytes", .data, isNullable: true),
    ])

    @Test("batches deleted in any order leave what the model says", arguments: cases)
    func batches(seed: UInt64, order: Order) throws {
        let machine = SimulatedSystem(seed: seed)
        defer { machine.discard() }
        let database = try Database.open("/batch.freehold", OpenOptions.simulated, on: machine.makeProcess())
        var purge = Purge(seed: seed, order: order)
        try database.write { try $0.createClass(Self.schema) }
        purge.model.createClass(Self.schema)
        for round in 0..<8 {
            let transaction = try database.beginWrite()
            let before = purge.model
            let steps = 1 + Int.random(in: 0..<4, using: &purge.random)
            for _ in 0..<steps { try purge.step(transaction) }
            if round > 0 && purge.random.oneIn(4) {
                transaction.rollback()
                purge.model = before
            } else {
                try transaction.commit(.processCrash)
            }
            let differences = try Comparison.differences(purge.model, try database.snapshot())
            #expect(differences.isEmpty, "seed \(seed), \(order), round \(round): \(differences.prefix(5).joined(separator: "; "))")
            let report = try database.check()
            #expect(report.isClean, "seed \(seed), \(order), round \(round): \(report.problems.prefix(5))")
            if !differences.isEmpty || !report.isClean { return }
        }
    }

    @Test("a batch with a key without an object, or with one twice, deletes nothing")
    func missing() throws {
        let machine = SimulatedSystem(seed: 1)
        defer { machine.discard() }
        let database = try Database.open("/batch.freehold", OpenOptions.simulated, on: machine.makeProcess())
        var purge = Purge(seed: 1, order: .ascending)
        try database.write { transaction in
            try transaction.createClass(Self.schema)
            purge.model.createClass(Self.schema)
            try purge.insert(600, transaction)
        }
        let keys = purge.keys
        try database.write { transaction in
            let table = try transaction.table("Thing")
            for bad in [keys[0], keys[1], keys.max()! + 1] {
                for batch in [[keys[0], keys[1], bad, keys[2]], [bad, keys[2], keys[0], keys[1]], [keys[2], keys[0], keys[1], bad, bad]] {
                    let error = #expect(throws: FreeholdError.self) { try transaction.delete(batch.map { ObjectKey($0) }, from: table) }
                    #expect(error?.code == .noSuchObject)
                    #expect(table.count == keys.count)
                }
            }
            #expect(try table.contains(ObjectKey(keys[2])))
        }
        #expect(try database.check().isClean)
    }
}

/// Steps of transactions that delete much.
private struct Purge {
    var random: SeededRandom
    var model = NaiveDatabase()
    let order: BatchDeleteTests.Order

    init(seed: UInt64, order: BatchDeleteTests.Order) {
        random = SeededRandom(seed: seed)
        self.order = order
    }

    var keys: [Int64] { model.classes["Thing"]!.objects.keys.sorted() }

    mutating func step(_ transaction: WriteTransaction) throws {
        if keys.isEmpty { return try insert(3000, transaction) }
        switch Int.random(in: 0..<8, using: &random) {
        case 0: try insert(Int.random(in: 1...200, using: &random), transaction)
        case 1: try insert(Int.random(in: 300...2000, using: &random), transaction)
        case 2: try change(transaction)
        case 3: try look(transaction)
        case 4: try reinsert(transaction)
        default: try delete(transaction)
        }
    }

    /// New objects, most behind all others, some between them.
    mutating func insert(_ count: Int, _ transaction: WriteTransaction) throws {
        let first = (keys.last ?? 0) + 1
        let stride = Int64.random(in: 1...3, using: &random)
        for index in 0..<Int64(count) { try insert(key: first + index * stride, transaction) }
        for _ in 0..<Int.random(in: 0..<20, using: &random) {
            let key = Int64.random(in: 0...first, using: &random)
            if model.classes["Thing"]!.objects[key] == nil { try insert(key: key, transaction) }
        }
    }

    private mutating func insert(key: Int64, _ transaction: WriteTransaction) throws {
        let values = values(key)
        try transaction.insert(into: transaction.table("Thing"), values: values)
        _ = model.insert("Thing", values)
    }

    private mutating func values(_ key: Int64) -> [Value] {
        let draw = Int.random(in: 0..<1_000_000, using: &random)
        let long = draw % 300 == 0 ? 5000 : draw % 7
        return [
            .int(key), .string("city-\(draw % 23)"), draw % 5 == 0 ? .null : .string("nick \(draw % 5000)"),
            .string(String(repeating: "n", count: draw % 40)), draw % 11 == 0 ? .null : .int(Int64(draw % 50)), .bool(draw % 2 == 0),
            draw % 13 == 0 ? .null : .double(Double(draw) / 3), .float(Float(draw % 100)),
            draw % 17 == 0 ? .null : .date(Timestamp(seconds: Int64(draw), nanoseconds: Int32(draw % 3))),
            .uuid(UniqueIdentifier(high: UInt64(draw), low: 7)),
            draw % 19 == 0 ? .null : .data(Array(repeating: UInt8(truncatingIfNeeded: draw), count: long)),
        ]
    }

    private mutating func change(_ transaction: WriteTransaction) throws {
        let table = try transaction.table("Thing")
        for key in keys where random.oneIn(40) {
            let place = Int.random(in: 1..<11, using: &random), value = values(key)[place]
            try transaction.set(ObjectKey(key), in: table, table.columns[place], to: value)
            model.set("Thing", key, place, value)
        }
    }

    /// What the transaction sees of an index between its changes.
    private mutating func look(_ transaction: WriteTransaction) throws {
        let table = try transaction.table("Thing")
        let city = Value.string("city-\(Int.random(in: 0..<23, using: &random))")
        let expected = model.classes["Thing"]!.objects.filter { $0.value[1] == city }.keys.sorted()
        let found = try table.keys(table.column("city"), equals: city).map(\.rawValue)
        guard found == expected else { throw Unexpected("\(city) has \(found.prefix(10))… instead of \(expected.prefix(10))…") }
    }

    /// Deletes some objects and makes objects of the same keys, half of them with the very same values.
    private mutating func reinsert(_ transaction: WriteTransaction) throws {
        let chosen = batch(atMost: 300)
        let old = chosen.map { model.classes["Thing"]!.objects[$0]! }
        try delete(chosen, transaction)
        for (key, values) in zip(chosen, old) {
            if random.oneIn(2) { try insert(key: key, transaction) } else {
                try transaction.insert(into: transaction.table("Thing"), values: values)
                _ = model.insert("Thing", values)
            }
        }
    }

    private mutating func delete(_ transaction: WriteTransaction) throws {
        try delete(batch(atMost: keys.count), transaction)
    }

    private mutating func delete(_ chosen: [Int64], _ transaction: WriteTransaction) throws {
        let table = try transaction.table("Thing")
        if random.oneIn(3) {
            for key in chosen { try transaction.delete(ObjectKey(key), from: table) }
        } else {
            try transaction.delete(chosen.map { ObjectKey($0) }, from: table)
        }
        for key in chosen { model.delete("Thing", key) }
        guard table.count == keys.count else { throw Unexpected("\(table.count) objects are left instead of \(keys.count)") }
        for key in chosen.prefix(20) where try table.contains(ObjectKey(key)) { throw Unexpected("object \(key) is still there") }
    }

    /// Keys of the present in this run's order: every so-manieth, or a stretch.
    private mutating func batch(atMost limit: Int) -> [Int64] {
        let all = keys
        var chosen: [Int64]
        if random.oneIn(3) {
            let low = Int.random(in: 0..<all.count, using: &random), high = Int.random(in: low..<all.count, using: &random)
            chosen = Array(all[low...high])
        } else {
            let one = Int.random(in: 2...30, using: &random)
            chosen = all.filter { _ in one == 2 || !random.oneIn(one) }
        }
        chosen = Array(chosen.prefix(limit))
        switch order {
        case .ascending: return chosen
        case .descending: return chosen.reversed()
        case .random: return chosen.shuffled(using: &random)
        }
    }
}
