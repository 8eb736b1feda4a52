/// A part of Earth: a circle, a box or a polygon.
public enum GeoShape: Hashable, Sendable {
    case circle(GeoCircle)
    case box(GeoBox)
    case polygon(GeoPolygon)

    func contains(_ place: GeoPosition) -> Bool {
        switch self {
        case .circle(let circle): circle.contains(place)
        case .box(let box): box.contains(place)
        case .polygon(let polygon): polygon.contains(place)
        }
    }

    /// Whether a place is within the shape. Edges belong to it.
    public func contains(_ point: GeoPoint) -> Bool {
        GeoPosition(latitude: point.latitude, longitude: point.longitude).map(contains) ?? false
    }
}

extension GeoShape: CustomStringConvertible {
    /// The shape as the query language writes it: `geoCircle([10.75, 59.91], 0.001)`.
    public var description: String {
        switch self {
        case .circle(let circle): "geoCircle(\(circle.center), \(circle.radiusInRadians))"
        case .box(let box): "geoBox(\(box.bottomLeft), \(box.topRight))"
        case .polygon(let polygon): "geoPolygon(" + ([polygon.outerRing] + polygon.holes).map(Self.text).joined(separator: ", ") + ")"
        }
    }

    private static func text(_ ring: [GeoPoint]) -> String { "{" + ring.map(\.description).joined(separator: ", ") + "}" }
}
