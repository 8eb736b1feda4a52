import DatabaseKit
@testable import FreeholdEngine
import TestKit
import Testing

/// The number by which programs count the versions of their classes.
@Suite struct SchemaVersionTests {
    private func database(_ machine: SimulatedSystem) throws -> Database {
        try Database.open("/versions.freehold", OpenOptions.simulated, on: machine.makeProcess())
    }

    @Test("a file has no schema version until one is set, and keeps it over changes of classes, copies and compaction")
    func kept() throws {
        let machine = SimulatedSystem(seed: 1)
        defer { machine.discard() }
        let database = try database(machine)
        #expect(try database.snapshot().schemaVersion == nil)
        try database.write { try $0.setSchemaVersion(7) }
        #expect(try database.snapshot().schemaVersion == 7)
        try database.write { transaction in
            try transaction.createClass(ClassSchema("Dog", [PropertySchema("name", .string), PropertySchema("age", .int)]))
            try transaction.renameProperty("age", to: "years", in: "Dog")
            try transaction.addProperty(PropertySchema("chip", .string), to: "Dog")
            try transaction.createClass(ClassSchema("Puppy", superclass: "Dog", []))
            try transaction.renameClass("Puppy", to: "Whelp")
            try transaction.dropClass("Whelp")
            #expect(transaction.schemaVersion == 7)
        }
        #expect(try self.database(machine).snapshot().schemaVersion == 7)
        try database.write { try $0.setSchemaVersion(.max - 1) }
        #expect(try self.database(machine).snapshot().schemaVersion == .max - 1)
        #expect(try database.check().problems.isEmpty)
        let process = machine.makeProcess()
        _ = try database.backup(to: "/backup.freehold", on: process)
        try database.copy(to: "/copy.freehold", encryption: .same, .simulated, on: process)
        for path in ["/backup.freehold", "/copy.freehold"] {
            #expect(try Database.open(path, OpenOptions.simulated, on: process).snapshot().schemaVersion == .max - 1)
        }
        try database.write { try $0.setSchemaVersion(nil) }
        #expect(try database.snapshot().schemaVersion == nil)
    }

    @Test("a version set in a transaction that is rolled back, to a savepoint or as a whole, is not set")
    func rolledBack() throws {
        let machine = SimulatedSystem(seed: 2)
        defer { machine.discard() }
        let database = try database(machine)
        try database.write { try $0.setSchemaVersion(1) }
        let transaction = try database.beginWrite()
        try transaction.setSchemaVersion(2)
        let savepoint = try transaction.savepoint()
        try transaction.setSchemaVersion(3)
        try transaction.rollback(to: savepoint)
        #expect(transaction.schemaVersion == 2)
        transaction.rollback()
        #expect(try database.snapshot().schemaVersion == 1)
    }

    @Test("a version set to what it was makes no version of the file")
    func unchanged() throws {
        let machine = SimulatedSystem(seed: 3)
        defer { machine.discard() }
        let database = try database(machine)
        try database.write { try $0.setSchemaVersion(1) }
        let before = try database.snapshot().version
        try database.write { try $0.setSchemaVersion(1) }
        #expect(try database.snapshot().version == before)
    }

    @Test("snapshots tell by their identity whether the classes are the same")
    func identity() throws {
        let machine = SimulatedSystem(seed: 4)
        defer { machine.discard() }
        let database = try database(machine)
        try database.write { try $0.createClass(ClassSchema("Dog", [PropertySchema("name", .string)])) }
        let before = try database.snapshot()
        try database.write { try $0.insert(into: "Dog", [("name", .string("Rex"))]) }
        #expect(try database.snapshot().schemaIdentity == before.schemaIdentity)
        try database.write { try $0.setSchemaVersion(2) }
        #expect(try database.snapshot().schemaIdentity != before.schemaIdentity)
    }
}
