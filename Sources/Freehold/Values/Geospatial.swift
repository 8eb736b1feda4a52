public import FreeholdEngine

/// A place on Earth, by latitude and longitude in degrees.
///
/// Places are stored in embedded objects that have the two properties of a GeoJSON point:
///
/// ```swift
/// class Location: EmbeddedObject {
///     @Persisted private var type: String = "Point"
///     @Persisted private var coordinates: List<Double>     // longitude, latitude
/// }
/// ```
public typealias GeoPoint = FreeholdEngine.GeoPoint

/// A part of Earth between two parallels and two meridians; see `geoWithin`.
public typealias GeoBox = FreeholdEngine.GeoBox

/// A part of Earth within a ring of great-circle arcs, and in none of its holes; see `geoWithin`.
public typealias GeoPolygon = FreeholdEngine.GeoPolygon

/// The part of Earth within a distance of a point; see `geoWithin`.
public typealias GeoCircle = FreeholdEngine.GeoCircle

/// A shape that places can be within: a `GeoBox`, `GeoPolygon` or `GeoCircle`. It may be an argument of a predicate:
/// `filter("location GEOWITHIN %@", circle)`.
public protocol Geospatial {
    /// The shape as the engine knows it.
    var _shape: GeoShape { get }
}

extension GeoBox: Geospatial {
    public var _shape: GeoShape { .box(self) }

    /// A box by latitude and longitude of its corners; nil for degrees out of range.
    public init?(bottomLeft: (Double, Double), topRight: (Double, Double)) {
        guard let low = GeoPoint(bottomLeft), let high = GeoPoint(topRight) else { return nil }
        self.init(bottomLeft: low, topRight: high)
    }
}

extension GeoPolygon: Geospatial {
    public var _shape: GeoShape { .polygon(self) }

    /// A polygon by its rings. The last point of a ring is its first; nil if a ring is none, or a hole is not within the outer ring.
    public init?(outerRing: [GeoPoint], holes: [[GeoPoint]] = []) {
        try? self.init(around: outerRing, without: holes)
    }

    /// A polygon by latitude and longitude of its points; nil for degrees out of range, too.
    public init?(outerRing: [(Double, Double)], holes: [[(Double, Double)]] = []) {
        let rings = ([outerRing] + holes).map { ring in (points: ring.compactMap { GeoPoint($0) }, count: ring.count) }
        guard rings.allSatisfy({ $0.points.count == $0.count }) else { return nil }
        self.init(outerRing: rings[0].points, holes: rings.dropFirst().map(\.points))
    }
}

extension GeoCircle: Geospatial {
    public var _shape: GeoShape { .circle(self) }

    /// A circle by its centre and its radius as an angle; nil if the radius is negative or not finite.
    public init?(center: GeoPoint, radiusInRadians: Double) { try? self.init(around: center, radians: radiusInRadians) }

    /// A circle by its centre and its radius.
    public init?(center: GeoPoint, radius: Distance) { self.init(center: center, radiusInRadians: radius.asRadians()) }

    /// A circle by latitude and longitude of its centre; nil for degrees out of range, too.
    public init?(center: (Double, Double), radiusInRadians: Double) {
        guard let center = GeoPoint(center) else { return nil }
        self.init(center: center, radiusInRadians: radiusInRadians)
    }

    /// A circle by latitude and longitude of its centre, and its radius.
    public init?(center: (Double, Double), radius: Distance) { self.init(center: center, radiusInRadians: radius.asRadians()) }
}

extension GeoPoint {
    /// A place; nil unless the latitude is within -90…90, and the longitude within -180…180.
    public init?(latitude: Double, longitude: Double, altitude: Double = 0) { try? self.init(at: latitude, longitude, altitude: altitude) }

    fileprivate init?(_ degrees: (Double, Double)) { self.init(latitude: degrees.0, longitude: degrees.1) }
}

/// A distance along the surface of Earth.
///
/// ```swift
/// let nearby = GeoCircle(center: (59.91, 10.75), radius: Distance.kilometers(2)!)!
/// ```
public struct Distance: Hashable, Sendable {
    private static let radiansPerDegree = 0.017_453_292_519_943_295
    private static let metersPerMile = 1609.344

    private let radians: Double

    private init?(_ radians: Double) {
        guard radians >= 0, radians.isFinite else { return nil }
        self.radians = radians
    }

    /// A distance in kilometres; nil for a negative one.
    public static func kilometers(_ kilometers: Double) -> Distance? { Distance(kilometers * 1000 / GeoPoint.earthRadius) }
    /// A distance in miles; nil for a negative one.
    public static func miles(_ miles: Double) -> Distance? { Distance(miles * metersPerMile / GeoPoint.earthRadius) }
    /// A distance as an angle in degrees; nil for a negative one.
    public static func degrees(_ degrees: Double) -> Distance? { Distance(degrees * radiansPerDegree) }
    /// A distance as an angle in radians; nil for a negative one.
    public static func radians(_ radians: Double) -> Distance? { Distance(radians) }

    /// The distance in kilometres.
    public func asKilometers() -> Double { radians * GeoPoint.earthRadius / 1000 }
    /// The distance in miles.
    public func asMiles() -> Double { radians * GeoPoint.earthRadius / Self.metersPerMile }
    /// The distance as an angle in degrees.
    public func asDegrees() -> Double { radians / Self.radiansPerDegree }
    /// The distance as an angle in radians.
    public func asRadians() -> Double { radians }
}
