import DatabaseKit
@testable import FreeholdEngine
import TestKit
import Testing

/// Ways through indexes in batches go on where a sort of all objects, cut behind the last one, does.
@Suite struct IndexPlaceTests {
    private static let schema = [
        ClassSchema("Thing", primaryKey: "id", [
            PropertySchema("id", .int), PropertySchema("few", .int, isNullable: true, isIndexed: true), PropertySchema("text", .string, isIndexed: true),
            PropertySchema("friends", linkTo: "Thing", collections: [.list]), PropertySchema("plain", .int),
        ]),
        ClassSchema("Gadget", superclass: "Thing", [PropertySchema("size", .int, isIndexed: true)]),
    ]

    /// What an object is filed under: a value and its key.
    private struct Filed: Comparable {
        let value: Value
        let key: ObjectKey

        static func < (left: Filed, right: Filed) -> Bool {
            switch (left.value, right.value) {
            case (.null, .null): left.key < right.key
            case (.null, _): true
            case (_, .null): false
            case (.int(let one), .int(let other)): (one, left.key) < (other, right.key)
            case (.link(let one), .link(let other)): (one, left.key) < (other, right.key)
            case (.string(let one), .string(let other)):
                one == other ? left.key < right.key : one.utf8.lexicographicallyPrecedes(other.utf8)
            default: preconditionFailure("values of one property")
            }
        }
    }

    /// A way through an index, and the answer without one.
    private struct Way {
        let name: String
        let from: Value?, to: Value?
        let descending: Bool

        init(_ name: String, _ random: inout SeededRandom) {
            self.name = name
            func bound() -> Value? { random.oneIn(2) ? nil : IndexPlaceTests.value(name, &random) }
            (from, to) = (bound(), bound())
            descending = random.oneIn(2)
        }

        func filed(_ table: Table) throws -> [Filed] {
            var all: [Filed] = []
            let column = try table.column(name)
            try table.forEach { row in
                if name == "friends" {
                    guard case .list(let friends) = try row.value(column) else { return true }
                    for friend in Set(friends) { all.append(Filed(value: friend, key: row.key)) }
                } else {
                    all.append(Filed(value: try row.value(column), key: row.key))
                }
                return true
            }
            let low = from.map { Filed(value: $0, key: ObjectKey(.min)) }, end = to.map { Filed(value: $0, key: ObjectKey(.min)) }
            all.removeAll { one in low.map { one < $0 } ?? false || end.map { !(one < $0) } ?? false }
            return descending ? all.sorted(by: >) : all.sorted()
        }

        func next(_ table: Table, after place: inout IndexPlace?, _ limit: Int) throws -> [ObjectKey] {
            try table.keys(try table.column(name), from: from, to: to, descending: descending, after: &place, limit: limit)
        }
    }

    // MARK: data

    private static func value(_ name: String, _ random: inout SeededRandom) -> Value {
        switch name {
        case "id", "plain": .int(Int64.random(in: -4000...4000, using: &random))
        case "few": random.oneIn(9) ? .null : .int(Int64.random(in: 0..<3, using: &random))
        case "text": .string(random.oneIn(2) ? "same" : String(repeating: "long ", count: random.oneIn(9) ? 300 : 1) + "\(Int.random(in: 0..<40, using: &random))")
        case "size": .int(Int64.random(in: 0..<5, using: &random))
        default: .link(ObjectKey(Int64.random(in: -4000...4000, using: &random)))
        }
    }

    private static func grow(_ transaction: WriteTransaction, _ count: Int, _ random: inout SeededRandom) throws {
        let things = try transaction.table("Thing")
        let all = try things.keys()
        for _ in 0..<count {
            let id = value("id", &random)
            guard case .int(let number) = id, try !things.contains(ObjectKey(number)) else { continue }
            let isGadget = random.oneIn(3)
            var values: [(String, Value)] = [("id", id), ("few", value("few", &random)), ("text", value("text", &random))]
            if isGadget { values.append(("size", value("size", &random))) }
            if !all.isEmpty {
                values.append(("friends", .list((0..<Int.random(in: 0..<4, using: &random)).map { _ in .link(all.randomElement(using: &random)!) })))
            }
            try transaction.insert(into: isGadget ? "Gadget" : "Thing", values)
        }
        for key in all where random.oneIn(14) { try transaction.delete(key, from: things) }
        for key in try things.keys() where random.oneIn(12) {
            for name in ["few", "text"] { try transaction.set(key, in: things, try things.column(name), to: value(name, &random)) }
        }
    }

    private static func withDatabase(_ seed: UInt64, _ body: (Database, inout SeededRandom) throws -> Void) throws {
        let machine = SimulatedSystem(seed: seed)
        defer { machine.discard() }
        let database = try Database.open("/places.freehold", .simulated(seed: seed), on: machine.makeProcess())
        defer { database.close() }
        var random = SeededRandom(seed: seed)
        try database.write { for one in schema { try $0.createClass(one) } }
        for count in [seed % 3 == 0 ? 3000 : 700, 150, 60] { try database.write { try grow($0, count, &random) } }
        try body(database, &random)
    }

    private static func tables(_ source: (String, Bool) throws -> Table) throws -> [Table] {
        [try source("Thing", true), try source("Thing", false), try source("Gadget", true)]
    }

    // MARK: tests

    @Test(arguments: TestScale.seeds(3, long: 60))
    func batchesGiveWhatOneLookUpGives(seed: UInt64) throws {
        try Self.withDatabase(seed) { database, random in
            let snapshot = try database.snapshot()
            for table in try Self.tables({ try snapshot.table($0, withSubclasses: $1) }) {
                for name in ["id", "few", "text", "friends"] + (table.schema.name == "Gadget" ? ["size"] : []) {
                    let way = Way(name, &random)
                    let wanted = try way.filed(table).map(\.key), limit = wanted.count / 40 + [1, 2, 7, 64, 5000].randomElement(using: &random)!
                    var found: [ObjectKey] = [], place: IndexPlace?
                    while true {
                        let some = try way.next(table, after: &place, limit)
                        found += some
                        if some.count < limit { break }
                    }
                    #expect(found == wanted, "seed \(seed), \(way), limit \(limit)")
                    #expect(try way.next(table, after: &place, limit).isEmpty, "seed \(seed), \(way)")
                    let column = try table.column(name)
                    #expect(try table.keys(column, from: way.from, to: way.to, descending: way.descending) == wanted, "seed \(seed), \(way)")
                }
            }
        }
    }

    @Test(arguments: TestScale.seeds(3, long: 60))
    func aTransactionsChangesAreSeenBehindThePlace(seed: UInt64) throws {
        try Self.withDatabase(seed) { database, random in
            let transaction = try database.beginWrite()
            for name in ["id", "few", "text", "friends"] {
                let way = Way(name, &random)
                var place: IndexPlace?, last: Filed?
                for _ in 0..<8 {
                    let table = try transaction.table("Thing", withSubclasses: !random.oneIn(4)), limit = Int.random(in: 0...150, using: &random)
                    let behind = try way.filed(table).filter { one in last.map { way.descending ? one < $0 : $0 < one } ?? true }
                    let found = try way.next(table, after: &place, limit)
                    #expect(found == behind.prefix(limit).map(\.key), "seed \(seed), \(way), limit \(limit)")
                    last = behind.prefix(limit).last ?? last
                    try Self.grow(transaction, Int.random(in: 0...80, using: &random), &random)
                }
            }
            transaction.rollback()
        }
    }

    @Test func aPlaceIsOfOneTypeOfValue() throws {
        try Self.withDatabase(1) { database, _ in
            let table = try database.snapshot().table("Thing")
            var place: IndexPlace?
            _ = try table.keys(try table.column("few"), from: nil, to: nil, after: &place, limit: 3)
            #expect(place != nil)
            for other in ["id", "text"] {
                #expect { _ = try table.keys(try table.column(other), from: nil, to: nil, after: &place, limit: 3) } throws: {
                    ($0 as? FreeholdError)?.code == .typeMismatch
                }
            }
            var none: IndexPlace?
            #expect(throws: FreeholdError.self) { _ = try table.keys(try table.column("plain"), from: nil, to: nil, after: &none, limit: 3) }
            #expect(none == nil)
        }
    }

    @Test func theFirstAndTheLastOfAllKeysArePassed() throws {
        try Self.withDatabase(2) { database, _ in
            try database.write { transaction in
                for id in [Int64.min, .max] { try transaction.insert(into: "Thing", [("id", .int(id))]) }
            }
            let table = try database.snapshot().table("Thing"), id = try table.column("id")
            for descending in [false, true] {
                var place: IndexPlace?, found: [ObjectKey] = []
                while case let some = try table.keys(id, from: nil, to: nil, descending: descending, after: &place, limit: 100), !some.isEmpty { found += some }
                let all = try table.keys()
                #expect(found == (descending ? all.reversed() : all))
            }
            #expect(try table.keys(id, from: nil, to: .int(.min)).isEmpty)
            #expect(try table.keys(id, in: ValueRange(from: .excluding(.int(.max - 1)), to: nil)) == [ObjectKey(.max)])
            #expect(try table.keys(id, in: ValueRange(from: nil, to: .excluding(.int(.min)))).isEmpty)
        }
    }
}
