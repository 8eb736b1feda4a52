import DatabaseKit
@testable import FreeholdEngine
import Platform
import TestKit
import Testing

/// `COLLATE` of the query language, against a sort of the values one by one.
@Suite struct CollationTests {
    private static let schema = ClassSchema("Word", primaryKey: "id", [
        PropertySchema("id", .int), PropertySchema("text", .string, isNullable: true), PropertySchema("filed", .string, isIndexed: true),
        PropertySchema("kind", .string, isNullable: true), PropertySchema("any", .mixed), PropertySchema("number", .int),
        PropertySchema("real", .double), PropertySchema("other", linkTo: "Word"), PropertySchema("tags", .string, collections: [.list]),
        PropertySchema("names", .string, collections: [.map]),
    ])

    private static let parts = [
        "a", "A", "ä", "Ä", "e\u{301}", "é", "z", "Z", "ß", "ss", "ch", "æ", "9", "10", "007", "-", " ", "\0", "я", "Ж", "中", "一", "ก", "🏴",
        "\u{FDFA}",
    ]

    private static func text(_ random: inout SeededRandom) -> String {
        String((0..<Int.random(in: 0...6, using: &random)).map { _ in parts.randomElement(using: &random)! }.joined())
    }

    private static func values(_ random: inout SeededRandom, _ keys: [ObjectKey]) -> [(String, Value)] {
        let long = String(repeating: "lang ", count: random.oneIn(300) ? 13_000 : 30)
        let mixed: [Value] = [
            .null, .bool(true), .int(5), .double(.nan), .string(text(&random)), .string(text(&random)), .data([0x61]), .data([0xFF, 0]),
            .list([.string("a")]),
        ]
        return [
            ("text", random.oneIn(6) ? .null : .string(random.oneIn(9) ? long + text(&random) : text(&random))),
            ("filed", .string(text(&random))),
            ("kind", random.oneIn(6) ? .null : .string(["Öl", "ol", "Oz", "", "10", "9"].randomElement(using: &random)!)),
            ("any", mixed.randomElement(using: &random)!), ("number", .int(Int64.random(in: 0...3, using: &random))),
            ("other", keys.isEmpty || random.oneIn(4) ? .null : .link(keys.randomElement(using: &random)!)),
            ("tags", .list((0..<Int.random(in: 0...2, using: &random)).map { _ in .string(text(&random)) })),
            ("names", .map(random.oneIn(2) ? ["k": .string(text(&random))] : [:])),
        ]
    }

    private func words(_ count: Int, seed: UInt64, hasCollation: Bool = true, _ body: (Database, Table) throws -> Void) throws {
        var options = SimulatedSystem.Options(seed: seed)
        if !hasCollation { options.collation = .absent }
        let machine = SimulatedSystem(options)
        defer { machine.discard() }
        let database = try Database.open("/words.freehold", OpenOptions.simulated, on: machine.makeProcess())
        defer { database.close() }
        var random = SeededRandom(seed: seed), keys: [ObjectKey] = []
        func insert(_ range: Range<Int>) throws {
            try database.write { transaction in
                for number in range {
                    keys.append(try transaction.insert(into: "Word", key: .int(Int64(number)), Self.values(&random, keys)))
                }
            }
        }
        try database.write { try $0.createClass(Self.schema) }
        // The last ones stay in the tail.
        try insert(0..<count - min(count, 90))
        try insert(count - min(count, 90)..<count)
        let snapshot = try database.snapshot()
        try body(database, snapshot.table("Word"))
    }

    /// A value by which the naive sort compares: strings by their sort keys, null first, what has no object last.
    private enum Naive {
        case missing, plain(Value), collated([UInt8])

        static func order(_ left: Naive, _ right: Naive) -> Int {
            switch (left, right) {
            case (.collated(let one), .collated(let other)): one.lexicographicallyPrecedes(other) ? -1 : one == other ? 0 : 1
            case (.missing, .missing): 0
            case (.missing, _): 1
            case (_, .missing): -1
            case (.plain(let one), .plain(let other)): SortValue.order(.value(one), .value(other))
            case (.plain(let one), .collated): SortValue.order(.value(one), .value(.string("")))
            case (.collated, .plain(let other)): SortValue.order(.value(.string("")), .value(other))
            }
        }
    }

    private struct Term {
        let path: String
        let isAscending: Bool
        let tag: String?

        init(_ random: inout SeededRandom) {
            let paths = ["text", "filed", "kind", "any", "other.text", "other.kind", "other.other.filed", "number"]
            path = paths.randomElement(using: &random)!
            isAscending = Bool.random(using: &random)
            let tags = ["de", "sv", "und", "en-u-kn", "en-u-ks-level1", "de-u-co-phonebk-kf-upper", "fr-CA", "en-u-ka-shifted"]
            tag = path == "number" || random.oneIn(4) ? nil : tags.randomElement(using: &random)
        }

        var text: String { "\(path) \(isAscending ? "ASC" : "DESC")" + (tag.map { " COLLATE \"\($0)\"" } ?? "") }

        func value(of key: ObjectKey, in table: Table) throws -> Naive {
            var names = path.split(separator: ".").map(String.init), row = try #require(try table.row(key))
            let last = names.removeLast()
            for name in names {
                guard let next = try row.link(table.column(name)), let found = try table.row(next) else { return .missing }
                row = found
            }
            let value = try row.value(table.column(last))
            guard let tag, case .string(var text) = value else { return .plain(value) }
            let order = try LanguageOrder(tag, LinuxSystem.shared)
            return .collated(text.withUTF8 { order.key(of: UnsafeRawBufferPointer($0)) })
        }
    }

    @Test("orders with links, nulls, limits and conditions are those of the values one by one", arguments: TestScale.seeds(2, long: 20))
    func randomOrders(seed: UInt64) throws {
        try words(1200, seed: seed) { database, table in
            var random = SeededRandom(seed: seed &+ 5)
            for _ in 0..<25 {
                let terms = (0..<Int.random(in: 1...3, using: &random)).map { _ in Term(&random) }
                let condition = ["", "number > 0 ", "filed >= 'a' ", "number == 7 "].randomElement(using: &random)!
                let text = condition + "SORT(\(terms.map(\.text).joined(separator: ", ")))"
                let found = try table.keys(matching: ObjectQuery(condition))
                let values = try found.map { key in try terms.map { try $0.value(of: key, in: table) } }
                let expected = found.indices.sorted { one, other in
                    for (number, term) in terms.enumerated() {
                        let order = Naive.order(values[one][number], values[other][number])
                        if order != 0 { return term.isAscending == (order < 0) }
                    }
                    return found[one].rawValue < found[other].rawValue
                }.map { found[$0] }
                #expect(try table.keys(matching: ObjectQuery(text)) == expected, "seed \(seed): \(text)")
                let limit = Int.random(in: 1...40, using: &random), skipped = Int.random(in: 0...3, using: &random)
                let first = try table.keys(matching: ObjectQuery(text + " OFFSET(\(skipped)) LIMIT(\(limit))"))
                #expect(first == Array(expected.dropFirst(skipped).prefix(limit)), "seed \(seed): \(text), \(limit) from \(skipped)")
                let written = try database.write { transaction in try transaction.table("Word").keys(matching: ObjectQuery(text)) }
                #expect(written == expected, "seed \(seed), in a transaction: \(text)")
            }
        }
    }

    @Test("what is equal in the language stays for the next key, then for the order before")
    func ties() throws {
        try words(400, seed: 9) { _, table in
            let order = try LanguageOrder("en-u-ks-level1", LinuxSystem.shared)
            func key(_ key: ObjectKey) throws -> [UInt8] {
                guard case .string(var text) = try table.value(key, table.column("filed")) else { return [] }
                return text.withUTF8 { order.key(of: UnsafeRawBufferPointer($0)) }
            }
            let keys = try table.keys(matching: ObjectQuery("SORT(id DESC) SORT(filed COLLATE 'en-u-ks-level1')"))
            var equals = 0
            for (one, next) in zip(keys, keys.dropFirst()) {
                let left = try key(one), right = try key(next)
                #expect(!right.lexicographicallyPrecedes(left) && (left != right || one.rawValue > next.rawValue))
                if left == right { equals += 1 }
            }
            #expect(equals > 20)
        }
    }

    @Test("values that are no property at the end of links are collated too")
    func elements() throws {
        try words(300, seed: 3) { _, table in
            let order = try LanguageOrder("de", LinuxSystem.shared)
            for path in ["tags[0]", "names['k']"] {
                let keys = try table.keys(matching: ObjectQuery("SORT(\(path) COLLATE 'de')"))
                let values = try keys.map { key -> [UInt8] in
                    let column = try table.column(String(path.prefix { $0 != "[" }))
                    switch try table.value(key, column) {
                    case .list(let elements): return elements.first.map { Self.key($0, order) } ?? []
                    case .map(let entries): return entries["k"].map { Self.key($0, order) } ?? []
                    default: return []
                    }
                }
                #expect(!zip(values, values.dropFirst()).contains { $1.lexicographicallyPrecedes($0) } && Set(values).count > 20, "\(path)")
            }
        }
    }

    private static func key(_ value: Value, _ order: LanguageOrder) -> [UInt8] {
        guard case .string(var text) = value else { return [] }
        return text.withUTF8 { order.key(of: UnsafeRawBufferPointer($0)) }
    }

    @Test("a mistake is reported with its column", arguments: [
        ("SORT(number COLLATE 'de')", FreeholdError.Code.typeMismatch, "query, column 6: COLLATE orders strings; 'number' is of type int"),
        ("SORT(text COLLATE 'de_DE')", .malformedInput, "query, column 19: 'de_DE' is not a language tag"),
        ("number > 1 SORT(text, filed DESC COLLATE 'xx')", .malformedInput, "query, column 42: 'xx' has a language"),
        ("SORT(text COLLATE 'de-u-co-pinyin')", .malformedInput, "query, column 19: 'de-u-co-pinyin' asks for an order"),
        ("SORT(text COLLATE 'de-u-kn-maybe')", .malformedInput, "column 19: 'de-u-kn-maybe' has the value 'maybe' of 'kn', which takes"),
        ("SORT(text COLLATE 'de-u-kn-yes')", .malformedInput, "has the value 'yes' of 'kn'"),
        ("SORT(text COLLATE 'de-u-kn-true-kn-false')", .malformedInput, "has the option 'kn' twice"),
        ("SORT(text COLLATE 'de-u-ks-identical')", .malformedInput, "'identical' of 'ks', which takes one of level1, level2"),
        ("SORT(text COLLATE 'de-u-ks')", .malformedInput, "has the option 'ks' without a value; it takes one of level1"),
        ("SORT(text COLLATE 'de-u-kr-zzzz')", .malformedInput, "has the value 'zzzz' of 'kr', which stands for the scripts beside"),
        ("SORT(text COLLATE 'de-u-kr-grek-grek')", .malformedInput, "has scripts of 'kr' that ICU does not take; name each once"),
        ("SORT(text COLLATE 'de-u-kr')", .malformedInput, "has the option 'kr' without a value, which it needs, as in kr-grek-latn"),
        ("SORT(text COLLATE 'de-u-nu-latn')", .malformedInput, "has the option 'nu', which a collation does not have; there are co, ka"),
        ("SORT(text COLLATE 'de-u-kn-x-foo')", .malformedInput, "has 'x' among its options"),
        ("SORT(text COLLATE 'de-u-foo-kn')", .malformedInput, "has 'foo' where an option is expected"),
        ("SORT(text COLLATE 'de-x-foo')", .malformedInput, "has the extension '-x-'"),
        ("SORT(@distance(real, real, [1, 2]) COLLATE 'de')", .typeMismatch, "COLLATE orders strings"),
        ("text TEXT 'a' SORT(@score DESC COLLATE 'de')", .typeMismatch, "COLLATE orders strings"),
        ("SORT(other COLLATE 'de')", .typeMismatch, "cannot be sorted"),
    ])
    func mistakes(text: String, code: FreeholdError.Code, message: String) throws {
        try words(0, seed: 1) { _, table in
            let error = #expect(throws: FreeholdError.self) { try table.prepare(ObjectQuery(text)) }
            #expect(error?.code == code && error?.message.contains(message) == true, "\(text): \(error?.message ?? "")")
        }
    }

    @Test("options are taken in any case and order", arguments: [
        "de-u-kn", "DE-U-KN-TRUE",
        "de-u-kn-false-kf-upper-ks-level4-ka-noignore-kb-kc-false-kk-true", "und-u-kr-latn-zzzz-grek", "de-u-co-phonebk-kn",
    ])
    func options(tag: String) throws { _ = try LanguageOrder(tag, LinuxSystem.shared) }

    @Test("without ICU an error names what to install, and other orders work")
    func noLibrary() throws {
        try words(20, seed: 4, hasCollation: false) { _, table in
            let error = #expect(throws: FreeholdError.self) { try table.keys(matching: ObjectQuery("SORT(text COLLATE 'de')")) }
            #expect(error?.code == .system && error?.message.contains("column 19: COLLATE needs the library ICU") == true)
            #expect(error?.message.contains("libicu72") == true)
            let plain = try table.keys(matching: ObjectQuery("SORT(text)"))
            #expect(plain.count == 20)
        }
    }

    @Test("of very many equal strings the first by key are found, though an index has their bytes")
    func manyEquals() throws {
        try words(0, seed: 6) { database, _ in
            let name = "one long name of many"
            try database.write { transaction in
                for number in 0..<4700 {
                    let text = number < 4 ? name + "-" : name.uppercased()
                    try transaction.insert(into: "Word", key: .int(Int64(number)), [("filed", .string(text))])
                }
            }
            let table = try database.snapshot().table("Word")
            let keys = try table.keys(matching: ObjectQuery("SORT(filed COLLATE 'en-u-ks-level1-ka-shifted') LIMIT(5)"))
            #expect(keys.map(\.rawValue) == [0, 1, 2, 3, 4])
        }
    }

    @Test("an explanation says what orders strings, and an index of bytes is not used for it")
    func explained() throws {
        try words(1000, seed: 5) { _, table in
            let text = "SORT(filed ASC COLLATE \"de\", kind DESC COLLATE \"sv\") LIMIT(3)"
            let lines = try table.prepare(ObjectQuery(text)).explanation()
            let steps = "SORT(filed ASC COLLATE \"de\", kind DESC COLLATE \"sv\")\nLIMIT(3)\nnote: COLLATE \"de\" is by ICU "
            #expect(lines.contains(steps) && lines.contains("note: COLLATE \"sv\""), "\(lines)")
            #expect(lines.contains("the first 3, starting with") && !lines.contains("in the order of the index"))
            #expect(try table.prepare(ObjectQuery("SORT(filed) LIMIT(3)")).explanation().contains("in the order of the index of filed"))
        }
    }
}
