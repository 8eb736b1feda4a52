import DatabaseKit
@testable import FreeholdEngine
import TestKit
import Testing

/// Keys of every type, unique properties and indexes over several properties.
@Suite struct KeyTests {
    private func withDatabase(_ schema: ClassSchema..., body: (Database) throws -> Void) throws {
        let folder = try TemporaryFolder()
        let database = try Database.open(folder.file("keys.freehold"))
        try database.write { transaction in for schema in schema { try transaction.createClass(schema) } }
        try body(database)
        let report = try database.check()
        #expect(report.isClean, "\(report.problems.prefix(5))")
        try database.copy(to: folder.file("copy.freehold"))
        let copied = try Database.open(folder.file("copy.freehold")).check()
        #expect(copied.isClean && copied.objects == report.objects, "\(copied.problems.prefix(5))")
    }

    private func refused(_ code: FreeholdError.Code, _ body: () throws -> Void) {
        #expect { try body() } throws: { ($0 as? FreeholdError)?.code == code }
    }

    @Test("two spellings of a text are two keys, two unique values, and one is changed to the other", arguments: [0, 400])
    func spellings(padding: Int) throws {
        let schema = ClassSchema("Thing", primaryKey: "id", [PropertySchema("id", .string), PropertySchema("name", .string, isIndexed: true), PropertySchema("code", .string, isUnique: true)])
        let short = "\u{e9}", long = "e\u{301}"
        func bytes(_ value: Value) -> [UInt8] { if case .string(let text) = value { Array(text.utf8) } else { [] } }
        try withDatabase(schema) { database in
            for isFirst in [true, false] {
                try database.write { transaction in
                    let table = try transaction.table("Thing")
                    if isFirst {
                        for text in [short, long] { try transaction.insert(into: table, values: [.string(text), .string(short), .string(text)]) }
                        for number in 0..<padding { try transaction.insert(into: table, values: [.string("pad \(number)"), .string(""), .string("\(number)")]) }
                    } else {
                        let key = try #require(try table.key(primaryKey: .string(short)))
                        try transaction.set(key, in: table, table.column("name"), to: .string(long))
                    }
                }
            }
            let table = try database.snapshot().table("Thing"), name = try table.column("name")
            let first = try #require(try table.key(primaryKey: .string(short))), second = try #require(try table.key(primaryKey: .string(long)))
            #expect(first != second)
            #expect(try bytes(table.value(first, name)) == Array(long.utf8) && bytes(table.value(second, name)) == Array(short.utf8))
            #expect(try table.keys(name, equals: .string(long)) == [first] && table.keys(name, equals: .string(short)) == [second])
        }
    }

    private static let keys: [(PropertyType, [Value])] = [
        (.string, [.string(""), .string("a"), .string("b")]), (.int, [.int(-5), .int(0), .int(.max)]),
        (.uuid, [.uuid(UniqueIdentifier(high: 0, low: 1)), .uuid(UniqueIdentifier(high: 1, low: 0))]),
        (.objectId, [.objectId(ObjectIdentifier12(high: 0, low: 1)), .objectId(ObjectIdentifier12(high: 1, low: 0))]),
        (.date, [.date(Timestamp(seconds: -1, nanoseconds: 1)), .date(Timestamp(seconds: 0))]),
    ]

    @Test("each type of primary key finds its object and is given once, null included", arguments: 0..<keys.count, [0, 400])
    func optionalKeys(place: Int, padding: Int) throws {
        let (type, values) = Self.keys[place]
        try withDatabase(ClassSchema("Thing", primaryKey: "id", [PropertySchema("id", type, isNullable: true), PropertySchema("n", .int)])) { database in
            try database.write { transaction in
                let table = try transaction.table("Thing")
                for (number, value) in (values + [.null]).enumerated() { try transaction.insert(into: table, values: [value, .int(Int64(number))]) }
                if padding > 0, type == .string {
                    for number in 0..<padding { try transaction.insert(into: table, values: [.string("pad \(number)"), .int(9)]) }
                }
                for value in values + [.null] {
                    refused(.duplicateKey) { try transaction.insert(into: table, values: [value, .int(9)]) }
                }
            }
            try database.write { transaction in
                let table = try transaction.table("Thing")
                refused(.duplicateKey) { try transaction.insert(into: table, values: [.null, .int(9)]) }
            }
            let table = try database.snapshot().table("Thing")
            for (number, value) in (values + [.null]).enumerated() {
                let key = try #require(try table.key(primaryKey: value))
                let read = try table.value(key, table.column("n"))
                #expect(read == .int(Int64(number)))
            }
        }
    }

    /// In the tail, and sealed.
    @Test("a key of several properties is unique as a whole and finds its object", arguments: [6, 1000])
    func compoundKeys(count: Int) throws {
        try withDatabase(ClassSchema("Seat", primaryKey: ["row", "number"], [
            PropertySchema("number", .int, isNullable: true), PropertySchema("row", .string), PropertySchema("guest", .string),
        ])) { database in
            func values(_ number: Int) -> [Value] { [number % 7 == 6 ? .null : .int(Int64(number % 7)), .string("row \(number / 7)"), .string("\(number)")] }
            try database.write { transaction in
                let table = try transaction.table("Seat")
                #expect(table.schema.primaryKeys == ["row", "number"] && table.schema.indexes.isEmpty)
                for number in 0..<count { try transaction.insert(into: table, values: values(number)) }
                refused(.duplicateKey) { try transaction.insert(into: table, values: values(3)) }
                refused(.duplicateKey) { try transaction.insert(into: table) { row in
                    try row.set("number", .int(4))
                    try row.set("row", .string("row 0"))
                } }
                #expect(table.count == count)
            }
            try database.write { transaction in
                let table = try transaction.table("Seat")
                refused(.duplicateKey) { try transaction.insert(into: table, values: values(count - 1)) }
                let key = try #require(try table.key(primaryKey: [.string("row 0"), .int(3)]))
                refused(.invalidArgument) { try transaction.set(key, in: table, table.column("row"), to: .string("x")) }
                try transaction.set(key, in: table, table.column("row"), to: .string("row 0"))
                try transaction.delete(key, from: table)
                #expect(try table.key(primaryKey: [.string("row 0"), .int(3)]) == nil)
                try transaction.insert(into: table, values: values(3))
            }
            let table = try database.snapshot().table("Seat")
            for number in stride(from: 0, to: count, by: 37) {
                let wanted = values(number)
                let key = try #require(try table.key(primaryKey: [wanted[1], wanted[0]]))
                let guest = try table.value(key, table.column("guest"))
                #expect(guest == .string("\(number)"))
            }
            refused(.invalidArgument) { _ = try table.key(primaryKey: [.string("row 0")]) }
            refused(.typeMismatch) { _ = try table.key(primaryKey: [.int(0), .int(0)]) }
        }
    }

    @Test("an integer key not given is the next number", arguments: [1, 300])
    func sequences(count: Int) throws {
        try withDatabase(ClassSchema("Order", primaryKey: "id", [PropertySchema("id", .int), PropertySchema("n", .int)])) { database in
            try database.write { transaction in
                let table = try transaction.table("Order")
                try transaction.insert(into: table, values: [.int(41), .int(0)])
                for number in 0..<count {
                    let key = try transaction.insert(into: table) { row in try row.set("n", .int(Int64(number))) }
                    #expect(key.rawValue == 42 + Int64(number))
                }
            }
            try database.beginWrite().rollback()
            try database.write { transaction in
                let table = try transaction.table("Order")
                try transaction.delete(ObjectKey(41 + Int64(count)), from: table)
                let key = try transaction.insert(into: table, values: [.null, .int(1)])
                #expect(key.rawValue == 42 + Int64(count))
            }
        }
    }

    @Test("a unique property takes each value once and null any number of times", arguments: [0, 600])
    func uniqueProperties(padding: Int) throws {
        try withDatabase(ClassSchema("Person", [
            PropertySchema("mail", .string, isNullable: true, isUnique: true), PropertySchema("size", .double, isNullable: true, isUnique: true),
        ])) { database in
            try database.write { transaction in
                let table = try transaction.table("Person"), mail = try table.column("mail")
                for number in 0..<padding { try transaction.insert(into: table, values: [.string("pad \(number)"), .null]) }
                let first = try transaction.insert(into: table, values: [.string("a"), .double(.nan)])
                let second = try transaction.insert(into: table, values: [.null, .null])
                try transaction.insert(into: table, values: [.null, .null])
                refused(.duplicateKey) { try transaction.insert(into: table, values: [.string("a"), .null]) }
                refused(.duplicateKey) { try transaction.insert(into: table, values: [.null, .double(.nan)]) }
                refused(.duplicateKey) { try transaction.set(second, in: table, mail, to: .string("a")) }
                try transaction.set(first, in: table, mail, to: .string("b"))
                try transaction.set(second, in: table, mail, to: .string("a"))
                try transaction.set(second, in: table, mail, to: .string("a"))
            }
            try database.write { transaction in
                let table = try transaction.table("Person"), mail = try table.column("mail")
                refused(.duplicateKey) { try transaction.insert(into: table, values: [.string("b"), .null]) }
                refused(.duplicateKey) { try transaction.insert(into: table, values: [.null, .double(.nan)]) }
                let holder = try #require(try table.keys(mail, equals: .string("a")).first)
                refused(.duplicateKey) { try transaction.set(holder, in: table, mail, to: .string("b")) }
                try transaction.delete(holder, from: table)
                try transaction.insert(into: table, values: [.string("a"), .null])
            }
        }
    }

    /// Objects stand in clusters and in the tail.
    @Test("an index over several properties finds first ones, ranges of the next, both ways")
    func compoundRanges() throws {
        let schema = ClassSchema("Note", indexes: [IndexSchema(["city", "age", "name"]), IndexSchema(["age", "city"], isUnique: false)], [
            PropertySchema("name", .string), PropertySchema("city", .string, isNullable: true), PropertySchema("age", .int, isIndexed: true),
        ])
        let cities: [Value] = [.null, .string(""), .string("Ulm"), .string("Ulm\u{0}"), .string("Ulmen")]
        try withDatabase(schema) { database in
            var model: [(key: Int64, city: Int, age: Int64, name: String)] = []
            func insert(_ range: Range<Int>) throws {
                try database.write { transaction in
                    let table = try transaction.table("Note")
                    for number in range {
                        let city = number % 5, age = Int64(number * 7 % 40 - 20), name = "n\(number % 11)"
                        let key = try transaction.insert(into: table, values: [.string(name), cities[city], .int(age)])
                        model.append((key.rawValue, city, age, name))
                    }
                }
            }
            try insert(0..<900)
            try insert(900..<950)
            func sorted(_ rows: [(key: Int64, city: Int, age: Int64, name: String)]) -> [Int64] {
                rows.sorted { ($0.city, $0.age, $0.name, $0.key) < ($1.city, $1.age, $1.name, $1.key) }.map(\.key)
            }
            let table = try database.snapshot().table("Note")
            let index = ["city", "age", "name"]
            let ranges: [(ValueRange, (Int64) -> Bool)] = [
                (.all, { _ in true }), (ValueRange(from: .including(.int(-3))), { $0 >= -3 }), (ValueRange(from: .excluding(.int(-3))), { $0 > -3 }),
                (ValueRange(to: .including(.int(5))), { $0 <= 5 }), (ValueRange(from: .excluding(.int(-20)), to: .excluding(.int(5))), { $0 > -20 && $0 < 5 }),
                (ValueRange(from: .including(.int(5)), to: .including(.int(5))), { $0 == 5 }), (ValueRange(from: .including(.int(6)), to: .excluding(.int(2))), { _ in false }),
            ]
            for city in cities.indices {
                for (range, isWanted) in ranges {
                    let expected = sorted(model.filter { $0.city == city && isWanted($0.age) })
                    let up = try table.keys(index: index, equals: [cities[city]], then: range).map(\.rawValue)
                    let down = try table.keys(index: index, equals: [cities[city]], then: range, descending: true, limit: 3).map(\.rawValue)
                    #expect(up == expected && down == expected.suffix(3).reversed(), "\(cities[city]), \(range)")
                }
                let count = try table.count(index: index, equals: [cities[city]])
                #expect(count == model.count { $0.city == city })
                let some = try table.keys(index: index, equals: [cities[city], .int(1)], then: .prefix("n1")).map(\.rawValue)
                #expect(some == sorted(model.filter { $0.city == city && $0.age == 1 && $0.name.hasPrefix("n1") }))
            }
            let all = try table.keys(index: index, equals: []).map(\.rawValue)
            #expect(all == sorted(model))
            let age = try table.column("age")
            for (range, isWanted) in ranges {
                let expected = model.filter { isWanted($0.age) }.sorted { ($0.age, $0.key) < ($1.age, $1.key) }.map(\.key)
                let up = try table.keys(age, in: range).map(\.rawValue), down = try table.keys(age, in: range, descending: true).map(\.rawValue)
                #expect(up == expected && down == expected.reversed())
            }
            refused(.invalidArgument) { _ = try table.keys(index: ["city", "name"], equals: []) }
            refused(.typeMismatch) { _ = try table.keys(index: index, equals: [.int(1)]) }
            refused(.typeMismatch) { _ = try table.keys(age, in: .prefix("a")) }
        }
    }

    @Test("texts are found by what they begin with")
    func prefixes() throws {
        let texts: [Value] = [.null, .string(""), .string("a"), .string("ab"), .string("abc"), .string("ac"), .string("b"), .string("\u{0}"), .string("\u{0}x"), .string("ä")]
        try withDatabase(ClassSchema("Word", [PropertySchema("text", .string, isNullable: true, isIndexed: true), PropertySchema("any", .mixed, isIndexed: true)])) { database in
            for value in texts { try database.write { try $0.insert(into: $0.table("Word"), values: [value, value]) } }
            let table = try database.snapshot().table("Word")
            for prefix in ["", "a", "ab", "abcd", "\u{0}", "ä", "z"] {
                for name in ["text", "any"] {
                    var found: [Value] = []
                    for key in try table.keys(table.column(name), in: .prefix(prefix)) { found.append(try table.value(key, table.column(name))) }
                    let expected = texts.filter { if case .string(let text) = $0 { text.utf8.starts(with: prefix.utf8) } else { false } }
                    #expect(Set(found) == Set(expected) && found.count == expected.count, "\(name) '\(prefix)': \(found)")
                }
            }
        }
    }

    /// In the tail, and sealed.
    @Test("a unique index over several properties refuses what is there twice, and leaves nulls alone", arguments: [5, 700])
    func uniqueCompound(count: Int) throws {
        try withDatabase(ClassSchema("Entry", indexes: [IndexSchema(["book", "page"], isUnique: true)], [
            PropertySchema("book", .string, isNullable: true), PropertySchema("page", .int), PropertySchema("text", .string),
        ])) { database in
            try database.write { transaction in
                let table = try transaction.table("Entry")
                for number in 0..<count { try transaction.insert(into: table, values: [.string("b\(number % 3)"), .int(Int64(number)), .string("")]) }
                for _ in 0..<3 { try transaction.insert(into: table, values: [.null, .int(1), .string("")]) }
                refused(.duplicateKey) { try transaction.insert(into: table, values: [.string("b1"), .int(1), .string("x")]) }
            }
            try database.write { transaction in
                let table = try transaction.table("Entry"), page = try table.column("page"), book = try table.column("book")
                refused(.duplicateKey) { try transaction.insert(into: table, values: [.string("b1"), .int(1), .string("x")]) }
                refused(.duplicateKey) { try transaction.set(ObjectKey(4), in: table, page, to: .int(1)) }
                try transaction.set(ObjectKey(1), in: table, page, to: .int(-1))
                try transaction.set(ObjectKey(4), in: table, page, to: .int(1))
                refused(.duplicateKey) { try transaction.insert(into: table, values: [.string("b1"), .int(1), .string("x")]) }
                let added = try transaction.insert(into: table, values: [.string("b1"), .int(4), .string("x")])
                try transaction.delete(added, from: table)
                try transaction.set(ObjectKey(0), in: table, book, to: .string("b1"))
                refused(.duplicateKey) { try transaction.set(ObjectKey(0), in: table, page, to: .int(-1)) }
                #expect(try table.count(index: ["book", "page"], equals: [.string("b1"), .int(1)]) == 1)
                let savepoint = try transaction.savepoint()
                try transaction.insert(into: table, values: [.string("b1"), .int(4), .string("y")])
                try transaction.rollback(to: savepoint)
                try transaction.insert(into: table, values: [.string("b1"), .int(4), .string("z")])
            }
        }
    }

    @Test("objects made from columns are compared with those there and with each other", arguments: [10, 3000])
    func columns(count: Int) throws {
        let schema = ClassSchema("Seat", primaryKey: ["row", "seat"], [PropertySchema("row", .string), PropertySchema("seat", .int), PropertySchema("any", .mixed)])
        try withDatabase(schema) { database in
            try database.write { transaction in
                let table = try transaction.table("Seat"), row = try table.column("row"), seat = try table.column("seat"), any = try table.column("any")
                func columns(_ range: Range<Int>) -> [ColumnValues] {
                    [ColumnValues(row, .strings(range.map { "r\($0 / 9)" })), ColumnValues(seat, .ints(range.map { Int64($0 % 9) })),
                     ColumnValues(any, .values(range.map { $0 % 2 == 0 ? .int(Int64($0)) : .string("\($0)") }))]
                }
                try transaction.insert(into: table, columns: columns(0..<count))
                refused(.duplicateKey) { try transaction.insert(into: table, columns: columns(count - 1..<count + 5)) }
                let twice = [ColumnValues(row, .strings(["x", "y", "x"])), ColumnValues(seat, .ints([1, 1, 1]))]
                refused(.duplicateKey) { try transaction.insert(into: table, columns: twice) }
                try transaction.insert(into: table, columns: columns(count..<count + 5))
                #expect(table.count == count + 5)
                let key = try #require(try table.key(primaryKey: [.string("r0"), .int(3)]))
                #expect(try table.value(key, any) == .string("3"))
            }
        }
    }

    @Test("objects made while another is filled do not meet its unfinished values")
    func nested() throws {
        try withDatabase(ClassSchema("Entry", indexes: [IndexSchema(["a", "b"], isUnique: true)], [PropertySchema("a", .int), PropertySchema("b", .int)])) { database in
            try database.write { transaction in
                let table = try transaction.table("Entry")
                try transaction.insert(into: table) { row in
                    try transaction.insert(into: table, values: [.int(0), .int(0)])
                    try row.set("a", .int(1))
                    refused(.duplicateKey) { try transaction.insert(into: table, values: [.int(0), .int(0)]) }
                }
                refused(.duplicateKey) { try transaction.insert(into: table, values: [.int(1), .int(0)]) }
                #expect(table.count == 2)
            }
        }
    }

    @Test("an index is added to objects that are there, and refused with the duplicates named", arguments: [4, 600])
    func addedIndexes(count: Int) throws {
        try withDatabase(ClassSchema("Entry", [PropertySchema("book", .string, isNullable: true), PropertySchema("page", .int), PropertySchema("any", .mixed)])) { database in
            try database.write { transaction in
                let table = try transaction.table("Entry")
                for number in 0..<count { try transaction.insert(into: table, values: [.string("b\(number / 2)"), .int(Int64(number % 2)), .int(Int64(number))]) }
                for _ in 0..<2 { try transaction.insert(into: table, values: [.null, .int(0), .null]) }
            }
            try database.write { transaction in
                #expect { try transaction.addIndex(IndexSchema(["book"], isUnique: true), to: "Entry") } throws: {
                    ($0 as? FreeholdError)?.code == .duplicateKey && "\($0)".contains("objects 0 and 1")
                }
                #expect { try transaction.addIndex(IndexSchema(["page"], isUnique: true), to: "Entry") } throws: { ($0 as? FreeholdError)?.code == .duplicateKey }
                try transaction.addIndex(IndexSchema(["book", "page"], isUnique: true), to: "Entry")
                try transaction.addIndex(IndexSchema(["any"], isUnique: true), to: "Entry")
                try transaction.addIndex(IndexSchema(["page"]), to: "Entry")
                try transaction.addIndex(IndexSchema(["page"]), to: "Entry")
            }
            try database.write { transaction in
                let table = try transaction.table("Entry")
                #expect(table.schema == ClassSchema("Entry", indexes: [IndexSchema(["book", "page"], isUnique: true)], [
                    PropertySchema("book", .string, isNullable: true), PropertySchema("page", .int, isIndexed: true),
                    PropertySchema("any", .mixed, isIndexed: true, isUnique: true),
                ]))
                refused(.duplicateKey) { try transaction.insert(into: table, values: [.string("b0"), .int(1), .null]) }
                refused(.duplicateKey) { try transaction.insert(into: table, values: [.string("b0"), .int(2), .int(3)]) }
                #expect(try table.count(table.column("page"), equals: .int(0)) == count / 2 + 2)
                try transaction.addIndex(IndexSchema(["page", "any"]), to: "Entry")
                #expect(try table.keys(index: ["page", "any"], equals: [.int(1)], descending: true, limit: 1) == [ObjectKey(Int64(count - 1))])
            }
        }
    }
}
