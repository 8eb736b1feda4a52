import DatabaseKit
@testable import FreeholdEngine
import TestKit
import Testing

/// Collections whose elements are objects of any class of a hierarchy.
@Suite struct HierarchyCollectionTests {
    private static let pack = ClassSchema("Pack", [
        PropertySchema("animals", linkTo: "Animal", collections: [.set]), PropertySchema("dogs", linkTo: "Dog", collections: [.set]),
        PropertySchema("named", linkTo: "Dog", collections: [.map, .set]), PropertySchema("owned", linkTo: "Animal", deleteRule: .cascade, collections: [.set]),
        PropertySchema("kept", linkTo: "Dog", deleteRule: .deny, collections: [.set]),
        PropertySchema("any", .mixed), PropertySchema("anything", .mixed, collections: [.list]), PropertySchema("some", .mixed, collections: [.set]),
    ])

    /// A zoo of `count` animals, and a pack.
    private func withPack(_ count: Int, _ body: (Database, [ObjectKey], ObjectKey) throws -> Void) throws {
        let machine = SimulatedSystem(seed: 5)
        defer { machine.discard() }
        let database = try HierarchyTests.zoo(machine)
        defer { database.close() }
        var keys: [ObjectKey] = [], pack = ObjectKey(0)
        try database.write { transaction in
            try transaction.createClass(Self.pack)
            keys = try HierarchyTests.fill(transaction, count)
            pack = try transaction.insert(into: "Pack", [])
        }
        try body(database, keys, pack)
        let report = try database.check()
        #expect(report.isClean, "\(report.problems.prefix(5))")
    }

    private func links(_ keys: [ObjectKey], _ isMeant: (Int) -> Bool) -> [Value] {
        keys.indices.filter { isMeant($0 % 4) }.map { .link(keys[$0]) }
    }

    private func expect(_ code: FreeholdError.Code, _ body: () throws -> Void) {
        #expect { try body() } throws: { ($0 as? FreeholdError)?.code == code }
    }

    @Test("a set of links to a class has objects of it and of those that extend it, each once, and is followed back", arguments: [12, 1200])
    func sets(count: Int) throws {
        try withPack(count) { database, keys, pack in
            let dogs = links(keys) { $0 == 1 || $0 == 2 }, all = links(keys) { _ in true }
            try database.write { transaction in
                let packs = try transaction.table("Pack")
                let animals = try transaction.set(of: pack, in: packs, packs.column("animals")), some = try transaction.set(of: pack, in: packs, packs.column("dogs"))
                try animals.insert(contentsOf: all + all)
                try some.insert(contentsOf: dogs.reversed())
                expect(.typeMismatch) { try some.insert(.link(keys[0])) }
                expect(.typeMismatch) { try some.insert(.link(keys[3])) }
                try transaction.map(of: pack, in: packs, packs.column("named")).set(for: "pups").insert(contentsOf: links(keys) { $0 == 2 })
            }
            let before = try database.snapshot().table("Pack"), row = try #require(try before.row(pack))
            #expect(try row.value(before.column("animals")) == .set(all) && row.value(before.column("dogs")) == .set(dogs))
            for name in ["animals", "dogs", "named"] { #expect(try before.backlinks(to: keys[2], from: before.column(name)) == [pack]) }
            // A puppy goes from all of them; with their class all do.
            try database.write { try $0.delete(keys[2], from: $0.table("Puppy")) }
            let after = try database.snapshot().table("Pack"), now = try #require(try after.row(pack))
            #expect(try now.value(after.column("animals")) == .set(all.filter { $0 != .link(keys[2]) }))
            try database.write { try $0.dropClass("Puppy") }
            let last = try database.snapshot().table("Pack"), left = try #require(try last.row(pack))
            #expect(try left.value(last.column("dogs")) == .set(links(keys) { $0 == 1 }))
            #expect(try left.value(last.column("named")) == .map(["pups": .set([])]))
        }
    }

    @Test("delete rules of sets reach objects of every class of a hierarchy", arguments: [12, 1200])
    func rules(count: Int) throws {
        try withPack(count) { database, keys, pack in
            try database.write { transaction in
                let packs = try transaction.table("Pack")
                try transaction.set(of: pack, in: packs, packs.column("owned")).assign(links(keys) { $0 == 2 || $0 == 3 })
                try transaction.set(of: pack, in: packs, packs.column("kept")).assign([.link(keys[1]), .link(keys[2])])
            }
            try database.write { transaction in
                let packs = try transaction.table("Pack")
                expect(.deleteDenied) { try transaction.delete(pack, from: packs) }
                try transaction.delete(keys[1], from: transaction.table("Animal"))
                // The other one would go with the pack.
                try transaction.delete(pack, from: packs)
            }
            let snapshot = try database.snapshot(), animals = try snapshot.table("Animal"), puppies = try snapshot.table("Puppy"), cats = try snapshot.table("Cat")
            #expect(animals.count == count / 2 - 1 && puppies.count == 0 && cats.count == 0)
        }
    }

    /// References may name the object's own class, or one that it extends.
    @Test("mixed values link to objects of subclasses wherever they stand, and lose them", arguments: [12, 1200])
    func mixedValues(count: Int) throws {
        try withPack(count) { database, keys, pack in
            let root = try database.snapshot().table("Animal").reference(to: keys[2]), cat = Value.object(try database.snapshot().table("Cat").reference(to: keys[3]))
            let puppy = try database.snapshot().classes.firstIndex { $0.name == "Puppy" }!
            let own = Value.object(ObjectReference(classNumber: puppy, key: keys[2])), deep = Value.list([.map(["own": own]), cat])
            let numbers = (0..<count).map { Value.int(Int64($0)) }
            try database.write { transaction in
                let packs = try transaction.table("Pack")
                try transaction.set(pack, in: packs, packs.column("any"), to: deep)
                let list = try transaction.list(of: pack, in: packs, packs.column("anything"))
                try list.append(contentsOf: numbers)
                try list.append(contentsOf: [own, deep])
                try list.list(at: count + 1).append(own)
                try transaction.set(of: pack, in: packs, packs.column("some")).insert(contentsOf: numbers + [own, .object(root), cat])
            }
            let before = try database.snapshot().table("Pack"), some = try #require(try before.row(pack)).set(before.column("some"))
            #expect(some.count == count + 2)
            for name in ["any", "anything", "some"] { #expect(try before.backlinks(to: root, from: before.column(name)) == [pack]) }
            try database.write { try $0.delete(keys[2], from: $0.table("Animal")) }
            let after = try database.snapshot().table("Pack"), row = try #require(try after.row(pack)), left = Value.list([.map(["own": .null]), cat])
            let found = [try row.value(after.column("any")), try row.value(after.column("anything")), try row.value(after.column("some"))]
            #expect(found == [left, .list(numbers + [.null, .list([.map(["own": .null]), cat, .null])]), .set(numbers + [cat])])
            try database.write { transaction in
                try transaction.dropProperty("rooms", from: "Shelter")
                try transaction.dropClass("Cat")
            }
            let last = try database.snapshot().table("Pack")
            #expect(try last.value(pack, last.column("some")) == .set(numbers))
        }
    }

    @Test("copies, salvaged and compacted files have sets of every class of a hierarchy", arguments: [12, 1200])
    func copies(count: Int) throws {
        let machine = SimulatedSystem(seed: 5), process = machine.makeProcess()
        defer { machine.discard() }
        var pack = ObjectKey(0), was: [Value] = []
        func values(_ database: Database) throws -> [Value] {
            let packs = try database.snapshot().table("Pack"), row = try #require(try packs.row(pack))
            return try Self.pack.properties.map { try row.value(packs.column($0.name)) }
        }
        let database = try HierarchyTests.zoo(machine)
        try database.write { transaction in
            try transaction.createClass(Self.pack)
            let keys = try HierarchyTests.fill(transaction, count), objects = keys.map { Value.object(ObjectReference(classNumber: 0, key: $0)) }
            pack = try transaction.insert(into: "Pack", [
                ("animals", .set(links(keys) { _ in true })), ("dogs", .set(links(keys) { $0 == 2 })), ("named", .map(["all": .set(links(keys) { $0 == 1 })])),
                ("anything", .list(objects)), ("some", .set(objects)), ("any", .list(objects)),
            ])
        }
        was = try values(database)
        try DatabaseCopy(source: database, path: "/copy.freehold", system: process, key: nil, options: .simulated).run()
        try database.compact()
        #expect(try values(database) == was)
        let problems = try database.check().problems
        #expect(problems == [])
        database.close()
        let report = try Database.salvage(from: "/zoo.freehold", to: "/salvaged.freehold", OpenOptions.simulated, on: process)
        #expect(report.isComplete)
        for path in ["/copy.freehold", "/salvaged.freehold"] {
            let other = try Database.open(path, OpenOptions.simulated, on: process)
            defer { other.close() }
            #expect(try values(other) == was)
            let problems = try other.check().problems, dogs = try other.snapshot().table("Dog")
            #expect(problems == [] && dogs.count == count / 2)
        }
    }
}
