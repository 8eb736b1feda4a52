import DatabaseKit
@testable import FreeholdEngine
import TestKit
import Testing

/// What deleting an object does to those it links to.
@Suite struct DeleteRuleTests {
    /// A database of classes `Thing`, which also link among themselves, and `Owner`, whose properties have the rule.
    private func withDatabase(_ rule: DeleteRule, _ body: (Database) throws -> Void) throws {
        let machine = SimulatedSystem(seed: 6)
        defer { machine.discard() }
        let database = try Database.open("/rules.freehold", OpenOptions.simulated, on: machine.makeProcess())
        defer { database.close() }
        try database.write { transaction in
            try transaction.createClass(ClassSchema("Thing", [PropertySchema("number", .int), PropertySchema("next", linkTo: "Thing", deleteRule: rule)]))
            try transaction.createClass(ClassSchema("Owner", [
                PropertySchema("one", linkTo: "Thing", deleteRule: rule), PropertySchema("list", linkTo: "Thing", deleteRule: rule, collections: [.list]),
                PropertySchema("map", linkTo: "Thing", deleteRule: rule, collections: [.map]),
                PropertySchema("lists", linkTo: "Thing", deleteRule: rule, collections: [.map, .list]),
                PropertySchema("plain", linkTo: "Thing"),
            ]))
        }
        try body(database)
        let report = try database.check()
        #expect(report.isClean, "\(report.problems.prefix(5))")
    }

    /// Things 0…5 and an owner of the first five.
    private func fill(_ transaction: WriteTransaction) throws -> ObjectKey {
        for number in 0..<6 { try transaction.insert(into: "Thing", [("number", .int(Int64(number)))]) }
        return try transaction.insert(into: "Owner", [
            ("one", .link(ObjectKey(0))), ("list", .list([.link(ObjectKey(1)), .link(ObjectKey(1)), .link(ObjectKey(2))])),
            ("map", .map(["a": .link(ObjectKey(3)), "b": .link(ObjectKey(0))])), ("lists", .map(["x": .list([.link(ObjectKey(4))])])),
            ("plain", .link(ObjectKey(5))),
        ])
    }

    @Test("nullify leaves the targets")
    func nullify() throws {
        try withDatabase(.nullify) { database in
            try database.write { try $0.delete(try fill($0), from: $0.table("Owner")) }
            #expect(try database.snapshot().table("Thing").count == 6)
        }
    }

    @Test("cascade deletes what properties with the rule link to, singly or in collections, and nothing else", arguments: [0, 400])
    func cascade(others: Int) throws {
        try withDatabase(.cascade) { database in
            var owner = ObjectKey(0)
            try database.write { transaction in
                owner = try fill(transaction)
                for _ in 0..<others {
                    try transaction.insert(into: "Thing", [])
                    try transaction.insert(into: "Owner", [])
                }
            }
            try database.write { try $0.delete(owner, from: $0.table("Owner")) }
            let things = try database.snapshot().table("Thing")
            #expect(things.count == 1 + others)
            #expect(try things.contains(ObjectKey(5)) && !things.contains(ObjectKey(4)))
        }
    }

    @Test("deny refuses while a target exists, names class, property and key, and changes nothing")
    func deny() throws {
        try withDatabase(.deny) { database in
            let owner = try database.writing { try fill($0) }
            for key in [0, 1, 2, 3, 4] {
                try database.write { transaction in
                    let owners = try transaction.table("Owner")
                    let error = #expect(throws: FreeholdError.self) { try transaction.delete(owner, from: owners) }
                    #expect(error?.code == .deleteDenied && error?.message.contains("'Owner'") == true)
                    #expect(owners.count == 1)
                    // Deleting a target takes it out of the way.
                    try transaction.delete(ObjectKey(Int64(key)), from: transaction.table("Thing"))
                }
            }
            try database.write { try $0.delete(owner, from: $0.table("Owner")) }
            #expect(try database.snapshot().table("Thing").count == 1)
        }
    }

    @Test("deny stops a cascade before anything of it is deleted")
    func denyWithinCascade() throws {
        try withDatabase(.cascade) { database in
            try database.write { transaction in
                try transaction.createClass(ClassSchema("Lock", [PropertySchema("thing", linkTo: "Thing", deleteRule: .deny)]))
                try transaction.createClass(ClassSchema("Chest", [PropertySchema("lock", linkTo: "Lock", deleteRule: .cascade)]))
                let thing = try transaction.insert(into: "Thing", [])
                let lock = try transaction.insert(into: "Lock", [("thing", .link(thing))])
                let chest = try transaction.insert(into: "Chest", [("lock", .link(lock))])
                let error = #expect(throws: FreeholdError.self) { try transaction.delete(chest, from: transaction.table("Chest")) }
                #expect(error?.code == .deleteDenied && error?.message.contains("'thing'") == true)
                #expect(try transaction.table("Chest").count == 1 && transaction.table("Lock").count == 1)
            }
        }
    }

    @Test("a batch with an object that may not go deletes none of it", arguments: [0, 1, 1500, 3000])
    func deniedInBatch(place: Int) throws {
        try withDatabase(.deny) { database in
            try database.write { for _ in 0..<3001 { try $0.insert(into: "Thing", []) } }
            try database.write { transaction in
                let things = try transaction.table("Thing"), target = try transaction.insert(into: "Thing", []), keys = try things.keys().dropLast()
                try transaction.set(keys[place], in: things, things.column("next"), to: .link(target))
                let error = #expect(throws: FreeholdError.self) { try transaction.delete(keys, from: things) }
                #expect(error?.code == .deleteDenied)
                #expect(things.count == 3002)
                #expect(try things.keys().count == 3002)
            }
            #expect(try database.snapshot().table("Thing").count == 3002)
        }
    }

    @Test("what goes in the same batch is denied by none of it, in any order and across classes")
    func denialsAmongThemselves() throws {
        try withDatabase(.deny) { database in
            try database.write { transaction in
                let things = try transaction.table("Thing"), owners = try transaction.table("Owner"), next = try things.column("next")
                _ = try fill(transaction)
                for isAscending in [true, false] {
                    let first = try transaction.insert(into: "Thing", []), second = try transaction.insert(into: "Thing", [])
                    try transaction.set(first, in: things, next, to: .link(second))
                    #expect(throws: FreeholdError.self) { try transaction.delete(first, from: things) }
                    try transaction.delete(isAscending ? [first, second] : [second, first], from: things)
                    #expect(things.count == 6)
                }
                #expect(throws: FreeholdError.self) { try transaction.delete(owners.keys(), from: owners) }
                #expect(owners.count == 1 && things.count == 6)
                try transaction.delete([(try owners.keys(), owners), (try things.keys(), things)])
                #expect(owners.count == 0 && things.count == 0)
            }
        }
    }

    @Test("a batch of objects of which one takes another along deletes each once")
    func cascadeWithinBatch() throws {
        try withDatabase(.cascade) { database in
            try database.write { transaction in
                let owner = try fill(transaction), owners = try transaction.table("Owner"), things = try transaction.table("Thing")
                try transaction.delete([([owner], owners), (try things.keys(), things)])
                #expect(owners.count == 0 && things.count == 0)
            }
        }
    }

    @Test("a ring of objects that delete each other ends")
    func ring() throws {
        try withDatabase(.cascade) { database in
            try database.write { transaction in
                let things = try transaction.table("Thing"), next = try things.column("next")
                let keys = try (0..<50).map { _ in try transaction.insert(into: "Thing", []) }
                for (place, key) in keys.enumerated() { try transaction.set(key, in: things, next, to: .link(keys[(place + 1) % 50])) }
                try transaction.delete(keys[17], from: things)
                #expect(things.count == 0)
            }
        }
    }

    @Test("a chain of a hundred thousand objects goes with its first, whether links ascend or not", arguments: [false, true])
    func chain(backwards: Bool) throws {
        try withDatabase(.cascade) { database in
            let count = 100_000
            try database.write { transaction in
                for number in 0..<count { try transaction.insert(into: "Thing", [("number", .int(Int64(number)))]) }
            }
            try database.write { transaction in
                let things = try transaction.table("Thing"), next = try things.column("next")
                for number in 1..<count {
                    let (from, to) = backwards ? (number, number - 1) : (number - 1, number)
                    try transaction.set(ObjectKey(Int64(from)), in: things, next, to: .link(ObjectKey(Int64(to))))
                }
            }
            try database.write { try $0.delete(ObjectKey(Int64(backwards ? count - 1 : 0)), from: $0.table("Thing")) }
            #expect(try database.snapshot().table("Thing").count == 0)
        }
    }
}

extension Database {
    /// One write transaction that gives something back.
    func writing<R>(_ body: (WriteTransaction) throws -> R) throws -> R {
        var result: R?
        try write { result = try body($0) }
        return try #require(result)
    }
}
