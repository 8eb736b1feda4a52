import DatabaseKit
@testable import FreeholdEngine
import TestKit
import Testing

/// Texts that Swift takes for equal and that are different bytes: "é" as one scalar, and as two.
@Suite struct SpellingTests {
    private static let composed = "caf\u{E9}", decomposed = "cafe\u{301}"

    private func withDatabase(_ body: (Database) throws -> Void) throws {
        let machine = SimulatedSystem(seed: 8)
        defer { machine.discard() }
        let database = try Database.open("/spelling.freehold", OpenOptions.simulated, on: machine.makeProcess())
        defer { database.close() }
        try body(database)
        let report = try database.check()
        #expect(report.isClean, "\(report.problems.prefix(5))")
    }

    /// Two entries whose keys are spellings of one text, and some more.
    private func entries(_ count: Int) -> TextMap<Value> {
        var entries: TextMap<Value> = [:]
        for number in 0..<count { entries["\(Self.composed) \(number)"] = .int(Int64(number)) }
        entries[Self.composed] = .int(-1)
        entries[Self.decomposed] = .int(-2)
        return entries
    }

    @Test("a map keeps entries whose keys are spellings of one text, in a row, a leaf and a tree, and in mixed values", arguments: [0, 5, 3000])
    func maps(count: Int) throws {
        try withDatabase { database in
            let given = entries(count)
            #expect(given.count == count + 2)
            var key = ObjectKey(0)
            try database.write { transaction in
                try transaction.createClass(ClassSchema("Thing", [
                    PropertySchema("map", .int, collections: [.map]), PropertySchema("maps", .int, collections: [.map, .map]),
                    PropertySchema("any", .mixed, isNullable: true), PropertySchema("made", .int, collections: [.map]),
                ]))
                key = try transaction.insert(into: "Thing", [
                    ("map", .map(given)), ("maps", .map([Self.composed: .map(given), Self.decomposed: .map([:])])), ("any", .map(given)),
                ])
                let table = try transaction.table("Thing"), made = try transaction.map(of: key, in: table, table.column("made"))
                for (name, value) in given { try made.set(value, for: name) }
                try made.set(.int(7), for: Self.decomposed)
                try made.remove(Self.composed)
                #expect(try made.view().keys().count == count + 1)
            }
            let table = try database.snapshot().table("Thing")
            #expect(try table.value(key, table.column("map")) == .map(given))
            #expect(try table.value(key, table.column("maps")) == .map([Self.composed: .map(given), Self.decomposed: .map([:])]))
            #expect(try table.value(key, table.column("any")) == .map(given))
            var expected = given
            expected[Self.composed] = nil
            expected[Self.decomposed] = .int(7)
            #expect(try table.value(key, table.column("made")) == .map(expected))
        }
    }

    @Test("values are equal if their bytes are")
    func values() {
        #expect(Value.string(Self.composed) != .string(Self.decomposed))
        #expect(Set<Value>([.string(Self.composed), .string(Self.decomposed), .string(Self.composed)]).count == 2)
        #expect(Value.map([Self.composed: .null]) != .map([Self.decomposed: .null]))
        #expect(Value.list([.string(Self.composed)]) != .list([.string(Self.decomposed)]))
        #expect(ExactText(Self.composed).hashValue != ExactText(Self.decomposed).hashValue)
        #expect(Self.composed == Self.decomposed && !Self.composed.isSame(as: Self.decomposed) && Self.composed.isSame(as: "caf\u{E9}"))
        #expect(TextMap([Self.composed: 1])[Self.decomposed] == nil)
    }

    @Test("classes, properties and sequences whose names are spellings of one text are different ones")
    func names() throws {
        try withDatabase { database in
            try database.write { transaction in
                for (name, other) in [(Self.composed, Self.decomposed), (Self.decomposed, Self.composed)] {
                    try transaction.createClass(ClassSchema(name, [PropertySchema(name, .int), PropertySchema(other, .string, isNullable: true)]))
                }
                try transaction.insert(into: Self.composed, [(Self.composed, .int(1)), (Self.decomposed, .string("d"))])
                let table = try transaction.table(Self.composed)
                #expect(try transaction.next(Self.composed, of: table) == transaction.next(Self.decomposed, of: table))
                try transaction.renameClass(Self.decomposed, to: "other")
                try transaction.renameClass("other", to: Self.decomposed)
            }
            let snapshot = try database.snapshot()
            #expect(try snapshot.table(Self.composed).count == 1 && snapshot.table(Self.decomposed).count == 0)
            let table = try snapshot.table(Self.composed)
            #expect(try table.column(Self.composed).type == .int && table.column(Self.decomposed).type == .string)
            #expect(try table.count(matching: ObjectQuery("`\(Self.decomposed)` = 'd'")) == 1)
            #expect(try table.count(matching: ObjectQuery("\(Self.composed) = $\(Self.composed)", named: [Self.composed: .int(1)])) == 1)
        }
    }

    @Test("one of two such properties is the primary key, and schemas, indexes and paths that name the other one are not equal")
    func keysAndEquality() throws {
        let schema = ClassSchema("Place", primaryKey: Self.composed, [PropertySchema(Self.composed, .int), PropertySchema(Self.decomposed, .int)])
        try withDatabase { database in
            try database.write { transaction in
                try transaction.createClass(schema)
                for id in 0..<3 { try transaction.insert(into: "Place", key: .int(Int64(id)), [(Self.decomposed, .int(7))]) }
            }
            #expect(try database.snapshot().table("Place").keys().count == 3)
            #expect(try database.snapshot().classes == [schema])
            let before = try database.snapshot(), now = try database.snapshot()
            let shared = SharedObservedObjects()
            let one = try shared.objects(of: "Place", observing: [PropertyPath(Self.composed)], at: now)
            #expect(try shared.objects(of: "Place", observing: [PropertyPath(Self.decomposed)], at: now) !== one)
            try database.write { transaction in
                try transaction.renameProperty(Self.decomposed, to: "other", in: "Place")
                try transaction.addProperty(PropertySchema(Self.decomposed, .int), to: "Place")
            }
            try now.refresh()
            #expect(try VersionStep(from: before, to: now).changedTables() == nil)
        }
        var other = schema
        other.primaryKeys = [Self.decomposed]
        #expect(schema != other)
        other = schema
        other.properties[1].name = Self.composed
        #expect(schema != other)
        #expect(IndexSchema([Self.composed]) != IndexSchema([Self.decomposed]) && PropertyPath(Self.composed) != PropertyPath(Self.decomposed))
        #expect(PropertySchema("a", linkTo: Self.composed) != PropertySchema("a", linkTo: Self.decomposed))
    }
}
