import DatabaseKit
@testable import FreeholdEngine
import TestKit
import Testing

/// What the closure that fills a new object may do besides.
@Suite struct InsertingTests {
    private struct Stop: Error {}

    private func withDatabase(_ schema: ClassSchema, _ body: (Database) throws -> Void) throws {
        let machine = SimulatedSystem(seed: 1)
        defer { machine.discard() }
        let database = try Database.open("/inserting.freehold", OpenOptions.simulated, on: machine.makeProcess())
        try database.write { try $0.createClass(schema) }
        try body(database)
        let report = try database.check()
        #expect(report.isClean, "\(report.problems.prefix(5))")
    }

    @Test("an object made while another is filled keeps its key when that other one is withdrawn")
    func withdrawnAround() throws {
        try withDatabase(ClassSchema("Note", [PropertySchema("number", .int)])) { database in
            try database.write { transaction in
                let table = try transaction.table("Note")
                let number = try table.column("number")
                #expect(throws: Stop.self) {
                    try transaction.insert(into: table) { _ in
                        try transaction.insert(into: table) { row in try row.set(number, int: 1) }
                        throw Stop()
                    }
                }
                try transaction.insert(into: table) { row in try row.set(number, int: 2) }
                #expect(table.count == 2)
            }
            let table = try database.snapshot().table("Note")
            var numbers: [Int64: Int64] = [:]
            try table.forEach { row in
                numbers[row.key.rawValue] = try row.int(table.column("number"))
                return true
            }
            #expect(numbers == [1: 1, 2: 2])
        }
    }

    @Test("a primary key may be set again while its object is filled, and leaves the value it had to others")
    func keySetAgain() throws {
        try withDatabase(ClassSchema("Named", primaryKey: "name", [PropertySchema("name", .string)])) { database in
            try database.write { transaction in
                let table = try transaction.table("Named")
                let name = try table.column("name")
                try transaction.insert(into: table, primaryKey: .string("same")) { row in try row.set(name, string: "same") }
                try transaction.insert(into: table, primaryKey: .string("first")) { row in try row.set(name, string: "second") }
                #expect(try table.key(primaryKey: .string("first")) == nil)
                #expect(try table.key(primaryKey: .string("second")) == ObjectKey(1))
                #expect(throws: FreeholdError.self) {
                    try transaction.insert(into: table, primaryKey: .string("third")) { row in try row.set(name, string: "same") }
                }
            }
            try database.write { try $0.insert(into: "Named", key: .string("first"), []) }
            #expect(try database.snapshot().table("Named").count == 3)
        }
    }

    // Rows are known by their place in the transaction's memory while they are filled.
    @Test("what would move the row away is refused while it is filled, and leaves it whole")
    func refusedMeanwhile() throws {
        try withDatabase(ClassSchema("Note", [PropertySchema("number", .int)])) { database in
            let transaction = try database.beginWrite()
            let table = try transaction.table("Note")
            let number = try table.column("number")
            let first = try transaction.insert(into: table) { row in try row.set(number, int: 1) }
            let second = try transaction.insert(into: table) { row in
                try row.set(number, int: 2)
                try refused { try transaction.delete(first, from: table) }
                try refused { try transaction.addProperty(PropertySchema("more", .int), to: "Note") }
                try refused { try transaction.commit() }
                try transaction.insert(into: table) { inner in try inner.set(number, int: 4) }
                try row.set(number, int: 3)
            }
            #expect(try table.value(second, number) == .int(3))
            try transaction.delete(first, from: table)
            try transaction.commit()
            #expect(try database.snapshot().table("Note").keys() == [second, ObjectKey(second.rawValue + 1)])
        }
    }

    @Test("a transaction rolled back while an object is filled makes no object")
    func rolledBackMeanwhile() throws {
        try withDatabase(ClassSchema("Note", [PropertySchema("number", .int)])) { database in
            let transaction = try database.beginWrite()
            let table = try transaction.table("Note")
            let error = #expect(throws: FreeholdError.self) {
                try transaction.insert(into: table) { _ in transaction.rollback() }
            }
            #expect(error?.code == .notInWrite)
            try database.write { _ = try $0.insert(into: "Note", []) }
            #expect(try database.snapshot().table("Note").count == 1)
        }
    }

    private func refused(_ body: () throws -> Void) throws {
        let error = #expect(throws: FreeholdError.self) { try body() }
        #expect(error?.code == .invalidArgument)
    }
}
