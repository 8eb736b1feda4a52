import DatabaseKit
@testable import FreeholdEngine
import TestKit
import Testing

/// Sets of reals, one of which is no number: `check` compares elements by their keys, since that one does not even equal itself.
@Suite struct SetOfRealsTests {
    @Test("a set with a value that is no number is in order", arguments: [3, 600]) func noNumber(count: Int) throws {
        let machine = SimulatedSystem(seed: 1)
        defer { machine.discard() }
        let database = try Database.open("/reals.freehold", OpenOptions.simulated, on: machine.makeProcess())
        defer { database.close() }
        try database.write(durability: .processCrash) { transaction in
            try transaction.createClass(ClassSchema("Owner", [PropertySchema("reals", .double, collections: [.set])]))
            let values = (0..<count).map { Value.double(Double($0)) } + [.double(.nan), .double(-.infinity)]
            try transaction.insert(into: "Owner", [("reals", .set(values))])
        }
        #expect(try database.check().problems.isEmpty)
    }
}
