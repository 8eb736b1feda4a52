@testable import FreeholdEngine
import TestKit
import Testing

/// Programs whose versions of a kind differ, on one file.
@Suite struct DerivedVersionTests {
    private static let newer = DerivedVersions(algorithm: 2, tables: 15 << 16, tool: 0)

    /// The program that runs by default, a newer one, and one with a tool.
    private func asNewer(_ body: () throws -> Void) throws { try FieldKind.$versions.withValue(Self.newer, operation: body) }

    private func filled(_ machine: SimulatedSystem) throws -> Database {
        let database = try Database.open("/derived.freehold", OpenOptions.simulated, on: machine.makeProcess())
        try database.write(durability: .full) { transaction in
            try transaction.createClass(ClassSchema("Note", [PropertySchema("title", .string), PropertySchema("stars", .int)]))
            try transaction.derived.add(DerivedSchema(kind: 255, fields: [DerivedSchema.Field(link: nil, property: "title")]), to: "Note")
            for key in 0..<600 { try transaction.insert(into: "Note", [("title", .string("title \(key)"))]) }
        }
        return database
    }

    private func set(_ property: String, _ value: Value, _ database: Database) throws {
        try database.write(durability: .full) { transaction in
            let table = try transaction.table("Note")
            try transaction.set(ObjectKey(5), in: table, table.column(property), to: value)
        }
    }

    private func root(_ database: Database) throws -> DerivedRoot {
        let snapshot = try database.snapshot(), (_, top) = try snapshot.contents(), access = snapshot.core.access
        return try DerivedRoot(TableRoot(top.table(0), in: access).auxiliary(.derived, StoredDerived.firstColumn), in: access)
    }

    private func expectRefused(_ body: () throws -> Void) {
        #expect { try body() } throws: { error in
            let error = error as? FreeholdError
            return error?.code == .unsupportedFormat && error?.message.contains("class 'Note'") == true
        }
    }

    private func expectWhole(_ database: Database) throws {
        #expect(try NaiveEntries.complaints(database.snapshot()).isEmpty)
        #expect(try database.check().problems.isEmpty)
    }

    @Test("numbers are older if none is above, whatever the tools are")
    func order() {
        let own = DerivedVersions(algorithm: 3, tables: 30, tool: 7)
        for (algorithm, tables, tool, isOlder) in [
            (3, 30, 7, false), (2, 30, 7, true), (3, 29, 7, true), (2, 31, 7, false), (4, 29, 7, false), (4, 30, 7, false),
            (2, 29, 8, true), (3, 30, 0, true), (4, 30, 0, false),
        ] as [(UInt16, UInt32, UInt64, Bool)] {
            let other = DerivedVersions(algorithm: algorithm, tables: tables, tool: tool)
            #expect(other.isOlder(than: own) == isOlder, "\(other)")
        }
    }

    @Test("a newer program builds an index anew once it has something to change; an older one is refused then, and never builds it back")
    func newerProgram() throws {
        let machine = SimulatedSystem(seed: 1)
        defer { machine.discard() }
        let database = try filled(machine)
        try asNewer { try set("stars", .int(1), database) }
        #expect(try root(database).versions == FieldKind.versions)
        try asNewer { try set("title", .string("new"), database) }
        #expect(try root(database).versions == Self.newer && root(database).state == .complete)
        try expectWhole(database)
        expectRefused { try set("title", .string("old program"), database) }
        expectRefused { try database.write { try $0.delete(ObjectKey(7), from: $0.table("Note")) } }
        expectRefused { try database.write { transaction in for _ in 0..<300 { _ = try transaction.insert(into: "Note", []) } } }
        try set("stars", .int(2), database)
        #expect(try database.buildIndexes() == 0 && root(database).versions == Self.newer)
        #expect(try database.snapshot().table("Note").count == 600)
        try asNewer { try expectWhole(database) }
        // It may drop it, and have one of its own.
        try database.write(durability: .full) { try $0.derived.drop(0, from: "Note") }
        try set("title", .string("old program"), database)
        #expect(try database.check().problems.isEmpty)
    }

    @Test("a large index of an older version is built anew from its first key, by slices, also by a builder alone")
    func large() throws {
        let machine = SimulatedSystem(seed: 1)
        defer { machine.discard() }
        let database = try filled(machine)
        try DerivedBudget.$standard.withValue(DerivedBudget(objects: 100, bytes: 1 << 20)) {
            try asNewer {
                try set("title", .string("new"), database)
                #expect(try root(database).versions == Self.newer && root(database).state == .building && root(database).position == 100)
                try expectWhole(database)
            }
            #expect(try database.buildIndexes() == 0, "the older program leaves it")
            try asNewer {
                #expect(try database.buildIndexes() == 5 && root(database).state == .complete)
                try expectWhole(database)
            }
            try FieldKind.$versions.withValue(DerivedVersions(algorithm: 2, tables: 16 << 16, tool: 0)) {
                #expect(try database.buildIndexes() == 6 && root(database).state == .complete)
                #expect(try root(database).versions == FieldKind.versions)
                try expectWhole(database)
            }
        }
    }

    @Test("a program with another tool builds the index anew once it has something to change, or by its builder")
    func otherTool() throws {
        let machine = SimulatedSystem(seed: 1)
        defer { machine.discard() }
        let database = try filled(machine), other = DerivedVersions(algorithm: 1, tables: 15 << 16, tool: 4)
        try FieldKind.$versions.withValue(other) {
            try set("stars", .int(1), database)
            #expect(try root(database).versions != other)
            try set("title", .string("x"), database)
            #expect(try root(database).versions == other)
            try expectWhole(database)
        }
        let added = try database.buildIndexes()
        #expect(try added == 1 && root(database).versions == FieldKind.versions)
        try expectWhole(database)
    }
}
