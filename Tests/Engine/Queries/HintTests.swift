import DatabaseKit
@testable import FreeholdEngine
import TestKit
import Testing

/// What messages propose that look a query's names up, and remarks on what is allowed.
@Suite struct HintTests {
    /// Names that a query has to write between backquotes are proposed so.
    @Test(arguments: [("#id == 1", "did you mean `#id`?"), ("unit-price > 3", "did you mean `unit-price`?"), ("sorts == 1", "did you mean `sort`?"),
                      ("pric == 1", "did you mean 'price'?")])
    func namesAreProposedAsTheyAreWritten(text: String, hint: String) throws {
        let machine = SimulatedSystem(seed: 6)
        defer { machine.discard() }
        let database = try Database.open("/names.freehold", OpenOptions.simulated, on: machine.makeProcess())
        defer { database.close() }
        try database.write { transaction in
            try transaction.createClass(ClassSchema("Product", ["#id", "unit-price", "sort", "price"].map { PropertySchema($0, .int) }))
        }
        let table = try database.snapshot().table("Product")
        let error = #expect(throws: FreeholdError.self) { try table.prepare(ObjectQuery(text)) }
        #expect(error?.message.hasSuffix(hint) == true, "\(error?.message ?? "")")
        #expect(try table.prepare(ObjectQuery("`#id` == 1 AND `unit-price` > 3 AND `sort` == 1")).count() == 0)
    }

    @Test func aPatternOfSQLIsNoted() throws {
        let machine = SimulatedSystem(seed: 7)
        defer { machine.discard() }
        let database = try Database.open("/notes.freehold", OpenOptions.simulated, on: machine.makeProcess())
        defer { database.close() }
        try database.write { transaction in try transaction.createClass(ClassSchema("City", [PropertySchema("name", .string)])) }
        let table = try database.snapshot().table("City")
        let prepared = try table.prepare(ObjectQuery("NOT (name LIKE 'R%' OR name LIKE[c] '_ern') AND name LIKE '*_%' AND name == '%'"))
        #expect(prepared.notes.count == 2 && prepared.notes[0].hasPrefix("LIKE \"R%\" matches exactly this string: * stands for any characters"))
        #expect(try prepared.explanation().contains("\nnote: LIKE \"_ern\""))
        #expect(try prepared.count() == 0 && table.prepare(ObjectQuery("name LIKE 'R*'")).notes.isEmpty)
    }
}
