import FreeholdEngine

/// Geography: building an index of N places, searching it, and commits of one place.
extension Bench {
    func geography() throws {
        let path = arguments.path("places")
        try Files.remove(path)
        try opening(path) { database in
            try fillPlaces(database)
            let before = try used(database)
            let taken = try seconds {
                try database.write { try $0.places.add(latitude: "latitude", longitude: "longitude", to: "place") }
                try database.buildIndexes()
            }
            Output.figure("geo_build", Double(count) / taken, "places/s")
            Output.figure("geo_size", Double(try used(database) - before) / Double(count), "bytes/place")
            try searchPlaces(database)
            try commitPlaces(database)
        }
        try Files.remove(path)
    }

    private func fillPlaces(_ database: Database) throws {
        var places = Places(seed: 91)
        try database.write { transaction in
            let properties = [PropertySchema("id", .int), PropertySchema("latitude", .double), PropertySchema("longitude", .double)]
            try transaction.createClass(ClassSchema("place", primaryKey: "id", properties))
            for id in 0..<count { try insert(places.next(), id, transaction) }
        }
    }

    private func insert(_ place: Places.Place, _ id: Int, _ transaction: WriteTransaction) throws {
        let table = try transaction.table("place"), columns = table.columns
        try transaction.insert(into: table, primaryKey: .int(Int64(id))) { row in
            try row.set(columns[1], .double(place.latitude))
            try row.set(columns[2], .double(place.longitude))
        }
    }

    private func searchPlaces(_ database: Database) throws {
        let snapshot = try database.snapshot()
        defer { snapshot.end() }
        let table = try snapshot.table("place")
        func circle(_ centre: Places.Place, _ scale: Double = 1) -> String {
            "latitude, longitude GEOWITHIN geoCircle([\(centre.longitude), \(centre.latitude)], \(Places.radius * scale))"
        }
        try places("geo_circle", 500, table) { circle($0) }
        try places("geo_small_circle", 500, table) { circle($0, 0.1) }
        try places("geo_box", 500, table) { centre in
            let west = centre.longitude - 4, east = centre.longitude + 4, south = centre.latitude - 3, north = centre.latitude + 3
            return "latitude, longitude GEOWITHIN geoBox([\(west), \(south)], [\(east), \(north)])"
        }
        try places("geo_filtered", 500, table) { circle($0) + " AND id < \(count / 10)" }
        try places("geo_nearest", 500, table, isOrdered: true) {
            "SORT(@distance(latitude, longitude, [\($0.longitude), \($0.latitude)])) LIMIT(10)"
        }
        try places("geo_nearest_filtered", 500, table, isOrdered: true) {
            "id < \(count / 10) SORT(@distance(latitude, longitude, [\($0.longitude), \($0.latitude)])) LIMIT(10)"
        }
    }

    /// The objects for each of some centres. The check is the sum of their keys, and for an order of each key times its position.
    private func places(_ name: String, _ times: Int, _ table: Table, isOrdered: Bool = false, _ text: (Places.Place) -> String) throws {
        var places = Places(seed: 7)
        let queries = try (0..<times).map { _ in try ObjectQuery(text(places.centre())) }
        var found: [[ObjectKey]] = []
        let taken = try seconds { for query in queries { found.append(try table.keys(matching: query)) } }
        Output.figure(name, taken / Double(times) * 1e6, "us")
        var sum: Int64 = 0
        for keys in found {
            // Safe: a thousand keys below a million for each of 500 centres.
            for (place, key) in keys.enumerated() { sum += key.rawValue * (isOrdered ? Int64(place + 1) : 1) }
        }
        Output.check(name, Int(sum))
    }

    /// Commits of one place each, with the index of places and with an ordinary one of both properties.
    private func commitPlaces(_ database: Database) throws {
        let commits = 2000
        var next = count
        func commit(_ name: String) throws {
            var places = Places(seed: 5)
            let taken = try seconds {
                for _ in 0..<commits {
                    try database.write(durability: .processCrash) { try insert(places.next(), next, $0) }
                    next += 1
                }
            }
            Output.figure(name, taken / Double(commits) * 1e6, "us")
        }
        try commit("geo_commit")
        try database.write { transaction in
            try transaction.places.drop(latitude: "latitude", longitude: "longitude", from: "place")
            try transaction.addIndex(IndexSchema(["latitude", "longitude"]), to: "place")
        }
        try commit("geo_commit_indexed")
    }
}
