import TestKit
import Testing
@testable import FreeholdEngine
@testable import FreeholdMerge

/// Unique values, counters, and commits of many objects.
extension ReplicaTests {
    fileprivate func makeThings(_ number: Int, _ transaction: WriteTransaction) throws {
        try transaction.createClass(ClassSchema("Thing", primaryKey: "id", [
            PropertySchema("id", .string), PropertySchema("name", .string, isNullable: true, isUnique: true),
            PropertySchema("other", .double, isNullable: true, isUnique: true), PropertySchema("stock", .int),
            PropertySchema("tags", .string, collections: [.set]), PropertySchema("list", .string, collections: [.list]),
            PropertySchema("next", linkTo: "Thing"),
        ]))
        try transaction.sync.mark("Thing", SyncRules(counters: ["stock"]))
    }

    fileprivate func thing(_ id: String, _ transaction: WriteTransaction) throws -> (Table, ObjectKey) {
        let table = try transaction.table("Thing")
        return (table, try #require(try table.key(primaryKey: .string(id))))
    }

    fileprivate func set(_ id: String, _ name: String, _ value: Value, _ transaction: WriteTransaction) throws {
        let (table, key) = try thing(id, transaction)
        try transaction.set(key, in: table, table.column(name), to: value)
    }

    @Test("unique values that objects exchange in one transaction arrive; of one that two files give, the first one stays")
    func unique() throws {
        let exchange = try Exchange(3, prepare: makeThings)
        try exchange.write(exchange.ann) { transaction in
            for id in ["a", "b", "c"] { try transaction.insert(into: "Thing", [("id", .string(id)), ("name", .string("n" + id))]) }
            try set("a", "other", .double(.nan), transaction)
            try set("b", "other", .double(-0.0), transaction)
        }
        try expectSame(exchange)
        try exchange.write(exchange.ben) { transaction in
            for id in ["a", "b", "c"] { try set(id, "name", .null, transaction) }
            for (id, name) in [("a", "nb"), ("b", "nc"), ("c", "na")] { try set(id, "name", .string(name), transaction) }
            for id in ["a", "b"] { try set(id, "other", .null, transaction) }
            try set("a", "other", .double(0), transaction)
            try set("b", "other", .double(.nan), transaction)
        }
        try expectSame(exchange)
        try #expect(PlainFile(exchange.ann.database).objects["Thing 'c'"]?["name"] == "'na'")
        // Each of them gives one value to another object, and takes it from one that has it.
        try exchange.write(exchange.ann) { try set("a", "name", .string("new"), $0) }
        try exchange.write(exchange.ben) { transaction in
            try set("b", "name", .string("new"), transaction)
            try transaction.insert(into: "Thing", [("id", .string("d"))])
        }
        try exchange.write(exchange.files[2]) { try $0.insert(into: "Thing", [("id", .string("e")), ("name", .string("new"))]) }
        try expectSame(exchange, newcomer: { try makeThings(0, $0) })
        #expect(exchange.ben.losses.map(\.reason) == [.notUnique] && exchange.files[2].losses.map(\.reason) == [.notUnique])
        try #expect(PlainFile(exchange.ann.database).objects["Thing 'a'"]?["name"] == "'new'")
    }

    @Test("a value that has left one object for another is not refused, in whatever order the rows come")
    func uniqueChain() throws {
        let exchange = try Exchange(2, prepare: makeThings)
        let ids = (0..<40).map { "t\($0)" }
        try exchange.write(exchange.ann) { transaction in
            for id in ids { try transaction.insert(into: "Thing", [("id", .string(id)), ("name", .string("n" + id))]) }
        }
        try expectSame(exchange)
        var random = SeededRandom(seed: 5)
        for round in 0..<6 {
            for file in exchange.files {
                try exchange.write(file) { transaction in
                    let some = ids.shuffled(using: &random).prefix(10), table = try transaction.table("Thing")
                    let names = try some.map { id in try table.value(thing(id, transaction).1, table.column("name")) }
                    for id in some { try set(id, "name", .null, transaction) }
                    for (id, name) in zip(some, names.shuffled(using: &random)) { try set(id, "name", name, transaction) }
                }
            }
            try expectSame(exchange, "round \(round)", newcomer: { try makeThings(0, $0) })
        }
    }

    @Test("counters up to the limits of 64 bits: sums of all files, and a commit beyond them fails")
    func counters() throws {
        let exchange = try Exchange(3, prepare: makeThings)
        try exchange.write(exchange.ann) { transaction in
            for (id, stock) in [("a", Int64.max), ("b", .min), ("c", 0)] {
                try transaction.insert(into: "Thing", [("id", .string(id)), ("stock", .int(stock))])
            }
        }
        try expectSame(exchange)
        for (number, file) in exchange.files.enumerated() {
            try exchange.write(file) { transaction in
                try set("a", "stock", .int(.max - Int64(number)), transaction)
                try set("b", "stock", .int(.min + 1), transaction)
                try set("c", "stock", .int(number == 0 ? .max : 1), transaction)
            }
        }
        try expectSame(exchange, newcomer: { try makeThings(0, $0) })
        let expected: [String: Int64] = ["a": .max - 3, "b": .min + 3, "c": .min + 1]
        for (id, stock) in expected { try #expect(PlainFile(exchange.ben.database).objects["Thing '\(id)'"]?["stock"] == "int(\(stock))") }
        let error = #expect(throws: FreeholdError.self) {
            try exchange.ben.write { try set("b", "stock", .int(.max), $0) }
        }
        #expect(error?.code == .valueTooLarge)
        // Two steps do it, each within 64 bits; their sum in one epoch is not.
        try exchange.write(exchange.ben) { try set("b", "stock", .int(-1), $0) }
        try expectSame(exchange)
        try exchange.write(exchange.ben) { try set("b", "stock", .int(.max - 1), $0) }
        try expectSame(exchange)
    }

    @Test("hundreds and thousands of objects in one commit: created, changed in part, deleted in part", arguments: [300, 2000])
    func many(count: Int) throws {
        let exchange = try Exchange(2, prepare: makeThings)
        func make(_ transaction: WriteTransaction, _ from: Int, _ step: Int) throws {
            let table = try transaction.table("Thing")
            var last: ObjectKey?
            for number in stride(from: from, to: count, by: step) {
                let key = try transaction.insert(into: "Thing", [
                    ("id", .string("t\(number)")), ("name", .string("n\(number)")), ("stock", .int(Int64(number))),
                ])
                if let last { try transaction.set(key, in: table, table.column("next"), to: .link(last)) }
                try transaction.set(of: key, in: table, table.column("tags")).insert(contentsOf: [.string("a"), .string("\(number)")])
                try transaction.list(of: key, in: table, table.column("list")).append(contentsOf: [.string("x"), .string("\(number)")])
                last = key
            }
        }
        try exchange.write(exchange.ann) { try make($0, 0, 2) }
        try exchange.write(exchange.ben) { try make($0, 0, 3) }
        try expectSame(exchange)
        try exchange.write(exchange.ann) { transaction in
            let table = try transaction.table("Thing"), keys = try table.keys()
            for key in keys[50..<(keys.count - 20)] {
                try transaction.set(key, in: table, table.column("other"), to: .double(Double(key.rawValue)))
                try transaction.list(of: key, in: table, table.column("list")).move(from: 0, to: 1)
            }
        }
        try exchange.write(exchange.ben) { transaction in
            let table = try transaction.table("Thing"), keys = try table.keys()
            try transaction.delete(keys[30..<(keys.count / 2)], from: table)
            for key in keys[(keys.count / 2)...] { try transaction.set(key, in: table, table.column("stock"), to: .int(1)) }
        }
        try expectSame(exchange, newcomer: { try makeThings(0, $0) })
    }
}
