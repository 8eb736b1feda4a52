import DatabaseKit
@testable import FreeholdEngine
import TestKit
import Testing

/// Classes that extend others: one table, one key space.
@Suite struct HierarchyTests {
    /// `Animal` with `Dog`, which `Puppy` extends, and `Cat`; a `Shelter` links to them.
    static func zoo(_ machine: SimulatedSystem, indexed: Bool = true) throws -> Database {
        let database = try Database.open("/zoo.freehold", OpenOptions.simulated, on: machine.makeProcess())
        try database.write(durability: .processCrash) { transaction in
            try transaction.createClass(ClassSchema("Animal", [
                PropertySchema("name", .string, isIndexed: indexed), PropertySchema("age", .int), PropertySchema("friend", linkTo: "Animal"),
            ]))
            try transaction.createClass(ClassSchema("Dog", superclass: "Animal", [
                PropertySchema("tricks", .int, isIndexed: indexed), PropertySchema("chip", .string, isNullable: true, isUnique: true),
            ]))
            try transaction.createClass(ClassSchema("Puppy", superclass: "Dog", [PropertySchema("weeks", .double), PropertySchema("size", .int)]))
            try transaction.createClass(ClassSchema("Cat", superclass: "Animal", indexes: [IndexSchema(["name", "size"])], [
                PropertySchema("size", .string), PropertySchema("hunts", linkTo: "Animal", collections: [.list]),
            ]))
            try transaction.createClass(ClassSchema("Shelter", [
                PropertySchema("guard", linkTo: "Dog"), PropertySchema("guests", linkTo: "Animal", collections: [.list]),
                PropertySchema("rooms", linkTo: "Cat", collections: [.map]),
            ]))
        }
        return database
    }

    /// As many of each class in turn; returns the keys in that order.
    @discardableResult
    static func fill(_ transaction: WriteTransaction, _ count: Int) throws -> [ObjectKey] {
        try (0..<count).map { number in
            let name = (String, Value)("name", .string("n\(number % 7)")), age = (String, Value)("age", .int(Int64(number % 10)))
            switch number % 4 {
            case 0: return try transaction.insert(into: "Animal", [name, age])
            case 1: return try transaction.insert(into: "Dog", [name, age, ("tricks", .int(Int64(number % 5)))])
            case 2: return try transaction.insert(into: "Puppy", [age, name, ("weeks", .double(Double(number))), ("chip", .string("c\(number)"))])
            default: return try transaction.insert(into: "Cat", [name, ("size", .string("s\(number % 3)"))])
            }
        }
    }

    static func withZoo(_ body: (Database) throws -> Void) throws {
        let machine = SimulatedSystem(seed: 5)
        defer { machine.discard() }
        let database = try zoo(machine)
        defer { database.close() }
        try body(database)
        let report = try database.check()
        #expect(report.isClean, "\(report.problems.prefix(5))")
    }

    @Test("objects are found, counted and walked by their class and by those it extends", arguments: [8, 200, 3000])
    func walking(count: Int) throws {
        try Self.withZoo { database in
            var keys: [ObjectKey] = []
            func look(_ table: (String, Bool) throws -> Table) throws {
                func expect(_ name: String, exactly: Bool = false, _ isMeant: (Int) -> Bool) throws {
                    let wanted = keys.indices.filter { isMeant($0 % 4) }.map { keys[$0] }, found = try table(name, !exactly)
                    #expect(found.count == wanted.count, "\(name)")
                    #expect(try found.keys() == wanted, "\(name)")
                    for (place, key) in keys.enumerated() { #expect(try found.contains(key) == isMeant(place % 4)) }
                }
                try expect("Animal") { _ in true }
                try expect("Animal", exactly: true) { $0 == 0 }
                try expect("Dog") { $0 == 1 || $0 == 2 }
                try expect("Dog", exactly: true) { $0 == 1 }
                try expect("Puppy") { $0 == 2 }
                try expect("Cat") { $0 == 3 }
                let animals = try table("Animal", true)
                for (place, key) in keys.prefix(40).enumerated() {
                    #expect(try animals.row(key)?.className == ["Animal", "Dog", "Puppy", "Cat"][place % 4])
                }
            }
            try database.write { transaction in
                keys = try Self.fill(transaction, count)
                try look { try transaction.table($0, withSubclasses: $1) }
            }
            let snapshot = try database.snapshot()
            try look { try snapshot.table($0, withSubclasses: $1) }
            let dogs = try snapshot.table("Dog")
            #expect(dogs.schema.properties.map(\.name) == ["name", "age", "friend", "tricks", "chip"])
            #expect(try dogs.values(keys[1]).count == 5)
            #expect(try dogs.column("name") == snapshot.table("Animal").column("name"))
            #expect { try snapshot.table("Animal").column("tricks") } throws: { ($0 as? FreeholdError)?.code == .unknownProperty }
        }
    }

    @Test("objects of one class between many of another are found, and its clusters alone are read")
    func sparse() throws {
        try Self.withZoo { database in
            try database.write { transaction in
                let cats = try transaction.table("Cat"), size = try cats.column("size")
                for number in 0..<5000 {
                    try transaction.insert(into: cats) { row in try row.set(size, .string("s")) }
                    if number % 1700 == 1000 { try transaction.insert(into: "Puppy", [("weeks", .double(1))]) }
                }
            }
            let snapshot = try database.snapshot()
            #expect(try snapshot.table("Puppy").keys().count == 3)
            #expect(try snapshot.table("Dog", withSubclasses: false).keys().isEmpty)
            #expect(try snapshot.table("Cat").keys().count == 5000)
            #expect(try snapshot.table("Puppy").sum(snapshot.table("Puppy").column("weeks")) == .double(3))
            #expect(try snapshot.table("Cat").sum(snapshot.table("Cat").column("age")) == .int(0))
        }
    }

    @Test("an index of a class has its objects and those of its subclasses, one of a subclass has no others", arguments: [12, 2000])
    func indexes(count: Int) throws {
        try Self.withZoo { database in
            var keys: [ObjectKey] = []
            func look(_ table: (String) throws -> Table) throws {
                func wanted(_ isWanted: (Int) -> Bool) -> [ObjectKey] { keys.indices.filter(isWanted).map { keys[$0] } }
                let animals = try table("Animal"), dogs = try table("Dog"), puppies = try table("Puppy"), cats = try table("Cat")
                let name = try animals.column("name"), tricks = try dogs.column("tricks"), chip = try dogs.column("chip")
                #expect(try animals.keys(name, equals: .string("n3")) == wanted { $0 % 7 == 3 })
                #expect(try dogs.keys(name, equals: .string("n3")) == wanted { $0 % 7 == 3 && ($0 % 4 == 1 || $0 % 4 == 2) })
                #expect(try cats.count(name, equals: .string("n3")) == wanted { $0 % 7 == 3 && $0 % 4 == 3 }.count)
                #expect(try cats.keys(name, in: .all, limit: 1).count == 1)
                #expect(try dogs.keys(tricks, equals: .int(0)) == wanted { $0 % 4 == 2 || $0 % 4 == 1 && $0 % 5 == 0 })
                #expect(try puppies.count(tricks, equals: .int(0)) == wanted { $0 % 4 == 2 }.count)
                #expect(try dogs.count(tricks, equals: .int(1)) == wanted { $0 % 4 == 1 && $0 % 5 == 1 }.count)
                #expect(try dogs.keys(tricks, from: nil, to: nil).count == dogs.count)
                #expect(try dogs.keys(chip, equals: .null) == wanted { $0 % 4 == 1 })
                #expect(try dogs.keys(chip, equals: .string("c2")) == [keys[2]])
                #expect(try cats.keys(index: ["name", "size"], equals: [.string("n3"), .string("s0")]) == wanted { $0 % 4 == 3 && $0 % 7 == 3 && $0 % 3 == 0 })
                #expect(try cats.count(index: ["name", "size"], equals: []) == cats.count)
                #expect { try animals.keys(index: ["name", "size"], equals: []) } throws: { ($0 as? FreeholdError)?.code == .unknownProperty }
            }
            try database.write { transaction in
                keys = try Self.fill(transaction, count)
                try look { try transaction.table($0) }
                #expect { try transaction.insert(into: "Puppy", [("chip", .string("c2"))]) } throws: { ($0 as? FreeholdError)?.code == .duplicateKey }
            }
            let snapshot = try database.snapshot()
            try look { try snapshot.table($0) }
            try database.write { transaction in
                let animals = try transaction.table("Animal")
                try transaction.delete(keys[2], from: animals)
                let dogs = try transaction.table("Dog"), chip = try dogs.column("chip")
                try transaction.set(keys[1], in: animals, chip, to: .string("c2"))
                #expect(try dogs.keys(chip, equals: .string("c2")) == [keys[1]])
            }
            #expect(try database.check().isClean)
        }
    }

    @Test("a property of another class is neither set nor filled in, and an object of another class is not linked to")
    func refusals() throws {
        try Self.withZoo { database in
            try database.write { transaction in
                let keys = try Self.fill(transaction, 8)
                let animals = try transaction.table("Animal"), dogs = try transaction.table("Dog"), cats = try transaction.table("Cat")
                let tricks = try dogs.column("tricks"), hunts = try cats.column("hunts")
                func refused(_ code: FreeholdError.Code, _ part: String, _ body: () throws -> Void) {
                    #expect { try body() } throws: { error in
                        guard let error = error as? FreeholdError else { return false }
                        return error.code == code && error.message.contains(part)
                    }
                }
                refused(.invalidArgument, "is a 'Animal', which has no property 'tricks'") { try transaction.set(keys[0], in: animals, tricks, to: .int(1)) }
                refused(.invalidArgument, "has no property 'hunts'") { _ = try transaction.list(of: keys[1], in: animals, hunts) }
                refused(.noSuchObject, "is not a 'Dog' but a 'Cat'") { try transaction.set(keys[3], in: dogs, try dogs.column("age"), to: .int(1)) }
                refused(.noSuchObject, "is not a 'Dog'") { try transaction.delete(keys[0], from: dogs) }
                refused(.invalidArgument, "belongs to another class") { try transaction.insert(into: cats) { try $0.set(tricks, int: 4) } }
                refused(.unknownProperty, "'tricks'") { try transaction.insert(into: cats) { try $0.set("tricks", .int(4)) } }
                refused(.notNullable, "'tricks'") { try transaction.set(keys[1], in: dogs, tricks, to: .null) }
                refused(.typeMismatch, "links to objects of class 'Dog'; object \(keys[3]) is a 'Cat'") {
                    try transaction.insert(into: "Shelter", [("guard", .link(keys[3]))])
                }
                refused(.typeMismatch, "is a 'Animal'") { try transaction.insert(into: "Shelter", [("rooms", .map(["a": .link(keys[0])]))]) }
                #expect(try transaction.table("Shelter").count == 0)
                let shelter = try transaction.insert(into: "Shelter", [
                    ("guard", .link(keys[2])), ("guests", .list([0, 1, 2, 3].map { .link(keys[$0]) })), ("rooms", .map(["a": .link(keys[7])])),
                ])
                let shelters = try transaction.table("Shelter")
                #expect(try shelters.backlinks(to: keys[2], from: shelters.column("guests")) == [shelter])
                try transaction.set(keys[2], in: animals, try animals.column("friend"), to: .link(keys[3]))
                #expect(try dogs.backlinks(to: keys[3], from: animals.column("friend")) == [keys[2]])
                #expect(try cats.backlinks(to: keys[3], from: animals.column("friend")) == [])
                try transaction.delete(keys[2], from: animals)
                #expect(try shelters.value(shelter, shelters.column("guard")) == .null)
                #expect(try shelters.value(shelter, shelters.column("guests")) == .list([0, 1, 3].map { .link(keys[$0]) }))
            }
        }
    }

    @Test("classes that cannot be are refused with the reason")
    func impossibleClasses() throws {
        try Self.withZoo { database in
            try database.write { transaction in
                func refused(_ schema: ClassSchema, _ part: String) {
                    #expect { try transaction.createClass(schema) } throws: { "\(($0 as? FreeholdError)?.message ?? "")".contains(part) }
                }
                refused(ClassSchema("X", superclass: "Nobody", []), "no class 'Nobody'")
                refused(ClassSchema("X", superclass: "X", []), "no class 'X'")
                refused(ClassSchema("X", primaryKey: "id", superclass: "Dog", [PropertySchema("id", .int)]), "declare the primary key in")
                refused(ClassSchema("X", superclass: "Puppy", [PropertySchema("tricks", .int)]), "two properties named 'tricks'")
                refused(ClassSchema("X", superclass: "Dog", isEmbedded: true, []), "is embedded, the class 'Dog' that it extends is not")
                refused(ClassSchema("Dog", superclass: "Animal", []), "already exists")
                refused(ClassSchema("Dog", []), "already exists")
                refused(ClassSchema("X", superclass: "Dog", indexes: [IndexSchema(["hunts"])], []), "no property 'hunts'")
                refused(ClassSchema("X", superclass: "Dog", [PropertySchema("", .int, isNullable: true)]), "no name")
                #expect { try transaction.addProperty(PropertySchema("size", .int), to: "Animal") } throws: { _ in true }
                try transaction.addProperty(PropertySchema("size", .int), to: "Shelter")
                #expect { try transaction.dropProperty("name", from: "Dog") } throws: { "\(($0 as? FreeholdError)?.message ?? "")".contains("belongs to class 'Animal'") }
                #expect { try transaction.dropClass("Dog") } throws: { "\(($0 as? FreeholdError)?.message ?? "")".contains("'Puppy' extends it") }
                #expect { try transaction.dropClass("Cat") } throws: { "\(($0 as? FreeholdError)?.message ?? "")".contains("'rooms' of class 'Shelter'") }
                var last = "Puppy"
                for depth in 3..<60 {
                    do { try transaction.createClass(ClassSchema("Deep\(depth)", superclass: last, [])) } catch {
                        #expect(depth == Family.maximumDepth + 1)
                        break
                    }
                    last = "Deep\(depth)"
                }
                #expect(last == "Deep\(Family.maximumDepth)")
                // The same class again is no change.
                try transaction.createClass(ClassSchema("Puppy", superclass: "Dog", [PropertySchema("weeks", .double), PropertySchema("size", .int)]))
            }
        }
    }

    @Test("a class with a primary key shares it with those that extend it", arguments: [PropertyType.int, .string])
    func primaryKeys(type: PropertyType) throws {
        let machine = SimulatedSystem(seed: 3)
        defer { machine.discard() }
        let database = try Database.open("/keys.freehold", OpenOptions.simulated, on: machine.makeProcess())
        func key(_ number: Int) -> Value { type == .int ? .int(Int64(number)) : .string("k\(number)") }
        try database.write { transaction in
            try transaction.createClass(ClassSchema("Base", primaryKey: "id", [PropertySchema("id", type)]))
            try transaction.createClass(ClassSchema("Sub", superclass: "Base", [PropertySchema("v", .int)]))
            for number in 0..<600 { try transaction.insert(into: number % 2 == 0 ? "Base" : "Sub", key: key(number), []) }
            #expect { try transaction.insert(into: "Sub", key: key(4), []) } throws: { ($0 as? FreeholdError)?.code == .duplicateKey }
            #expect { try transaction.insert(into: "Base", key: key(5), []) } throws: { ($0 as? FreeholdError)?.code == .duplicateKey }
        }
        let snapshot = try database.snapshot(), bases = try snapshot.table("Base"), subs = try snapshot.table("Sub")
        #expect(subs.schema.primaryKey == "id")
        #expect(try bases.key(primaryKey: key(5)) != nil && bases.key(primaryKey: key(5)) == subs.key(primaryKey: key(5)))
        #expect(try subs.key(primaryKey: key(4)) == nil)
        #expect(try database.check().isClean)
    }

    @Test("embedded classes extend embedded ones, and an owner has objects of any of them")
    func embedded() throws {
        let machine = SimulatedSystem(seed: 3)
        defer { machine.discard() }
        let database = try Database.open("/parts.freehold", OpenOptions.simulated, on: machine.makeProcess())
        try database.write { transaction in
            try transaction.createClass(ClassSchema("Part", isEmbedded: true, [PropertySchema("n", .int)]))
            try transaction.createClass(ClassSchema("Screw", superclass: "Part", isEmbedded: true, [PropertySchema("length", .int)]))
            try transaction.createClass(ClassSchema("Machine", [PropertySchema("part", linkTo: "Part"), PropertySchema("screws", linkTo: "Screw", collections: [.list])]))
            let owner = try transaction.insert(into: "Machine", []), machines = try transaction.table("Machine")
            try transaction.embed([("length", .int(3))], as: "Screw", in: owner, of: machines, machines.column("part"))
            try transaction.list(of: owner, in: machines, machines.column("screws")).embed([("length", .int(4)), ("n", .int(1))])
            #expect { try transaction.list(of: owner, in: machines, machines.column("screws")).embed([], as: "Part") } throws: {
                ($0 as? FreeholdError)?.code == .typeMismatch
            }
            #expect(try transaction.table("Screw").count == 2 && transaction.table("Part", withSubclasses: false).count == 0)
        }
        #expect(try database.check().isClean)
        try database.write { try $0.delete(ObjectKey(0), from: $0.table("Machine")) }
        #expect(try database.snapshot().table("Part").count == 0)
        #expect(try database.check().isClean)
    }

    @Test("copies, backups and salvaged files have the same objects of the same classes", arguments: [false, true])
    func copies(isEncrypted: Bool) throws {
        let machine = SimulatedSystem(seed: 4)
        defer { machine.discard() }
        let process = machine.makeProcess()
        let database = try Self.zoo(machine)
        try database.write { transaction in
            let keys = try Self.fill(transaction, 1500)
            try transaction.insert(into: "Shelter", [("guard", .link(keys[1])), ("guests", .list([.link(keys[2]), .link(keys[3])]))])
        }
        func same(_ other: Database) throws {
            let mine = try database.snapshot(), theirs = try other.snapshot()
            for name in ["Animal", "Dog", "Puppy", "Cat", "Shelter"] {
                let one = try mine.table(name), two = try theirs.table(name)
                #expect(try one.keys() == two.keys())
                for key in try one.keys() {
                    #expect(try one.values(key) == two.values(key))
                    #expect(try one.row(key)?.className == two.row(key)?.className)
                }
            }
            #expect(try other.check().isClean)
        }
        var options = OpenOptions.simulated
        if isEncrypted { options.encryptionKey = try EncryptionKey(Array(0..<64)) }
        try DatabaseCopy(source: database, path: "/copy.freehold", system: process, key: options.encryptionKey, options: OpenOptions.simulated).run()
        try same(try Database.open("/copy.freehold", options, on: process))
        if isEncrypted { return }
        database.close()
        let report = try Database.salvage(from: "/zoo.freehold", to: "/salvaged.freehold", OpenOptions.simulated, on: process)
        #expect(report.isComplete, "\(report)")
        let again = try Database.open("/salvaged.freehold", OpenOptions.simulated, on: process)
        #expect(try again.snapshot().table("Puppy").count == 375)
        #expect(try again.check().isClean)
    }
}
