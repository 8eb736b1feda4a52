import Foundation
import Freehold
import Testing

final class GeoLocation: EmbeddedObject {
    @Persisted private var type: String = "Point"
    @Persisted private var coordinates: List<Double>

    var latitude: Double { coordinates[1] }
    var longitude: Double { coordinates[0] }

    convenience init(_ latitude: Double, _ longitude: Double) {
        self.init()
        coordinates.append(objectsIn: [longitude, latitude])
    }
}

final class GeoCafe: Object {
    @Persisted(primaryKey: true) var name: String
    @Persisted var location: GeoLocation?
    @Persisted var tables: List<GeoLocation>
    @Persisted var north = 0.0
    @Persisted var east = 0.0
}

/// `geoWithin`, distances and shapes, as models and predicates have them.
@Suite struct GeoTests {
    private func withCafes(_ body: (Realm) throws -> Void) throws {
        let types: [ObjectBase.Type] = [GeoCafe.self, GeoLocation.self]
        let realm = try Realm(configuration: Realm.Configuration(inMemoryIdentifier: "geo\(UUID())", objectTypes: types))
        try realm.write {
            for (name, latitude, longitude) in [("Oslo", 59.91, 10.75), ("Bergen", 60.39, 5.32), ("Null Island", 0.0, 0.0)] {
                let cafe = GeoCafe()
                cafe.name = name
                cafe.location = GeoLocation(latitude, longitude)
                (cafe.north, cafe.east) = (longitude * 6 + 28, latitude / 10)
                cafe.tables.append(GeoLocation(latitude, longitude))
                realm.add(cafe)
            }
            let nowhere = GeoCafe()
            nowhere.name = "Nowhere"
            realm.add(nowhere)
        }
        try body(realm)
    }

    private func names(_ cafes: Results<GeoCafe>) -> [String] { cafes.map(\.name).sorted() }

    @Test("places are within circles, boxes and polygons")
    func within() throws {
        try withCafes { realm in
            let cafes = realm.objects(GeoCafe.self)
            let circle = try #require(GeoCircle(center: (59.91, 10.75), radius: Distance.kilometers(2)!))
            let box = try #require(GeoBox(bottomLeft: (58, 5), topRight: (64, 12)))
            let hole = [(0.5, 0.5), (0.6, 0.5), (0.6, 0.6), (0.5, 0.5)]
            let polygon = try #require(GeoPolygon(outerRing: [(-1, -1), (1, -1), (1, 1), (-1, 1), (-1, -1)], holes: [hole]))
            #expect(names(cafes.where { $0.location.geoWithin(circle) }) == ["Oslo"])
            #expect(names(cafes.where { $0.location.geoWithin(box) }) == ["Bergen", "Oslo"])
            #expect(names(cafes.where { $0.tables.geoWithin(polygon) }) == ["Null Island"])
            #expect(names(cafes.where { !$0.location.geoWithin(box) && $0.name != "Nowhere" }) == ["Null Island"])
            let oslo = try #require(GeoPoint(latitude: 59.91, longitude: 10.75))
            #expect(names(cafes.where { $0.location.distance(to: oslo) < 400_000 }) == ["Bergen", "Oslo"])
            #expect(names(cafes.filter("location IN %@", box)) == ["Bergen", "Oslo"])
            #expect(names(cafes.filter("location GEOWITHIN %@ AND name != %@", polygon, "x")) == ["Null Island"])
            #expect(names(cafes.filter("@distance(location, [10.75, 59.91]) < 1000")) == ["Oslo"])
            let nearest = cafes.filter("SORT(@distance(location, [5, 60])) LIMIT(2)")
            #expect(nearest.map(\.name) == ["Bergen", "Oslo"])
            #expect(cafes.filter("SORT(@distance(location, [5, 60]))").last?.name == "Nowhere")
        }
    }

    @Test("results have the distances that they are sorted by, or that their conditions have, and follow changes")
    func measured() throws {
        try withCafes { realm in
            let cafes = realm.objects(GeoCafe.self), oslo = try #require(GeoPoint(latitude: 59.91, longitude: 10.75))
            let nearest = cafes.sortedByDistance(of: \.location, from: oslo)
            #expect(nearest.map(\.name) == ["Oslo", "Bergen", "Null Island", "Nowhere"])
            let meters = Array(nearest).map { nearest.distance(of: $0) }
            #expect(meters[0] == 0 && abs((meters[1] ?? 0) - 305_475) < 1 && abs((meters[2] ?? 0) - 6_733_782) < 1 && meters[3] == nil)
            let near = cafes.where { $0.location.distance(to: oslo) < 400_000 }, bergen = near.first { $0.name == "Bergen" }
            #expect(near.count == 2 && bergen.map { near.distance(of: $0) } == meters[1])
            #expect(cafes.sortedByDistance(latitude: \.north, longitude: \.east, from: oslo).map(\.name).first == "Bergen")
            let loop = try HostLoop(), notes = Notes()
            realm.attach(to: loop)
            let token = nearest.observe { change in
                guard case .update(let results, deletions: _, insertions: _, modifications: _) = change else { return }
                notes.add("\(results.first.flatMap { results.distance(of: $0) } ?? -1)")
            }
            try realm.write { cafes.filter("name = 'Nowhere'").first?.location = GeoLocation(59.91, 10.75) }
            #expect(nearest.map { nearest.distance(of: $0) ?? -1 }.prefix(2) == [0, 0])
            #expect(nearest.distance(of: nearest[3]).map { $0 > 6e6 } == true)
            try realm.write { for cafe in Array(nearest.prefix(2)) { cafe.location = nil } }
            try realm.write {}
            #expect(notes.all.last.flatMap { Double($0) } == meters[1], "\(notes.all)")
            #expect(nearest.distance(of: GeoCafe()) == nil)
            token.invalidate()
            #expect(mistakes { _ = cafes.filter("name != 'x'").distance(of: cafes[0]) }.first?.contains("no @distance") == true)
            #expect(mistakes { _ = cafes.sortedByDistance(of: \.name, from: oslo) }.count == 1)
        }
    }

    @Test("shapes of wrong degrees and rings are nil")
    func refused() {
        #expect(GeoPoint(latitude: 90.5, longitude: 0) == nil && GeoPoint(latitude: 0, longitude: -181) == nil)
        #expect(GeoCircle(center: (0, 0), radiusInRadians: -1) == nil && GeoCircle(center: (91, 0), radiusInRadians: 1) == nil)
        #expect(GeoBox(bottomLeft: (0, 0), topRight: (0, 200)) == nil)
        #expect(GeoPolygon(outerRing: [(0, 0), (1, 1), (0, 0)]) == nil && GeoPolygon(outerRing: [(0, 0), (1, 1), (0, 1), (0, 95)]) == nil)
        #expect(Distance.kilometers(-1) == nil && Distance.radians(.nan) == nil && Distance.miles(.infinity) == nil)
    }

    @Test("distances are converted by Earth's radius of 6,378,100 metres")
    func distances() throws {
        let one = try #require(Distance.radians(1))
        #expect(one.asKilometers() == 6378.1 && one.asRadians() == 1)
        #expect(abs(one.asMiles() - 3963.167) < 0.001 && abs(one.asDegrees() - 57.29577951) < 1e-8)
        #expect(abs(Distance.miles(1)!.asKilometers() - 1.609344) < 1e-12 && abs(Distance.degrees(180)!.asRadians() - .pi) < 1e-15)
    }
}
