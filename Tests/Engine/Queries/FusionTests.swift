import DatabaseKit
@testable import FreeholdEngine
import TestKit
import Testing

/// The step FUSE of the query language.
@Suite("The step FUSE") struct FusionTests {
    private static func open(_ machine: SimulatedSystem) throws -> Database {
        let database = try Database.open("/fused.freehold", OpenOptions.simulated, on: machine.makeProcess())
        try database.write(durability: .full) { transaction in
            try transaction.createClass(ClassSchema("Item", [
                PropertySchema("number", .int), PropertySchema("title", .string), PropertySchema("weight", .int),
                PropertySchema("embedding", .data, isNullable: true),
            ]))
            try transaction.createClass(ClassSchema("Shelf", [PropertySchema("items", linkTo: "Item", collections: [.list])]))
        }
        return database
    }

    private static let byNumber = ObjectQuery(.constant(true), [.sort([QuerySort(PropertyPath("number"))])])

    private static func data(_ vector: [Float]) -> Value { .data(VectorElements.float32.bytes(of: vector)) }

    /// Numbers 1…6; by `weight` they are 4 2 6 1 5 3, and by nearness to [1, 0] they are 2 1 3 5, then none.
    private func withItems(_ body: (Database) throws -> Void) throws {
        let machine = SimulatedSystem(seed: 5)
        defer { machine.discard() }
        let database = try Self.open(machine)
        defer { database.close() }
        try database.write { transaction in
            let vectors: [[Float]?] = [[2, 1], [1, 0], [1, 2], nil, [-1, 0], nil], weights = [4, 2, 6, 1, 5, 3]
            let titles = ["green tea", "tea tea", "coffee", "tea and water and milk", "green", ""]
            for place in 0..<6 {
                _ = try transaction.insert(into: "Item", [
                    ("number", .int(Int64(place + 1))), ("title", .string(titles[place])), ("weight", .int(Int64(weights[place]))),
                    ("embedding", vectors[place].map(Self.data) ?? .null),
                ])
            }
        }
        try body(database)
    }

    private static func numbers(_ query: ObjectQuery, _ table: Table) throws -> [Int64] {
        let column = try table.column("number")
        return try table.keys(matching: query).map { try table.row($0)!.int(column) }
    }

    @Test("objects that stand high in several rankings, the highest first", arguments: [
        // 1/61 for 4, 1/62 for 2, … and 1/61 for 2, 1/62 for 1, 1/63 for 3, 1/64 for 5.
        ("FUSE(SORT(weight ASC), NEAREST(embedding, [1, 0], 100), 10)", [2, 1, 3, 5, 4, 6]),
        ("FUSE(SORT(weight ASC), NEAREST(embedding, [1, 0], 100), 2)", [2, 1]), ("FUSE(SORT(weight ASC), 0)", []),
        ("FUSE(SORT(weight ASC) LIMIT(2), NEAREST(embedding, [1, 0], 1) WEIGHT 0.5, 10)", [2, 4]),
        ("FUSE(SORT(weight ASC) WEIGHT 0.001, NEAREST(embedding, [1, 0], 100) WEIGHT 2, 10)", [2, 1, 3, 5, 4, 6]),
        ("FUSE(SORT(weight DESC), 3)", [3, 5, 1]), ("FUSE(number > 2 SORT(weight DESC), 2)", [3, 5]),
        ("number < 4 FUSE(SORT(weight ASC), NEAREST(embedding, [-1, 0], 1), 10)", [3, 2, 1]),
        ("number < 4 FUSE(number > 1 SORT(weight ASC), SORT(number DESC) LIMIT(1), 10)", [3, 2]),
        ("number > 99 FUSE(SORT(weight ASC), NEAREST(embedding, [1, 0], 3), 10)", []),
        ("FUSE(title TEXT 'tea' SORT(@score DESC) LIMIT(2), NEAREST(embedding, [-1, 0], 1), 9)", [2, 5, 1]),
        ("title TEXT 'milk' FUSE(title TEXT 'tea' SORT(@score DESC), 9)", [4]),
        ("SORT(weight ASC) LIMIT(3) FUSE(SORT(number DESC), NEAREST(embedding, [1, 0], 5), 9)", [2, 6, 4]),
        ("LIMIT(3) FUSE(title TEXT 'tea' SORT(@score DESC), SORT(number DESC) LIMIT(1), 9)", [2, 3, 1]),
        ("FUSE(SORT(weight ASC), 4) SORT(number ASC) OFFSET(1) LIMIT(2)", [2, 4]),
        ("FUSE(SORT(weight ASC), 4) DISTINCT(embedding)", [4, 2, 1]),
        ("FUSE(FUSE(SORT(weight ASC), SORT(number ASC), 2) WEIGHT 3, SORT(number DESC) LIMIT(1), 9)", [2, 1, 6]),
        ("number < 3 FUSE(FUSE(SORT(weight ASC), 9), FUSE(number > 1 FUSE(SORT(number ASC), 9), 9), 9)", [2, 1]),
        ("FALSEPREDICATE FUSE(FUSE(SORT(weight ASC), 9), 9)", []), ("FUSE(number < 3 FUSE(FUSE(SORT(weight ASC), 9), 9), 9)", [2, 1]),
        ("FUSE(SORT(weight ASC), 4) NEAREST(embedding, [1, 0], 1)", [2]), ("FUSE(SORT(`weight` ASC) WEIGHT 3, 1)", [4]),
        ("FUSE((number == 1 OR number == 2) AND weight > 3 SORT(number ASC), 9)", [1]),
    ] as [(String, [Int64])])
    func find(text: String, numbers: [Int64]) throws {
        try withItems { database in
            let table = try database.snapshot().table("Item"), query = try ObjectQuery(text)
            #expect(try Self.numbers(query, table) == numbers)
            #expect(try ObjectQuery(query.description) == query, "\(query)")
            #expect(try table.count(matching: query) == numbers.count)
            #expect(try table.prepare(query).first() == table.prepare(query).keys().first)
            var within: [Int64] = []
            try database.write { within = try Self.numbers(query, $0.table("Item")) }
            #expect(within == numbers)
        }
    }

    @Test("counts, weights, searches and vectors are arguments, in the order of the text")
    func argument() throws {
        try withItems { database in
            let table = try database.snapshot().table("Item"), vector = Value.list([.int(1), .int(0)])
            let text = "number < %@ FUSE(title TEXT %@ SORT(@score DESC) LIMIT(%@), NEAREST(embedding, %@, 3) WEIGHT %@, %@)"
            let query = try ObjectQuery(text, [.int(6), .string("tea"), .int(5), vector, .double(2), .int(3)])
            #expect(try Self.numbers(query, table) == [2, 1, 3])
            let other = "FUSE(SORT(weight ASC), NEAREST(embedding, $near, 3), $most)"
            let named = try ObjectQuery(other, named: ["near": vector, "most": .int(1)])
            #expect(try Self.numbers(named, table) == [2])
        }
    }

    @Test("a mistake is an error that says where it is", arguments: [
        ("number > 1 AND FUSE(SORT(number ASC), 2)", "query, column 16: FUSE(…) is no condition"),
        ("FUSE(title TEXT 'tea', 2)", "query, column 6: a ranking of FUSE is ordered by SORT(…), NEAREST(…) or FUSE(…), as in FUSE("),
        ("FUSE(SORT(number ASC), number > 1 LIMIT(2), 2)", "query, column 24: a ranking of FUSE is ordered"),
        ("FUSE(SORT(number ASC) GROUP(title) SELECT(@count), 2)", "query, column 6: a ranking of FUSE has objects"),
        ("FUSE(SORT(number ASC))", "column 22: expected ',' and another ranking or the number of objects"),
        ("FUSE(SORT(number ASC), -1)", "column 24: FUSE takes a whole number"),
        ("FUSE(SORT(number ASC), 'x')", "FUSE takes a whole number that is not negative"),
        ("FUSE(2)", "column 6: expected the rankings, as in FUSE("), ("FUSE()", "column 6: expected"),
        ("FUSE(", "column 6: expected the rankings"),
        ("FUSE(SORT(number ASC), 2", "column 25: expected ')' that closes FUSE"),
        ("FUSE", "column 1: property 'FUSE' not found"),
        ("FUSE(SORT(number ASC) WEIGHT 0, 2)", "column 30: the WEIGHT of a ranking is a number above 0, up to 1e+300"),
        ("FUSE(SORT(number ASC) WEIGHT -2, 2)", "the WEIGHT of a ranking is a number above 0, up to 1e+300"),
        ("FUSE(SORT(number ASC) WEIGHT 1e301, 2)", "column 30: the WEIGHT of a ranking is a number above 0, up to 1e+300"),
        ("FUSE(SORT(number ASC) WEIGHT inf, 2)", "column 30: the WEIGHT of a ranking is a number above 0, up to 1e+300"),
        ("FUSE(SORT(number ASC) WEIGHT 'x', 2)", "column 30: the WEIGHT of a ranking is a number"),
        ("FUSE(SORT(number ASC), SORT(numbr ASC), 2)", "column 29: property 'numbr' not found in Item; did you mean 'number'?"),
        ("FUSE(numbr > 1 SORT(number ASC), 2)", "column 6: property 'numbr' not found in Item"),
        ("FUSE(SORT(@score DESC), 2)", "SORT(@score) needs a condition with TEXT"),
        ("title TEXT 'tea' FUSE(SORT(@score DESC), 2)", "SORT(@score) needs a condition with TEXT"),
        ("GROUP(title) SELECT(@count) FUSE(SORT(number ASC), 2)", "only LIMIT(…) and OFFSET(…) may follow GROUP"),
        (String(repeating: "FUSE(", count: 65) + "SORT(number ASC)" + String(repeating: ", 1)", count: 65), "more than 64 levels deep"),
        ("FUSE(" + String(repeating: "SORT(number ASC), ", count: 65) + "1)", "FUSE takes at most 64 rankings"),
    ])
    func mistake(text: String, message: String) throws {
        try withItems { database in
            let table = try database.snapshot().table("Item")
            let error = #expect(throws: FreeholdError.self) { try table.keys(matching: ObjectQuery(text)) }
            #expect(error?.message.contains(message) == true, "\(error?.message ?? "")")
        }
    }

    @Test("a tree that no text has is refused when it is prepared", arguments: [
        (QueryFusion([], count: 3), "1 to 64 rankings, not 0"), (QueryFusion([.init(ObjectQuery())], count: 3), "is ordered by SORT"),
        (QueryFusion([.init(byNumber, weight: .nan)], count: 3), "a number above 0, up to 1e+300"),
        (QueryFusion([.init(byNumber)], count: -3), "that is not negative"),
    ])
    func tree(fusion: QueryFusion, message: String) throws {
        try withItems { database in
            let table = try database.snapshot().table("Item")
            let error = #expect(throws: FreeholdError.self) { try table.prepare(ObjectQuery(.constant(true), [.fuse(fusion)])) }
            #expect(error?.message.contains(message) == true, "\(error?.message ?? "")")
        }
    }

    @Test("scores are the sums; explanations show each ranking; what was found is that of the rankings' searches")
    func scores() throws {
        try withItems { database in
            let table = try database.snapshot().table("Item"), keys = ([1, 0, 5, 77] as [Int64]).map { ObjectKey($0) }
            let text = "number < 6 FUSE(title TEXT 'tea' SORT(@score DESC), NEAREST(embedding, [2, 0], 3) WEIGHT 2, 10)"
            let query = try table.prepare(ObjectQuery(text))
            let expected = [1 / 61.0 + 2 / 61.0, 1 / 62.0 + 2 / 62.0]
            for _ in 0..<2 {
                let scores = try query.scores(of: keys)
                #expect(Array(scores.prefix(2)) == expected && scores.dropFirst(2).allSatisfy(\.isNaN), "\(scores)")
            }
            #expect(try table.prepare(ObjectQuery("FUSE(SORT(number ASC), 2) LIMIT(1)")).scores(of: [ObjectKey(3)]) == [1 / 64.0])
            let explanation = try query.explanation(running: true)
            for part in ["ranking 1:\n", "ranking 2, weight 2.0:\n", "NEAREST(embedding, a vector of 2, 3)", "number < 6"] {
                #expect(explanation.contains(part), "\(explanation)")
            }
            #expect(!explanation.contains("[2.0"))
            #expect(try query.foundTexts(in: ObjectKey(0)).map(\.text) == ["green tea"])
        }
    }

    @Test("some objects are ranked among themselves, once each; groups follow")
    func among() throws {
        try withItems { database in
            let table = try database.snapshot().table("Item"), keys = ([5, 1, 99, 1, 0] as [Int64]).map { ObjectKey($0) }
            let query = try table.prepare(ObjectQuery("number < 6 FUSE(SORT(weight ASC), NEAREST(embedding, [1, 0], 3), 9)"))
            #expect(try query.keys(among: keys) == ([1, 0] as [Int64]).map { ObjectKey($0) })
            let groups = try table.prepare(ObjectQuery("number < 4 FUSE(SORT(weight ASC), 2) GROUP(title) SELECT(@count)")).groups()
            #expect(groups.map(\.values) == [[.string("green tea")], [.string("tea tea")]])
        }
    }
}

extension FusionTests {
    /// The step's answer, from rankings that are queries of their own.
    private static func naive(_ table: Table, _ condition: QueryCondition, _ fusion: QueryFusion) throws -> [ObjectKey] {
        var sums: [ObjectKey: Double] = [:]
        for ranking in fusion.rankings {
            let parts = QueryCondition.all([condition, ranking.query.condition].filter { $0 != .constant(true) })
            var keys: [ObjectKey] = []
            if case .fuse(let inner) = ranking.query.steps.first {
                keys = try naive(table, parts, inner)
            } else {
                keys = try table.keys(matching: ObjectQuery(parts, ranking.query.steps))
            }
            for (place, key) in keys.enumerated() { sums[key, default: 0] += ranking.weight / Double(61 + place) }
        }
        let order = sums.sorted { $0.value != $1.value ? $0.value > $1.value : $0.key.rawValue < $1.key.rawValue }
        return order.prefix(fusion.count).map(\.key)
    }

    private static func change(_ database: Database, _ random: inout SeededRandom, _ count: Int) throws {
        try database.write(durability: .full) { transaction in
            let items = try transaction.table("Item")
            for _ in 0..<count {
                let key = ObjectKey(Int64(random.below(Int(max(1, items.nextKey.rawValue)))))
                let vector = (0..<3).map { _ in Float(random.below(5) - 2) }
                let title = (0..<random.below(5)).map { _ in ["tea", "milk", "water", "sugar"][random.below(4)] }.joined(separator: " ")
                switch random.below(10) {
                case 0...5:
                    _ = try transaction.insert(into: "Item", [
                        ("number", .int(Int64(random.below(100)))), ("weight", .int(Int64(random.below(20)))), ("title", .string(title)),
                        ("embedding", random.oneIn(8) ? .null : data(vector)),
                    ])
                case 6...7: if try items.contains(key) { try transaction.set(key, in: items, items.column("title"), to: .string(title)) }
                default: if try items.contains(key) { try transaction.delete(key, from: items) }
                }
            }
        }
    }

    private static func ranking(_ random: inout SeededRandom, depth: Int = 0) -> QueryFusion.Ranking {
        let title = PropertyPath("title"), number = PropertyPath("number")
        let words = Value.string(["tea", "milk water", "sugar OR tea", "wat*"][random.below(4)])
        let text = QueryCondition.comparison(QueryComparison(.path(title), .text, .value(words)))
        let small = QueryCondition.comparison(QueryComparison(.path(number), .less, .value(.int(Int64(random.below(100))))))
        if depth < 2, random.oneIn(4) {
            let inner = QueryFusion((0...random.below(2)).map { _ in ranking(&random, depth: depth + 1) }, count: random.below(40))
            return QueryFusion.Ranking(ObjectQuery(random.oneIn(2) ? small : .constant(true), [.fuse(inner)]))
        }
        var query = switch random.below(3) {
        case 0: ObjectQuery(text, [.sort([QuerySort(PropertyPath([.score]), isAscending: false)])])
        case 1: ObjectQuery(random.oneIn(2) ? small : .constant(true), [.sort([QuerySort(PropertyPath("weight"))])])
        default:
            ObjectQuery(random.oneIn(2) ? small : .constant(true), [
                .nearest(QueryNearest(PropertyPath("embedding"), to: [1, Float(random.below(3)), 0.5], count: random.below(60))),
            ])
        }
        if random.oneIn(2) { query.steps.append(.limit(random.below(50))) }
        return QueryFusion.Ranking(query, weight: [1, 1, 0.25, 3][random.below(4)])
    }

    @Test("random rankings: the answer is that of the rankings asked one by one, with a full-text index and live",
          arguments: TestScale.seeds(4, long: 40))
    func random(seed: UInt64) throws {
        var random = SeededRandom(seed: seed)
        let machine = SimulatedSystem(seed: seed)
        defer { machine.discard() }
        let database = try Self.open(machine)
        defer { database.close() }
        if seed % 2 == 0 { try database.write(durability: .full) { try $0.fullText.add(["title"], to: "Item") } }
        func fusion() -> QueryFusion {
            QueryFusion((0...random.below(3)).map { _ in Self.ranking(&random) }, count: random.below(40))
        }
        let condition = QueryCondition.comparison(QueryComparison(.path(PropertyPath("number")), .less, .value(.int(70))))
        let older = try database.snapshot(), newer = try database.snapshot(), followed = fusion()
        let live = try LiveQuery(ObjectQuery(condition, [.fuse(followed)]), of: "Item", at: older)
        for round in 0..<6 {
            try Self.change(database, &random, round == 0 ? 900 : 1 + random.below(60))
            if round == 1 { try database.buildIndexes() }
            try newer.refresh()
            _ = try live.advance(VersionStep(from: older, to: newer))
            try older.refresh()
            let table = try newer.table("Item")
            #expect(try live.keys == Self.naive(table, condition, followed))
            for all in [true, false] {
                let fusion = fusion(), condition = all ? QueryCondition.constant(true) : condition
                let query = ObjectQuery(condition, [.fuse(fusion)])
                #expect(try table.keys(matching: query) == Self.naive(table, condition, fusion), "\(query)")
                // Behind another step, the objects found are ranked among themselves.
                let later = ObjectQuery(condition, [.offset(0), .fuse(fusion)])
                #expect(try table.keys(matching: later) == Self.naive(table, condition, fusion), "\(later)")
            }
        }
    }
}
