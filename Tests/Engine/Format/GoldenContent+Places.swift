import DatabaseKit
@testable import FreeholdEngine

/// Indexes of places of the golden files.
extension GoldenContent {
    /// A degree from -bound to bound in quarters, or a little beyond.
    private static func degree(_ number: Int, _ bound: Int) -> Value {
        let quarters: Int = number * 37 % (8 * bound + 9) - 4 * bound - 4
        return .double(Double(quarters) / 4)
    }

    private static func point(_ number: Int) -> [(String, Value)] {
        let numbers = [degree(number * 3, 180), degree(number * 5, 90)] + (number % 6 == 1 ? [.double(100)] : [])
        return [("type", .string(number % 10 == 1 ? "Polygon" : "Point")), ("coordinates", .list(numbers))]
    }

    /// Shops with indexes of their own degrees, of those of their homes, and of embedded points; changed since.
    static func places(_ scribe: Scribe) throws {
        try shops(scribe) {
            try scribe.addPlaces("location", to: "Shop")
            try scribe.addPlaces(PlaceIndex(latitude: "latitude", longitude: "longitude"), to: "Shop")
            try scribe.addPlaces(PlaceIndex(latitude: "home.north", longitude: "home.east"), to: "Shop")
        }
        try move(scribe)
    }

    /// The same, of which an index is being built: its first hundred objects are in it.
    static func placesBegun(_ scribe: Scribe) throws {
        try shops(scribe) {}
        try DerivedBudget.$standard.withValue(DerivedBudget(objects: 100, bytes: 1 << 20)) {
            try scribe.write {
                try scribe.addPlaces(PlaceIndex(latitude: "latitude", longitude: "longitude"), to: "Shop")
                try scribe.addPlaces("location", to: "Shop")
            }
        }
        try move(scribe)
    }

    private static func shops(_ scribe: Scribe, _ declare: () throws -> Void) throws {
        try scribe.write {
            try scribe.make(
                ClassSchema("Location", isEmbedded: true, [
                    PropertySchema("type", .string), PropertySchema("coordinates", .double, collections: [.list]),
                ]),
                ClassSchema("Home", [PropertySchema("north", .double, isNullable: true), PropertySchema("east", .double)]),
                ClassSchema("Shop", [
                    PropertySchema("latitude", .double, isNullable: true), PropertySchema("longitude", .double),
                    PropertySchema("location", linkTo: "Location"), PropertySchema("home", linkTo: "Home"),
                ]))
            for number in 0..<20 {
                let north = number % 7 == 6 ? Value.null : degree(number * 7, 90)
                try scribe.insert("Home", [("north", north), ("east", degree(number * 11, 180))])
            }
            for number in 0..<400 {
                let key = try scribe.insert("Shop", [
                    ("latitude", number % 7 == 0 ? .null : degree(number, 90)), ("longitude", degree(number * 2, 180)),
                    ("location", .null), ("home", number % 3 == 0 ? .null : .link(ObjectKey(Int64(number % 20)))),
                ])
                if number % 4 != 0 { try scribe.embed(point(number), of: "Location", in: key, of: "Shop", "location") }
            }
            try declare()
        }
    }

    /// Changes places of every sort, among them objects that other ones' places are of.
    private static func move(_ scribe: Scribe) throws {
        for round in 1...3 {
            try scribe.write {
                for number in 0..<30 {
                    let key = ObjectKey(Int64(number * 13 % 400 / 4 * 4 + 1)), seed = number + round * 1000
                    try scribe.set("Shop", key, "latitude", number % 9 == 0 ? .null : degree(seed, 90))
                    if number % 3 == 0 { try scribe.set("Shop", key, "longitude", degree(seed * 3, 180)) }
                }
                for number in 0..<10 {
                    let numbers = Value.list([degree(number + round * 77, 180), degree(number * 9 + round, 90)])
                    try scribe.set("Location", ObjectKey(Int64(number * 25)), "coordinates", numbers)
                }
                try scribe.set("Home", ObjectKey(Int64(round)), "east", degree(round * 29, 180))
                try scribe.delete("Shop", [ObjectKey(Int64(round * 40)), ObjectKey(Int64(round * 92))])
            }
        }
    }
}
