import DatabaseKit
@testable import FreeholdEngine
import TestKit
import Testing

/// Objects read in groups, by key and by link, give what one after the other gives.
@Suite struct FollowingTests {
    private static let person = ClassSchema("Person", primaryKey: "id", [
        PropertySchema("id", .int), PropertySchema("age", .int, isNullable: true), PropertySchema("name", .string),
    ])
    private static let dog = ClassSchema("Dog", [
        PropertySchema("owner", linkTo: "Person"), PropertySchema("friends", linkTo: "Person", collections: [.list]), PropertySchema("age", .int),
    ])

    /// A database of sparse and deleted keys, null links, and rows in clusters, tail blocks and the transaction's memory.
    private static func withDatabase(seed: UInt64, _ body: (Database, inout SeededRandom) throws -> Void) throws {
        let machine = SimulatedSystem(seed: seed)
        defer { machine.discard() }
        let database = try Database.open("/following.freehold", OpenOptions.simulated(seed: seed), on: machine.makeProcess())
        var random = SeededRandom(seed: seed)
        try database.write { transaction in
            try transaction.createClass(person)
            try transaction.createClass(dog)
        }
        for _ in 0..<3 { try database.write { try grow($0, &random) } }
        try body(database, &random)
    }

    private static func grow(_ transaction: WriteTransaction, _ random: inout SeededRandom) throws {
        let count = Int.random(in: 1...900, using: &random)
        for _ in 0..<count {
            let id = Int64.random(in: -4000...4000, using: &random)
            guard try transaction.table("Person").row(ObjectKey(id)) == nil else { continue }
            let age: Value = random.oneIn(9) ? .null : .int(Int64.random(in: 0..<100, using: &random))
            try transaction.insert(into: "Person", [("id", .int(id)), ("age", age), ("name", .string("person \(id)"))])
        }
        let people = try transaction.table("Person").keys()
        for number in 0..<count {
            let owner: Value = random.oneIn(5) ? .null : .link(people.randomElement(using: &random)!)
            try transaction.insert(into: "Dog", [("owner", owner), ("age", .int(Int64(number)))])
        }
        for key in people where random.oneIn(7) { try transaction.delete(key, from: transaction.table("Person")) }
        for key in try transaction.table("Dog").keys() where random.oneIn(7) { try transaction.delete(key, from: transaction.table("Dog")) }
    }

    private static func expectSame(_ dogs: Table, _ people: Table, reading: Bool, _ seed: UInt64) throws {
        let owner = try dogs.column("owner"), age = try people.column("age"), name = try people.column("name")
        var alone: [String] = [], together: [String] = []
        try dogs.forEach { dog in
            let person = try dog.link(owner).flatMap { key throws(FreeholdError) in try people.row(key) }
            alone.append("\(dog.key) \(try person.map { "\($0.key) \(try $0.value(age)) \(try $0.string(name))" } ?? "nobody")")
            return true
        }
        try dogs.forEach(following: owner, into: people, reading: reading ? age : nil) { dog, person in
            together.append("\(dog.key) \(try person.map { "\($0.key) \(try $0.value(age)) \(try $0.string(name))" } ?? "nobody")")
            return true
        }
        #expect(!alone.isEmpty && alone == together, "seed \(seed)")
    }

    @Test("links followed in groups lead where they lead one by one", arguments: TestScale.seeds(8))
    func following(seed: UInt64) throws {
        try Self.withDatabase(seed: seed) { database, random in
            let snapshot = try database.snapshot()
            try Self.expectSame(snapshot.table("Dog"), snapshot.table("Person"), reading: random.oneIn(2), seed)
            let transaction = try database.beginWrite()
            try Self.grow(transaction, &random)
            try Self.expectSame(transaction.table("Dog"), transaction.table("Person"), reading: random.oneIn(2), seed)
            transaction.rollback()
        }
    }

    @Test("objects asked for by key come in the order asked for, nil where there is none", arguments: TestScale.seeds(8))
    func keys(seed: UInt64) throws {
        try Self.withDatabase(seed: seed) { database, random in
            let people = try database.snapshot().table("Person"), age = try people.column("age")
            let keys = (0..<Int.random(in: 0...700, using: &random)).map { _ in ObjectKey(Int64.random(in: -4100...4100, using: &random)) }
            var found: [Value?] = []
            try people.forEach(keys, reading: random.oneIn(2) ? age : nil) { row in
                found.append(try row?.value(age))
                return true
            }
            #expect(found == (try keys.map { try people.row($0)?.value(age) }), "seed \(seed)")
        }
    }

    @Test("a body that returns false is not called again")
    func stopping() throws {
        try Self.withDatabase(seed: 3) { database, _ in
            let snapshot = try database.snapshot()
            let dogs = try snapshot.table("Dog"), people = try snapshot.table("Person")
            for end in [1, 63, 64, 65, 200] {
                var dogsSeen = 0, peopleSeen = 0
                try dogs.forEach(following: dogs.column("owner"), into: people) { _, _ in
                    dogsSeen += 1
                    return dogsSeen < end
                }
                try people.forEach(Array(repeating: ObjectKey(1), count: 300)) { _ in
                    peopleSeen += 1
                    return peopleSeen < end
                }
                #expect(dogsSeen == end && peopleSeen == end)
            }
        }
    }

    @Test("a property that is no link to the class, and classes of two versions, are refused")
    func refused() throws {
        try Self.withDatabase(seed: 4) { database, _ in
            let snapshot = try database.snapshot(), other = try database.snapshot()
            let dogs = try snapshot.table("Dog"), people = try snapshot.table("Person")
            func code(_ link: Column, _ targets: Table, reading: Column? = nil) -> FreeholdError.Code? {
                do { try dogs.forEach(following: link, into: targets, reading: reading) { _, _ in true } } catch let error as FreeholdError { return error.code } catch {}
                return nil
            }
            #expect(try code(dogs.column("age"), people) == .typeMismatch)
            #expect(try code(dogs.column("friends"), people) == .typeMismatch)
            #expect(try code(dogs.column("owner"), dogs) == .typeMismatch)
            #expect(try code(dogs.column("owner"), other.table("Person")) == .invalidArgument)
            #expect(try code(dogs.column("owner"), people, reading: dogs.column("age")) != nil)
        }
    }
}
