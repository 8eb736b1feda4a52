import DatabaseKit
@testable import FreeholdEngine
import TestKit
import Testing

/// Places that an index finds, against the same tests object by object.
@Suite("Indexes of places in queries") struct PlaceIndexTests {
    private static let degrees = [0.0, 90, -90, 180, -180, 0.001, 10, 10.000_001, 59.91, .nan, 91]

    private static func degree(_ random: inout SeededRandom) -> Double {
        let any = Double.random(in: -180...180, using: &random) / Double(1 + random.below(3))
        return random.below(3) == 0 ? degrees[random.below(degrees.count)] : any
    }

    private static let places = ["location", "latitude, longitude", "home.north, home.east"]

    private static func place(_ random: inout SeededRandom) -> (east: Double, north: Double) {
        while true {
            let east = degree(&random), north = degree(&random)
            if GeoPoint.isValid(north, east) { return (east, north) }
        }
    }

    private static func point(_ random: inout SeededRandom) -> String {
        let place = place(&random)
        return "[\(place.east), \(place.north)]"
    }

    private static func shape(_ random: inout SeededRandom) -> String {
        let one = place(&random), other = place(&random)
        switch random.below(4) {
        case 0: return "geoBox([\(one.east), \(min(one.north, other.north))], [\(other.east), \(max(one.north, other.north))])"
        case 1:
            let size = [0.5, 20, 60][random.below(3)], south = max(-89, min(one.north, 80 - size / 10)), north = min(90, south + size)
            let west = min(179, one.east), east = min(180, west + size)
            return "geoPolygon({[\(west), \(south)], [\(east), \(south)], [\(east), \(north)], [\(west), \(south)]})"
        default: return "geoCircle([\(one.east), \(one.north)], \([0, 1e-6, 0.01, 0.3, 2][random.below(5)]))"
        }
    }

    /// A condition on a distance, which is that of an object now and then.
    private static func near(_ places: String, _ random: inout SeededRandom) -> String {
        let distance = "@distance(\(places), \(point(&random)))", most = [0, 111_319.490793, 600_000, 3e6, 2.1e7][random.below(5)]
        return switch random.below(5) {
        case 0: "\(distance) < \(most)"
        case 1: "\(most) >= \(distance)"
        case 2: "\(distance) BETWEEN {\(most / 2), \(most)}"
        case 3: "\(distance) == \(most)"
        default: "\(distance) <= \(most)"
        }
    }

    private func make(_ machine: SimulatedSystem) throws -> Database {
        let database = try Database.open("/places.freehold", OpenOptions.simulated, on: machine.makeProcess())
        try database.write(durability: .full) { transaction in
            try transaction.createClass(ClassSchema("Location", isEmbedded: true, [
                PropertySchema("type", .string), PropertySchema("coordinates", .double, collections: [.list]),
            ]))
            let north = PropertySchema("north", .double, isNullable: true)
            try transaction.createClass(ClassSchema("Home", [north, PropertySchema("east", .double)]))
            try transaction.createClass(ClassSchema("Shop", [
                PropertySchema("latitude", .double, isNullable: true), PropertySchema("longitude", .double), PropertySchema("year", .int),
                PropertySchema("location", linkTo: "Location"), PropertySchema("home", linkTo: "Home"),
            ]))
            try transaction.createClass(ClassSchema("Cafe", superclass: "Shop", [PropertySchema("stars", .int)]))
        }
        return database
    }

    private func addIndexes(_ database: Database) throws {
        try database.write(durability: .full) { transaction in
            let numbers = [
                try transaction.places.add("location", to: "Shop"),
                try transaction.places.add(latitude: "latitude", longitude: "longitude", to: "Shop"),
                try transaction.places.add(latitude: "home.north", longitude: "home.east", to: "Shop"),
            ]
            #expect(numbers == [0, 1, 2])
        }
    }

    private func change(_ database: Database, _ random: inout SeededRandom, _ count: Int) throws {
        try database.write(durability: .full) { transaction in
            let shops = try transaction.table("Shop"), homes = try transaction.table("Home")
            for _ in 0..<count {
                let shop = ObjectKey(Int64(random.below(Int(max(1, shops.nextKey.rawValue)))))
                let home = ObjectKey(Int64(random.below(Int(max(1, homes.nextKey.rawValue)))))
                switch random.below(12) {
                case 0...4:
                    var values: [(String, Value)] = [("longitude", .double(Self.degree(&random))), ("year", .int(Int64(random.below(5))))]
                    if random.below(5) > 0 { values.append(("latitude", .double(Self.degree(&random)))) }
                    if try homes.contains(home) { values.append(("home", .link(home))) }
                    let key = try transaction.insert(into: random.below(4) == 0 ? "Cafe" : "Shop", values)
                    if random.below(4) > 0 { try place(key, shops, &random, transaction) }
                case 5, 6:
                    let north = Value.double(Self.degree(&random)), east = Value.double(Self.degree(&random))
                    try transaction.insert(into: "Home", [("north", north), ("east", east)])
                case 7:
                    let number = Value.double(Self.degree(&random))
                    if try homes.contains(home) { try transaction.set(home, in: homes, homes.column("east"), to: number) }
                case 8:
                    let number = Value.double(Self.degree(&random))
                    if try shops.contains(shop) { try transaction.set(shop, in: shops, shops.column("latitude"), to: number) }
                case 9: if try shops.contains(shop) { try place(shop, shops, &random, transaction) }
                case 10: if try shops.contains(shop) { try transaction.delete(shop, from: shops) }
                default: if try homes.contains(home) { try transaction.delete(home, from: homes) }
                }
            }
        }
    }

    /// Gives a shop a location, moves the one that it has, or takes it.
    private func place(_ shop: ObjectKey, _ shops: Table, _ random: inout SeededRandom, _ transaction: WriteTransaction) throws {
        let column = try shops.column("location"), numbers = Value.list([.double(Self.degree(&random)), .double(Self.degree(&random))])
        switch random.below(5) {
        case 0: try transaction.set(shop, in: shops, column, to: .null)
        case 1, 2:
            guard case .link(let old) = try shops.value(shop, column) else { return }
            let locations = try transaction.table("Location")
            let isType = random.below(3) == 0, other: Value = isType ? .string(random.below(2) == 0 ? "Point" : "Polygon") : numbers
            try transaction.set(old, in: locations, locations.column(isType ? "type" : "coordinates"), to: other)
        default: try transaction.embed([("type", .string("Point")), ("coordinates", numbers)], in: shop, of: shops, column)
        }
    }

    /// Compares random shapes with the test of each object; returns how many of them an index has answered.
    private func compare(_ database: Database, _ random: inout SeededRandom, _ comment: String) throws -> Int {
        let snapshot = try database.snapshot()
        defer { snapshot.end() }
        var answered = 0
        for _ in 0..<24 {
            let table = try snapshot.table(random.below(3) == 0 ? "Cafe" : "Shop")
            let places = Self.places[random.below(3)], year = random.below(3) == 0 ? " AND year > 2" : ""
            let isNear = random.below(4) == 0
            let query = (isNear ? Self.near(places, &random) : "\(places) GEOWITHIN \(Self.shape(&random))") + year
            let prepared = try table.prepare(ObjectQuery(query))
            let wanted = try table.keys().filter { try prepared.matches($0) }, found = try prepared.keys()
            #expect(found == wanted, "\(comment): \(query): \(found.count) of \(wanted.count)")
            #expect(try prepared.count() == wanted.count)
            if try prepared.explanation().contains("index for") { answered += 1 }
        }
        return answered
    }

    /// Compares the nearest objects with those of all objects sorted; returns how many answers an index has given.
    private func compareNearest(_ database: Database, _ random: inout SeededRandom, _ comment: String) throws -> Int {
        let snapshot = try database.snapshot()
        defer { snapshot.end() }
        var answered = 0
        for _ in 0..<12 {
            let table = try snapshot.table(random.below(3) == 0 ? "Cafe" : "Shop"), year = random.below(3) == 0 ? "year > 2 " : ""
            let order = "SORT(@distance(\(Self.places[random.below(3)]), \(Self.point(&random))))"
            let limit = [1, 10, 40][random.below(3)], skipped = random.below(2) * 3
            let all = try table.keys(matching: ObjectQuery(year + order))
            let prepared = try table.prepare(ObjectQuery("\(year)\(order) OFFSET(\(skipped)) LIMIT(\(limit))"))
            let found = try prepared.keys(), wanted = Array(all.dropFirst(skipped).prefix(limit))
            #expect(found == wanted, "\(comment): \(prepared.query)")
            if try prepared.explanation().contains("by the index of places") { answered += 1 }
        }
        return answered
    }

    @Test("what an index finds is what is found object by object, in every state of tail and tree", arguments: TestScale.seeds(3, long: 12))
    func histories(seed: UInt64) throws {
        let machine = SimulatedSystem(seed: seed)
        defer { machine.discard() }
        var random = SeededRandom(seed: seed), answered = 0, nearest = 0
        let database = try make(machine)
        try change(database, &random, 900)
        try addIndexes(database)
        for round in 0..<6 {
            answered += try compare(database, &random, "seed \(seed), round \(round)")
            nearest += try compareNearest(database, &random, "seed \(seed), round \(round)")
            try change(database, &random, [1, 30, 300, 700][random.below(4)])
            let problems = try database.check().problems
            #expect(problems.isEmpty, "seed \(seed), round \(round): \(problems.prefix(3))")
        }
        #expect(answered > 50 && nearest > 20, "\(answered), \(nearest)")
        try database.write(durability: .full) { transaction in
            for number in 0..<3 { try transaction.places.drop(UInt32(number), from: "Shop") }
        }
        #expect(try compare(database, &random, "seed \(seed), dropped") == 0)
        #expect(try database.check().problems.isEmpty)
    }

    @Test("a copy and a salvaged file have the indexes, and answer by them")
    func copies() throws {
        let machine = SimulatedSystem(seed: 1)
        defer { machine.discard() }
        let database = try make(machine)
        var random = SeededRandom(seed: 1)
        try change(database, &random, 1500)
        try addIndexes(database)
        let query = try ObjectQuery("location GEOWITHIN geoCircle([0, 0], 0.4)")
        let wanted = try database.snapshot().table("Shop").keys(matching: query)
        let process = machine.makeProcess()
        try database.copy(to: "/copy.freehold", encryption: .same, .simulated, on: process)
        database.close()
        _ = try Database.salvage(from: "/places.freehold", to: "/salvaged.freehold", .simulated, on: process)
        for path in ["/copy.freehold", "/salvaged.freehold"] {
            let copy = try Database.open(path, OpenOptions.simulated, on: process)
            let prepared = try copy.snapshot().table("Shop").prepare(query), found = try prepared.keys()
            #expect(found == wanted && !wanted.isEmpty, "\(path)")
            #expect(try prepared.explanation().contains("index for location GEOWITHIN geoCircle"), "\(path)")
            #expect(try copy.check().problems.isEmpty, "\(path)")
        }
    }

    @Test("a transaction searches its own changes object by object, and a version with the index needs write feature 1")
    func transactions() throws {
        let machine = SimulatedSystem(seed: 1)
        defer { machine.discard() }
        let database = try make(machine)
        var random = SeededRandom(seed: 1)
        try change(database, &random, 900)
        #expect(try database.snapshot().root.writeFeatures == 0)
        try addIndexes(database)
        #expect(try database.snapshot().root.writeFeatures == FormatFeatures.derivedIndexes | FormatFeatures.places)
        let query = try ObjectQuery("latitude, longitude GEOWITHIN geoCircle([33.25, 44.125], 1e-9)")
        try database.write(durability: .full) { transaction in
            let before = try transaction.table("Shop").count(matching: query)
            try transaction.insert(into: "Shop", [("latitude", .double(44.125)), ("longitude", .double(33.25)), ("year", .int(1))])
            let after = try transaction.table("Shop").count(matching: query)
            #expect(before == 0 && after == 1)
        }
        #expect(try database.snapshot().table("Shop").count(matching: query) == 1)
    }

    @Test("indexes are listed, not added twice, and dropped by their properties")
    func listed() throws {
        let machine = SimulatedSystem(seed: 1)
        defer { machine.discard() }
        let database = try make(machine)
        var random = SeededRandom(seed: 1)
        try change(database, &random, 900)
        try addIndexes(database)
        try addIndexes(database)
        let indexes = try database.snapshot().placeIndexes()
        let wanted = [["location.type", "location.coordinates"], ["latitude", "longitude"], ["home.north", "home.east"]]
        #expect(indexes.map(\.index.paths) == wanted)
        #expect(indexes.allSatisfy { $0.className == "Shop" && $0.state == .complete && $0.percent == 100 && $0.documents > 0 })
        try database.write { transaction in
            // The properties of a link's object name the same index as the link.
            try transaction.places.drop(latitude: "location.type", longitude: "location.coordinates", from: "Shop")
            try transaction.places.drop(latitude: "home.north", longitude: "home.east", from: "Shop")
            let error = #expect(throws: FreeholdError.self) { try transaction.places.drop("location", from: "Shop") }
            #expect(error?.message == "class 'Shop' has no index of places over 'location.type, location.coordinates'")
            #expect(throws: FreeholdError.self) { try transaction.places.drop(latitude: "latitude", longitude: "longitude", from: "Cafe") }
            try transaction.places.add(nil, to: "Location")
            try transaction.places.add(latitude: "latitude", longitude: "longitude", to: "Cafe")
        }
        #expect(try database.snapshot().placeIndexes().map { "\($0.className): \($0.index.paths.joined(separator: ", "))" }.sorted()
            == ["Cafe: latitude, longitude", "Location: type, coordinates", "Shop: latitude, longitude"])
        try database.write { try $0.places.drop(latitude: "latitude", longitude: "longitude", from: "Cafe") }
        try database.write { try $0.places.drop(nil, from: "Location") }
        #expect(try database.snapshot().placeIndexes().map(\.className) == ["Shop"])
        #expect(try database.check().problems.isEmpty)
    }

    @Test("check reports places in wrong cells, too many and missing, and a wrong count")
    func checked() throws {
        let machine = SimulatedSystem(seed: 1)
        defer { machine.discard() }
        let database = try make(machine)
        try database.write(durability: .full) { transaction in
            for number in 0..<300 {
                let values = [("latitude", Value.double(Double(number) / 4)), ("longitude", Value.double(0))]
                try transaction.insert(into: "Shop", values)
            }
            try transaction.places.add(latitude: "latitude", longitude: "longitude", to: "Shop")
        }
        func problems(count: Int, inserting: [(Int, Int)], removing: [(Int, Int)]) throws -> [String] {
            try database.write(durability: .full) { transaction in
                let table = try transaction.schema.number(of: "Shop"), writer = try transaction.writer(table)
                try writer.open(keepingRows: true)
                let known = writer.state.root.auxiliary(.derived, StoredDerived.firstColumn)
                var root = try DerivedRoot(known, in: writer.pending.access)
                let operations = IndexOperations(), key = ByteBuffer(capacity: 8)
                for (place, object) in inserting {
                    key.setCellKey(GeoCell(latitude: Double(place) / 4, longitude: 0).number)
                    operations.insert(key.bytes, ObjectKey(Int64(object)))
                }
                for (place, object) in removing {
                    key.setCellKey(GeoCell(latitude: Double(place) / 4, longitude: 0).number)
                    operations.remove(key.bytes, ObjectKey(Int64(object)))
                }
                let tree = try OrderedIndex.apply(operations, to: root.contents.references[0], table: UInt32(table), in: writer.pending)
                root.contents.references[0] = tree
                root.contents.bytes = (0..<8).map { UInt8(truncatingIfNeeded: count >> ($0 * 8)) }
                writer.pending.free(known)
                let changed = root.write(table: UInt32(table), in: writer.pending)
                writer.state.root.setAuxiliary(.derived, StoredDerived.firstColumn, changed)
            }
            return try database.check().problems.map { "\($0.kind.rawValue) \($0.place): \($0.message)" }
        }
        let moved = try problems(count: 300, inserting: [(9, 7)], removing: [(7, 7)])
        #expect(moved.last == "brokenIndex Shop.derived 0: object 7 has 1 entries, its document files 1 others", "\(moved)")
        let more = try problems(count: 300, inserting: [(7, 7)], removing: [])
        #expect(more.last == "brokenIndex Shop.derived 0: object 7 has 2 entries, its document files 1", "\(more)")
        let fewer = try problems(count: 300, inserting: [], removing: [(9, 7), (20, 20)])
        #expect(fewer.last == "brokenIndex Shop.derived 0: object 20 has 0 entries, its document files 1", "\(fewer)")
        let miscounted = try problems(count: 299, inserting: [(20, 20)], removing: [])
        #expect(miscounted.count == 1 && miscounted[0].contains("299"), "\(miscounted)")
        #expect(try problems(count: 300, inserting: [], removing: []) == [])
    }

    @Test("properties that are no place cannot be indexed", arguments: [
        ("year", "longitude", "an index of places has a latitude and a longitude, which are doubles"),
        ("home.x.y", "longitude", "is no field of an index of places"),
        ("latitude", "", "is no field of an index of places"), ("home.nort", "home.east", "nort"),
    ])
    func refused(latitude: String, longitude: String, message: String) throws {
        let machine = SimulatedSystem(seed: 1)
        defer { machine.discard() }
        let database = try make(machine)
        let error = #expect(throws: FreeholdError.self) {
            try database.write { try $0.places.add(latitude: latitude, longitude: longitude, to: "Shop") }
        }
        #expect(error?.message.contains(message) == true, "\(String(describing: error))")
        #expect(throws: FreeholdError.self) { try database.write { try $0.places.add("home", to: "Shop") } }
        #expect(throws: FreeholdError.self) { try database.write { try $0.places.add(nil, to: "Shop") } }
        try database.write { try $0.places.add(nil, to: "Location") }
    }
}
