import DatabaseKit
@testable import FreeholdEngine
import TestKit
import Testing

/// `GEOWITHIN` and `@distance` of the query language.
@Suite struct PlaceQueryTests {
    private func withShops(_ body: (Database) throws -> Void) throws {
        let machine = SimulatedSystem(seed: 12)
        defer { machine.discard() }
        let database = try Database.open("/shops.freehold", OpenOptions.simulated, on: machine.makeProcess())
        defer { database.close() }
        try database.write { transaction in
            try transaction.createClass(ClassSchema("Location", isEmbedded: true, [
                PropertySchema("type", .string), PropertySchema("coordinates", .double, collections: [.list]),
            ]))
            try transaction.createClass(ClassSchema("Shop", [
                PropertySchema("number", .int), PropertySchema("name", .string), PropertySchema("latitude", .double, isNullable: true),
                PropertySchema("longitude", .double), PropertySchema("location", linkTo: "Location"),
                PropertySchema("branches", linkTo: "Location", collections: [.list]), PropertySchema("owner", linkTo: "Shop"),
            ]))
            // Oslo, Bergen, no place, Null Island.
            try insert(1, (10.75, 59.91), owner: nil, transaction)
            try insert(2, (5.32, 60.39), owner: 0, transaction)
            try insert(3, nil, owner: 1, transaction)
            try insert(4, (0, 0), owner: 0, transaction)
        }
        try body(database)
    }

    private func location(_ east: Double, _ north: Double, type: String = "Point") -> [(String, Value)] {
        [("type", .string(type)), ("coordinates", .list([.double(east), .double(north)]))]
    }

    private func insert(_ number: Int64, _ place: (Double, Double)?, owner: Int64?, _ transaction: WriteTransaction) throws {
        let shop = try transaction.insert(into: "Shop", [
            ("number", .int(number)), ("name", .string("shop \(number)")), ("latitude", place.map { .double($0.1) } ?? .null),
            ("longitude", .double(place?.0 ?? 0)), ("owner", owner.map { .link(ObjectKey($0)) } ?? .null),
        ])
        guard let place else { return }
        let shops = try transaction.table("Shop")
        try transaction.embed(location(place.0, place.1), in: shop, of: shops, shops.column("location"))
        let branches = try transaction.list(of: shop, in: shops, shops.column("branches"))
        for shift in [0.0, 20] { try branches.embed(location(place.0 + shift, place.1)) }
    }

    @Test("places of embedded objects, of two numbers, over links and in lists are within shapes", arguments: [
        ("location GEOWITHIN geoCircle([10.75, 59.91], 1e-9)", [1]), ("location GEOWITHIN geoCircle([10, 60], 0.06)", [1, 2]),
        ("latitude, longitude GEOWITHIN geoCircle([10, 60], 0.06)", [1, 2]), ("NOT location GEOWITHIN geoCircle([10, 60], 0.06)", [3, 4]),
        ("location GEOWITHIN geoBox([5, 58, 100], [12, 64])", [1, 2]), ("latitude, longitude GEOWITHIN geoBox([12, -64], [5, 64])", [4]),
        ("location GEOWITHIN geoPolygon({[0, 55], [15, 55], [15, 65], [0, 65], [0, 55]}, {[10, 59], [12, 59], [11, 61], [10, 59]})",
         [2]),
        ("owner.location GEOWITHIN geoCircle([10.75, 59.91], 0.001)", [2, 4]),
        ("owner.latitude, owner.longitude GEOWITHIN geoCircle([10.75, 59.91], 0.001)", [2, 4]),
        ("ANY branches GEOWITHIN geoBox([20, 0], [40, 90])", [1, 2, 4]), ("ALL branches GEOWITHIN geoBox([0, 50], [20, 90])", [3]),
        ("ALL branches GEOWITHIN geoBox([0, 50], [31, 90])", [1, 2, 3]), ("NONE branches GEOWITHIN geoBox([20, 50], [40, 90])", [3, 4]),
        ("@links.Shop.owner.@count > 0 AND location GEOWITHIN geoCircle([0, 0], 3.2)", [1, 2]),
        ("SUBQUERY(branches, $b, $b GEOWITHIN geoBox([20, 50], [40, 90])).@count == 1", [1, 2]),
        ("@distance(location, [10.75, 59.91]) < 1000", [1]), ("@distance(location, [10.75, 59.91]) < 400000", [1, 2]),
        ("@distance(latitude, longitude, [10.75, 59.91]) / 1000 >= 300", [2, 4]), ("@distance(location, [0, 0]) == nil", [3]),
        ("@distance(location, [5, 5]) == @distance(latitude, longitude, [5, 5])", [1, 2, 3, 4]),
        ("@distance(location, [10.75, 59.91]) BETWEEN {300000, 310000}", [2]),
        ("SORT(@distance(location, [6, 60]))", [2, 1, 4, 3]), ("SORT(@distance(latitude, longitude, [6, 60]) DESC)", [3, 4, 1, 2]),
        ("number < 4 SORT(@distance(location, [1, 1]) ASC) LIMIT(1)", [1]),
        ("SORT(@distance(owner.location, [6, 60]), number DESC) LIMIT(3)", [3, 4, 2]),
        ("SORT(number DESC) SORT(@distance(owner.latitude, owner.longitude, [6, 60]))", [3, 4, 2, 1]),
    ] as [(String, [Int64])])
    func find(text: String, numbers: [Int64]) throws {
        try withShops { database in
            let table = try database.snapshot().table("Shop"), query = try ObjectQuery(text)
            #expect(try self.numbers(query, table) == numbers)
            #expect(try ObjectQuery(query.description) == query, "\(query)")
            #expect(try table.count(matching: query) == numbers.count)
            var within: [Int64] = []
            try database.write { within = try self.numbers(query, $0.table("Shop")) }
            #expect(within == numbers)
        }
    }

    private func numbers(_ query: ObjectQuery, _ table: Table) throws -> [Int64] {
        let number = try table.column("number")
        return try table.keys(matching: query).compactMap { key in
            if case .int(let found) = try table.value(key, number) { found } else { nil }
        }
    }

    @Test("shapes, points and numbers may be arguments", arguments: [
        ("location GEOWITHIN $0", [.string("geoCircle([10.75, 59.91], 0.001)")]),
        ("location IN %@", [.string("geoBox([10, 59], [11, 60])")]),
        ("location GEOWITHIN geoCircle($0, $1)", [.list([.double(10.75), .double(59.91)]), .double(0.001)]),
        ("location GEOWITHIN geoCircle([%@, %@], %@)", [.double(10.75), .float(60), .int(0)]),
        ("@distance(location, %@) < %@", [.list([.int(11), .int(60)]), .int(50_000)]),
    ] as [(String, [Value])])
    func takeArguments(text: String, arguments: [Value]) throws {
        try withShops { database in
            let query = try ObjectQuery(text, arguments)
            let expected: [Int64] = text.contains("[%@") ? [] : [1]
            #expect(try numbers(query, database.snapshot().table("Shop")) == expected)
            #expect(try ObjectQuery(query.description) == query)
        }
    }

    @Test("an argument that is no shape, point or number is refused", arguments: [
        ("location GEOWITHIN $0", [.int(5)], "column 20: the argument of GEOWITHIN is a string"),
        ("location GEOWITHIN $0", [.string("location")], "column 20: the argument of GEOWITHIN is no shape: query, column 1: expected geo"),
        ("location GEOWITHIN $0", [.string("geoCircle([0, 0], 1) OR 1 == 1")], "expected the end of the shape"),
        ("location GEOWITHIN geoCircle($0, 1)", [.string("x")], "column 30: the argument for a point is a list"),
        ("location GEOWITHIN geoCircle($0, 1)", [.list([.int(1), .string("x")])], "column 30: the argument for a point is a list of num"),
        ("location GEOWITHIN geoCircle([0, 0], $0)", [.null], "column 38: the argument for the radius in radians is not a number"),
    ] as [(String, [Value], String)])
    func refuseArguments(text: String, arguments: [Value], message: String) {
        let error = #expect(throws: FreeholdError.self) { try ObjectQuery(text, arguments) }
        #expect(error?.code == .malformedInput && error?.message.contains(message) == true, "\(String(describing: error))")
    }

    @Test("objects of another type, too few coordinates and degrees out of range are within nothing, and not refused")
    func noPlaces() throws {
        try withShops { database in
            let places: [[(String, Value)]] = [
                location(1, 2, type: "point"), location(1, 2, type: ""), location(1, 91), location(181, 0), location(.nan, 0),
                location(0, .infinity),
                [("type", .string("Point")), ("coordinates", .list([.double(1)]))], [("type", .string("Point"))],
            ]
            for place in places {
                try database.write { transaction in
                    let shops = try transaction.table("Shop")
                    try transaction.embed(place, in: ObjectKey(0), of: shops, shops.column("location"))
                }
                let table = try database.snapshot().table("Shop")
                #expect(try numbers(ObjectQuery("location GEOWITHIN geoCircle([0, 0], 4)"), table) == [2, 4], "\(place)")
                #expect(try numbers(ObjectQuery("@distance(location, [0, 0]) == nil"), table) == [1, 3], "\(place)")
            }
        }
    }

    @Test("live results follow the coordinates of embedded objects, their links and numbers", arguments: TestScale.seeds(2, long: 20))
    func live(seed: UInt64) throws {
        try withShops { database in
            var random = SeededRandom(seed: seed)
            let texts = [
                "location GEOWITHIN geoBox([0, 0], [20, 20])", "NOT latitude, longitude GEOWITHIN geoBox([0, 0], [20, 20])",
                "owner.location GEOWITHIN geoBox([0, 0], [20, 20])", "ANY branches GEOWITHIN geoBox([0, 0], [10, 20])",
                "@distance(location, [10, 10]) < 1000000 SORT(number DESC)", "SORT(@distance(location, [10, 10])) LIMIT(2)",
                "SORT(@distance(owner.latitude, owner.longitude, [10, 10]) DESC)",
                "@distance(owner.latitude, owner.longitude, [10, 10]) < 1000000",
            ]
            let older = try database.snapshot(), newer = try database.snapshot()
            let live = try texts.map { try LiveQuery(ObjectQuery($0), of: "Shop", at: older) }
            for round in 0..<30 {
                try database.write { try change($0, &random) }
                try newer.refresh()
                let step = try VersionStep(from: older, to: newer)
                for query in live {
                    _ = try query.advance(step)
                    let anew = try newer.table("Shop").keys(matching: query.query)
                    #expect(query.keys == anew, "seed \(seed), round \(round): \(query.query)")
                }
                try older.refresh()
            }
        }
    }

    private func change(_ transaction: WriteTransaction, _ random: inout SeededRandom) throws {
        let shops = try transaction.table("Shop"), shop = ObjectKey(Int64.random(in: 0..<4, using: &random))
        let east = Double.random(in: -10...30, using: &random), north = Double.random(in: -10...30, using: &random)
        switch Int.random(in: 0..<6, using: &random) {
        case 0: try transaction.embed(location(east, north), in: shop, of: shops, shops.column("location"))
        case 1: try transaction.set(shop, in: shops, shops.column("location"), to: .null)
        case 2: try transaction.set(shop, in: shops, shops.column("latitude"), to: random.oneIn(4) ? .null : .double(north))
        case 3: try transaction.set(shop, in: shops, shops.column("owner"), to: .link(ObjectKey(Int64.random(in: 0..<4, using: &random))))
        case 4:
            let places = try transaction.table("Location"), all = try places.keys()
            guard let place = all.randomElement(using: &random) else { return }
            let list = Value.list([.double(east), .double(north)])
            try transaction.set(place, in: places, places.column("coordinates"), to: list)
        default: try transaction.list(of: shop, in: shops, shops.column("branches")).embed(location(east, north))
        }
    }

    @Test("the explanation has the test, and a box that was not written as text is checked")
    func explained() throws {
        try withShops { database in
            let table = try database.snapshot().table("Shop")
            let query = try ObjectQuery("latitude, longitude GEOWITHIN geoBox([0, 0], [1, 1])")
            let explanation = try table.prepare(query).explanation(running: true)
            let line = "latitude, longitude GEOWITHIN geoBox([0.0, 0.0], [1.0, 1.0])  (object by object)"
            #expect(explanation.contains(line), "\(explanation)")
            let box = GeoBox(bottomLeft: try GeoPoint(at: 5, 0), topRight: try GeoPoint(at: 4, 0))
            let place = QueryExpression.path(PropertyPath("location"))
            for wrong in [
                QueryComparison(place, .within, .shape(.box(box))), QueryComparison(place, .within, .value(.int(1))),
                QueryComparison(.list([]), .within, .shape(.box(box))), QueryComparison(place, .equal, .shape(.box(box))),
                QueryComparison(.distance([], from: box.topRight), .less, .value(.int(1))),
            ] {
                #expect(throws: FreeholdError.self) { try table.prepare(ObjectQuery(.comparison(wrong))) }
            }
        }
    }
}
