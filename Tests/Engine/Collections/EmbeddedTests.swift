import DatabaseKit
@testable import FreeholdEngine
import TestKit
import Testing

/// Objects that live within one other object.
@Suite struct EmbeddedTests {
    private func withDatabase(_ body: (Database) throws -> Void) throws {
        let machine = SimulatedSystem(seed: 8)
        defer { machine.discard() }
        let database = try Database.open("/embedded.freehold", OpenOptions.simulated, on: machine.makeProcess())
        defer { database.close() }
        try database.write { transaction in
            try transaction.createClass(ClassSchema("Part", isEmbedded: true, [
                PropertySchema("name", .string), PropertySchema("inner", linkTo: "Part"), PropertySchema("parts", linkTo: "Part", collections: [.list]),
            ]))
            try transaction.createClass(ClassSchema("Whole", [
                PropertySchema("name", .string), PropertySchema("one", linkTo: "Part"), PropertySchema("list", linkTo: "Part", collections: [.list]),
                PropertySchema("map", linkTo: "Part", collections: [.map]),
            ]))
        }
        try body(database)
        let report = try database.check()
        #expect(report.isClean, "\(report.problems.prefix(5))")
    }

    private func parts(_ transaction: WriteTransaction) throws -> Int { try transaction.table("Part").count }

    @Test("an embedded object ends when its owner takes another, lets it go, or is deleted")
    func ends() throws {
        try withDatabase { database in
            try database.write { transaction in
                let wholes = try transaction.table("Whole"), one = try wholes.column("one")
                let whole = try transaction.insert(into: "Whole", [])
                let first = try transaction.embed([("name", .string("first"))], in: whole, of: wholes, one)
                #expect(try wholes.value(whole, one) == .link(first))
                try transaction.embed([("name", .string("second"))], in: whole, of: wholes, one)
                #expect(try parts(transaction) == 1 && !transaction.table("Part").contains(first))
                try transaction.set(whole, in: wholes, one, to: .null)
                #expect(try parts(transaction) == 0)
                try transaction.embed([], in: whole, of: wholes, one)
                try transaction.delete(whole, from: wholes)
                #expect(try parts(transaction) == 0)
            }
        }
    }

    @Test("lists and maps of embedded objects make, move and end them")
    func collections() throws {
        try withDatabase { database in
            let whole = try database.writing { try $0.insert(into: "Whole", []) }
            for round in 0..<2 {
                try database.write { transaction in
                    let wholes = try transaction.table("Whole")
                    let list = try transaction.list(of: whole, in: wholes, wholes.column("list"))
                    let map = try transaction.map(of: whole, in: wholes, wholes.column("map"))
                    let made = try (0..<300).map { try list.embed([("name", .string("part \($0)"))]) }
                    let front = try list.embed([], at: 0)
                    try list.move(from: 0, to: 300)
                    #expect(try list.view()[300] == .link(front))
                    try list.remove(at: 0)
                    #expect(try !transaction.table("Part").contains(made[0]))
                    try list.remove(0..<299)
                    try map.embed([], for: "a")
                    try map.embed([], for: "a")
                    try map.embed([], for: "b")
                    try map.remove("b")
                    #expect(try parts(transaction) == 2)
                    if round == 0 {
                        try list.removeAll()
                        try map.removeAll()
                    }
                }
                #expect(try database.check().isClean)
            }
            try database.write { transaction in
                try transaction.delete(whole, from: transaction.table("Whole"))
                #expect(try parts(transaction) == 0)
            }
        }
    }

    @Test("embedded objects nest to any depth and go with the outermost")
    func depth() throws {
        try withDatabase { database in
            let whole = try database.writing { try $0.insert(into: "Whole", []) }
            try database.write { transaction in
                let wholes = try transaction.table("Whole"), parts = try transaction.table("Part"), inner = try parts.column("inner")
                var outer = try transaction.embed([], in: whole, of: wholes, wholes.column("one"))
                for _ in 0..<5000 { outer = try transaction.embed([], in: outer, of: parts, inner) }
                #expect(parts.count == 5001)
            }
            #expect(try database.check().isClean)
            try database.write { transaction in
                try transaction.delete(whole, from: transaction.table("Whole"))
                #expect(try parts(transaction) == 0)
            }
        }
    }

    @Test("an embedded object is neither made by itself nor linked to from elsewhere, and no set holds any")
    func refusals() throws {
        try withDatabase { database in
            try database.write { transaction in
                let wholes = try transaction.table("Whole"), one = try wholes.column("one")
                let whole = try transaction.insert(into: "Whole", []), other = try transaction.insert(into: "Whole", [])
                let part = try transaction.embed([], in: whole, of: wholes, one)
                for attempt: () throws -> Void in [
                    { try transaction.insert(into: "Part", []) },
                    {
                        let parts = try transaction.table("Part")
                        try transaction.insert(into: parts, columns: [ColumnValues(parts.column("name"), .strings(["by itself"]))])
                    }, { try transaction.set(other, in: wholes, one, to: .link(part)) },
                    { try transaction.insert(into: "Whole", [("list", .list([.link(part)]))]) },
                    { try transaction.list(of: other, in: wholes, wholes.column("list")).append(.link(part)) },
                    { try transaction.embed([], in: whole, of: wholes, wholes.column("name")) },
                    { try transaction.embed([], in: whole, of: wholes, wholes.column("list")) },
                    { try transaction.createClass(ClassSchema("Bag", [PropertySchema("parts", linkTo: "Part", collections: [.set])])) },
                ] {
                    let error = #expect(throws: FreeholdError.self) { try attempt() }
                    #expect(error?.code == .invalidArgument)
                }
                #expect(throws: FreeholdError.self) { try transaction.embed([("name", .int(1))], in: whole, of: wholes, one) }
                #expect(throws: FreeholdError.self) {
                    try transaction.list(of: other, in: wholes, wholes.column("list")).embed([], at: 3)
                }
                #expect(try parts(transaction) == 1 && transaction.table("Part").contains(part))
            }
        }
    }

    @Test("an embedded object may be deleted where it is, and its owner lets go of it")
    func direct() throws {
        try withDatabase { database in
            try database.write { transaction in
                let wholes = try transaction.table("Whole"), whole = try transaction.insert(into: "Whole", [])
                let part = try transaction.embed([], in: whole, of: wholes, wholes.column("one"))
                try transaction.delete(part, from: transaction.table("Part"))
                #expect(try wholes.value(whole, wholes.column("one")) == .null)
            }
        }
    }

    @Test("a change that would let go of an embedded object which may not be deleted is refused and changes nothing")
    func denied() throws {
        try withDatabase { database in
            try database.write { transaction in
                try transaction.createClass(ClassSchema("Case", [PropertySchema("name", .string)]))
                try transaction.createClass(ClassSchema("Seal", isEmbedded: true, [PropertySchema("case", linkTo: "Case", deleteRule: .deny)]))
                try transaction.createClass(ClassSchema("Box", [
                    PropertySchema("one", linkTo: "Seal"), PropertySchema("list", linkTo: "Seal", collections: [.list]),
                    PropertySchema("map", linkTo: "Seal", collections: [.map]),
                ]))
            }
            for others in [0, 400] {
                try database.write { transaction in
                    let kept: [(String, Value)] = [("case", .link(try transaction.insert(into: "Case", [])))]
                    let boxes = try transaction.table("Box"), box = try transaction.insert(into: "Box", [])
                    for _ in 0..<others { try transaction.insert(into: "Box", []) }
                    let one = try boxes.column("one"), list = try transaction.list(of: box, in: boxes, boxes.column("list"))
                    let map = try transaction.map(of: box, in: boxes, boxes.column("map"))
                    try transaction.embed(kept, in: box, of: boxes, one)
                    for _ in 0..<3 { try list.embed([]) }
                    try list.embed(kept)
                    try map.embed(kept, for: "a")
                    let before = try boxes.columns.map { try boxes.value(box, $0) }, seals = try transaction.table("Seal").count
                    for attempt: () throws -> Void in [
                        { try transaction.embed([], in: box, of: boxes, one) }, { try transaction.set(box, in: boxes, one, to: .null) },
                        { try transaction.set(box, in: boxes, boxes.column("list"), to: .list([])) }, { try list.remove(0..<4) },
                        { try list.removeAll() }, { try map.embed([], for: "a") }, { try map.remove("a") },
                        { try transaction.delete(box, from: boxes) },
                    ] {
                        let error = #expect(throws: FreeholdError.self) { try attempt() }
                        #expect(error?.code == .deleteDenied)
                        #expect(try boxes.columns.map { try boxes.value(box, $0) } == before)
                        #expect(try transaction.table("Seal").count == seals)
                    }
                    try list.remove(0..<3)
                    #expect(try transaction.table("Seal").count == seals - 3)
                }
            }
        }
    }
}
