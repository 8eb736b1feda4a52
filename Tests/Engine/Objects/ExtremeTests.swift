import DatabaseKit
@testable import FreeholdEngine
import TestKit
import Testing

/// The smallest and the largest value, from an index and without one.
@Suite struct ExtremeTests {
    private static let schema = ClassSchema("Thing", [
        PropertySchema("int", .int, isNullable: true, isIndexed: true), PropertySchema("plainInt", .int, isNullable: true),
        PropertySchema("double", .double, isNullable: true, isIndexed: true), PropertySchema("plainDouble", .double, isNullable: true),
        PropertySchema("decimal", .decimal, isNullable: true, isIndexed: true), PropertySchema("date", .date, isNullable: true, isIndexed: true),
        PropertySchema("string", .string, isNullable: true, isIndexed: true), PropertySchema("bare", .string),
    ])

    private struct Drawn {
        var ints: [Int64?] = [], doubles: [Double?] = [], decimals: [Decimal128?] = [], dates: [Timestamp?] = [], strings: [String?] = []

        /// One more object's values, in the schema's order.
        mutating func draw(_ random: inout SeededRandom) -> [Value] {
            let number = Int64.random(in: -1000...1000, using: &random)
            func maybe<T>(_ value: T) -> T? { random.oneIn(3) ? nil : value }
            ints.append(maybe(number))
            doubles.append(maybe(random.oneIn(9) ? .nan : random.oneIn(30) ? -.infinity : Double(number) / 8))
            decimals.append(maybe(random.oneIn(9) ? .nan : Decimal128(number) / Decimal128(7)))
            dates.append(maybe(Timestamp(seconds: number / 100, nanoseconds: Int32.random(in: 0..<1_000_000_000, using: &random))))
            strings.append(maybe(random.oneIn(20) ? "" : "word \(number)"))
            let int = ints.last!.map { Value.int($0) } ?? .null, double = doubles.last!.map { Value.double($0) } ?? .null
            return [
                int, int, double, double, decimals.last!.map { .decimal($0) } ?? .null, dates.last!.map { .date($0) } ?? .null,
                strings.last!.map { .string($0) } ?? .null, .string(""),
            ]
        }

        func expected() -> [String: [Value?]] {
            func ends<T: Comparable>(_ values: [T?], _ value: (T) -> Value) -> [Value?] {
                let some = values.compactMap { $0 }.filter { $0 == $0 }
                return [some.min().map(value), some.max().map(value)]
            }
            let int = ends(ints) { .int($0) }, double = ends(doubles) { .double($0) }
            return ["int": int, "plainInt": int, "double": double, "plainDouble": double,
                    "decimal": ends(decimals.filter { $0?.isNaN != true }) { .decimal($0) }, "date": ends(dates) { .date($0) },
                    "string": ends(strings.map { $0.map { Array($0.utf8) } }.map { $0.map(Bytes.init) }) { .string(String(decoding: $0.bytes, as: UTF8.self)) }]
        }
    }

    /// Strings are ordered by their bytes.
    private struct Bytes: Comparable {
        let bytes: [UInt8]
        static func < (left: Bytes, right: Bytes) -> Bool { left.bytes.lexicographicallyPrecedes(right.bytes) }
    }

    @Test("minimum and maximum pass over null and what is not a number, in clusters and in the tail", arguments: TestScale.seeds(10))
    func extremes(seed: UInt64) throws {
        let machine = SimulatedSystem(seed: seed)
        defer { machine.discard() }
        let database = try Database.open("/extremes.freehold", OpenOptions.simulated(seed: seed), on: machine.makeProcess())
        var random = SeededRandom(seed: seed), drawn = Drawn()
        try database.write { try $0.createClass(Self.schema) }
        for count in [0, Int.random(in: 1...4, using: &random), Int.random(in: 1...700, using: &random)] {
            try database.write { transaction in
                for _ in 0..<count { try transaction.insert(into: transaction.table("Thing"), values: drawn.draw(&random)) }
            }
            let table = try database.snapshot().table("Thing")
            for (name, wanted) in drawn.expected() {
                let column = try table.column(name), found = [try table.minimum(column), try table.maximum(column)]
                #expect(found == wanted, "seed \(seed), \(table.count) objects: \(name)")
            }
        }
        let table = try database.snapshot().table("Thing")
        #expect { _ = try table.minimum(table.column("bare")) } throws: { ($0 as? FreeholdError)?.code == .typeMismatch }
    }

    @Test("an index that one object's value is too long for is not added, and nothing of it stays")
    func indexTooLong() throws {
        let machine = SimulatedSystem(seed: 1)
        defer { machine.discard() }
        let database = try Database.open("/extremes.freehold", OpenOptions.simulated, on: machine.makeProcess())
        try database.write { transaction in
            try transaction.createClass(Self.schema)
            for number in 0..<600 {
                let text = number == 500 ? String(repeating: "long", count: 20_000) : "text \(number)"
                try transaction.insert(into: "Thing", [("int", .int(Int64(number))), ("bare", .string(text))])
            }
        }
        let transaction = try database.beginWrite()
        try transaction.insert(into: "Thing", [("int", .int(600)), ("bare", .string("text 600"))])
        for index in [IndexSchema(["bare"]), IndexSchema(["int", "bare"])] {
            #expect { try transaction.addIndex(index, to: "Thing") } throws: { ($0 as? FreeholdError)?.code == .valueTooLarge }
        }
        #expect(transaction.classes == [Self.schema])
        try transaction.commit()
        let table = try database.snapshot().table("Thing")
        #expect(table.schema == Self.schema && table.count == 601)
        #expect(try table.keys(table.column("int"), equals: .int(600)).count == 1)
        let report = try database.check()
        #expect(report.isClean, "\(report.problems.prefix(3))")
    }
}
