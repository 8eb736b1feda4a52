@testable import FreeholdEngine
import Foundation

/// Tests of places as random queries have them, by the haversine and the sines of the C library: circles and boxes.
enum NaivePlaces {
    static func holds(_ shape: GeoShape, _ values: [Value]) -> Bool {
        guard let (latitude, longitude) = place(values) else { return false }
        switch shape {
        case .circle(let circle): return angle(latitude, longitude, circle.center) <= circle.radiusInRadians
        case .box(let box):
            let west = box.bottomLeft.longitude, east = box.topRight.longitude
            // No sum here: it would round, and the edges belong to the box.
            let arcs = west <= east ? [west...east] : [west...180, -180...east]
            let names = abs(longitude) == 180 ? [-180, 180] : [longitude]
            let isBetween = arcs.contains { arc in names.contains(where: arc.contains) }
            return latitude >= box.bottomLeft.latitude && latitude <= box.topRight.latitude && (isBetween || abs(latitude) == 90)
        case .polygon: preconditionFailure("random queries have no polygons")
        }
    }

    static func distance(_ values: [Value], from point: GeoPoint) -> Value {
        guard let (latitude, longitude) = place(values) else { return .null }
        return .double(angle(latitude, longitude, point) * 6_378_100)
    }

    private static func place(_ values: [Value]) -> (Double, Double)? {
        guard values.count == 2, let latitude = values[0].double, let longitude = values[1].double,
              latitude >= -90, latitude <= 90, longitude >= -180, longitude <= 180 else { return nil }
        return (latitude, longitude)
    }

    private static func angle(_ latitude: Double, _ longitude: Double, _ point: GeoPoint) -> Double {
        let half = sin((latitude - point.latitude) * .pi / 360), side = sin((longitude - point.longitude) * .pi / 360)
        let haversine = half * half + cos(latitude * .pi / 180) * cos(point.latitude * .pi / 180) * side * side
        return 2 * asin(min(1, haversine.squareRoot()))
    }
}
