@testable import FreeholdEngine
import Foundation
import TestKit

/// A random polygon smaller than half of Earth, and its picture on the plane that touches Earth in its middle. There great circles
/// are straight lines, so that what is within is known by the rule for flat polygons, in other formulas than those tested.
struct FlatPolygon {
    typealias Vector = (x: Double, y: Double, z: Double)

    /// The ring, which is closed, in either direction.
    let points: [GeoPoint]
    private let corners: [(x: Double, y: Double)]
    private let axes: (middle: Vector, east: Vector, north: Vector)
    private let size: Double

    init(_ random: inout SeededRandom) {
        let latitude = [90.0, -90, 0, Double.random(in: -90...90, using: &random)].randomElement(using: &random)! * .pi / 180
        let longitude = [180.0, 0, Double.random(in: -180...180, using: &random)].randomElement(using: &random)! * .pi / 180
        let axes: (middle: Vector, east: Vector, north: Vector) = (
            (cos(latitude) * cos(longitude), cos(latitude) * sin(longitude), sin(latitude)), (-sin(longitude), cos(longitude), 0),
            (-sin(latitude) * cos(longitude), -sin(latitude) * sin(longitude), cos(latitude)))
        self.axes = axes
        size = tan([1e-8, 1e-6, 1e-3, 0.1, 0.7, 1.4].randomElement(using: &random)!)
        let count = Int.random(in: 3...15, using: &random), size = size
        var points = (0..<count).map { number in
            let angle = 2 * .pi * (Double(number) + Double.random(in: 0...0.9, using: &random)) / Double(count)
            let radius = size * Double.random(in: 0.1...1, using: &random)
            return Self.point(Self.vector(radius * cos(angle), radius * sin(angle), axes))
        }
        if random.oneIn(2) { points.reverse() }
        corners = points.compactMap { Self.flat(Self.vector($0.latitude, $0.longitude), axes) }
        self.points = points + [points[0]]
    }

    /// A place near the polygon, or anywhere.
    func place(_ random: inout SeededRandom) -> GeoPosition {
        let point = if random.oneIn(4) {
            Self.point((Self.shift(1, &random), Self.shift(1, &random), Self.shift(1, &random)))
        } else {
            Self.point(Self.vector(Self.shift(1.2 * size, &random), Self.shift(1.2 * size, &random), axes))
        }
        guard let place = GeoPosition(latitude: point.latitude, longitude: point.longitude) else {
            preconditionFailure("\(point) is a place")
        }
        return place
    }

    /// Whether a place is within by the rule of even and odd; nil if it is too near to an edge to know.
    func contains(_ place: GeoPosition) -> Bool? {
        guard let point = Self.flat(Self.vector(place.latitude, place.longitude), axes) else { return false }
        var isWithin = false
        for (number, start) in corners.enumerated() {
            let end = corners[(number + 1) % corners.count], across = (x: end.x - start.x, y: end.y - start.y)
            let side = across.x * (point.y - start.y) - across.y * (point.x - start.x)
            let far = 1 + point.x * point.x + point.y * point.y + size * size
            if abs(side) < (across.x * across.x + across.y * across.y).squareRoot() * 1e-12 * far { return nil }
            if (start.y > point.y) != (end.y > point.y), (side < 0) == (end.y < start.y) { isWithin.toggle() }
        }
        return isWithin
    }

    private static func shift(_ reach: Double, _ random: inout SeededRandom) -> Double { Double.random(in: -reach...reach, using: &random) }

    private static func vector(_ latitude: Double, _ longitude: Double) -> Vector {
        let north = latitude * .pi / 180, east = longitude * .pi / 180
        return (cos(north) * cos(east), cos(north) * sin(east), sin(north))
    }

    private static func vector(_ x: Double, _ y: Double, _ axes: (middle: Vector, east: Vector, north: Vector)) -> Vector {
        (axes.middle.x + x * axes.east.x + y * axes.north.x, axes.middle.y + x * axes.east.y + y * axes.north.y,
         axes.middle.z + x * axes.east.z + y * axes.north.z)
    }

    private static func dot(_ a: Vector, _ b: Vector) -> Double { a.x * b.x + a.y * b.y + a.z * b.z }

    private static func flat(_ place: Vector, _ axes: (middle: Vector, east: Vector, north: Vector)) -> (x: Double, y: Double)? {
        let height = dot(place, axes.middle)
        return height > 0 ? (dot(place, axes.east) / height, dot(place, axes.north) / height) : nil
    }

    private static func point(_ place: Vector) -> GeoPoint {
        let latitude = atan2(place.z, (place.x * place.x + place.y * place.y).squareRoot()) * 180 / .pi
        let longitude = atan2(place.y, place.x) * 180 / .pi
        guard let point = try? GeoPoint(at: min(90, max(-90, latitude)), min(180, max(-180, longitude))) else {
            preconditionFailure("\(place) is a place")
        }
        return point
    }
}
