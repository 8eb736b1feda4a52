import TestKit
import Testing
@testable import FreeholdEngine
@testable import FreeholdMerge

/// Real files that exchange batches and answers with a server in memory. After each exchange they show the same to the last bit, nothing
/// is pending, and `check` finds nothing.
@Suite("Files and a server")
struct ReplicaTests {
    /// Exchanges; then all files show the same, also one that comes now.
    func expectSame(_ exchange: Exchange, _ comment: String = "", newcomer: ((WriteTransaction) throws -> Void)? = nil,
                    at location: SourceLocation = #_sourceLocation) throws {
        var found = try exchange.differences()
        if let newcomer {
            let last = try exchange.newcomer(newcomer)
            found += try PlainFile(exchange.ann.database).differences(from: PlainFile(last.database), "new") + last.problems()
        }
        #expect(found.isEmpty, "\(comment) \(found.map { "\n  " + $0.prefix(300) }.joined())", sourceLocation: location)
    }

    // MARK: Values

    /// Values of each type that a property can have, among them those that are easily lost: spellings, digits, signs, limits.
    static let samples: [(type: PropertyType, values: [Value])] = [
        (.bool, [.bool(true), .bool(false)]),
        (.int, [.int(.min), .int(-1), .int(0), .int(.max)]),
        (.float, [.float(1.5), .float(-0.0), .float(0), .float(.nan), .float(-.infinity), .float(.leastNonzeroMagnitude)]),
        (.double, [.double(1.5), .double(-0.0), .double(0), .double(.nan), .double(.infinity), .double(.greatestFiniteMagnitude)]),
        (.decimal, ["1.0", "1.00", "-0", "0", "NaN", "Infinity", "-1e-6176", "9.999999999999999999999999999999999e6144"].map {
            .decimal(Decimal128($0)!)
        }),
        (.date, [.date(Timestamp(seconds: -1, nanoseconds: 999_999_999)), .date(Timestamp(seconds: 0)),
                 .date(Timestamp(seconds: .max)), .date(Timestamp(seconds: .min, nanoseconds: 1))]),
        (.uuid, [.uuid(UniqueIdentifier(high: 0, low: 0)), .uuid(UniqueIdentifier(high: .max, low: .max))]),
        (.objectId, [.objectId(ObjectIdentifier12(high: 0, low: 0)), .objectId(ObjectIdentifier12(high: .max, low: .max))]),
        (.string, [.string("a"), .string(""), .string("\0"), .string("é"), .string("e\u{301}"), .string("a\0"), .string("🎈"),
                   .string(String(repeating: "long ", count: 1800))]),
        (.data, [.data([1]), .data([]), .data([0]), .data([255, 0, 255]), .data([UInt8](repeating: 7, count: 30_000))]),
        (.mixed, [.int(1), .null, .string(""), .string("e\u{301}"), .double(-0.0), .bool(false), .decimal(Decimal128("1.00")!),
                  .list([.int(1), .list([]), .map(["é": .null, "e\u{301}": .list([.string("\0")]), "": .bool(true)])]),
                  .map([:]), .map(["k": .list([.double(.nan), .map(["": .map([:])])])])]),
    ]

    private static func name(_ type: PropertyType) -> String { "\(type)" }

    /// A class with properties of all types, alone and in collections, that may be null and not.
    private static var everything: ClassSchema {
        var properties = [PropertySchema("id", .string)]
        for (type, _) in samples {
            for isNullable in [false, true] where !isNullable || type != .mixed {
                let name = name(type) + (isNullable ? "OrNull" : "")
                properties.append(PropertySchema(name, type, isNullable: isNullable))
                properties.append(PropertySchema(name + "List", type, isNullable: isNullable, collections: [.list]))
                properties.append(PropertySchema(name + "Set", type, isNullable: isNullable, collections: [.set]))
                properties.append(PropertySchema(name + "Map", type, isNullable: isNullable, collections: [.map]))
            }
        }
        return ClassSchema("All", primaryKey: "id", properties)
    }

    private func makeAll(_ number: Int, _ transaction: WriteTransaction) throws {
        try transaction.createClass(Self.everything)
        try transaction.sync.mark("All")
    }

    /// The values of an object: each property has a part of its type's, which ones the turn says.
    private func fill(_ key: ObjectKey, _ transaction: WriteTransaction, turn: Int) throws {
        let table = try transaction.table("All")
        for (type, values) in Self.samples {
            for isNullable in [false, true] where !isNullable || type != .mixed {
                let name = Self.name(type) + (isNullable ? "OrNull" : ""), one = values[turn % values.count]
                try transaction.set(key, in: table, table.column(name), to: isNullable && turn % 3 == 1 ? .null : one)
                var some = (0..<3).map { values[(turn + $0) % values.count] }
                if isNullable { some.append(.null) }
                try transaction.list(of: key, in: table, table.column(name + "List")).assign(some + some)
                let singles = some.filter { $0.collectionKind == nil }
                try transaction.set(of: key, in: table, table.column(name + "Set")).assign(singles)
                var entries: TextMap<Value> = [:]
                for (place, value) in some.enumerated() { entries[["", "é", "e\u{301}", "\0"][place]] = value }
                try transaction.map(of: key, in: table, table.column(name + "Map")).assign(entries)
            }
        }
    }

    @Test("values of every type arrive to the last bit, alone and in collections: when created, and when changed")
    func types() throws {
        let exchange = try Exchange(prepare: makeAll)
        for turn in 0..<10 {
            try exchange.write(exchange.files[turn % 2]) { transaction in
                let key = try transaction.insert(into: "All", [("id", .string("n\(turn)"))])
                try fill(key, transaction, turn: turn)
            }
        }
        try expectSame(exchange)
        for turn in 0..<4 {
            try exchange.write(exchange.files[turn % 2]) { transaction in
                let table = try transaction.table("All"), keys = try table.keys()
                try fill(keys[(turn * 3) % keys.count], transaction, turn: turn + 1)
            }
            try expectSame(exchange, "turn \(turn)")
        }
        try expectSame(exchange, newcomer: { try makeAll(0, $0) })
    }

    // MARK: Keys

    @Test("objects with keys of each type, among them two spellings of one text; sets and maps keep the spellings apart",
          arguments: [PropertyType.string, .uuid, .objectId, .int])
    func keys(type: PropertyType) throws {
        let keys: [Value] = switch type {
        case .string: ["", "\0", "é", "e\u{301}", "a", "a\0"].map { .string($0) }
        case .uuid: (0..<4).map { .uuid(UniqueIdentifier(high: $0 << 63, low: .max - $0)) }
        case .objectId: (0..<4).map { .objectId(ObjectIdentifier12(high: .max - $0, low: UInt32($0) << 31)) }
        default: [.int(.max), .int(0), .int(-1), .int(1 << 40)]
        }
        func make(_ number: Int, _ transaction: WriteTransaction) throws {
            try transaction.createClass(ClassSchema("Thing", primaryKey: "id", [
                PropertySchema("id", type), PropertySchema("n", .int), PropertySchema("next", linkTo: "Thing"),
                PropertySchema("names", .string, collections: [.set]), PropertySchema("map", linkTo: "Thing", collections: [.map]),
            ]))
            try transaction.sync.mark("Thing")
        }
        let exchange = try Exchange(prepare: make)
        // Each of them has half of the objects in another order, so that object keys differ.
        for (place, file) in exchange.files.enumerated() {
            try exchange.write(file) { transaction in
                let mine = place == 0 ? Array(keys[..<(keys.count / 2)]) : keys[(keys.count / 2)...].reversed()
                for (number, key) in mine.enumerated() { try transaction.insert(into: "Thing", [("id", key), ("n", .int(Int64(number)))]) }
            }
        }
        try expectSame(exchange)
        for (place, file) in exchange.files.enumerated() {
            try exchange.write(file) { transaction in
                let table = try transaction.table("Thing"), all = try table.keys()
                for (number, key) in all.enumerated() where number % 2 == place {
                    try transaction.set(key, in: table, table.column("next"), to: .link(all[(number + 1) % all.count]))
                    let names: [Value] = [.string("é"), .string("e\u{301}"), .string("")]
                    try transaction.set(of: key, in: table, table.column("names")).insert(contentsOf: names)
                    let map = try transaction.map(of: key, in: table, table.column("map"))
                    for (name, target) in zip(["é", "e\u{301}", "", "\0"], all) { try map.set(.link(target), for: name) }
                    try map.set(.null, for: "nothing")
                }
            }
        }
        try expectSame(exchange)
        // One spelling of each goes; the other one stays.
        try exchange.write(exchange.ben) { transaction in
            let table = try transaction.table("Thing")
            for key in try table.keys() {
                try transaction.set(of: key, in: table, table.column("names")).remove(.string("é"))
                try transaction.map(of: key, in: table, table.column("map")).remove("e\u{301}")
            }
            if type == .string, let one = try table.key(primaryKey: .string("e\u{301}")) { try transaction.delete(one, from: table) }
        }
        try expectSame(exchange, newcomer: { try make(0, $0) })
    }
}
