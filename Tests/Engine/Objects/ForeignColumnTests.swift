import DatabaseKit
@testable import FreeholdEngine
import TestKit
import Testing

/// A property is found once and passed around; nothing in the language says of which class it is.
@Suite struct ForeignColumnTests {
    @Test("a property of another class is refused, whatever stands in its place here")
    func refused() throws {
        let machine = SimulatedSystem(seed: 1)
        defer { machine.discard() }
        let database = try Database.open("/foreign.freehold", OpenOptions.simulated, on: machine.makeProcess())
        try database.write { transaction in
            try transaction.createClass(ClassSchema("Narrow", [PropertySchema("flag", .bool)]))
            try transaction.createClass(ClassSchema("Wide", [
                PropertySchema("size", .int, isIndexed: true), PropertySchema("weight", .double), PropertySchema("name", .string, isIndexed: true),
            ]))
            for _ in 0..<300 {
                try transaction.insert(into: "Narrow", [("flag", .bool(true))])
                try transaction.insert(into: "Wide", [("size", .int(1)), ("weight", .double(2)), ("name", .string("x"))])
            }
        }
        let snapshot = try database.snapshot()
        let narrow = try snapshot.table("Narrow"), wide = try snapshot.table("Wide")
        for column in wide.columns {
            expectRefused { _ = try narrow.summary(column) }
            expectRefused { _ = try narrow.count(column, equals: .int(1)) }
            expectRefused { _ = try narrow.keys(column, equals: .int(1)) }
            expectRefused { _ = try narrow.keys(column, from: nil, to: nil) }
            expectRefused {
                try database.write { try $0.set(ObjectKey(3), in: $0.table("Narrow"), column, to: .int(1)) }
            }
        }
        expectRefused { _ = try wide.sum(narrow.columns[0]) }
        #expect(try wide.sum(wide.column("size")) == .int(300))
    }

    private func expectRefused(_ body: () throws -> Void) {
        #expect { try body() } throws: { ($0 as? FreeholdError)?.code == .invalidArgument }
    }
}
