import DatabaseKit
@testable import FreeholdEngine
import TestKit
import Testing

/// A tail block with a damaged row, all checksums right: a change cannot move its rows into memory. The transaction may go
/// on after the error, and once half of the rows were written a second time then.
@Suite("A damaged row in the tail")
struct DamagedTailTests {
    enum Fault: CaseIterable {
        /// The row claims a column more than its class has.
        case columns
        /// A list's bytes lie outside the row.
        case list
        /// The row claims fewer columns, so it is not copied as it is, and a string's bytes lie outside it.
        case text
    }

    private static let path = "/damaged.freehold", reused: Int64 = 2, damaged: Int64 = 9, count: Int64 = 11

    /// Safe: the row is one of the buffer, with a slot for each of the three columns.
    private func damage(_ writer: TableWriter, _ fault: Fault) throws {
        let place = try #require(try writer.bufferPlace(Self.damaged)), row = writer.buffer.mutableRow(place)
        switch fault {
        case .columns: row.storeBytes(of: 4, toByteOffset: RowLayout.columns, as: UInt16.self)
        case .list: writer.buffer.slot(place, 2, writer.layout).storeBytes(of: 9_999, as: UInt32.self)
        case .text:
            writer.buffer.slot(place, 1, writer.layout).storeBytes(of: 9_999, as: UInt32.self)
            row.storeBytes(of: 2, toByteOffset: RowLayout.columns, as: UInt16.self)
        }
    }

    /// A file whose only tail block has a damaged row between intact ones, and a row whose key was another object's before.
    private func makeFile(_ machine: SimulatedSystem, _ fault: Fault) throws {
        let database = try open(machine)
        defer { database.close() }
        try database.write { transaction in
            try transaction.createClass(ClassSchema("Note", primaryKey: "id", [
                PropertySchema("id", .int), PropertySchema("name", .string), PropertySchema("marks", .int, collections: [.list]),
            ]))
            for id in 0..<Self.damaged { try insert(id, transaction) }
        }
        try database.write { try $0.delete(ObjectKey(Self.reused), from: $0.table("Note")) }
        try database.write { transaction in
            for id in [Self.reused, Self.damaged, Self.damaged + 1] { try insert(id, transaction) }
            try damage(transaction.writer(0), fault)
        }
    }

    private func open(_ machine: SimulatedSystem) throws -> Database { try Database.open(Self.path, .simulated, on: machine.makeProcess()) }

    private func insert(_ id: Int64, _ transaction: WriteTransaction) throws {
        try transaction.insert(into: "Note", key: .int(id), [("name", .string("note \(id)")), ("marks", .list([.int(id)]))])
    }

    private func expectCorrupt(_ body: () throws -> Void) {
        #expect { try body() } throws: { ($0 as? FreeholdError)?.code == .corrupt }
    }

    /// Each intact object once, with its values; the number of objects, and what a check says of the class.
    private func verify(_ database: Database, added: [Int64], problems: [CheckProblem]) throws {
        let snapshot = try database.snapshot()
        defer { snapshot.end() }
        let notes = try snapshot.table("Note"), name = try notes.column("name"), marks = try notes.column("marks")
        #expect(notes.count == Int(Self.count) + added.count)
        for id in Array(0..<Self.count) + added where id != Self.damaged {
            #expect(try notes.value(ObjectKey(id), name) == .string("note \(id)"))
            #expect(try notes.value(ObjectKey(id), marks) == .list([.int(id)]))
        }
        let place = try #require(try notes.state.find(Self.reused)), incarnation = notes.state.incarnation(place)
        #expect(incarnation == 4)
        #expect(try database.check().problems == problems)
    }

    @Test("a change that meets it fails, and the transaction goes on with every row once", arguments: Fault.allCases, [false, true])
    func goingOn(fault: Fault, inSavepoint: Bool) throws {
        let machine = SimulatedSystem(seed: 1)
        defer { machine.discard() }
        try makeFile(machine, fault)
        let database = try open(machine), problems = try database.check().problems
        #expect(!problems.isEmpty)
        try verify(database, added: [], problems: problems)
        try database.write { transaction in
            if inSavepoint {
                expectCorrupt { try transaction.nested { try insert(100, transaction) } }
            } else {
                expectCorrupt { try insert(100, transaction) }
            }
            let writer = try transaction.writer(0)
            #expect(writer.buffer.count == 0 && writer.buffer.used == 0 && writer.buffer.incarnations.isEmpty)
            #expect(writer.state.tails.count == 1 && writer.state.root.tails.count == 1)
            if inSavepoint { expectCorrupt { try insert(101, transaction) } }
            try insert(102, transaction)
            // The rows of the block are still needed, and still cannot be had.
            let notes = try transaction.table("Note"), name = try notes.column("name")
            expectCorrupt { try transaction.set(ObjectKey(0), in: notes, name, to: .string("")) }
            #expect(writer.buffer.count == 1 && writer.checkInvariants(fully: true))
        }
        try verify(database, added: [102], problems: problems)
        try database.write { try insert(103, $0) }
        try verify(database, added: [102, 103], problems: problems)
        database.close()
        let reopened = try open(machine)
        try verify(reopened, added: [102, 103], problems: problems)
        try reopened.write { try insert(104, $0) }
        try verify(reopened, added: [102, 103, 104], problems: problems)
    }
}
