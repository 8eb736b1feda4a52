import DatabaseKit
@testable import FreeholdEngine
import TestKit
import Testing

/// Lists and maps that are values of mixed properties.
@Suite struct MixedCollectionTests {
    private static let values: [Value] = [
        .list([]), .map([:]), .list([.null, .int(1), .string("a"), .list([.bool(true), .list([])]), .map(["k": .null])]),
        .map(["": .int(1), "a\u{0}": .decimal(Decimal128("1.50")!), "list": .list([.date(Timestamp(seconds: 1)), .data([0])])]),
        .list((0..<800).map { .map(["number": .int($0), "text": .string("text \($0)")]) }), nested(depth: MixedBytes.maximumDepth),
    ]

    private static func nested(depth: Int) -> Value { (1..<depth).reduce(.list([])) { inner, level in level % 2 == 0 ? .list([inner]) : .map(["k": inner]) } }

    private func withDatabase(_ classes: [ClassSchema], _ body: (Database) throws -> Void) throws {
        let machine = SimulatedSystem(seed: 1)
        defer { machine.discard() }
        let database = try Database.open("/mixed.freehold", OpenOptions.simulated, on: machine.makeProcess())
        try database.write { transaction in for schema in classes { try transaction.createClass(schema) } }
        try body(database)
        let report = try database.check()
        #expect(report.isClean, "\(report.problems.prefix(5))")
    }

    private func expect(_ code: FreeholdError.Code, _ body: () throws -> Void) {
        #expect { try body() } throws: { ($0 as? FreeholdError)?.code == code }
    }

    /// In the tail, and sealed; indexed, so that the index has the kind of each.
    @Test("lists and maps of any depth come back as they were, and a change of one byte of them is told", arguments: [1, 60], [false, true])
    func comingBack(rounds: Int, isIndexed: Bool) throws {
        try withDatabase([ClassSchema("Any", [PropertySchema("any", .mixed, isIndexed: isIndexed)])]) { database in
            try database.write { transaction in
                let table = try transaction.table("Any")
                for value in (0..<rounds).flatMap({ _ in Self.values }) { try transaction.insert(into: table, values: [value]) }
            }
            let before = try database.snapshot(), table = try before.table("Any"), any = try table.column("any")
            try table.forEach { row in
                let found = try row.value(any)
                #expect(found == Self.values[Int(row.key.rawValue) % Self.values.count])
                return true
            }
            if isIndexed {
                let keys = try table.keys(any, in: .all), count = table.count
                #expect(keys.count == count)
                expect(.invalidArgument) { _ = try table.keys(any, equals: .list([])) }
            }
            try database.write { transaction in
                let table = try transaction.table("Any")
                try transaction.set(ObjectKey(2), in: table, any, to: .list([.null, .int(1), .string("b"), .list([.bool(true), .list([])]), .map(["k": .null])]))
                try transaction.set(ObjectKey(3), in: table, any, to: Self.values[3])
            }
            #expect(try database.snapshot().changes(since: before)["Any"]?.counts() == ChangeCounts(changed: 1))
        }
    }

    @Test("sets, links without a class, too deep ones, and any where they would have to be unique, are refused")
    func refused() throws {
        try withDatabase([
            ClassSchema("Any", indexes: [IndexSchema(["one", "two"])], [
                PropertySchema("any", .mixed), PropertySchema("only", .mixed, isUnique: true), PropertySchema("one", .mixed), PropertySchema("two", .int),
            ]),
        ]) { database in
            try database.write { transaction in
                let table = try transaction.table("Any")
                func insert(_ any: Value, _ only: Value = .null, _ one: Value = .null) throws {
                    try transaction.insert(into: table, values: [any, only, one, .int(1)])
                }
                for value in [.set([.int(1)]), .list([.set([])]), .list([.link(ObjectKey(0))]), Self.nested(depth: 101)] as [Value] {
                    expect(.typeMismatch) { try insert(value) }
                }
                expect(.typeMismatch) { try insert(.null, .list([])) }
                expect(.typeMismatch) { try insert(.null, .null, .list([])) }
                try insert(.list([]))
                #expect(table.count == 1)
            }
        }
    }

    @Test("parts of them are changed by their place", arguments: [1, 300])
    func parts(count: Int) throws {
        try withDatabase([ClassSchema("Any", [PropertySchema("any", .mixed)])]) { database in
            try database.write { transaction in
                let table = try transaction.table("Any")
                for _ in 0..<count { try transaction.insert(into: table, values: [.map(["list": .list([.int(1)])])]) }
            }
            try database.write { transaction in
                let table = try transaction.table("Any"), any = try table.column("any"), key = ObjectKey(0)
                let map = try transaction.map(of: key, in: table, any)
                try map.list(for: "list").append(.map(["deep": .list([])]))
                try map.list(for: "list").map(at: 1).list(for: "deep").insert(.string("x"), at: 0)
                try map.set(.decimal(7), for: "seven")
                expect(.invalidArgument) { try map.list(for: "none").append(.int(1)) }
                expect(.invalidArgument) { try map.list(for: "list").remove(at: 9) }
                expect(.invalidArgument) { try map.list(for: "seven").append(.int(1)) }
                expect(.typeMismatch) { try map.set(.set([]), for: "set") }
                expect(.typeMismatch) { _ = try transaction.list(of: key, in: table, any) }
                let view = try map.view(), deep = try view.list(for: "list").map(at: 1).list(for: "deep")[0]
                #expect(view.count == 2 && deep == .string("x"))
            }
            let table = try database.snapshot().table("Any"), any = try table.column("any")
            let expected = Value.map(["list": .list([.int(1), .map(["deep": .list([.string("x")])])]), "seven": .decimal(7)])
            let found = try table.value(ObjectKey(0), any), row = try #require(try table.row(ObjectKey(0)))
            #expect(found == expected)
            #expect(try row.map(any).list(for: "list").count == 2)
        }
    }

    /// 3 sources stay in the tail, 600 are sealed.
    @Test("links in them are found back, and null once their object or its class is gone", arguments: [3, 600], [false, true])
    func links(count: Int, isIndexed: Bool) throws {
        try withDatabase([
            ClassSchema("Person", primaryKey: "id", [PropertySchema("id", .int)]), ClassSchema("City", primaryKey: "id", [PropertySchema("id", .int)]),
            ClassSchema("Note", [PropertySchema("about", .mixed, isIndexed: isIndexed)]),
        ]) { database in
            func about(_ number: Int, _ person: Value, _ city: Value) -> Value {
                number % 3 == 0 ? .list([.int(1), person, person]) : number % 3 == 1 ? .map(["city": .list([city]), "who": person]) : person
            }
            let ann = ObjectReference(classNumber: 0, key: ObjectKey(5)), rome = ObjectReference(classNumber: 1, key: ObjectKey(5))
            try database.write { transaction in
                try transaction.insert(into: transaction.table("Person"), values: [.int(5)])
                try transaction.insert(into: transaction.table("City"), values: [.int(5)])
                let notes = try transaction.table("Note")
                for number in 0..<count { try transaction.insert(into: notes, values: [about(number, .object(ann), .object(rome))]) }
                let nobody = Value.list([.object(ObjectReference(classNumber: 0, key: ObjectKey(6)))])
                expect(.noSuchObject) { try transaction.insert(into: notes, values: [nobody]) }
            }
            let before = try database.snapshot().table("Note"), column = try before.column("about")
            #expect(try before.backlinks(to: ann, from: column).map(\.rawValue) == (0..<Int64(count)).map { $0 })
            #expect(try before.backlinks(to: rome, from: column).count == count / 3)
            if isIndexed {
                let all = try before.keys(column, from: nil, to: nil), range = try before.keys(column, in: .all, descending: true)
                #expect(all.count == count && range == all.reversed())
            }
            #expect(try database.check().problems == [])
            try database.write { try $0.delete(ObjectKey(5), from: $0.table("Person")) }
            let after = try database.snapshot().table("Note")
            try after.forEach { row in
                let found = try row.value(column)
                #expect(found == about(Int(row.key.rawValue), .null, .object(rome)))
                return true
            }
            #expect(try after.backlinks(to: ann, from: column).isEmpty && after.backlinks(to: rome, from: column).count == count / 3)
            try database.write { try $0.dropClass("City") }
            let last = try database.snapshot().table("Note")
            try last.forEach { row in
                let found = try row.value(column)
                #expect(found == about(Int(row.key.rawValue), .null, .null))
                return true
            }
        }
    }

    @Test("bytes that are no collection are told as such, whatever is cut off or changed")
    func forged() {
        for value in Self.values.prefix(4) {
            let buffer = ByteBuffer()
            buffer.append(mixed: value)
            let bytes = buffer.array
            func decode(_ bytes: [UInt8]) -> Value? { bytes.withUnsafeBytes { MixedBytes.decode($0) } }
            #expect(decode(bytes) == value && MixedBytes.count(value) == bytes.count)
            for length in bytes.indices { #expect(decode(Array(bytes.prefix(length))) == nil) }
            #expect(decode(bytes + [0]) == nil)
            for place in bytes.indices {
                for bit in 0..<8 {
                    var changed = bytes
                    changed[place] ^= 1 << UInt8(bit)
                    #expect(decode(changed)?.isIdentical(to: value) != true)
                }
            }
        }
        let deep = ByteBuffer()
        deep.append(mixed: Self.nested(depth: 101))
        #expect(MixedBytes.decode(deep.bytes) == nil)
    }
}
