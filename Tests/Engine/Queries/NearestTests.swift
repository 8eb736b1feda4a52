import DatabaseKit
@testable import FreeholdEngine
import TestKit
import Testing

/// The step NEAREST of the query language.
@Suite("The step NEAREST") struct NearestTests {
    private static func open(_ machine: SimulatedSystem) throws -> Database {
        let database = try Database.open("/vectors.freehold", OpenOptions.simulated, on: machine.makeProcess())
        try database.write(durability: .full) { transaction in
            try transaction.createClass(ClassSchema("Item", [
                PropertySchema("number", .int), PropertySchema("title", .string), PropertySchema("embedding", .data, isNullable: true),
                PropertySchema("half", .data, isNullable: true), PropertySchema("tags", .string, collections: [.list]),
                PropertySchema("other", linkTo: "Item"), PropertySchema("others", linkTo: "Item", collections: [.list]),
                PropertySchema("any", .mixed),
            ]))
            try transaction.createClass(ClassSchema("Book", superclass: "Item", []))
        }
        return database
    }

    private static func data(_ vector: [Float]?, _ elements: VectorElements = .float32) -> Value {
        vector.map { .data(elements.bytes(of: $0)) } ?? .null
    }

    /// Numbers 1…7: around the circle in steps of 30 degrees; then none, zeros, NaN.
    private func withItems(_ body: (Database) throws -> Void) throws {
        let machine = SimulatedSystem(seed: 31)
        defer { machine.discard() }
        let database = try Self.open(machine)
        defer { database.close() }
        try database.write { transaction in
            let vectors: [[Float]?] = [
                [4, 0], [3.4641016, 2], [2, 3.4641016], [0, 1], [-2, 3.4641016], [-1.7320508, 1], [-1, 0], nil, [0, 0], [.nan, 1],
            ]
            for (place, vector) in vectors.enumerated() {
                _ = try transaction.insert(into: place % 2 == 0 ? "Item" : "Book", [
                    ("number", .int(Int64(place + 1))), ("title", .string(place < 4 ? "green tea" : "coffee")),
                    ("embedding", Self.data(vector)), ("half", Self.data(vector, .float16)),
                    ("other", place > 0 ? .link(ObjectKey(Int64(place - 1))) : .null),
                ])
            }
        }
        try body(database)
    }

    private static func numbers(_ query: ObjectQuery, _ table: Table) throws -> [Int64] {
        let column = try table.column("number")
        return try table.keys(matching: query).map { try table.row($0)!.int(column) }
    }

    @Test("the nearest of what the condition leaves, in order", arguments: [
        ("NEAREST(embedding, [1, 0], 3)", [1, 2, 3]), ("NEAREST(embedding, [-1, -0.1], 2, cosine)", [7, 6]),
        ("NEAREST(embedding, [1, 0], 99)", [1, 2, 3, 4, 5, 6, 7]), ("NEAREST(embedding, [1, 0], 0)", []),
        ("number > 2 NEAREST(embedding, [1, 0], 2)", [3, 4]), ("number > 7 NEAREST(embedding, [1, 0], 2)", []),
        ("NEAREST(embedding, [1, 0], 2, euclidean)", [9, 4]), ("NEAREST(embedding, [0, 1], 3, dot)", [3, 5, 2]),
        ("NEAREST(embedding, [1, 0], 3, float32)", [1, 2, 3]), ("NEAREST(half, [1, 0], 3, float16)", [1, 2, 3]),
        ("NEAREST(half, [1, 0], 2, float16, euclidean)", [9, 4]), ("NEAREST(other.embedding, [1, 0], 2)", [2, 3]),
        ("title TEXT 'coffee' NEAREST(embedding, [1, 0], 2)", [5, 6]), ("LIMIT(3) NEAREST(embedding, [-1, 0], 2)", [3, 2]),
        ("SORT(number DESC) LIMIT(5) NEAREST(embedding, [1, 0], 9)", [6, 7]),
        ("NEAREST(embedding, [1, 0], 4) NEAREST(embedding, [-1, 0], 2)", [4, 3]),
        ("NEAREST(embedding, [1, 0], 4) SORT(number DESC) LIMIT(2)", [4, 3]), ("NEAREST(embedding, [1, 0], 4) OFFSET(1) LIMIT(2)", [2, 3]),
        ("title TEXT 'tea' NEAREST(embedding, [1, 0], 9) SORT(@score DESC)", [1, 2, 3, 4]),
        ("NEAREST(embedding, [1e-3, -0], 1) DISTINCT(title)", [1]),
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

    @Test("a vector is an argument: a list of numbers, or data with floats", arguments: [
        .list([.int(1), .double(0)]), .list([.float(1), .decimal(0)]), .data(VectorElements.float32.bytes(of: [1, 0])),
    ] as [Value])
    func argument(value: Value) throws {
        try withItems { database in
            let table = try database.snapshot().table("Item")
            #expect(try Self.numbers(ObjectQuery("NEAREST(embedding, $0, $1)", [value, .int(2)]), table) == [1, 2])
            #expect(try Self.numbers(ObjectQuery("number > %@ NEAREST(embedding, %@, 2)", [.int(1), value]), table) == [2, 3])
            #expect(try Self.numbers(ObjectQuery("NEAREST(embedding, $near, 2)", named: ["near": value]), table) == [1, 2])
        }
    }

    @Test("a mistake is an error that says where it is", arguments: [
        ("number > 1 AND NEAREST(embedding, [1, 0], 2)", "query, column 16: NEAREST(…) is no condition"),
        ("NOT NEAREST(embedding, [1, 0], 2)", "query, column 5: NEAREST(…) is no condition"),
        ("number > 1 AND SORT(number ASC)", "query, column 16: SORT(…) is no condition: it stands after the conditions"),
        ("number > 1 OR LIMIT(3)", "query, column 15: LIMIT(…) is no condition"),
        ("number > 1 OR (NEAREST(embedding, [1, 0], 2))", "query, column 16: NEAREST(…) is no condition"),
        ("NEAREST(embedding, [1, 0], 2) AND number > 1", "query, column 31: NEAREST(…) is a step, which has no 'AND' after it: write the"),
        ("NEAREST(embedding, [1, 0], 2) && number > 1", "column 31: NEAREST(…) is a step, which has no '&&' after it"),
        ("number > 1 LIMIT(3) OR number > 2", "has no 'OR' after it: write the conditions first, as in price < 10 LIMIT(10)"),
        ("NEAREST(embedding, [1, 0], 2) number > 1", "column 31: expected SORT(…), DISTINCT(…), LIMIT(…), OFFSET(…)"),
        ("GROUP(title) SELECT(@count) NEAREST(embedding, [1, 0], 2)", "column 29: only LIMIT(…) and OFFSET(…) may follow GROUP"),
        ("NEAREST(embedding, [1, 0], 2, dot, cosine)", "column 36: NEAREST has one metric, and dot is given before"),
        ("NEAREST(embedding, [1, 0], 2, float32, dot, float32)", "column 45: vectors have elements of one type, and float32"),
        ("NEAREST(embedding, [1, 0], -2)", "column 28: NEAREST takes a whole number that is not negative"),
        ("NEAREST(embedding, [1, 0])", "column 26: expected ',' and the number of objects"),
        ("NEAREST(embedding, 7, 2)", "column 20: expected an argument or a vector, as in [0.25, -1, 3]"),
        ("NEAREST(embedding, [1, x], 2)", "column 24: expected a number of the vector"),
        ("NEAREST(embedding, [1, 0], 2, manhattan)", "column 31: expected cosine, dot, euclidean, float32, float16, int8"),
        ("NEAREST(embedding, [0, 0], 2)", "column 20: NEAREST: the vector is zero"),
        ("NEAREST(embedding, [1e20, 0], 2, dot)", "column 20: NEAREST: the numbers of the vector are too large"),
        ("NEAREST(title, [1, 0], 2)", "column 9: NEAREST takes a property of type data with vectors; 'title' is of type string"),
        ("NEAREST(any, [1, 0], 2)", "'`any`' is of type mixed"), ("NEAREST(others.embedding, [1, 0], 2)", "is several values"),
        ("NEAREST(tags, [1, 0], 2)", "'tags' is several values"), ("NEAREST(others.@count, [1, 0], 2)", "is an aggregate"),
        ("NEAREST(embeding, [1, 0], 2)", "did you mean 'embedding'?"),
        ("NEAREST(embedding, [1, 0, 0], 2)",
         "query, column 9: NEAREST: the vector has 3 dimensions, 12 bytes as float32, and values of 'embedding' have 8 bytes"),
        ("NEAREST(embedding, [1, 0], 2, int8)", "2 bytes as int8, and values of 'embedding' have 8 bytes"),
    ])
    func mistake(text: String, message: String) throws {
        try withItems { database in
            let table = try database.snapshot().table("Item")
            let error = #expect(throws: FreeholdError.self) { try table.keys(matching: ObjectQuery(text)) }
            #expect(error?.message.contains(message) == true, "\(error?.message ?? "")")
        }
    }

    @Test("an argument that is no vector is an error", arguments: [
        (.string("x"), "the argument for a vector is a list of numbers, or data with floats of 4 bytes"),
        (.list([.int(1), .string("x")]), "the argument for a vector is a list of numbers"), (.null, "is a list of numbers"),
        (.data([1, 2, 3]), "3 bytes are no whole number of floats"),
        (.list([.double(.nan)]), "column 20: NEAREST: number 1 of the vector is NaN"),
        (.list([.double(1e300)]), "number 1 of the vector is infinite"), (.list([]), "a vector has 1 to 65535 numbers, not 0"),
    ] as [(Value, String)])
    func argument(value: Value, message: String) {
        let error = #expect(throws: FreeholdError.self) { try ObjectQuery("NEAREST(embedding, $0, 2)", [value]) }
        #expect(error?.message.contains(message) == true, "\(error?.message ?? "")")
    }

    @Test("scores say how near objects are; explanations name the number of dimensions only")
    func scores() throws {
        try withItems { database in
            let table = try database.snapshot().table("Item")
            let keys = ([0, 3, 6, 7, 8, 9, 77] as [Int64]).map { ObjectKey($0) }
            let cosines = try table.prepare(ObjectQuery("NEAREST(embedding, [2, 0], 3)")).scores(of: keys)
            #expect(Array(cosines.prefix(3)) == [1, 0, -1] && cosines.dropFirst(3).allSatisfy(\.isNaN), "\(cosines)")
            let text = try table.prepare(ObjectQuery("title TEXT 'tea' NEAREST(embedding, [2, 0], 3, euclidean)"))
            #expect(try text.scores(of: Array(keys.prefix(3))) == [-2, -(5.0.squareRoot()), -3])
            #expect(try text.explanation(running: true).contains("NEAREST(embedding, a vector of 2, 3, euclidean)"))
            let all = try table.prepare(ObjectQuery("NEAREST(embedding, [2, 0], 3)")).explanation(running: true)
            #expect(all.contains("read: the vectors of 10 objects\nfound: 3"), "\(all)")
            let sorted = try table.prepare(ObjectQuery("SORT(tags.@size DESC) LIMIT(2)")).explanation(running: true)
            #expect(sorted.contains("read: the values of 10 objects to sort by\nfound: 2"), "\(sorted)")
            let error = #expect(throws: FreeholdError.self) { try table.prepare(ObjectQuery("number > 1")).scores(of: keys) }
            #expect(error?.message.contains("no NEAREST, no FUSE and no TEXT") == true)
        }
    }

    @Test("a live query is empty while all vectors have another length, and goes on with those that come")
    func otherLengths() throws {
        try withItems { database in
            let query = try ObjectQuery("NEAREST(embedding, [1, 0], 3)")
            let numbers = try ObjectQuery("NEAREST(embedding, [1, 0], 3) GROUP(title) SELECT(@count)")
            let older = try database.snapshot(), newer = try database.snapshot(), watch = try LiveWatch(database)
            let live = try LiveQuery(query, of: "Item", at: older), groups = try LiveGroups(numbers, of: "Item", at: older)
            let fusion = try ObjectQuery("FUSE(NEAREST(embedding, [1, 0], 3), title TEXT 'tea' SORT(@score DESC) LIMIT(3), 5)")
            let fused = try LiveQuery(fusion, of: "Item", at: older)
            let watched = try watch.follow(query, of: "Item").answer, watchedGroups = try watch.followGroups(numbers, of: "Item").answer
            func commit(_ keys: ClosedRange<Int64>, _ vector: [Float]) throws {
                try database.write { transaction in
                    let items = try transaction.table("Item")
                    for key in keys { try transaction.set(ObjectKey(key), in: items, items.column("embedding"), to: Self.data(vector)) }
                }
                try newer.refresh()
                let step = try VersionStep(from: older, to: newer)
                _ = try live.advance(step)
                _ = try fused.advance(step)
                _ = try groups.advance(step)
                try watch.deliver { delivery in
                    for change in delivery.changes { if case .failed(let error) = change.what { throw error } }
                }
                try older.refresh()
            }
            try commit(0...9, [1, 2, 3])
            #expect(live.keys.isEmpty && groups.groups.isEmpty && watched.keys.isEmpty && watchedGroups.groups.isEmpty)
            #expect(fused.keys == [ObjectKey(0), ObjectKey(1), ObjectKey(2)])
            #expect(throws: FreeholdError.self) { try LiveQuery(query, of: "Item", at: newer) }
            _ = try live.restart(at: newer)
            #expect(live.keys.isEmpty)
            try commit(4...5, [1, 2])
            #expect(live.keys == [ObjectKey(4), ObjectKey(5)] && watched.keys == live.keys && groups.groups.map(\.figures) == [[.int(2)]])
            #expect(watchedGroups.groups == groups.groups)
        }
    }

    @Test("the nearest of some objects are found among these, with duplicates; groups follow")
    func among() throws {
        try withItems { database in
            let table = try database.snapshot().table("Item"), keys = ([6, 2, 99, 2, 1] as [Int64]).map { ObjectKey($0) }
            let found = try table.prepare(ObjectQuery("number < 7 NEAREST(embedding, [1, 0], 3)")).keys(among: keys)
            #expect(found == ([1, 2, 2] as [Int64]).map { ObjectKey($0) })
            let groups = try table.prepare(ObjectQuery("NEAREST(embedding, [-1, 0], 5) GROUP(title) SELECT(@count)")).groups()
            #expect(groups.map(\.values) == [[.string("coffee")], [.string("green tea")]])
            #expect(groups.map(\.figures) == [[.int(3)], [.int(2)]])
        }
    }
}

extension NearestTests {
    /// The nearest objects, each tested by itself.
    private static func naive(_ table: Table, _ query: QueryNearest, _ isMeant: (Int64) -> Bool) throws -> [ObjectKey] {
        let embedding = try table.column("embedding"), number = try table.column("number")
        let measure = try VectorMeasure(query.vector, query.metric, query.elements)
        var found: [(key: ObjectKey, score: Double)] = []
        try table.forEach { row in
            guard case .data(let bytes) = try row.value(embedding), isMeant(try row.int(number)) else { return true }
            if let score = bytes.withUnsafeBytes({ measure.score($0) }) { found.append((row.key, score)) }
            return true
        }
        found.sort { $0.score != $1.score ? $0.score > $1.score : $0.key.rawValue < $1.key.rawValue }
        return found.prefix(query.count).map(\.key)
    }

    private static func change(_ database: Database, _ random: inout SeededRandom, _ count: Int, _ dimensions: Int) throws {
        try database.write(durability: .full) { transaction in
            let items = try transaction.table("Item")
            for _ in 0..<count {
                let key = ObjectKey(Int64(random.below(Int(max(1, items.nextKey.rawValue)))))
                // Few different numbers, so that objects are equally near.
                let vector = (0..<dimensions).map { _ in Float(random.below(5) - 2) }
                let value: Value = random.oneIn(8) ? .null : data(vector)
                switch random.below(10) {
                case 0...5:
                    _ = try transaction.insert(into: random.oneIn(4) ? "Book" : "Item", [
                        ("number", .int(Int64(random.below(100)))), ("embedding", value),
                    ])
                case 6...7: if try items.contains(key) { try transaction.set(key, in: items, items.column("embedding"), to: value) }
                default: if try items.contains(key) { try transaction.delete(key, from: items) }
                }
            }
        }
    }

    @Test("random objects: the answer is that of a test of each, also live and in transactions", arguments: TestScale.seeds(4, long: 40))
    func random(seed: UInt64) throws {
        var random = SeededRandom(seed: seed)
        let machine = SimulatedSystem(seed: seed), dimensions = [1, 3, 40, 130][Int(seed % 4)]
        defer { machine.discard() }
        let database = try Self.open(machine)
        defer { database.close() }
        func query(_ limit: Int64) -> ObjectQuery {
            let vector = (0..<dimensions).map { _ in Float(random.below(5)) - 1.5 }
            let metric = VectorMetric.allCases[random.below(3)]
            let nearest = QueryNearest(PropertyPath("embedding"), to: vector, count: random.below(30), metric: metric)
            let condition = QueryComparison(.path(PropertyPath("number")), .less, .value(.int(limit)))
            return ObjectQuery(limit >= 100 ? .constant(true) : .comparison(condition), [.nearest(nearest)])
        }
        let older = try database.snapshot(), newer = try database.snapshot()
        let live = try LiveQuery(query(70), of: "Item", at: older)
        for round in 0..<8 {
            try Self.change(database, &random, round == 0 ? 600 : 1 + random.below(60), dimensions)
            try newer.refresh()
            _ = try live.advance(VersionStep(from: older, to: newer))
            try older.refresh()
            try Self.expect(live.query, 70, newer.table("Item"), live.keys)
            for name in ["Item", "Book"] {
                let limit = [3, 50, 100][random.below(3)], query = query(Int64(limit)), table = try newer.table(name)
                try Self.expect(query, limit, table, table.keys(matching: query))
            }
        }
    }

    private static func expect(_ query: ObjectQuery, _ limit: Int, _ table: Table, _ found: [ObjectKey]) throws {
        guard case .nearest(let nearest) = query.steps[0] else { return }
        #expect(try found == naive(table, nearest) { $0 < limit || limit >= 100 }, "\(query)")
    }
}
