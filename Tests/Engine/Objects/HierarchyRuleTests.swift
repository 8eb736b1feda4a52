import DatabaseKit
@testable import FreeholdEngine
import TestKit
import Testing

/// Rules that lead from one class of a family to another, and orders by what only some classes of it have.
@Suite struct HierarchyRuleTests {
    private static func withDatabase(_ body: (Database) throws -> Void) throws {
        let machine = SimulatedSystem(seed: 11)
        defer { machine.discard() }
        let database = try Database.open("/family.freehold", OpenOptions.simulated, on: machine.makeProcess())
        defer { database.close() }
        try body(database)
        #expect(try database.check().isClean)
    }

    /// A chain of dogs and animals, each of which takes the next along.
    private static func fill(_ transaction: WriteTransaction, _ count: Int) throws -> [ObjectKey] {
        var keys: [ObjectKey] = []
        for number in (0..<count).reversed() {
            var values = [("age", Value.int(Int64(number)))]
            if number % 7 != 6, let next = keys.last { values.append(("next", .link(next))) }
            keys.append(try transaction.insert(into: number % 2 == 0 ? "Dog" : "Animal", values))
        }
        return keys.reversed()
    }

    private static func makeClasses(_ transaction: WriteTransaction) throws {
        try transaction.createClass(ClassSchema("Animal", [PropertySchema("age", .int), PropertySchema("next", linkTo: "Animal", deleteRule: .cascade)]))
        try transaction.createClass(ClassSchema("Dog", superclass: "Animal", [PropertySchema("tricks", .int)]))
    }

    @Test("many objects are deleted though some take others of them along", arguments: [20, 700])
    func deleting(count: Int) throws {
        try Self.withDatabase { database in
            try database.write { transaction in
                try Self.makeClasses(transaction)
                let keys = try Self.fill(transaction, count), animals = try transaction.table("Animal")
                try transaction.delete(keys[3..<5], from: animals)
                #expect(try keys.indices.filter { try animals.contains(keys[$0]) } == keys.indices.filter { !(3...6).contains($0) })
                #expect { try transaction.delete([keys[0], keys[4]], from: animals) } throws: { ($0 as? FreeholdError)?.code == .noSuchObject }
                try transaction.delete(keys.indices.filter { $0 > 6 }.map { keys[$0] }, from: animals)
                // The refused call has changed nothing: the first and the two it takes along are there.
                #expect(animals.count == 3)
            }
        }
    }

    @Test("a class that extends another one is dropped though its objects take others along")
    func dropping() throws {
        try Self.withDatabase { database in
            try database.write { transaction in
                try Self.makeClasses(transaction)
                _ = try Self.fill(transaction, 700)
                try transaction.dropClass("Dog")
                let animals = try transaction.table("Animal")
                // Of each seven the chain goes from the first dog on.
                #expect(animals.count == 50)
                #expect(transaction.classes.map(\.name) == ["Animal"])
            }
        }
    }

    @Test("the first objects by a property that only some of them have are those without it", arguments: [true, false])
    func orders(isIndexed: Bool) throws {
        try Self.withDatabase { database in
            try database.write { transaction in
                try transaction.createClass(ClassSchema("Base", [PropertySchema("v", .int)]))
                try transaction.createClass(ClassSchema("Middle", superclass: "Base", []))
                try transaction.createClass(ClassSchema("Leaf", superclass: "Middle", [PropertySchema("n", .int, isIndexed: isIndexed)]))
                for number in 0..<2000 as Range<Int64> {
                    if number % 2 == 0 { try transaction.insert(into: "Middle", []) } else { try transaction.insert(into: "Leaf", [("n", .int(number))]) }
                }
            }
            let snapshot = try database.snapshot()
            defer { snapshot.end() }
            for name in ["Base", "Middle", "Leaf"] {
                let table = try snapshot.table(name), terms = [SortTerm(try snapshot.table("Leaf").column("n"))]
                let all = try table.sorted(by: terms)
                for limit in [3, 240, 2000] { #expect(try table.sorted(by: terms, limit: limit) == Array(all.prefix(limit)), "\(name), \(limit)") }
            }
        }
    }
}
