import DatabaseKit
@testable import FreeholdEngine
import TestKit
import Testing

/// Classes that get another primary key, are embedded or not, unique or not, while they have objects.
@Suite struct KeyChangeTests {
    private func database(_ machine: SimulatedSystem, ids: (Int64) -> Int64, key: String? = nil) throws -> Database {
        let database = try Database.open("/keys.freehold", OpenOptions.simulated, on: machine.makeProcess())
        try database.write { transaction in
            try transaction.createClass(ClassSchema("Person", primaryKey: key, [
                PropertySchema("id", .int), PropertySchema("code", .string, isNullable: true), PropertySchema("boss", linkTo: "Person"),
            ]))
            let people = try transaction.table("Person"), boss = try people.column("boss")
            var last: ObjectKey?
            for key in 0..<600 as Range<Int64> {
                let made = try transaction.insert(into: people, values: [.int(ids(key)), .string("code \(key)"), .null])
                if let last { try transaction.set(made, in: people, boss, to: .link(last)) }
                last = made
            }
        }
        return database
    }

    private func requireSound(_ database: Database) throws {
        #expect(try database.check().problems.isEmpty)
    }

    @Test("an integer key that is the object key becomes a string, and an integer again, and links stay")
    func thereAndBack() throws {
        let machine = SimulatedSystem(seed: 1)
        defer { machine.discard() }
        let database = try database(machine, ids: { $0 * 3 }, key: "id")
        let before = try database.snapshot(), old = try before.table("Person"), oldID = try old.column("id")
        try database.write { transaction in
            try transaction.setPrimaryKey("code", of: "Person")
            let people = try transaction.table("Person")
            #expect(people.schema.primaryKey == "code")
            #expect(try people.value(ObjectKey(30), people.column("id")) == .int(30))
            #expect(try people.key(primaryKey: .string("code 10")) == ObjectKey(30))
            #expect(throws: FreeholdError.self) {
                try transaction.insert(into: people, values: [.int(1), .string("code 10"), .null])
            }
            try transaction.insert(into: people, values: [.int(1), .string("new"), .link(ObjectKey(30))])
        }
        try requireSound(database)
        let row = try #require(try old.row(ObjectKey(30)))
        #expect(try row.int(oldID) == 30)
        try database.write { transaction in
            let people = try transaction.table("Person")
            let made = try #require(try people.key(primaryKey: .string("new")))
            try transaction.delete(made, from: people)
            try transaction.setPrimaryKey("id", of: "Person")
        }
        try requireSound(database)
        let people = try database.snapshot().table("Person")
        #expect(people.schema.primaryKey == "id" && people.count == 600)
        #expect(try people.key(primaryKey: .int(30)) == ObjectKey(30))
        #expect(people.columns[0].isObjectKey)
        #expect(try people.value(ObjectKey(30), people.column("boss")) == .link(ObjectKey(27)))
    }

    @Test("an integer that is not the object keys is a key by its index")
    func byIndex() throws {
        let machine = SimulatedSystem(seed: 2)
        defer { machine.discard() }
        let database = try database(machine, ids: { 5000 - $0 })
        try database.write { try $0.setPrimaryKey("id", of: "Person") }
        try requireSound(database)
        let people = try database.snapshot().table("Person"), key = try #require(try people.key(primaryKey: .int(4900)))
        #expect(try people.value(key, people.column("code")) == .string("code 100"))
        #expect(try people.value(key, people.column("boss")) == .link(ObjectKey(key.rawValue - 1)))
        try database.write { transaction in
            let people = try transaction.table("Person")
            try transaction.insert(into: people, values: [.int(7), .null, .null])
            #expect(throws: FreeholdError.self) { try transaction.insert(into: people, values: [.int(4900), .null, .null]) }
        }
        try database.write { try $0.setPrimaryKey(nil, of: "Person") }
        try requireSound(database)
        #expect(try database.snapshot().table("Person").schema.primaryKey == nil)
    }

    @Test("equal values, and two that are null, are refused, and nothing is changed")
    func duplicates() throws {
        let machine = SimulatedSystem(seed: 3)
        defer { machine.discard() }
        let database = try database(machine, ids: { $0 / 2 })
        let before = try database.snapshot()
        #expect { try database.write { try $0.setPrimaryKey("id", of: "Person") } } throws: {
            ($0 as? FreeholdError)?.code == .duplicateKey
        }
        #expect(try database.snapshot().version == before.version)
        try database.write { transaction in
            let people = try transaction.table("Person"), code = try people.column("code"), keys = try people.keys()
            for key in keys.prefix(2) { try transaction.set(key, in: people, code, to: .null) }
            #expect { try transaction.setPrimaryKey("code", of: "Person") } throws: { ($0 as? FreeholdError)?.code == .duplicateKey }
            #expect(try transaction.table("Person").schema.primaryKey == nil)
            try transaction.set(keys[0], in: people, code, to: .string("one"))
            try transaction.setPrimaryKey("code", of: "Person")
        }
        try requireSound(database)
    }

    @Test("a property stops being unique, and a link gets another delete rule")
    func rules() throws {
        let machine = SimulatedSystem(seed: 4)
        defer { machine.discard() }
        let database = try database(machine, ids: { $0 })
        try database.write { try $0.addIndex(IndexSchema(["id"], isUnique: true), to: "Person") }
        try database.write { transaction in
            try transaction.endUniqueness(of: "id", in: "Person")
            try transaction.setDeleteRule(.cascade, of: "boss", in: "Person")
            let people = try transaction.table("Person")
            try transaction.insert(into: people, values: [.int(5), .null, .null])
            let keys = try people.keys()
            try transaction.delete(keys[10], from: people)
            #expect(people.count == 590)
        }
        try requireSound(database)
    }

    @Test("a class becomes embedded where each object has one owner, and stops being it")
    func embedding() throws {
        let machine = SimulatedSystem(seed: 5)
        defer { machine.discard() }
        let database = try Database.open("/embedding.freehold", OpenOptions.simulated, on: machine.makeProcess())
        try database.write { transaction in
            try transaction.createClasses([
                ClassSchema("House", [PropertySchema("home", linkTo: "Address"), PropertySchema("more", linkTo: "Address", collections: [.list])]),
                ClassSchema("Address", [PropertySchema("street", .string)]),
            ])
            let houses = try transaction.table("House"), addresses = try transaction.table("Address")
            for _ in 0..<3 {
                let one = try transaction.insert(into: addresses, values: [.string("one")])
                let two = try transaction.insert(into: addresses, values: [.string("two")])
                try transaction.insert(into: houses, values: [.link(one), .list([.link(two)])])
            }
        }
        try database.write { transaction in
            let addresses = try transaction.table("Address")
            let alone = try transaction.insert(into: addresses, values: [.string("alone")])
            #expect { try transaction.setEmbedded(true, "Address") } throws: { "\($0)".contains("no incoming links") }
            let houses = try transaction.table("House"), keys = try houses.keys()
            try transaction.set(keys[0], in: houses, houses.column("more"), to: .list([.link(alone), .link(alone)]))
            #expect { try transaction.setEmbedded(true, "Address") } throws: { "\($0)".contains("more than one incoming link") }
            try transaction.set(keys[0], in: houses, houses.column("more"), to: .list([.link(ObjectKey(1)), .link(alone)]))
            try transaction.setEmbedded(true, "Address")
        }
        try requireSound(database)
        try database.write { transaction in
            let houses = try transaction.table("House")
            try transaction.delete(try houses.keys()[0], from: houses)
            #expect(try transaction.table("Address").count == 4)
            try transaction.setEmbedded(false, "Address")
            try transaction.delete(try houses.keys()[0], from: houses)
            #expect(try transaction.table("Address").count == 4)
        }
        try requireSound(database)
    }

    @Test("many classes that link to one another are created at once, or none of them")
    func many() throws {
        let machine = SimulatedSystem(seed: 6)
        defer { machine.discard() }
        let database = try Database.open("/many.freehold", OpenOptions.simulated, on: machine.makeProcess())
        let wanted = (0..<50).map { ClassSchema("C\($0)", [PropertySchema("next", linkTo: "C\(($0 + 1) % 50)")]) }
        #expect(throws: FreeholdError.self) {
            try database.write { try $0.createClasses(wanted + [ClassSchema("Bad", [PropertySchema("x", linkTo: "Nowhere")])]) }
        }
        #expect(try database.snapshot().classes.isEmpty)
        try database.write { try $0.createClasses(wanted) }
        try database.write { try $0.createClasses(wanted) }
        #expect(try database.snapshot().classes == wanted)
        try requireSound(database)
    }

    @Test("keys that change again and again, between changes of objects, leave what the model says", arguments: TestScale.seeds(3))
    func histories(seed: UInt64) throws {
        let machine = SimulatedSystem(seed: seed)
        defer { machine.discard() }
        var random = SeededRandom(seed: seed), expected: [ObjectKey: [Value]] = [:], next: Int64 = 100_000, key: String?
        let database = try database(machine, ids: { $0 * 2 }), reader = try Database.open("/keys.freehold", OpenOptions.simulated, on: machine.makeProcess())
        do {
            let people = try database.snapshot().table("Person")
            for key in try people.keys() { expected[key] = try people.values(key) }
        }
        for round in 0..<12 {
            let transaction = try database.beginWrite(), isKept = Int.random(in: 0..<4, using: &random) > 0
            var changed = expected
            key = [nil, "id", "code"][Int.random(in: 0..<3, using: &random)]
            try transaction.setPrimaryKey(key, of: "Person")
            let people = try transaction.table("Person"), columns = people.columns
            for _ in 0..<Int.random(in: 0..<300, using: &random) {
                let known = changed.keys.sorted { $0.rawValue < $1.rawValue }.randomElement(using: &random)
                switch Int.random(in: 0..<4, using: &random) {
                case 0:
                    next += Int64.random(in: 1...3, using: &random)
                    let values: [Value] = [.int(next), .string("new \(next)"), known.map { .link($0) } ?? .null]
                    changed[try transaction.insert(into: people, values: values)] = values
                case 1:
                    guard let known else { continue }
                    try transaction.delete(known, from: people)
                    changed[known] = nil
                    for (other, values) in changed where values[2] == .link(known) { changed[other] = [values[0], values[1], .null] }
                default:
                    guard key != "code", let known, let values = changed[known] else { continue }
                    next += 1
                    let code = Value.string("other \(next)")
                    try transaction.set(known, in: people, columns[1], to: code)
                    changed[known] = [values[0], code, values[2]]
                }
            }
            if isKept { try transaction.commit(.processCrash) } else { transaction.rollback() }
            if isKept { expected = changed }
            let seen = try reader.snapshot().table("Person")
            var found: [ObjectKey: [Value]] = [:]
            for key in try seen.keys() { found[key] = try seen.values(key) }
            #expect(found == expected, "seed \(seed), round \(round)")
            if let key = seen.schema.primaryKey, let one = expected.first {
                #expect(try seen.key(primaryKey: one.value[key == "id" ? 0 : 1]) == one.key, "seed \(seed), round \(round)")
            }
            let problems = try reader.check().problems
            #expect(problems.isEmpty, "seed \(seed), round \(round): \(problems.prefix(3))")
        }
    }
}
