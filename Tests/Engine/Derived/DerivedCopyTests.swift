@testable import FreeholdEngine
import TestKit
import Testing

/// Derived indexes in copies, salvaged files and compacted ones.
@Suite struct DerivedCopyTests {
    private static let path = "/derived.freehold", other = "/other.freehold"

    /// Articles that link to authors, with an index over both, built in slices of 100.
    private func withLibrary(_ body: (Database, SimulatedSystem, SimulatedProcess) throws -> Void) throws {
        let machine = SimulatedSystem(seed: 1)
        defer { machine.discard() }
        let process = machine.makeProcess()
        try DerivedBudget.$standard.withValue(DerivedBudget(objects: 100, bytes: 1 << 20)) {
            let database = try Database.open(Self.path, OpenOptions.simulated, on: process)
            try database.write(durability: .full) { transaction in
                try transaction.createClasses([
                    ClassSchema("Article", [PropertySchema("title", .string), PropertySchema("author", linkTo: "Author")]),
                    ClassSchema("Author", [PropertySchema("name", .string)]),
                ])
                for key in 0..<600 { try transaction.insert(into: "Author", [("name", .string("author \(key)"))]) }
                for key in 0..<600 as Range<Int64> {
                    try transaction.insert(into: "Article", [("title", .string("title \(key)")), ("author", .link(ObjectKey(key)))])
                }
                try transaction.derived.add(DerivedSchema(kind: 255, fields: [
                    DerivedSchema.Field(link: nil, property: "title"), DerivedSchema.Field(link: "author", property: "name"),
                ]), to: "Article")
            }
            try database.buildIndexes()
            try body(database, machine, process)
        }
    }

    private func root(_ database: Database) throws -> BlockReference {
        let snapshot = try database.snapshot(), (_, top) = try snapshot.contents()
        return try TableRoot(top.table(0), in: snapshot.core.access).auxiliary(.derived, StoredDerived.firstColumn)
    }

    private func expectComplete(_ path: String, _ machine: SimulatedSystem) throws {
        let database = try Database.open(path, OpenOptions.simulated, on: machine.makeProcess())
        defer { database.close() }
        let snapshot = try database.snapshot()
        #expect(try snapshot.table("Article").count == 600 && snapshot.root.writeFeatures == 1)
        #expect(try DerivedRoot(root(database), in: snapshot.core.access).state == .complete)
        #expect(try NaiveEntries.complaints(snapshot).isEmpty && database.check().problems.isEmpty)
    }

    @Test("a copy has the derived indexes, complete, though links are copied before their targets")
    func copied() throws {
        try withLibrary { database, machine, process in
            try database.copy(to: Self.other, encryption: .same, .simulated, on: process)
            try expectComplete(Self.other, machine)
            // Articles are committed before the authors are there.
            try DatabaseCopy(source: database, path: "/third.freehold", system: process, key: nil, options: .simulated, batch: 150).run()
            try expectComplete("/third.freehold", machine)
        }
    }

    @Test("a file that is compacted has them, whether it is closed or in use")
    func compacted() throws {
        try withLibrary { database, machine, process in
            _ = try database.compact()
            #expect(try NaiveEntries.complaints(database.snapshot()).isEmpty && database.check().problems.isEmpty)
            database.close()
            _ = try Database.compactFile(at: Self.path, .simulated, on: process)
            try expectComplete(Self.path, machine)
        }
    }

    @Test("a salvage reads nothing of an index, and builds it anew")
    func salvaged() throws {
        try withLibrary { database, machine, process in
            let place = try Int(root(database).byteOffset)
            database.close()
            let file = try process.openFile(Self.path, .readWrite)
            try file.write(Array(repeating: 0xEE, count: 64), at: place)
            file.close()
            _ = try Database.salvage(from: Self.path, to: Self.other, .simulated, on: process)
            try expectComplete(Self.other, machine)
        }
    }

    @Test("a copy leaves out indexes of kinds that the program does not know, and has no feature without any")
    func unknownKinds() throws {
        try withLibrary { database, machine, process in
            let fields = [DerivedSchema.Field(link: nil, property: "name")]
            let schema = try database.snapshot().schema().adding(DerivedSchema(kind: 77, fields: fields), to: "Author")
            let made = try Database.open(Self.other, OpenOptions.simulated, on: process)
            try made.write(durability: .full) { transaction in
                transaction.adopt(schema)
                #expect(!transaction.schema.hasDerived && transaction.schema.classes.allSatisfy { $0.nextDerivedNumber == 0 })
                _ = try transaction.insert(into: "Author", [])
            }
            #expect(try made.snapshot().root.writeFeatures == 0)
            try made.write(durability: .full) { try $0.derived.adopt(schema) }
            let adopted = try made.snapshot().schema()
            #expect(adopted.classes[1].derived.isEmpty && adopted.classes[0].derived == schema.classes[0].derived)
            #expect(try made.snapshot().root.writeFeatures == 1)
        }
    }
}
