import DatabaseKit
@testable import FreeholdEngine
import TestKit
import Testing

/// Numbers that classes count by name.
@Suite struct SequenceTests {
    private func withDatabase(_ body: (Database, SimulatedSystem, SimulatedProcess) throws -> Void) throws {
        let machine = SimulatedSystem(seed: 1)
        defer { machine.discard() }
        let process = machine.makeProcess()
        let database = try Database.open("/sequence.freehold", .simulated, on: process)
        try database.write { transaction in
            for name in ["Invoice", "Letter"] { try transaction.createClass(ClassSchema(name, [PropertySchema("text", .string)])) }
        }
        try body(database, machine, process)
        #expect(try database.check().problems == [])
    }

    private func next(_ name: String, _ database: Database) throws -> Int64 {
        try database.write { transaction in try transaction.next(name, of: transaction.table("Invoice")) }
    }

    @Test("each class counts each of its sequences from 1, over handles and processes, and objects' keys apart")
    func counting() throws {
        try withDatabase { database, machine, _ in
            let other = try Database.open("/sequence.freehold", .simulated, on: machine.makeProcess())
            let numbers = try [next("paid", database), next("paid", other), next("open", database), next("paid", database)]
            #expect(numbers == [1, 2, 1, 3])
            try database.write { transaction in
                let letters = try transaction.table("Letter")
                let first = try transaction.next("paid", of: letters), key = try transaction.insert(into: letters, values: [.string("a")])
                #expect(first == 1 && key == ObjectKey(0))
                for _ in 0..<300 { try transaction.insert(into: letters, values: [.string("a")]) }
                try transaction.delete(key, from: letters)
            }
            let invoices = try other.snapshot().table("Invoice")
            #expect(invoices.sequences == ["paid", "open"] && invoices.lastNumber(of: "paid") == 3 && invoices.lastNumber(of: "none") == nil)
        }
    }

    @Test("what is rolled back, to a savepoint or as a whole, is given again, so that no number is left out")
    func rollingBack() throws {
        try withDatabase { database, _, _ in
            #expect(try next("paid", database) == 1)
            let transaction = try database.beginWrite()
            #expect(try transaction.next("paid", of: transaction.table("Invoice")) == 2)
            transaction.rollback()
            try database.write { transaction in
                let invoices = try transaction.table("Invoice"), two = try transaction.next("paid", of: invoices)
                let savepoint = try transaction.savepoint(), three = try transaction.next("paid", of: invoices)
                let first = try transaction.next("late", of: invoices)
                #expect(two == 2 && three == 3 && first == 1)
                try transaction.rollback(to: savepoint)
                let again = try transaction.next("paid", of: invoices)
                #expect(again == 3 && invoices.lastNumber(of: "late") == nil)
            }
            #expect(try next("paid", database) == 4)
        }
    }

    @Test("sequences stay when the class is renamed, the file closed, copied or salvaged, and end with the class")
    func lasting() throws {
        try withDatabase { database, _, process in
            for _ in 0..<3 { _ = try next("paid", database) }
            try database.write { try $0.renameClass("Invoice", to: "Bill") }
            try database.copy(to: "/copy.freehold", encryption: .same, .simulated, on: process)
            let copy = try Database.open("/copy.freehold", .simulated, on: process)
            try copy.write { transaction in
                let number = try transaction.next("paid", of: transaction.table("Bill"))
                #expect(number == 4)
            }
            copy.close()
            _ = try Database.salvage(from: "/copy.freehold", to: "/salvaged.freehold", .simulated, on: process)
            let salvaged = try Database.open("/salvaged.freehold", .simulated, on: process)
            #expect(try salvaged.snapshot().table("Bill").lastNumber(of: "paid") == 4)
            try salvaged.write { transaction in
                try transaction.dropClass("Bill")
                try transaction.createClass(ClassSchema("Bill", [PropertySchema("text", .string)]))
                let number = try transaction.next("paid", of: transaction.table("Bill"))
                #expect(number == 1)
            }
            #expect(try salvaged.check().problems == [])
        }
    }

    @Test("a sequence can be moved on, never back; names and numbers have bounds")
    func bounds() throws {
        func expect(_ code: FreeholdError.Code, _ body: () throws -> Void) {
            #expect { try body() } throws: { ($0 as? FreeholdError)?.code == code }
        }
        try withDatabase { database, _, _ in
            try database.write { transaction in
                let invoices = try transaction.table("Invoice")
                try transaction.set("paid", of: invoices, toLast: 1999)
                let number = try transaction.next("paid", of: invoices)
                #expect(number == 2000)
                expect(.invalidArgument) { try transaction.set("paid", of: invoices, toLast: 1999) }
                for name in ["", String(repeating: "n", count: 64)] { expect(.invalidArgument) { _ = try transaction.next(name, of: invoices) } }
                for number in 0..<63 { _ = try transaction.next("sequence \(number)", of: invoices) }
                expect(.invalidArgument) { _ = try transaction.next("one more", of: invoices) }
                try transaction.set("paid", of: invoices, toLast: .max)
                expect(.valueTooLarge) { _ = try transaction.next("paid", of: invoices) }
            }
            #expect(try database.snapshot().table("Invoice").sequences.count == 64)
        }
    }
}
