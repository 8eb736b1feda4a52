import DatabaseKit
@testable import FreeholdEngine
import TestKit
import Testing

/// Properties that hold values of every type, and links to objects of every class.
@Suite struct MixedTests {
    private static let values: [Value] = [
        .null, .bool(false), .bool(true), .int(.min), .int(0), .int(7), .float(-1), .float(0.5), .double(-.infinity), .double(7),
        .string(""), .string("a"), .string("a\u{0}b"), .string("ab"), .string(String(repeating: "long ", count: 30_000)),
        .data([]), .data([0]), .data([0, 0]), .data([1]), .date(Timestamp(seconds: -1, nanoseconds: 5)), .date(Timestamp(seconds: 0)),
        .uuid(UniqueIdentifier(high: 1, low: 2)), .objectId(ObjectIdentifier12(high: 3, low: 4)),
        .decimal(Decimal128("-1.50")!), .decimal(Decimal128("1.00")!), .decimal(.infinity),
    ]

    private func withDatabase(_ classes: [ClassSchema], _ body: (Database) throws -> Void) throws {
        let machine = SimulatedSystem(seed: 1)
        defer { machine.discard() }
        let database = try Database.open("/mixed.freehold", OpenOptions.simulated, on: machine.makeProcess())
        try database.write { transaction in for schema in classes { try transaction.createClass(schema) } }
        try body(database)
        let report = try database.check()
        #expect(report.isClean, "\(report.problems.prefix(5))")
    }

    /// In the tail, and sealed.
    @Test("a value of any type comes back as it was", arguments: [1, 20])
    func everyType(rounds: Int) throws {
        try withDatabase([ClassSchema("Any", [PropertySchema("any", .mixed), PropertySchema("price", .decimal)])]) { database in
            try database.write { transaction in
                let table = try transaction.table("Any")
                for value in (0..<rounds).flatMap({ _ in Self.values }) { try transaction.insert(into: table, values: [value, .int(3)]) }
                #expect { try transaction.insert(into: table, values: [.link(ObjectKey(0)), .int(3)]) }
                    throws: { ($0 as? FreeholdError)?.code == .typeMismatch }
            }
            let table = try database.snapshot().table("Any")
            let any = try table.column("any"), price = try table.column("price")
            try table.forEach { row in
                let expected = Self.values[Int(row.key.rawValue) % Self.values.count]
                let found = try (row.value(any), row.value(price))
                #expect(found.0 == expected && found.1.isIdentical(to: .decimal(3)))
                return true
            }
            #expect(table.count == rounds * Self.values.count)
        }
    }

    @Test("an index over mixed values is ordered by type, then by value, and finds each")
    func ordered() throws {
        let short = Self.values.filter { $0.byteCount < 100 }
        try withDatabase([ClassSchema("Any", [PropertySchema("any", .mixed, isIndexed: true)])]) { database in
            for value in short.reversed() {
                try database.write { try $0.insert(into: $0.table("Any"), values: [value]) }
            }
            try database.write { transaction in
                let table = try transaction.table("Any")
                for value in (0..<20).flatMap({ _ in short }) { try transaction.insert(into: table, values: [value]) }
                #expect { try transaction.insert(into: table, values: [.string(String(repeating: "x", count: IndexLayout.maximumKeyBytes))]) }
                    throws: { ($0 as? FreeholdError)?.code == .valueTooLarge }
            }
            let table = try database.snapshot().table("Any")
            let any = try table.column("any")
            var found: [Value] = []
            for key in try table.keys(any, from: nil, to: nil) { found.append(try table.value(key, any)) }
            #expect(found == short.sorted { left, right in order(left) < order(right) }.flatMap { Array(repeating: $0, count: 21) })
            for value in short { #expect(try table.count(any, equals: value) == 21) }
            #expect(try table.count(any, equals: .decimal(Decimal128("1.0")!)) == 21)
            #expect(try table.count(any, equals: .int(1)) == 0)
        }
    }

    private func order(_ value: Value) -> Int { (Int(value.type?.rawValue ?? 0) << 8) + Self.values.firstIndex(of: value)! }

    /// 3 sources stay in the tail, 600 are sealed.
    @Test("links in mixed properties are found back, and null once their object is gone", arguments: [3, 600], [false, true])
    func links(count: Int, isIndexed: Bool) throws {
        try withDatabase([
            ClassSchema("Person", primaryKey: "id", [PropertySchema("id", .int)]), ClassSchema("City", [PropertySchema("name", .string)]),
            ClassSchema("Note", [PropertySchema("about", .mixed, isIndexed: isIndexed)]),
        ]) { database in
            try database.write { transaction in
                let people = try transaction.table("Person"), cities = try transaction.table("City"), notes = try transaction.table("Note")
                try transaction.insert(into: people, values: [.int(5)])
                for name in ["a", "b", "c", "d", "e", "f"] { try transaction.insert(into: cities, values: [.string(name)]) }
                for number in 0..<count {
                    let about: Value = switch number % 3 {
                    case 0: .object(people.reference(to: ObjectKey(5)))
                    case 1: .object(cities.reference(to: ObjectKey(5)))
                    default: .int(5)
                    }
                    try transaction.insert(into: notes, values: [about])
                }
                let nobody = Value.object(people.reference(to: ObjectKey(6)))
                #expect { try transaction.insert(into: notes, values: [nobody]) } throws: { ($0 as? FreeholdError)?.code == .noSuchObject }
                let nowhere = Value.object(ObjectReference(classNumber: 9, key: ObjectKey(5)))
                #expect { try transaction.insert(into: notes, values: [nowhere]) } throws: { ($0 as? FreeholdError)?.code == .unknownClass }
            }
            let snapshot = try database.snapshot()
            let notes = try snapshot.table("Note"), person = try snapshot.table("Person").reference(to: ObjectKey(5))
            let about = try notes.column("about")
            #expect(try notes.backlinks(to: person, from: about).map(\.rawValue) == stride(from: 0, to: Int64(count), by: 3).map { $0 })
            #expect(try snapshot.table(of: person).schema.name == "Person")
            try database.write { try $0.delete(ObjectKey(5), from: $0.table("Person")) }
            let after = try database.snapshot().table("Note")
            try after.forEach { row in
                let expected: Value = switch row.key.rawValue % 3 {
                case 0: .null
                case 1: .object(ObjectReference(classNumber: 1, key: ObjectKey(5)))
                default: .int(5)
                }
                let found = try row.value(after.column("about"))
                #expect(found == expected)
                return true
            }
            #expect(try after.backlinks(to: person, from: about).isEmpty)
            #expect(try after.backlinks(to: ObjectReference(classNumber: 1, key: ObjectKey(5)), from: about).count == (count + 1) / 3)
        }
    }

    @Test("dropping a class that no mixed property links to leaves those properties' classes as they are, blocks and all", arguments: [200, 700])
    func dropUnlinked(count: Int) throws {
        try withDatabase([
            ClassSchema("City", [PropertySchema("name", .string)]), ClassSchema("Town", [PropertySchema("name", .string)]),
            ClassSchema("Note", [PropertySchema("about", .mixed)]),
        ]) { database in
            try database.write { transaction in
                let city = try transaction.insert(into: transaction.table("City"), values: [.string("Paris")])
                try transaction.insert(into: transaction.table("Town"), values: [.string("Ely")])
                let about = Value.object(try transaction.table("City").reference(to: city))
                for number in 0..<count { try transaction.insert(into: transaction.table("Note"), values: [number % 2 == 0 ? about : .int(1)]) }
            }
            // Something that changes blocks between, so that freed ones are given to others.
            try database.write { try $0.dropClass("Town") }
            for name in ["a", "b", "c"] { try database.write { try $0.insert(into: $0.table("City"), values: [.string(name)]) } }
            #expect(try database.check().problems == [])
            try database.write { try $0.dropClass("City") }
            #expect(try database.check().problems == [])
            let notes = try database.snapshot().table("Note"), about = try notes.column("about")
            var nulls = 0
            try notes.forEach { row in
                if try row.value(about) == .null { nulls += 1 }
                return true
            }
            #expect(nulls == (count + 1) / 2 && notes.count == count)
        }
    }

    @Test("bytes that are no mixed value are told as such")
    func forged() {
        func decode(_ bytes: [UInt8]) -> Value? { bytes.withUnsafeBytes { MixedBytes.decode($0) } }
        for value in Self.values where value != .null {
            let bytes = ByteBuffer()
            bytes.append(mixed: value)
            #expect(decode(bytes.array) == value)
            guard value.byteCount == 0, value != .string(""), value != .data([]) else { continue }
            #expect(decode(bytes.array.dropLast()) == nil && decode(bytes.array + [0]) == nil)
        }
        for type in [0, 12, 13, 255] as [UInt8] { #expect(decode([type, 1, 2, 3, 4, 5, 6, 7, 8]) == nil) }
        #expect(decode([]) == nil)
    }
}
