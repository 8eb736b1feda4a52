@testable import FreeholdEngine
import TestKit
import Testing

/// The cells that file places, and those that cover a shape.
@Suite struct GeoCoverTests {
    private func random(_ random: inout SeededRandom) throws -> GeoPoint {
        let edges = [-180.0, 180, 0, 90, -90, 45], isEdge = random.oneIn(3)
        let longitude = isEdge ? edges.randomElement(using: &random)! : Double.random(in: -180...180, using: &random)
        let latitudes = edges.filter { abs($0) <= 90 }
        let latitude = random.oneIn(4) ? latitudes.randomElement(using: &random)! : Double.random(in: -90...90, using: &random)
        return try GeoPoint(at: latitude, longitude)
    }

    /// A shape of any kind, from a few metres to most of Earth.
    private func shape(_ random: inout SeededRandom) throws -> GeoShape {
        switch Int.random(in: 0..<4, using: &random) {
        case 0:
            let radius = [0, 1e-7, 1e-4, 0.01, 0.3, 1.6, 3].randomElement(using: &random)! * Double.random(in: 0.5...1, using: &random)
            return .circle(try GeoCircle(around: self.random(&random), radians: radius))
        case 1:
            let one = try self.random(&random), other = try self.random(&random), isSmall = random.oneIn(2)
            let south = min(one.latitude, other.latitude), north = isSmall ? min(90, south + 0.01) : max(one.latitude, other.latitude)
            let east = isSmall ? min(180, one.longitude + 0.01) : other.longitude
            return .box(GeoBox(bottomLeft: try GeoPoint(at: south, one.longitude), topRight: try GeoPoint(at: north, east)))
        case 2:
            let west = Double.random(in: -180...170, using: &random), south = Double.random(in: -85...75, using: &random)
            let outer = [(0.0, 0.0), (9, 0), (9, 9), (0, 9), (0, 0)], hole = [(1.0, 1.0), (8, 1), (8, 8), (1, 1)]
            let rings = try [outer, hole].map { try $0.map { try GeoPoint(at: south + $0.1, west + $0.0) } }
            return .polygon(try GeoPolygon(around: rings[0], without: [rings[1]]))
        default: return .polygon(try GeoPolygon(around: FlatPolygon(&random).points))
        }
    }

    /// A place near the edge of a shape, or anywhere.
    private func place(_ shape: GeoShape, _ random: inout SeededRandom) throws -> GeoPosition {
        var point = try self.random(&random)
        if !random.oneIn(4) {
            let corners: [GeoPoint] = switch shape {
            case .circle(let circle): [circle.center]
            case .box(let box): [box.bottomLeft, box.topRight]
            case .polygon(let polygon): polygon.outerRing + polygon.holes.flatMap { $0 }
            }
            let corner = corners.randomElement(using: &random)!, reach = [0, 1e-8, 1e-4, 0.1, 30].randomElement(using: &random)!
            let latitude = min(90, max(-90, corner.latitude + reach * Double.random(in: -1...1, using: &random)))
            point = try GeoPoint(at: latitude, min(180, max(-180, corner.longitude + reach * Double.random(in: -1...1, using: &random))))
        }
        return try #require(GeoPosition(latitude: point.latitude, longitude: point.longitude))
    }

    @Test("a cell has the degrees that it files, and its four parts have its numbers")
    func cells() throws {
        var random = SeededRandom(seed: 1)
        for _ in 0..<TestScale.count(5000) {
            let point = try self.random(&random), cell = GeoCell(latitude: point.latitude, longitude: point.longitude)
            let east = abs(point.latitude) == 90 ? 0 : point.longitude
            #expect(cell.south - 1e-12 <= point.latitude && point.latitude <= cell.south + cell.height + 1e-12, "\(point)")
            #expect(cell.west - 1e-12 <= east && east <= cell.west + 2 * cell.height + 1e-12, "\(point)")
            let level = Int.random(in: 0..<32, using: &random)
            let above = GeoCell(level: level, number: cell.number & ~(level == 0 ? .max : UInt64.max >> UInt64(2 * level)))
            #expect(above.numbers.contains(cell.number))
            let parts = above.parts
            #expect(parts[0].numbers.lowerBound == above.numbers.lowerBound && parts[3].numbers.upperBound == above.numbers.upperBound)
            for (one, next) in zip(parts, parts.dropFirst()) { #expect(one.numbers.upperBound + 1 == next.numbers.lowerBound) }
        }
        #expect(GeoCell(latitude: -90, longitude: -180).number == GeoCell(latitude: -90, longitude: 77).number)
        #expect(GeoCell(latitude: 0, longitude: -180).number == 1 << 63)
        #expect(GeoCell(latitude: 89.999, longitude: 180).number >> 62 == 3)
    }

    @Test("a cover has the cell of every place within, and what a cell alone says is so", arguments: TestScale.seeds(2, long: 20))
    func covers(seed: UInt64) throws {
        var random = SeededRandom(seed: seed), within = 0, decided = 0, places = 0
        for number in 0..<TestScale.count(400) {
            let shape = try shape(&random), cover = GeoCover(shape), test = FiledPlaceTest(shape)
            #expect(!cover.ranges.isEmpty && cover.ranges.count <= GeoCover.cells + 2, "\(shape)")
            for (one, next) in zip(cover.ranges, cover.ranges.dropFirst()) { #expect(one.upperBound < next.lowerBound) }
            for _ in 0..<30 {
                let place = try place(shape, &random), cell = GeoCell(latitude: place.latitude, longitude: place.longitude).number
                let isWithin = shape.contains(place), told = test.contains(cell)
                places += 1
                within += isWithin ? 1 : 0
                decided += told == nil ? 0 : 1
                #expect(told ?? isWithin == isWithin, "seed \(seed), shape \(number): \(shape), \(place)")
                if isWithin { #expect(cover.ranges.contains { $0.contains(cell) }, "seed \(seed), shape \(number): \(shape), \(place)") }
            }
        }
        #expect(within > places / 6 && decided > places / 2, "\(within) within and \(decided) decided of \(places)")
    }
}
