import DatabaseKit
@testable import FreeholdEngine
import TestKit
import Testing

/// Sorted keys are those that a sort of the objects' values gives, object by object.
@Suite struct SortingTests {
    private static let kinds = ["red", "green", "blue", "", "redder"]

    private static func schema(indexed: Bool) -> [ClassSchema] {
        [
            ClassSchema("Boss", [
                PropertySchema("name", .string), PropertySchema("rank", .int, isNullable: true), PropertySchema("chief", linkTo: "Boss"),
            ]),
            ClassSchema("Thing", primaryKey: "id", [
                PropertySchema("id", .int), PropertySchema("flag", .bool, isNullable: true), PropertySchema("number", .int, isNullable: true, isIndexed: indexed),
                PropertySchema("few", .int, isIndexed: indexed), PropertySchema("real", .double, isNullable: true, isIndexed: indexed),
                PropertySchema("single", .float), PropertySchema("text", .string, isIndexed: indexed), PropertySchema("kind", .string, isNullable: true),
                PropertySchema("long", .string, isNullable: true), PropertySchema("time", .date, isNullable: true, isIndexed: indexed),
                PropertySchema("price", .decimal), PropertySchema("oid", .objectId, isNullable: true), PropertySchema("uid", .uuid),
                PropertySchema("any", .mixed), PropertySchema("boss", linkTo: "Boss"),
                PropertySchema("bytes", .data), PropertySchema("tags", .string, collections: [.list]), PropertySchema("names", .string, collections: [.map]),
            ]),
            ClassSchema("Gadget", superclass: "Thing", [PropertySchema("size", .int, isIndexed: indexed)]),
        ]
    }

    private static let sortable = ["id", "flag", "number", "few", "real", "single", "text", "kind", "long", "time", "price", "oid", "uid", "any"]

    // MARK: data

    private static func value(_ name: String, _ random: inout SeededRandom) -> Value {
        func below(_ limit: Int) -> Int { Int.random(in: 0..<limit, using: &random) }
        func text() -> String { String((0..<below(20)).map { _ in ["a", "b", "ä", "Z", "\0"].randomElement(using: &random)! }) }
        if ["flag", "number", "real", "kind", "long", "time", "oid", "any"].contains(name), random.oneIn(6) { return .null }
        switch name {
        case "flag": return .bool(random.oneIn(2))
        case "number": return .int([Int64.min, .max, 0, -1, Int64(below(50)), Int64(bitPattern: random.next())].randomElement(using: &random)!)
        case "few": return .int(Int64(below(4)))
        case "real": return .double([.nan, -0.0, 0, .infinity, -.infinity, Double(below(9)) / 2, Double.random(in: -1...1, using: &random)].randomElement(using: &random)!)
        case "single": return .float([.nan, -0.0, 0, -.infinity, Float(below(9)) / 2].randomElement(using: &random)!)
        case "text": return .string(random.oneIn(3) ? "same beginning \(text())" : text())
        case "kind": return .string(kinds[below(kinds.count)])
        case "long": return .string(String(repeating: "long ", count: random.oneIn(150) ? 13_000 : random.oneIn(9) ? 80 : below(4)) + text())
        case "time": return .date(Timestamp(seconds: Int64(below(5)) - 2, nanoseconds: random.oneIn(2) ? 0 : Int32(below(3))))
        case "price": return .decimal(["0", "-0", "1", "1.00", "-2.5", "1E20", "-1E-20", "3.25"].compactMap { Decimal128($0) }.randomElement(using: &random)!)
        case "oid": return .objectId(ObjectIdentifier12(high: UInt64(below(3)) << 62, low: UInt32(below(3))))
        case "uid": return .uuid(UniqueIdentifier(high: UInt64(below(3)) << 62, low: UInt64(below(3))))
        default: return mixed(&random)
        }
    }

    private static func mixed(_ random: inout SeededRandom) -> Value {
        let half = Double(Int.random(in: -3...3, using: &random)) / 2
        return [
            .bool(random.oneIn(2)), .int(Int64(half)), .double(half), .float(Float(half)), .decimal(Decimal128(half)), .double(.nan),
            .string(kinds.randomElement(using: &random)!), .string("longer than eight bytes"), .data([1, 2]), .data([]), .date(Timestamp(seconds: Int64(half))),
            .uuid(UniqueIdentifier(high: 1, low: UInt64(random.oneIn(2) ? 1 : 2))), .objectId(ObjectIdentifier12(high: 1, low: 2)), .list([.int(1)]), .map(["a": .null]),
        ].randomElement(using: &random)!
    }

    /// Objects more, at keys in between as well; some deleted.
    private static func grow(_ transaction: WriteTransaction, _ count: Int, _ random: inout SeededRandom) throws {
        for _ in 0..<20 {
            let chiefs = try transaction.table("Boss").keys()
            let chief: Value = random.oneIn(3) ? .null : chiefs.randomElement(using: &random).map { .link($0) } ?? .null
            let rank: Value = random.oneIn(4) ? .null : .int(Int64.random(in: 0..<5, using: &random))
            try transaction.insert(into: "Boss", [("name", .string("boss \(Int.random(in: 0..<9, using: &random))")), ("rank", rank), ("chief", chief)])
        }
        let bosses = try transaction.table("Boss").keys()
        for _ in 0..<count {
            let id = ObjectKey(Int64.random(in: -6000...6000, using: &random))
            if try transaction.table("Thing").contains(id) { continue }
            var values: [(String, Value)] = [("id", .int(id.rawValue)), ("boss", random.oneIn(4) ? .null : .link(bosses.randomElement(using: &random)!))]
            for name in sortable.dropFirst() where !random.oneIn(15) { values.append((name, value(name, &random))) }
            let isGadget = random.oneIn(3)
            if isGadget { values.append(("size", .int(Int64.random(in: 0..<9, using: &random)))) }
            try transaction.insert(into: isGadget ? "Gadget" : "Thing", values)
        }
        let things = try transaction.table("Thing")
        for key in try things.keys() where random.oneIn(11) { try transaction.delete(key, from: things) }
        for key in bosses where random.oneIn(15) { try transaction.delete(key, from: transaction.table("Boss")) }
    }

    private static func withDatabase(_ seed: UInt64, _ options: OpenOptions, _ body: (Database, inout SeededRandom) throws -> Void) throws {
        let machine = SimulatedSystem(seed: seed)
        defer { machine.discard() }
        let database = try Database.open("/sorting.freehold", options, on: machine.makeProcess())
        defer { database.close() }
        var random = SeededRandom(seed: seed)
        try database.write { for schema in schema(indexed: seed % 2 == 0) { try $0.createClass(schema) } }
        // The first one makes `kind` a column of codes.
        for count in [seed % 3 == 0 ? 5200 : 700, 150, 90] { try database.write { try grow($0, count, &random) } }
        try body(database, &random)
    }

    // MARK: the naive sort

    private enum Found { case missing, value(Value) }

    private static func find(_ key: ObjectKey, _ table: Table, _ term: SortTerm) throws -> Found {
        var row = try table.row(key)
        for link in term.links { row = try row?.link(link.column).flatMap { key throws(FreeholdError) in try link.target.row(key) } }
        return try row.map { .value(try $0.value(term.column)) } ?? .missing
    }

    private static func kind(_ value: Value) -> Int {
        switch value {
        case .null: 0
        case .bool: 1
        case .int, .float, .double, .decimal: 2
        case .string: 3
        case .data: 4
        case .date: 5
        case .objectId: 6
        case .uuid: 7
        case .list: 9
        case .map: 10
        default: 8
        }
    }

    /// All numbers here are exact doubles but for some of `number` and `price`, which are of one type.
    private static func number(_ value: Value) -> Double {
        switch value {
        case .int(let number): Double(number)
        case .float(let number): Double(number)
        case .double(let number): number
        case .decimal(let number): Double(number)
        default: .nan
        }
    }

    private static func isBefore(_ left: Value, _ right: Value) -> Bool {
        if kind(left) != kind(right) { return kind(left) < kind(right) }
        switch (left, right) {
        case (.bool(let left), .bool(let right)): return !left && right
        case (.int(let left), .int(let right)): return left < right
        case (.string(let left), .string(let right)): return left.utf8.lexicographicallyPrecedes(right.utf8)
        case (.data(let left), .data(let right)): return left.lexicographicallyPrecedes(right)
        case (.date(let left), .date(let right)): return left < right
        case (.objectId(let left), .objectId(let right)): return (left.high, left.low) < (right.high, right.low)
        case (.uuid(let left), .uuid(let right)): return (left.high, left.low) < (right.high, right.low)
        default:
            let (left, right) = (number(left), number(right))
            return left.isNaN ? !right.isNaN : left < right
        }
    }

    private static func isBefore(_ left: Found, _ right: Found) -> Bool {
        switch (left, right) {
        case (.missing, _): false
        case (.value, .missing): true
        case (.value(let left), .value(let right)): isBefore(left, right)
        }
    }

    private static func naive(_ table: Table, _ keys: [ObjectKey], _ terms: [SortTerm]) throws -> [ObjectKey] {
        let found = try terms.map { term in try keys.map { try find($0, table, term) } }
        let order = keys.indices.sorted { left, right in
            for (values, term) in zip(found, terms) {
                if isBefore(values[left], values[right]) { return term.isAscending }
                if isBefore(values[right], values[left]) { return !term.isAscending }
            }
            return left < right
        }
        return order.map { keys[$0] }
    }

    // MARK: tests

    private static func terms(_ things: Table, _ bosses: Table, _ random: inout SeededRandom) throws -> [SortTerm] {
        let boss = try things.column("boss"), chief = try bosses.column("chief")
        return try (0..<Int.random(in: 1...3, using: &random)).map { _ in
            let isAscending = random.oneIn(2)
            let far = try bosses.column(random.oneIn(2) ? "name" : "rank")
            if random.oneIn(6) { return SortTerm(links: [(boss, bosses)], column: far, isAscending: isAscending) }
            if random.oneIn(6) { return SortTerm(links: [(boss, bosses), (chief, bosses)], column: far, isAscending: isAscending) }
            return SortTerm(try things.column(sortable.randomElement(using: &random)!), isAscending: isAscending)
        }
    }

    private static func expectSame(_ things: Table, _ bosses: Table, _ seed: UInt64, _ random: inout SeededRandom) throws {
        let all = try things.keys()
        for _ in 0..<8 {
            let terms = try terms(things, bosses, &random)
            let limit = [nil, nil, 0, 1, 7, 100, all.count, 10_000].randomElement(using: &random)!
            var keys: [ObjectKey]?
            if random.oneIn(3) { keys = (0..<Int.random(in: 0...300, using: &random)).map { _ in all.randomElement(using: &random)! } }
            let wanted = try naive(things, keys ?? all, terms), found = try sorted(things, keys: keys, by: terms, limit: limit)
            let names = terms.map { "\($0.isAscending ? "" : "-")\($0.links.count):\($0.column.type)\($0.column.index)" }
            #expect(found == Array(wanted.prefix(limit ?? .max)), "seed \(seed), \(things.schema.name), \(names), limit \(limit ?? -1), keys \(keys?.count ?? -1)")
        }
    }

    private static func expectSame(_ database: Database, _ seed: UInt64, _ random: inout SeededRandom) throws {
        let snapshot = try database.snapshot()
        for (name, withSubclasses) in [("Thing", true), ("Thing", false), ("Gadget", true)] {
            try expectSame(snapshot.table(name, withSubclasses: withSubclasses), snapshot.table("Boss"), seed, &random)
        }
        let transaction = try database.beginWrite()
        for count in [40, 400] {
            try grow(transaction, count, &random)
            for name in ["Thing", "Gadget"] { try expectSame(transaction.table(name), transaction.table("Boss"), seed, &random) }
        }
        transaction.rollback()
    }

    @Test("any terms over random objects, in snapshots and transactions", arguments: TestScale.seeds(4))
    func random(seed: UInt64) throws {
        try Self.withDatabase(seed, OpenOptions.simulated(seed: seed)) { database, random in try Self.expectSame(database, seed, &random) }
    }

    @Test("the same of an encrypted file of which little stays decrypted", arguments: TestScale.seeds(1))
    func encrypted(seed: UInt64) throws {
        var options = EncryptionTests.options()
        options.decryptedBytesLimit = 1 << 20
        try Self.withDatabase(seed * 3, options) { database, random in try Self.expectSame(database, seed, &random) }
    }

    @Test("the first objects in the order of an index, where no object is in the tail", arguments: TestScale.seeds(4))
    func alongIndex(seed: UInt64) throws {
        try Self.withDatabase(seed * 2, OpenOptions.simulated(seed: seed)) { database, random in
            // Another index, for which every object is filed.
            try database.write { try $0.setIndexed(true, "flag", in: "Thing") }
            let snapshot = try database.snapshot()
            var sorted = 0
            for (name, withSubclasses) in [("Thing", true), ("Thing", false), ("Gadget", true)] {
                let things = try snapshot.table(name, withSubclasses: withSubclasses), all = try things.keys()
                #expect(try things.tailKeys(nil).isEmpty)
                for property in ["flag", "number", "few", "real", "text", "time"] {
                    for isAscending in [true, false] {
                        let term = SortTerm(try things.column(property), isAscending: isAscending)
                        let wanted = try Self.naive(things, all, [term])
                        let part = try things.span(term.column, .all).part, checked = try CheckedTerm(term, of: things)
                        for limit in [1, 2, 10, all.count / 9] {
                            let first = try FreeholdEngine.sorted(things, keys: nil, by: [term], limit: limit)
                            let what = "seed \(seed), \(name), \(property), \(isAscending), limit \(limit)"
                            #expect(first == Array(wanted.prefix(limit)), "\(what)")
                            let found = try things.candidates(along: part, descending: !isAscending, isComplete: true,
                                                              isExact: checked.hasExactKeys, limit: limit)
                            sorted += found?.isSorted == true ? 1 : 0
                        }
                        let few = try things.column("few")
                        let text = "few > 0 SORT(\(property) \(isAscending ? "ASC" : "DESC")) LIMIT(9)"
                        let some = try wanted.filter { try things.row($0)?.value(few) != .int(0) }.prefix(9)
                        #expect(try things.keys(matching: ObjectQuery(text)) == Array(some), "seed \(seed), \(name), \(text)")
                    }
                }
            }
            #expect(sorted > 100, "else no walk gave the order itself")
        }
    }

    @Test("without terms objects stay as they are")
    func noTerms() throws {
        try Self.withDatabase(1, OpenOptions.simulated(seed: 1)) { database, _ in
            let things = try database.snapshot().table("Thing"), keys = try things.keys()
            #expect(try things.sorted(by: []) == keys)
            #expect(try things.sorted(by: [], limit: 3) == Array(keys.prefix(3)))
            #expect(try things.sorted(keys.reversed(), by: [], limit: 2) == Array(keys.reversed().prefix(2)))
            #expect(try things.sorted([], by: [SortTerm(things.column("text"))]).isEmpty)
        }
    }

    @Test("what has no order, links that are none, and keys of no object are refused")
    func refused() throws {
        try Self.withDatabase(2, OpenOptions.simulated(seed: 2)) { database, _ in
            let snapshot = try database.snapshot(), things = try snapshot.table("Thing"), bosses = try snapshot.table("Boss")
            func refusal(_ term: SortTerm, _ keys: [ObjectKey]? = nil) -> FreeholdError? {
                do throws(FreeholdError) { _ = try sorted(things, keys: keys, by: [term], limit: nil) } catch { return error }
                return nil
            }
            for name in ["bytes", "tags", "names", "boss"] {
                let error = try refusal(SortTerm(things.column(name)))
                #expect(error?.code == .typeMismatch && error?.message.contains("'\(name)'") == true, "\(name)")
            }
            let name = try bosses.column("name"), few = try things.column("few")
            #expect(refusal(SortTerm(links: [(few, bosses)], column: name, isAscending: true))?.code == .typeMismatch)
            #expect(try refusal(SortTerm(links: [(things.column("boss"), things)], column: few, isAscending: true))?.code == .typeMismatch)
            #expect(refusal(SortTerm(few), [ObjectKey(100_000)])?.code == .noSuchObject)
        }
    }
}
