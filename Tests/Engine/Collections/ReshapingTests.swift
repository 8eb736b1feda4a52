import DatabaseKit
@testable import FreeholdEngine
import TestKit
import Testing

/// Schema changes of properties that hold collections.
@Suite struct ReshapingTests {
    @Test("a collection is dropped with its trees and backlinks, renamed, and keeps its kind and its elements' type")
    func reshaping() throws {
        let machine = SimulatedSystem(seed: 12)
        defer { machine.discard() }
        let database = try Database.open("/shape.freehold", OpenOptions.simulated, on: machine.makeProcess())
        defer { database.close() }
        var key = ObjectKey(0)
        try database.write { transaction in
            try transaction.createClass(ClassSchema("A", [
                PropertySchema("numbers", .int, collections: [.list]), PropertySchema("links", linkTo: "A", collections: [.list]),
                PropertySchema("words", .string, collections: [.map, .list]),
            ]))
            key = try transaction.insert(into: "A", [])
            let table = try transaction.table("A")
            try transaction.list(of: key, in: table, table.column("numbers")).append(contentsOf: (0..<5000).map { .int($0) })
            try transaction.list(of: key, in: table, table.column("links")).append(contentsOf: (0..<500).map { _ in .link(key) })
            try transaction.map(of: key, in: table, table.column("words")).list(for: "x").append(contentsOf: (0..<900).map { .string("\($0)") })
        }
        try database.write { transaction in
            #expect(throws: FreeholdError.self) { try transaction.setNullable(true, "numbers", in: "A") }
            #expect(throws: FreeholdError.self) { try transaction.changeType(of: "numbers", in: "A", to: .string) }
            #expect(throws: FreeholdError.self) { try transaction.setIndexed(true, "numbers", in: "A") }
            try transaction.renameProperty("words", to: "texts", in: "A")
            try transaction.dropProperty("links", from: "A")
            try transaction.dropProperty("numbers", from: "A")
            try transaction.addProperty(PropertySchema("more", .int, collections: [.set]), to: "A")
        }
        let table = try database.snapshot().table("A")
        let row = try #require(try table.row(key))
        #expect(try row.map(table.column("texts")).list(for: "x").count == 900 && row.set(table.column("more")).isEmpty)
        let report = try database.check()
        #expect(report.isClean && report.elements == 901, "\(report.problems.prefix(3))")
    }
}
