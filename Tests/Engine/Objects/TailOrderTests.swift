import DatabaseKit
@testable import FreeholdEngine
import TestKit
import Testing

/// Questions to indexes have one answer however often they are asked: the first ones look through the tail, later ones have it in order.
@Suite struct TailOrderTests {
    private static let schema = [
        ClassSchema("Thing", indexes: [IndexSchema(["few", "text"])], [
            PropertySchema("few", .int, isNullable: true, isIndexed: true), PropertySchema("text", .string, isIndexed: true),
            PropertySchema("any", .mixed, isIndexed: true), PropertySchema("loose", .mixed),
            PropertySchema("friend", linkTo: "Thing"), PropertySchema("friends", linkTo: "Thing", collections: [.list]),
            PropertySchema("anys", .mixed, collections: [.list]),
        ]),
        ClassSchema("Gadget", superclass: "Thing", [PropertySchema("size", .int, isIndexed: true)]),
    ]
    private static let linking = ["any", "loose", "friend", "friends", "anys"]

    /// A question, its answer by index, and by looking at every object.
    private struct Question {
        let name: String
        let answer: (Table) throws -> [ObjectKey]
        let holds: (Row, Table) throws -> Bool

        static func random(_ keys: [ObjectKey], of table: Table, _ random: inout SeededRandom) -> Question {
            let names = ["few", "text", "any"] + (table.schema.name == "Gadget" ? ["size"] : [])
            switch Int.random(in: 0..<5, using: &random) {
            case 0:
                let name = names.randomElement(using: &random)!, value = TailOrderTests.value(name, keys, &random, isPlain: true)
                return Question(name: "\(name) == \(value)", answer: { table in
                    let column = try table.column(name), found = try table.keys(column, equals: value)
                    #expect(try table.count(column, equals: value) == found.count)
                    return found
                }, holds: { row, table in try row.value(try table.column(name)) == value })
            case 1:
                let low = Int64.random(in: -1..<4, using: &random), high = low + Int64.random(in: 0..<3, using: &random), descending = random.oneIn(2)
                return Question(name: "few in \(low)..<\(high)", answer: { table in
                    try table.keys(try table.column("few"), from: .int(low), to: .int(high), descending: descending).sorted()
                }, holds: { row, table in
                    guard case .int(let few) = try row.value(try table.column("few")) else { return false }
                    return few >= low && few < high
                })
            case 2:
                let few = TailOrderTests.value("few", keys, &random)
                return Question(name: "few == \(few), any text", answer: { table in
                    let found = try table.keys(index: ["few", "text"], equals: [few])
                    #expect(try table.count(index: ["few", "text"], equals: [few]) == found.count)
                    return found.sorted()
                }, holds: { row, table in try row.value(try table.column("few")) == few })
            default:
                let name = linking.randomElement(using: &random)!, key = keys.randomElement(using: &random)!
                return Question(name: "\(name) to \(key)", answer: { table in
                    let column = try table.column(name)
                    return column.type == .link ? try table.backlinks(to: key, from: column) : try table.backlinks(to: thing(key), from: column)
                }, holds: { row, table in
                    var isLinked = false
                    try row.forEachTarget(try table.column(name)) { target in if target.key == key.rawValue { isLinked = true } }
                    return isLinked
                })
            }
        }
    }

    /// All are in the table of the first class.
    private static func thing(_ key: ObjectKey) -> ObjectReference { ObjectReference(classNumber: 0, key: key) }

    private static func value(_ name: String, _ keys: [ObjectKey], _ random: inout SeededRandom, isPlain: Bool = false) -> Value {
        func link() -> Value { .link(keys.randomElement(using: &random)!) }
        func mixed(_ depth: Int) -> Value {
            switch Int.random(in: 0..<(depth > 0 ? 6 : 4), using: &random) {
            case 0: return .null
            case 1: return .int(Int64.random(in: 0..<3, using: &random))
            case 2: return .string(random.oneIn(2) ? "same" : "")
            case 3: return keys.isEmpty ? .null : .object(thing(keys.randomElement(using: &random)!))
            case 4: return .list((0..<3).map { _ in mixed(depth - 1) })
            default: return .map(["a": mixed(depth - 1), "b": mixed(depth - 1)])
            }
        }
        switch name {
        case "few", "size": return random.oneIn(9) && name == "few" ? .null : .int(Int64.random(in: 0..<4, using: &random))
        case "text": return .string(random.oneIn(2) ? "same" : String(repeating: "long ", count: random.oneIn(9) ? 80 : 1) + "\(Int.random(in: 0..<9, using: &random))")
        case "any", "loose": return mixed(isPlain ? 0 : 2)
        case "friend": return keys.isEmpty || random.oneIn(3) ? .null : link()
        case "friends": return keys.isEmpty ? .list([]) : .list((0..<Int.random(in: 0..<4, using: &random)).map { _ in link() })
        default: return .list((0..<Int.random(in: 0..<3, using: &random)).map { _ in mixed(0) })
        }
    }

    private static func change(_ transaction: WriteTransaction, inserting count: Int, _ random: inout SeededRandom) throws {
        let things = try transaction.table("Thing")
        var keys = try things.keys()
        let names = ["few", "text"] + linking
        for _ in 0..<count {
            let isGadget = random.oneIn(3)
            let values = names.filter { _ in !random.oneIn(4) }.map { ($0, value($0, keys, &random)) } + (isGadget ? [("size", value("size", keys, &random))] : [])
            keys.append(try transaction.insert(into: isGadget ? "Gadget" : "Thing", values))
        }
        for key in keys where random.oneIn(40) { try transaction.delete(key, from: things) }
        keys = try things.keys()
        for key in keys where random.oneIn(30) {
            let name = names.randomElement(using: &random)!
            try transaction.set(key, in: things, try things.column(name), to: value(name, keys, &random))
        }
    }

    private static func withDatabase(_ seed: UInt64, _ body: (Database, inout SeededRandom) throws -> Void) throws {
        let machine = SimulatedSystem(seed: seed)
        defer { machine.discard() }
        let database = try Database.open("/tail.freehold", .simulated(seed: seed), on: machine.makeProcess())
        defer { database.close() }
        var random = SeededRandom(seed: seed)
        try database.write { for one in schema { try $0.createClass(one) } }
        try database.write { try change($0, inserting: seed % 4 == 1 ? 40 : 400, &random) }
        try body(database, &random)
    }

    private func ask(_ tables: [Table], _ random: inout SeededRandom, _ times: Int, _ where: String) throws {
        for table in tables {
            let all = try tables[0].keys(), own = try table.keys()
            for _ in 0..<times {
                let question = Question.random(all, of: table, &random)
                let wanted = try own.filter { try question.holds(#require(try table.row($0)), table) }
                #expect(try question.answer(table) == wanted, "\(question.name), \(table.schema.name), \(`where`)")
            }
        }
    }

    @Test("of a snapshot, at each of its versions", arguments: TestScale.seeds(6))
    func snapshots(seed: UInt64) throws {
        try Self.withDatabase(seed) { database, random in
            let snapshot = try database.snapshot()
            for round in 0..<6 {
                let tables = [try snapshot.table("Thing"), try snapshot.table("Thing", withSubclasses: false), try snapshot.table("Gadget")]
                try ask(tables, &random, random.oneIn(3) ? 3 : 60, "seed \(seed), round \(round)")
                try database.write { try Self.change($0, inserting: Int.random(in: 0..<60, using: &random), &random) }
                try snapshot.refresh()
            }
            #expect(try database.check().isClean)
        }
    }

    @Test("of a transaction, between its changes", arguments: TestScale.seeds(4))
    func transactions(seed: UInt64) throws {
        try Self.withDatabase(seed) { database, random in
            try database.write { transaction in
                for round in 0..<4 {
                    try ask([try transaction.table("Thing"), try transaction.table("Gadget")], &random, 15, "seed \(seed), round \(round)")
                    try Self.change(transaction, inserting: random.oneIn(4) ? 900 : 20, &random)
                }
            }
            #expect(try database.check().isClean)
        }
    }

    @Test("a transaction counts what it has just inserted, however much that is", arguments: [200, 1020, 1021, 3000])
    func counts(count: Int) throws {
        try Self.withDatabase(1) { database, _ in
            try database.write { transaction in
                let things = try transaction.table("Thing"), text = try things.column("text")
                for _ in 0..<count { try transaction.insert(into: "Thing", [("text", .string("mine"))]) }
                #expect(try things.count(text, equals: .string("mine")) == count)
                #expect(try things.keys(text, equals: .string("mine")).count == count)
            }
        }
    }

    @Test("rows stay good while a transaction is asked, however much it has inserted", arguments: [(3000, 10), (18_000, 1000)])
    func rows(count: Int, length: Int) throws {
        try Self.withDatabase(1) { database, _ in
            try database.write { transaction in
                let things = try transaction.table("Thing"), text = try things.column("text"), few = try things.column("few")
                func name(_ key: ObjectKey) -> String { "\(key) " + String(repeating: "x", count: length) }
                let held = try things.keys().count
                for number in 0..<count {
                    let key = try transaction.insert(into: "Thing", [("few", .int(Int64(number)))])
                    try transaction.set(key, in: things, text, to: .string(name(key)))
                }
                var seen = 0
                let row = try #require(try things.row(ObjectKey(Int64(held + 5))))
                try things.forEach { row in
                    seen += 1
                    let value = try row.int(few), key = row.key
                    if value < 100 { return true }
                    #expect(try things.keys(few, equals: .int(value)) == [key])
                    #expect(try things.count(text, equals: .string(name(key))) == 1)
                    #expect(try row.string(text) == name(key))
                    if value % 1000 == 0 { #expect(try transaction.next("thousands", of: things) == value / 1000) }
                    return true
                }
                #expect(seen >= count)
                let savepoint = try transaction.savepoint()
                #expect(try row.string(text) == name(row.key))
                try transaction.set(row.key, in: things, few, to: .int(-7))
                #expect(try things.keys(few, equals: .int(-7)) == [row.key])
                try transaction.rollback(to: savepoint)
                #expect(try things.keys(few, equals: .int(-7)).isEmpty)
                #expect(try things.row(row.key)?.string(text) == name(row.key))
                #expect(things.count == held + count)
            }
            #expect(try database.check().isClean)
        }
    }

    @Test("many objects are made of what rows of the same class say, read part by part")
    func columns() throws {
        try Self.withDatabase(1) { database, _ in
            try database.write { transaction in
                let things = try transaction.table("Thing"), text = try things.column("text"), few = try things.column("few")
                for number in 0..<3000 { try transaction.insert(into: "Thing", [("text", .string("thing \(number)")), ("few", .int(Int64(number)))]) }
                _ = try things.keys(few, equals: .int(1))
                var rows: [Row] = []
                try things.forEach { row in
                    if try row.string(text).hasPrefix("thing ") { rows.append(row) }
                    return true
                }
                #expect(try things.keys(few, equals: .int(2000)).count == 1)
                let first = try transaction.insert(into: things, count: rows.count) { part throws(FreeholdError) in
                    [ColumnValues(text, .strings(try rows[part].map { row throws(FreeholdError) in try row.string(text) }))]
                }
                for number in 0..<3000 {
                    let key = ObjectKey(try #require(first).rawValue + Int64(number))
                    #expect(try things.row(key)?.string(text) == "thing \(number)")
                }
            }
            #expect(try database.check().isClean)
        }
    }

    @Test("savepoints that fail do not seal the same rows again and again, and undo all the same")
    func failingSavepoints() throws {
        struct Failure: Error {}
        try Self.withDatabase(1) { database, _ in
            try database.write { transaction in
                let things = try transaction.table("Thing"), text = try things.column("text"), few = try things.column("few")
                func sealed() -> Int { things.state.root.sealedCount }
                var keys: [ObjectKey] = []
                for number in 0..<6000 { keys.append(try transaction.insert(into: "Thing", [("text", .string("thing \(number)"))])) }
                let before = sealed()
                var whileNested: [Int] = []
                for round in 0..<5 {
                    #expect(try things.row(keys[round])?.string(text) == "thing \(round)")
                    #expect(throws: Failure.self) {
                        try transaction.nested {
                            try transaction.set(keys[round], in: things, text, to: .string("other"))
                            #expect(try things.keys(text, equals: .string("other")) == [keys[round]])
                            try transaction.set(keys[round], in: things, few, to: .int(-1))
                            try transaction.insert(into: "Thing", [("text", .string("other"))])
                            #expect(try things.count(text, equals: .string("other")) == 2)
                            whileNested.append(sealed())
                            throw Failure()
                        }
                    }
                    #expect(sealed() == before)
                    #expect(try things.row(keys[round])?.string(text) == "thing \(round)")
                }
                #expect(whileNested.filter { $0 > before }.count <= 1, "\(whileNested)")
                #expect(try things.count(text, equals: .string("other")) == 0 && things.count(few, equals: .int(-1)) == 0)
                try transaction.set(keys[0], in: things, few, to: .int(-1))
                #expect(try things.keys(few, equals: .int(-1)) == [keys[0]])
                #expect(try things.keys(text, equals: .string("thing 5999")) == [keys[5999]])
            }
            #expect(try database.check().isClean)
        }
    }

    @Test("an object is made of another one's bytes, where they are, and of its own")
    func bytes() throws {
        try Self.withDatabase(1) { database, _ in
            try database.write { transaction in
                try transaction.createClass(ClassSchema("Letter", [PropertySchema("text", .string), PropertySchema("copy", .string)]))
                let letters = try transaction.table("Letter")
                let text = try letters.column("text"), copy = try letters.column("copy"), long = String(repeating: "long ", count: 5000)
                var key = try transaction.insert(into: "Letter", [("text", .string(long))])
                for _ in 0..<12 {
                    let before = key
                    key = try transaction.insert(into: letters) { row in
                        try letters.row(before)?.withBytes(text) { try row.set(text, bytes: $0) }
                        try letters.row(before)?.withBytes(text) { try row.set(copy, bytes: $0) }
                    }
                    #expect(try letters.row(key)?.string(text) == long && letters.row(key)?.string(copy) == long)
                }
            }
            #expect(try database.check().isClean)
        }
    }
}
