@testable import FreeholdEngine
import TestKit
import Testing

/// What programs for version 1 of the format make of a file with derived indexes.
@Suite struct OlderReaderTests {
    @Test("every block of a derived index passes the structural checks of version 1, and is found by no column of it")
    func structure() throws {
        var options = SimulatedSystem.Options(seed: 1)
        options.collation = .invented(2)
        let machine = SimulatedSystem(options)
        defer { machine.discard() }
        let database = try Database.open("/derived.freehold", OpenOptions.simulated, on: machine.makeProcess())
        try database.write(durability: .full) { transaction in
            try transaction.createClass(ClassSchema("Article", indexes: [IndexSchema(["title", "note"])], [
                PropertySchema("note", .int, isIndexed: true), PropertySchema("title", .string),
            ]))
            for key in 0..<5000 as Range<Int64> {
                try transaction.insert(into: "Article", [("title", .string("title \(key % 17)")), ("note", .int(key))])
            }
            try transaction.derived.add(DerivedSchema(kind: 255, fields: [
                DerivedSchema.Field(link: nil, property: "title"), DerivedSchema.Field(link: nil, property: "note"),
            ]), to: "Article")
            try transaction.collations.add("title", "de", to: "Article")
        }
        let snapshot = try database.snapshot(), (schema, top) = try snapshot.contents(), access = snapshot.core.access
        var kinds: [UInt8: Int] = [:]
        func walk(_ reference: BlockReference) throws {
            let view = try access.view(reference)
            #expect(StructureOfVersion1.complaint(about: view) == nil)
            kinds[view.kindByte, default: 0] += 1
            if view.kindByte == 3 { return }
            for place in 0..<view.referenceCount where !view.reference(place).isNull { try walk(view.reference(place)) }
        }
        let root = try TableRoot(top.table(0), in: access)
        try walk(top.table(0))
        try walk(root.auxiliary(.derived, StoredDerived.firstColumn))
        try walk(root.auxiliary(.derived, StoredDerived.firstColumn + 1))
        #expect(kinds[2] == 2 && kinds[3] == 1 && kinds[13] ?? 0 > 0 && kinds[14] ?? 0 > 10 && kinds.count == 4)
        // Version 1 takes an unknown entry for a tree over values, and looks trees up by column.
        let columns = schema.classes[0].properties.indices.map { $0 } + schema.classes[0].indexes.map(\.column)
        #expect(columns.allSatisfy { $0 < StoredDerived.firstColumn } && columns.count { !root.auxiliary(.index, $0).isNull } == 2)
    }
}
