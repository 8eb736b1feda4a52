import DatabaseKit
@testable import FreeholdEngine
import TestKit
import Testing

/// Which way queries are answered, and that every way gives the same objects.
@Suite struct PlannerTests {
    private static let schema = ClassSchema(
        "Item", primaryKey: "id",
        indexes: [IndexSchema(["kind", "age"]), IndexSchema(["city", "kind", "score"]), IndexSchema(["code", "part"], isUnique: true)],
        [PropertySchema("id", .int), PropertySchema("age", .int), PropertySchema("score", .double), PropertySchema("kind", .string), PropertySchema("city", .string, isIndexed: true),
         PropertySchema("made", .date, isIndexed: true), PropertySchema("name", .string), PropertySchema("code", .int), PropertySchema("part", .int), PropertySchema("rare", .int, isNullable: true, isIndexed: true),
         PropertySchema("height", .float, isIndexed: true), PropertySchema("serial", .int), PropertySchema("shop", linkTo: "Shop")])

    /// So many items, the last ones in the tail.
    private func asking(_ count: Int = 8000, _ body: (Table, Snapshot) throws -> Void) throws {
        let machine = SimulatedSystem(seed: 11)
        defer { machine.discard() }
        let database = try Database.open("/items.freehold", OpenOptions.simulated, on: machine.makeProcess())
        defer { database.close() }
        var random = SeededRandom(seed: 17)
        func insert(_ number: Int, _ transaction: WriteTransaction, _ shops: [ObjectKey]) throws {
            let values: [(String, Value)] = [
                ("age", .int(Int64(number * 7919 % 100))), ("score", .double(Double.random(in: 0...1000, using: &random))), ("kind", .string("kind-\(number % 5)")),
                ("city", .string("city-\(number * 31 % 200)")), ("made", .date(Timestamp(seconds: Int64(number)))), ("name", .string("\(["Ada", "Alan", "Grace", "Edsger"][number % 4])-\(number * 613 % 20_011)")),
                ("code", .int(Int64(number / 3))), ("part", .int(Int64(number % 3))), ("rare", number % 100 == 0 ? .int(Int64(number / 100)) : .null), ("height", .float(Float(number % 50) / 10)), ("serial", .int(Int64(number))),
                ("shop", number % 7 == 0 ? .null : .link(shops[number % shops.count])),
            ]
            try transaction.insert(into: "Item", key: .int(Int64(number)), values)
        }
        var shops: [ObjectKey] = []
        try database.write { transaction in
            try transaction.createClass(ClassSchema("Town", [PropertySchema("name", .string)]))
            try transaction.createClass(ClassSchema("Shop", [PropertySchema("name", .string), PropertySchema("size", .int), PropertySchema("town", linkTo: "Town")]))
            try transaction.createClass(Self.schema)
            let towns = try (0..<10).map { try transaction.insert(into: "Town", [("name", .string("town-\($0)"))]) }
            for number in 0..<300 { shops.append(try transaction.insert(into: "Shop", [("name", .string("shop-\(number)")), ("size", .int(Int64(number % 9))), ("town", .link(towns[number % 10]))])) }
            for number in 0..<(count - 100) { try insert(number, transaction, shops) }
        }
        try database.write { transaction in for number in (count - 100)..<count { try insert(number, transaction, shops) } }
        let snapshot = try database.snapshot()
        try body(snapshot.table("Item"), snapshot)
    }

    /// What a scan that knows no index, no bounds and no other thread finds.
    private func plainly(_ query: ObjectQuery, in table: Table) throws -> [ObjectKey] {
        let prepared = try table.prepare(query), context = QueryContext()
        var found: [ObjectKey] = []
        try table.forEach { row in
            context.rows = [row]
            if try prepared.condition.holds(context) { found.append(row.key) }
            return true
        }
        var all = FoundKeys(table, found)
        try all.apply(prepared.steps)
        return try all.keys()
    }

    @Test func eachQueryTakesTheWayThatIsMeantForIt() throws {
        let ways: [(String, String)] = [
            ("city == 'city-7'", "index for city == \"city-7\", about 40 objects"),
            ("city IN {'city-7', 'city-8'}", "index for city IN"),
            ("city BEGINSWITH 'city-11'", "index for city BEGINSWITH \"city-11\", about 440 objects"),
            ("city < 'city-10'", "index for city < \"city-10\", about 80 objects"),
            ("made BETWEEN {date(5), date(9)}", "index for made BETWEEN"),
            ("made >= date(5) AND made < date(9)", "index for made >= date(5) AND made < date(9), about 4 objects"),
            ("city > 'city-10' AND age > 3 AND city <= 'city-101' AND city < 'd'", "index for city > \"city-10\" AND city <= \"city-101\" AND city < \"d\", about 80 objects"),
            ("height > float(1.2) AND height < float(1.2)", "about 0 objects"),
            ("kind == 'kind-3' AND age > 90 AND age < 93", "index for kind == \"kind-3\" AND age > 90 AND age < 93, about"),
            ("height == float(4.5)", "index for height == float(4.5), about 160 objects"),
            ("kind == 'kind-3' AND age == 12", "index for kind == \"kind-3\" AND age == 12, about"),
            ("kind == 'kind-3' AND age > 90", "index for kind == \"kind-3\" AND age > 90, about"),
            ("age > 90 AND kind IN {'kind-3', 'kind-4'}", "index for kind IN"),
            ("city == 'city-7' AND kind == 'kind-2' AND score > 900", "index for city == \"city-7\" AND kind == \"kind-2\" AND score > 900"),
            ("code == 5 AND part == 1", "index for code == 5 AND part == 1, about 1 objects"),
            ("code == 5", "index for code == 5, about 3 objects"),
            ("city == 'city-7' OR rare == 5", "index for any of (rare == 5; city == \"city-7\"), about 41 objects"),
            ("city == 'city-7' OR name == 'Ada-0'", "scan of every one of 8000 objects"),
            ("(city == 'city-7' AND age > 50) OR rare == 5", "index for any of (rare == 5; city == \"city-7\")"),
            ("height == float(4.5) AND city IN {'city-5', 'city-45'}", "and index for"),
            ("rare == nil", "scan of every one"),
            ("rare == nil AND age > 3", "note: the index for rare == NULL is not used: it has about 7920 of 8000 objects"),
            ("age > 3", "scan of every one"),
            ("id BETWEEN {5, 9}", "scan of objects with keys from 5 to 9"),
            ("id > 9 AND id < 3", "nothing"),
            ("rare == 5 AND id < 4000", "index for rare == 5 and keys for id < 4000"),
            ("shop.name == 'shop-12'", "index for shop.name == \"shop-12\", about"),
            ("shop.town.name == 'town-3'", "a cluster at a time, by links to 30 objects"),
            ("SORT(made DESC) LIMIT(10)", "in the order of the index of made, until 10 are found"),
            ("kind == 'kind-1' SORT(age ASC) LIMIT(10)", "in the order of the index of kind, age, until 10 are found"),
            ("kind == 'kind-1' AND score > 100 SORT(age DESC, name ASC) LIMIT(10)", "in the order of the index of kind, age, until 10 are found"),
            ("age > 5 SORT(made DESC) LIMIT(10)", "in the order of the index of made"),
            ("age > 5 SORT(score DESC) LIMIT(10)", "the first 10, starting with the most promising clusters"),
            ("SORT(name ASC, score ASC) LIMIT(10)", "the first 10, starting with the most promising clusters"),
            ("SORT(kind ASC, age ASC) LIMIT(10)", "in the order of the index of kind, age"),
            ("SORT(id DESC) LIMIT(3)", "the first 3, starting with the most promising clusters"),
        ]
        try asking { table, _ in
            for (text, way) in ways {
                let query = try ObjectQuery(text), prepared = try table.prepare(query), told = try prepared.explanation()
                #expect(told.contains(way), "\(text): \(told)")
                let expected = try plainly(query, in: table)
                #expect(try prepared.keys() == expected, "\(text): \(told)")
                #expect(try prepared.count() == expected.count, "\(text): \(told)")
                #expect(try prepared.first() == expected.first, "\(text): \(told)")
                #expect(try prepared.explanation(running: true).contains("found: \(expected.count)"), "\(text)")
            }
        }
    }

    /// Bounds of leaves keep clusters from being read: what is asked for stands in few of them.
    @Test func fewClustersAreReadWhereBoundsTell() throws {
        try asking { table, _ in
            func read(_ text: String) throws -> QueryTally {
                let tally = QueryTally(), prepared = try table.prepare(ObjectQuery(text))
                _ = try prepared.keys(prepared.steps, tally)
                return tally
            }
            let clusters = table.state.count / 256
            let range = try read("serial BETWEEN {3000, 3010} AND score >= 0")
            #expect(range.clusters >= clusters && range.leavesByBounds >= clusters - 2, "\(range.description)")
            let newest = try read("score >= 0 SORT(id DESC) LIMIT(5)")
            #expect(newest.clusters <= 2 && newest.leaves <= 2, "\(newest.description)")
            let best = try read("age >= 0 SORT(score DESC) LIMIT(5)")
            #expect(best.clusters < clusters / 4, "\(best.description)")
        }
    }

    /// The first objects of any order, under any condition, are those of a full sort.
    @Test(arguments: TestScale.seeds(2, long: 8))
    func theFirstOfAnOrderAreThoseOfAFullSort(seed: UInt64) throws {
        let paths = ["age", "score", "kind", "city", "serial", "made", "name", "rare", "height", "id", "code", "shop.size",
                     "name COLLATE 'de-u-kn'", "city COLLATE 'en-u-kn'", "kind COLLATE 'und'"]
        let conditions = ["", "age > 50 ", "kind == 'kind-2' ", "city == 'city-9' ", "rare != nil ", "name BEGINSWITH 'Ad' ", "score < 1 ", "age == 3 AND kind == 'kind-1' ",
                          "kind == 'kind-1' ", "kind == 'kind-1' AND age > 20 ", "city == 'city-9' AND kind == 'kind-4' ", "made > date(500) ", "name < 'B' ", "name >= 'G' AND name <= 'Grace-5' ", "shop.town.name IN {'town-1', 'town-2'} ", "NOT shop.size == 4 ", "score + age > 900 ", "FALSEPREDICATE "]
        let orders = ["age ASC", "age DESC", "age ASC, name DESC", "score DESC", "made DESC", "kind ASC, age ASC", "kind DESC, age DESC", "code ASC, part ASC"]
        try asking(3000) { table, _ in
            var random = SeededRandom(seed: seed)
            for _ in 0..<100 {
                let terms = (0..<Int.random(in: 1...3, using: &random)).map { _ in "\(paths.randomElement(using: &random)!) \(Bool.random(using: &random) ? "ASC" : "DESC")" }
                let order = random.oneIn(3) ? orders.randomElement(using: &random)! : terms.joined(separator: ", ")
                let text = conditions.randomElement(using: &random)! + "SORT(\(order))", limit = Int.random(in: 1...200, using: &random)
                let expected = try plainly(ObjectQuery(text), in: table).prefix(limit)
                #expect(try table.keys(matching: ObjectQuery(text + " LIMIT(\(limit))")) == Array(expected), "seed \(seed): \(text) LIMIT(\(limit))")
                if limit > 2 {
                    #expect(try table.keys(matching: ObjectQuery(text + " OFFSET(2) LIMIT(\(limit - 2))")) == Array(expected.dropFirst(2)), "seed \(seed): \(text) OFFSET(2)")
                }
            }
        }
    }

    /// Groups made cluster by cluster are those made object by object.
    @Test func groupsOfClustersAreThoseOfObjects() throws {
        let queries = ["GROUP(kind) SELECT(@count, age.@sum, age.@min, age.@max, age.@avg, score.@min, score.@max, rare.@count, rare.@sum, rare.@min, height.@max)", "GROUP() SELECT(@count, score.@max, rare.@avg)",
                       "age > 50 GROUP(city) SELECT(@count, age.@avg)", "name CONTAINS '1' GROUP(kind, age) SELECT(@count, height.@min)", "GROUP(rare) SELECT(@count)", "GROUP(age, kind, city) SELECT(serial.@max) LIMIT(50)",
                       "age > 1000 GROUP(kind) SELECT(@count)", "age > 1000 GROUP() SELECT(@count, age.@max, age.@sum, score.@sum)", "GROUP(name) SELECT(serial.@sum) OFFSET(7) LIMIT(9)"]
        try asking(4000) { table, _ in
            for text in queries {
                let prepared = try table.prepare(ObjectQuery(text))
                guard case .group(let paths, let figures) = prepared.steps[0] else { continue }
                #expect(GroupScan(table, nil, paths, figures, nil) != nil, "\(text)")
                let keys = try prepared.selected(limit: .max)
                #expect(try prepared.groups() == prepared.groups(of: keys), "\(text)")
                #expect(try !prepared.groups().isEmpty || text.hasPrefix("age > 1000 GROUP(kind)"), "\(text)")
            }
        }
    }

    /// Several threads find what one finds, in the same order, and add up to the same sums, bit for bit.
    @Test func severalThreadsFindWhatOneDoes() throws {
        let conditions = ["age > 50", "name CONTAINS '1'", "city == 'city-9' OR score < 20", "NOT (kind IN {'kind-1', 'kind-2'})", "score + age > 500", "name LIKE '*-1?'", "made > date(900)", "rare == nil AND age < 9",
                          "name BETWEEN {'B', 'F'}", "TRUEPREDICATE", "height == float(4.5)"]
        try asking { table, _ in
            for text in conditions {
                let condition = try table.prepare(ObjectQuery(text)).condition
                let one = TableScan(table, condition, threads: 1), many = TableScan(table, condition, threads: 4)
                #expect(try many.keys(limit: .max) == one.keys(limit: .max), "\(text)")
                #expect(try many.count() == one.count(), "\(text)")
            }
            let ranges = try table.keyRanges(16)
            #expect(ranges.count > 8 && ranges.first?.lowerBound == .min && ranges.last?.upperBound == .max)
            for (one, next) in zip(ranges, ranges.dropFirst()) { #expect(one.upperBound + 1 == next.lowerBound) }
            for name in ["age", "score", "height"] {
                let column = try table.column(name), one = try table.summary(column, .all, threads: 1), many = try table.summary(column, .all, threads: 4)
                #expect(one.realSum.bitPattern == many.realSum.bitPattern && one.integerSum == many.integerSum && one.count == many.count)
                #expect(one.realBounds == many.realBounds && one.integerBounds == many.integerBounds)
            }
        }
    }

    /// An error of one piece is the error of all, and no thread is left behind with it.
    @Test func whatAPieceThrowsIsThrown() throws {
        try asking(3000) { table, _ in
            for _ in 0..<20 {
                #expect(throws: FreeholdError.self) {
                    _ = try table.shared(4) { _, range throws(FreeholdError) -> Int in
                        if range.upperBound == .max { throw FreeholdError(.corrupt, "the last piece") }
                        return 1
                    }
                }
            }
            let counts = try table.shared(4) { table, range throws(FreeholdError) in try table.keys(limit: 1).count }
            #expect(counts.count > 1 && counts.allSatisfy { $0 == 1 })
        }
    }
}
