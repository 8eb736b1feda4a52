import DatabaseKit
@testable import FreeholdEngine
import TestKit
import Testing

/// Distances as values of an answer, against the haversine of the C library over the numbers that were stored.
@Suite("Distances of a query's objects") struct DistanceTests {
    private static let orders: [(text: String, isByLink: Bool)] = [
        ("SORT(@distance(location, $))", true), ("SORT(@distance(latitude, longitude, $)) LIMIT(20)", false),
        ("year > 1 SORT(@distance(location, $) DESC)", true), ("SORT(@distance(latitude, longitude, $), year DESC) LIMIT(9)", false),
        ("@distance(location, $) < 5000000", true), ("NOT @distance(latitude, longitude, $) / 1000 > 4000 LIMIT(30)", false),
        ("year > 1 AND (year < 0 OR 9e6 >= @distance(location, $)) SORT(year ASC)", true),
        ("@distance(latitude, longitude, [1, 2]) > 10 SORT(@distance(location, $)) SORT(year ASC) LIMIT(40)", true),
        ("SORT(@distance(location, [1, 2])) SORT(@distance(latitude, longitude, $))", false),
        ("FUSE(year > 2 SORT(year) LIMIT(20), SORT(@distance(location, $)) LIMIT(20), 15)", true),
        ("@distance(location, $) BETWEEN {1, 6e6} AND @distance(latitude, longitude, [0, 0]) > 1", true),
    ]

    /// The places of the shops by their keys: a latitude and a longitude, and those of the location.
    private struct Places {
        var numbers: [ObjectKey: [Value]] = [:]
        var locations: [ObjectKey: [Value]] = [:]
    }

    private func make(_ machine: SimulatedSystem) throws -> Database {
        let database = try Database.open("/distances.freehold", OpenOptions.simulated, on: machine.makeProcess())
        try database.write { transaction in
            try transaction.createClass(ClassSchema("Location", isEmbedded: true, [
                PropertySchema("type", .string), PropertySchema("coordinates", .double, collections: [.list]),
            ]))
            try transaction.createClass(ClassSchema("Shop", [
                PropertySchema("latitude", .double, isNullable: true), PropertySchema("longitude", .double), PropertySchema("year", .int),
                PropertySchema("location", linkTo: "Location"),
            ]))
        }
        return database
    }

    private func add(_ count: Int, to database: Database, _ places: inout Places, _ random: inout SeededRandom) throws {
        try database.write { transaction in
            let shops = try transaction.table("Shop"), column = try shops.column("location")
            for _ in 0..<count {
                var degrees: [Double] { [Double.random(in: -90...90, using: &random), Double.random(in: -180...180, using: &random)] }
                let own: [Value] = degrees.map { .double($0) }, nowhere: [Value] = [.null, .double(91), .double(.nan)]
                let latitude = random.below(9) == 0 ? nowhere[random.below(3)] : own[0]
                let key = try transaction.insert(into: "Shop", [
                    ("latitude", latitude), ("longitude", own[1]), ("year", .int(Int64(random.below(5)))),
                ])
                places.numbers[key] = [latitude, own[1]]
                if random.below(6) == 0 { continue }
                let there: [Value] = degrees.map { .double($0) }, isPoint = random.below(9) > 0
                try transaction.embed([("type", .string(isPoint ? "Point" : "Line")), ("coordinates", .list(there.reversed()))], in: key,
                                      of: shops, column)
                if isPoint { places.locations[key] = there }
            }
        }
    }

    /// Compares the distances of what queries find, and of some keys without an object.
    private func compare(_ table: Table, _ places: Places, _ random: inout SeededRandom, _ comment: String) throws {
        for (text, isByLink) in Self.orders {
            let point = try GeoPoint(at: Double.random(in: -90...90, using: &random), Double.random(in: -180...180, using: &random))
            let written = text.replacing("$", with: "[\(point.longitude), \(point.latitude)]")
            let query = try table.prepare(ObjectQuery(written)), keys = try query.keys() + [ObjectKey(1 << 40), ObjectKey(-1)]
            let meters = try query.distances(of: keys)
            #expect(meters.count == keys.count && keys.count > 2, "\(comment): \(written)")
            let wrong = zip(keys, meters).first { key, found in
                let wanted = NaivePlaces.distance((isByLink ? places.locations : places.numbers)[key] ?? [], from: point).double
                // The haversine itself is wrong by centimetres near the opposite point.
                return (wanted == nil) != (found == nil) || abs((wanted ?? 0) - (found ?? 0)) > 0.2
            }
            #expect(wrong == nil, "\(comment): \(written): \(String(describing: wrong))")
            guard text.hasPrefix("SORT"), !text.contains("DESC"), !text.contains("[1, 2]") else { continue }
            let found = meters.dropLast(2)
            #expect(zip(found, found.dropFirst()).allSatisfy { $0 ?? .infinity <= $1 ?? .infinity }, "\(comment): \(written)")
        }
    }

    @Test("are those of the order, or else of the condition, with and without an index, in snapshots and transactions",
          arguments: TestScale.seeds(1, long: 20))
    func random(seed: UInt64) throws {
        let machine = SimulatedSystem(seed: seed)
        defer { machine.discard() }
        var random = SeededRandom(seed: seed), places = Places()
        let database = try make(machine)
        try add(400, to: database, &places, &random)
        try compare(database.snapshot().table("Shop"), places, &random, "seed \(seed), no index")
        try database.write { transaction in
            try transaction.places.add(PlaceIndex("location"), to: "Shop")
            try transaction.places.add(PlaceIndex(latitude: "latitude", longitude: "longitude"), to: "Shop")
        }
        try add(60, to: database, &places, &random)
        try compare(database.snapshot().table("Shop"), places, &random, "seed \(seed), index")
        try database.write { try compare($0.table("Shop"), places, &random, "seed \(seed), transaction") }
    }

    @Test("a query without @distance, or with one in a subquery alone, is refused", arguments: [
        "year > 1", "location GEOWITHIN geoCircle([0, 0], 1)", "SUBQUERY(branches, $b, @distance($b, [0, 0]) > 1).@count > 0",
    ])
    func refused(text: String) throws {
        let machine = SimulatedSystem(seed: 1)
        defer { machine.discard() }
        let database = try make(machine)
        try database.write { try $0.addProperty(PropertySchema("branches", linkTo: "Location", collections: [.list]), to: "Shop") }
        let query = try database.snapshot().table("Shop").prepare(ObjectQuery(text))
        let error = #expect(throws: FreeholdError.self) { try query.distances(of: []) }
        #expect(error?.code == .malformedInput)
        #expect(error?.message.contains("no @distance outside of subqueries and of the conditions of FUSE's rankings") == true)
    }
}
