@testable import FreeholdEngine
import Foundation
import TestKit
import Testing

/// Points, circles, boxes and polygons on the sphere.
@Suite struct GeoShapeTests {
    private func point(_ longitude: Double, _ latitude: Double) -> GeoPoint {
        guard let point = try? GeoPoint(at: latitude, longitude) else { preconditionFailure("\(longitude), \(latitude) is a place") }
        return point
    }

    private func ring(_ points: [(Double, Double)]) -> [GeoPoint] { points.map { point($0.0, $0.1) } }

    private func position(_ longitude: Double, _ latitude: Double) throws -> GeoPosition {
        try #require(GeoPosition(latitude: latitude, longitude: longitude))
    }

    @Test("sines and angles are those of the C library to the last digits, and exact at the quarters")
    func trigonometry() {
        var random = SeededRandom(seed: 3)
        for _ in 0..<TestScale.count(20_000) {
            let degrees = Double.random(in: -180...180, using: &random), (sine, cosine) = ExactTrigonometry.sineAndCosine(degrees: degrees)
            #expect(abs(sine - sin(degrees * .pi / 180)) < 1e-15 && abs(cosine - cos(degrees * .pi / 180)) < 1e-15, "\(degrees)")
            let radians = Double.random(in: 0...(.pi), using: &random)
            #expect(abs(ExactTrigonometry.sine(radians: radians) - sin(radians)) < 4e-16, "\(radians)")
            let x = Double.random(in: -2...2, using: &random), y = Double.random(in: -2...2, using: &random)
            #expect(abs(ExactTrigonometry.angle(y: y, x: x) - atan2(y, x)) < 1e-15, "\(y), \(x)")
        }
        for (degrees, sine, cosine) in [(0.0, 0.0, 1.0), (90, 1, 0), (180, 0, -1), (-90, -1, 0), (-180, 0, -1)] {
            #expect(ExactTrigonometry.sineAndCosine(degrees: degrees) == (sine, cosine))
        }
    }

    @Test("a distance is that along the surface of a sphere", arguments: [
        ((0.0, 0.0), (0.0, 90.0), Double.pi / 2), ((0, 0), (180, 0), .pi), ((-180, 10), (180, 10), 0), ((77, 90), (12, 90), 0),
        ((0, 0), (0, 1e-9), .pi / 180 * 1e-9), ((10, -90), (0, 90), .pi), ((0, 0), (179.999_999_999, 0), .pi * (1 - 1e-11 / 1.8)),
    ])
    func distances(from: (Double, Double), to: (Double, Double), angle: Double) {
        let meters = point(from.0, from.1).distance(to: point(to.0, to.1))
        #expect(abs(meters - angle * 6_378_100) <= 1e-8 + meters * 1e-15)
    }

    @Test("circles hold what is as near to their centre by the haversine, from a centimetre to all of Earth")
    func circles() throws {
        var random = SeededRandom(seed: 5)
        for _ in 0..<TestScale.count(20_000) {
            let size = [1e-9, 1e-6, 1e-3, 0.1, 1, 2, 3, 3.1415].randomElement(using: &random)!
            let radius = size * Double.random(in: 0.5...1, using: &random)
            let north = [-90, 90, 0, Double.random(in: -90...90, using: &random)].randomElement(using: &random)!
            let center = point([180, -180, Double.random(in: -180...180, using: &random)].randomElement(using: &random)!, north)
            let circle = try GeoCircle(around: center, radians: radius)
            let reach = min(180, radius * 180 / .pi * 2)
            let latitude = min(90, max(-90, north + Double.random(in: -reach...reach, using: &random)))
            let stretch = min(180, reach / max(1e-9, cos(latitude * .pi / 180)))
            var longitude = center.longitude + Double.random(in: -stretch...stretch, using: &random)
            longitude -= longitude > 180 ? 360 : longitude < -180 ? -360 : 0
            let half = sin((latitude - north) * .pi / 360), side = sin((longitude - center.longitude) * .pi / 360)
            let haversine = half * half + cos(latitude * .pi / 180) * cos(north * .pi / 180) * side * side
            let angle = 2 * atan2(haversine.squareRoot(), max(0, 1 - haversine).squareRoot())
            if abs(angle - radius) < 1e-14 + 1e-7 * Double(angle > 3 ? 1 : 0) + angle * 1e-9 { continue }
            #expect(try circle.contains(position(longitude, latitude)) == (angle < radius), "\(circle), \(longitude) \(latitude)")
        }
    }

    @Test("the edge belongs to a circle, and one of π or more is all of Earth")
    func edgesOfCircles() throws {
        #expect(try GeoCircle(around: point(0, 0), radians: .pi / 2).contains(position(123, 90)))
        #expect(try GeoCircle(around: point(5, 5), radians: 0).contains(position(5, 5)))
        #expect(try !GeoCircle(around: point(5, 5), radians: 0).contains(position(5, 5.000_001)))
        for radius in [Double.pi, 4, 1e300] { #expect(try GeoCircle(around: point(0, 0), radians: radius).contains(position(180, 0))) }
        #expect(try !GeoCircle(around: point(0, 0), radians: 3.14).contains(position(180, 0)))
        for radius in [-1e-9, .nan, .infinity] {
            #expect(throws: FreeholdError.self) { try GeoCircle(around: point(0, 0), radians: radius) }
        }
    }

    @Test("boxes wrap around the antimeridian, have their edges, and the poles they reach", arguments: [
        ((-10.0, -10.0), (10.0, 10.0), [(0.0, 0.0), (10, 10), (-10, 10)], [(10.1, 0.0), (0, 10.1), (180, 0)]),
        ((170, -10), (-170, 10), [(175, 0), (180, 0), (-180, 0), (-175, 1), (170, 10)], [(0, 0), (-169, 0), (169, 0)]),
        ((0, 80), (10, 90), [(5, 85), (99, 90), (0, 90)], [(20, 85), (5, -90)]),
        ((170, 0), (180, 10), [(180, 5), (-180, 5)], [(-179.9, 5)]), ((-180, -90), (180, 90), [(0, 0), (180, 90), (-180, -90)], []),
        ((5, 5), (5, 5), [(5, 5)], [(5, 5.1), (5.1, 5)]),
    ] as [((Double, Double), (Double, Double), [(Double, Double)], [(Double, Double)])])
    func boxes(low: (Double, Double), high: (Double, Double), within: [(Double, Double)], without: [(Double, Double)]) throws {
        let box = GeoBox(bottomLeft: point(low.0, low.1), topRight: point(high.0, high.1))
        for (longitude, latitude) in within { #expect(try box.contains(position(longitude, latitude)), "\(longitude), \(latitude)") }
        for (longitude, latitude) in without { #expect(try !box.contains(position(longitude, latitude)), "\(longitude), \(latitude)") }
    }

    @Test("degrees of no place on Earth are no position", arguments: [
        (0.0, 90.1), (180.1, 0), (-181, 0), (.nan, 0), (0, .nan), (.infinity, 0),
    ])
    func noPlace(longitude: Double, latitude: Double) {
        #expect(GeoPosition(latitude: latitude, longitude: longitude) == nil)
        #expect(throws: FreeholdError.self) { try GeoPoint(at: latitude, longitude) }
    }

    @Test("a polygon has edges, vertices and the smaller side, also over poles and the antimeridian", arguments: [
        ([(0.0, 0.0), (10, 0), (10, 10), (0, 10), (0, 0)], [(5.0, 5.0), (0, 0), (5, 0), (0, 5), (10, 10), (5, 10.03)],
         [(-1.0, 5.0), (5, 10.05), (180, 0)]),
        ([(0, 0), (0, 10), (10, 10), (10, 0), (0, 0)], [(5, 5)], [(-5, 5), (-175, -5)]),
        ([(170, -10), (-170, -10), (-170, 10), (170, 10), (170, -10)], [(180, 0), (-180, 0), (175, 5), (-175, -5)], [(0, 0), (165, 0)]),
        ([(0, 60), (90, 60), (180, 60), (-90, 60), (0, 60)], [(0, 90), (45, 89), (45, 68)], [(45, 60), (0, -90)]),
        ([(0, -60), (90, -60), (180, -60), (-90, -60), (0, -60)], [(0, -90), (45, -89)], [(45, -60), (0, 90)]),
        ([(0, 90), (10, 0), (20, 0), (0, 90)], [(15, 45), (15, 90), (15, 0.005)], [(25, 45), (15, -1)]),
        // The circles of the first edge and of the third cross, but on the other side of Earth.
        ([(0, -60), (0, 60), (120, 0), (-120, 0), (0, -60)], [(0, 0), (180, 0)], []),
        ([(0, 0), (90, 0), (180, 0), (-90, 0), (0, 0)], [(0, 90), (0, 1), (45, 0)], [(0, -1)]),
        ([(0, 0), (-90, 0), (180, 0), (90, 0), (0, 0)], [(0, -90), (45, 0)], [(0, 1)]),
    ] as [([(Double, Double)], [(Double, Double)], [(Double, Double)])])
    func polygons(outer: [(Double, Double)], within: [(Double, Double)], without: [(Double, Double)]) throws {
        let polygon = try GeoPolygon(around: ring(outer))
        for place in within { #expect(try polygon.contains(position(place.0, place.1)), "\(place)") }
        for place in without { #expect(try !polygon.contains(position(place.0, place.1)), "\(place)") }
    }

    @Test("holes are left out, but for their edges")
    func holes() throws {
        let square = ring([(0, 0), (10, 0), (10, 10), (0, 10), (0, 0)])
        let holes = [ring([(2, 2), (2, 4), (4, 4), (4, 2), (2, 2)]), ring([(6, 6), (8, 6), (8, 8), (6, 6)])]
        let polygon = try GeoPolygon(around: square, without: holes)
        for place in [(1.0, 1.0), (2, 2), (2, 3), (5, 5), (6.5, 7.5)] {
            #expect(try polygon.contains(position(place.0, place.1)), "\(place)")
        }
        for place in [(3.0, 3.0), (7, 6.5), (11, 5)] { #expect(try !polygon.contains(position(place.0, place.1)), "\(place)") }
    }

    @Test("rings that enclose nothing, or several parts, are refused", arguments: [
        ([[(0.0, 0.0), (1, 1), (0, 0)]], "has 3 points"),
        ([[(0, 0), (1, 0), (1, 1), (0, 1)]], "is not closed: its first point is [0.0, 0.0]"),
        ([[(0, 0), (1, 0), (1, 0), (0, 0)]], "has 2 different points"),
        ([[(0, 0), (1, 0), (2, 1), (1, 0), (0, 1), (0, 0)]], "has the point [1.0, 0.0] twice"),
        ([[(0, 0), (10, 10), (10, 0), (0, 10), (0, 0)]], "crosses itself"),
        ([[(0, 0), (180, 0), (0, 50), (0, 0)]], "an edge between opposite points"),
        ([[(0, 0), (10, 0), (10, 10), (0, 0)], [(20, 20), (21, 20), (21, 21), (20, 20)]], "hole 1 of the polygon is not within"),
        ([[(0, 0), (10, 0), (10, 10), (0, 10), (0, 0)], [(1, 1), (5, 1), (5, 5), (1, 1)], [(4, 2), (9, 2), (9, 3), (4, 2)]],
         "hole 2 of the polygon overlaps"),
        ([[(0, 0), (10, 0), (10, 10), (0, 10), (0, 0)], [(5, 5), (15, 5), (5, 6), (5, 5)]], "hole 1 of the polygon is not within"),
        ([[]], "has 0 points"), ([[(0, 0), (1, 0), (2, 0), (0, 0)]], "turns back on itself at [0.0, 0.0]"),
    ] as [([[(Double, Double)]], String)])
    func refusals(rings: [[(Double, Double)]], message: String) {
        let error = #expect(throws: FreeholdError.self) { try GeoPolygon(around: ring(rings[0]), without: rings.dropFirst().map(ring)) }
        #expect(error?.code == .invalidArgument && error?.message.contains(message) == true, "\(String(describing: error))")
    }

    @Test("a ring that seems to cross itself by less than its points can say has no other half of Earth inside")
    func nearlyCrossing() throws {
        let points = [
            (0.000_167_870_257_692_014_13, 89.999_899_739_938_71), (-0.000_308_582_511_111_370_25, 89.999_900_194_327_15),
            (0.000_150_066_452_913_973_57, 89.999_900_483_289_8), (-0.000_356_501_948_829_951_4, 89.999_900_242_994_9),
            (0.000_167_870_257_692_014_13, 89.999_899_739_938_71),
        ]
        let polygon = try GeoPolygon(around: ring(points))
        #expect(try !polygon.contains(position(38.606_324_571_621_77, 89.9999)))
    }

    @Test("polygons from a hand's breadth to half of Earth hold what they hold on a plane that keeps great circles straight",
          arguments: TestScale.seeds(3, long: 30))
    func randomPolygons(seed: UInt64) throws {
        var random = SeededRandom(seed: seed), inside = 0, tested = 0
        for number in 0..<TestScale.count(400) {
            let flat = FlatPolygon(&random), polygon = try GeoPolygon(around: flat.points)
            for _ in 0..<40 {
                let place = flat.place(&random)
                guard let isWithin = flat.contains(place) else { continue }
                tested += 1
                inside += isWithin ? 1 : 0
                #expect(polygon.contains(place) == isWithin, "seed \(seed), polygon \(number): \(GeoShape.polygon(polygon)), \(place)")
            }
        }
        #expect(inside > tested / 30 && tested > TestScale.count(400) * 20)
    }
}
