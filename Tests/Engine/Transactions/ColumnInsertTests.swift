import DatabaseKit
@testable import FreeholdEngine
import TestKit
import Testing

/// Objects made from whole columns.
@Suite struct ColumnInsertTests {
    private static let schema = ClassSchema("Thing", primaryKey: "id", [
        PropertySchema("id", .int), PropertySchema("number", .int, isNullable: true, isIndexed: true), PropertySchema("real", .double),
        PropertySchema("small", .float, isNullable: true), PropertySchema("flag", .bool, isNullable: true),
        PropertySchema("when", .date, isNullable: true), PropertySchema("word", .string, isNullable: true, isIndexed: true),
        PropertySchema("bytes", .data), PropertySchema("uuid", .uuid, isNullable: true), PropertySchema("next", linkTo: "Thing"),
        PropertySchema("left", .string, isNullable: true),
    ])

    private func open(_ machine: SimulatedSystem, _ name: String) throws -> Database {
        let database = try Database.open("/\(name).freehold", OpenOptions.simulated, on: machine.makeProcess())
        try database.write(durability: .processCrash) { try $0.createClass(Self.schema) }
        return database
    }

    @Test("columns give the same objects as rows do", arguments: TestScale.seeds(12))
    func same(seed: UInt64) throws {
        let machine = SimulatedSystem(seed: seed)
        defer { machine.discard() }
        let byRows = try open(machine, "rows"), byColumns = try open(machine, "columns")
        var random = SeededRandom(seed: seed), next: Int64 = 0
        for _ in 0..<4 {
            let count = Int.random(in: 0..<(random.oneIn(2) ? 3000 : 40), using: &random)
            // Mostly ascending keys, sometimes in any order.
            let keys = random.oneIn(3) ? (next..<next + Int64(count)).shuffled(using: &random) : Array(next..<next + Int64(count))
            var rows: [[Value]] = []
            for key in keys { rows.append(row(key, below: next, &random)) }
            next += Int64(count)
            try byRows.write(durability: .processCrash) { transaction in
                let table = try transaction.table("Thing")
                for values in rows { try transaction.insert(into: table, values: values) }
            }
            try byColumns.write(durability: .processCrash) { transaction in
                let table = try transaction.table("Thing")
                let first = random.oneIn(2) ? try transaction.insert(into: table, columns: columns(rows, table, &random)) :
                    try transaction.insert(into: table, count: count) { part throws(FreeholdError) in
                        try columns(Array(rows[part]), table, &random)
                    }
                #expect(first?.rawValue == keys.first)
            }
        }
        let left = try byRows.snapshot().table("Thing"), right = try byColumns.snapshot().table("Thing")
        #expect(left.count == right.count)
        try left.forEach { row in
            let other = try #require(try right.row(row.key))
            for (column, same) in zip(left.columns, right.columns) {
                #expect(try row.value(column) == other.value(same), "seed \(seed), object \(row.key), column \(column.index)")
            }
            return true
        }
        #expect(try byColumns.check().isClean)
    }

    private func row(_ key: Int64, below: Int64, _ random: inout SeededRandom) -> [Value] {
        func orNull(_ value: Value) -> Value { random.oneIn(4) ? .null : value }
        let number = Int64.random(in: -50..<50, using: &random)
        return [
            .int(key), orNull(.int(number)), .double(Double(number) / 3), orNull(.float(Float(number))), orNull(.bool(number > 0)),
            orNull(.date(Timestamp(seconds: number, nanoseconds: 7))), orNull(.string("word \(number % 9)")),
            .data(Array(repeating: UInt8(truncatingIfNeeded: number), count: Int(number + 50) * (random.oneIn(40) ? 200 : 1))),
            orNull(.uuid(UniqueIdentifier(high: UInt64(bitPattern: number), low: 1))),
            below > 0 ? orNull(.link(ObjectKey(Int64.random(in: 0..<below, using: &random)))) : .null, .null,
        ]
    }

    /// The rows' columns, each in its own form where there is one; the last property is left out.
    private func columns(_ rows: [[Value]], _ table: Table, _ random: inout SeededRandom) throws(FreeholdError) -> [ColumnValues] {
        var nulls = Array(repeating: Array(repeating: UInt64(0), count: rows.count / 64 + 1), count: 11)
        for (row, values) in rows.enumerated() {
            for (place, value) in values.enumerated() where value == .null { nulls[place][row / 64] |= 1 << UInt64(row % 64) }
        }
        func list<Element>(_ place: Int, _ other: Element, _ get: (Value) -> Element?) -> [Element] { rows.map { get($0[place]) ?? other } }
        var blob: [UInt8] = [], ends: [Int] = []
        for values in rows {
            if case .data(let bytes) = values[7] { blob += bytes }
            ends.append(blob.count)
        }
        let contents: [ColumnValues.Content] = [
            .ints(list(0, 0) { if case .int(let value) = $0 { value } else { nil } }),
            .ints(list(1, 99) { if case .int(let value) = $0 { value } else { nil } }),
            .doubles(list(2, 0) { if case .double(let value) = $0 { value } else { nil } }),
            .floats(list(3, 9) { if case .float(let value) = $0 { value } else { nil } }),
            .bools(list(4, true) { if case .bool(let value) = $0 { value } else { nil } }),
            .dates(list(5, Timestamp(seconds: 1)) { if case .date(let value) = $0 { value } else { nil } }),
            .strings(list(6, "null") { if case .string(let value) = $0 { value } else { nil } }),
            .texts(bytes: blob, ends: ends), .values(rows.map { $0[8] }), .values(rows.map { $0[9] }),
        ]
        let all = try contents.enumerated().map { place, content throws(FreeholdError) in
            ColumnValues(try table.column(Self.schema.properties[place].name), content, nulls: place == 0 ? nil : nulls[place])
        }
        return all.shuffled(using: &random)
    }

    @Test("a key that is taken, among many that are not, leaves none of them behind")
    func allOrNone() throws {
        let machine = SimulatedSystem(seed: 1)
        defer { machine.discard() }
        let database = try open(machine, "none")
        try database.write(durability: .processCrash) { transaction in
            let table = try transaction.table("Thing"), id = try table.column("id"), word = try table.column("word")
            try transaction.insert(into: table, columns: [ColumnValues(id, .ints([5000]))])
            #expect { try transaction.insert(into: table, columns: [ColumnValues(id, .ints(Array(3000..<6000)))]) }
                throws: { ($0 as? FreeholdError)?.code == .duplicateKey }
            #expect(table.count == 1)
            let short = ColumnValues(word, .strings(["one"])), two = ColumnValues(id, .ints([1, 2]))
            for wrong in [[two, short], [two, two], [short], [two, ColumnValues(word, .texts(bytes: [65], ends: [1, 2]))],
                          [ColumnValues(id, .ints(Array(0..<65)), nulls: [0])]] {
                #expect { try transaction.insert(into: table, columns: wrong) } throws: { ($0 as? FreeholdError)?.code == .invalidArgument }
            }
            #expect { try transaction.insert(into: table, columns: [two, ColumnValues(try table.column("real"), .doubles([1, 2]), nulls: [1])]) }
                throws: { ($0 as? FreeholdError)?.code == .notNullable }
            #expect(table.count == 1)
            // Given part by part, the second of them wrong, then withheld; without objects the columns are looked at all the same.
            for refused in [FreeholdError.Code.invalidArgument, .notFound] {
                #expect {
                    try transaction.insert(into: table, count: 3000) { part throws(FreeholdError) in
                        if part.contains(2000), refused == .notFound { throw FreeholdError(.notFound, "no more values") }
                        let keys = ColumnValues(id, .ints(part.map(Int64.init)))
                        return part.contains(2000) ? [keys, short] : [keys]
                    }
                } throws: { ($0 as? FreeholdError)?.code == refused }
            }
            #expect { try transaction.insert(into: table, count: 0) { _ throws(FreeholdError) in [short] } }
                throws: { ($0 as? FreeholdError)?.code == .invalidArgument }
            #expect(try transaction.insert(into: table, count: 0) { _ throws(FreeholdError) in [ColumnValues(id, .ints([]))] } == nil)
            #expect(table.count == 1)
        }
        #expect(try database.check().isClean)
    }

    @Test("a class keyed by text takes columns, and refuses a text twice")
    func keyedByText() throws {
        let machine = SimulatedSystem(seed: 1)
        defer { machine.discard() }
        let database = try open(machine, "named")
        try database.write(durability: .processCrash) { transaction in
            try transaction.createClass(ClassSchema("Named", primaryKey: "name", [PropertySchema("name", .string), PropertySchema("rank", .int)]))
            let table = try transaction.table("Named"), name = try table.column("name"), rank = try table.column("rank")
            let names = ["", "b", "c"]
            #expect(try transaction.insert(into: table, columns: [ColumnValues(rank, .ints([1, 2, 3])), ColumnValues(name, .strings(names))]) == ObjectKey(0))
            #expect { try transaction.insert(into: table, columns: [ColumnValues(name, .strings(["d", "b"]))]) }
                throws: { ($0 as? FreeholdError)?.code == .duplicateKey }
            #expect(try transaction.insert(into: table, columns: [ColumnValues(name, .strings(["d", "e"]))]) == ObjectKey(3))
            #expect(try table.key(primaryKey: .string("c")) == ObjectKey(2))
        }
        #expect(try database.snapshot().table("Named").count == 5)
    }
}
