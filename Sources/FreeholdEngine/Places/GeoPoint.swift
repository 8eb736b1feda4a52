/// A place on Earth, by its latitude and longitude in degrees.
///
/// ```swift
/// let oslo = try GeoPoint(at: 59.91, 10.75)
/// let bergen = try GeoPoint(at: 60.39, 5.32)
/// print(oslo.distance(to: bergen))        // 305,000 or so: metres
/// ```
public struct GeoPoint: Hashable, Sendable {
    /// From -90, the south pole, to 90.
    public let latitude: Double
    /// From -180 to 180, which are the same meridian; positive in the east.
    public let longitude: Double
    /// Metres above the sea. It is kept, and has no part in distances and shapes.
    public let altitude: Double

    /// The mean radius of Earth in metres, by which angles become distances. It is that of Realm.
    public static let earthRadius = 6_378_100.0

    /// - Throws: `.invalidArgument` if the latitude is not within -90…90, the longitude not within -180…180, or the altitude not a
    ///   finite number.
    public init(at latitude: Double, _ longitude: Double, altitude: Double = 0) throws(FreeholdError) {
        guard Self.isValid(latitude, longitude) else {
            throw FreeholdError(.invalidArgument, "latitude \(latitude), longitude \(longitude) is not a place on Earth: latitudes are "
                + "from -90 to 90, longitudes from -180 to 180")
        }
        guard altitude.isFinite else { throw FreeholdError(.invalidArgument, "the altitude \(altitude) is not a finite number") }
        (self.latitude, self.longitude, self.altitude) = (latitude, longitude, altitude)
    }

    /// Whether these are degrees of a place on Earth. NaN is not.
    static func isValid(_ latitude: Double, _ longitude: Double) -> Bool { latitude.magnitude <= 90 && longitude.magnitude <= 180 }

    var position: UnitVector { UnitVector(latitude: latitude, longitude: longitude) }

    /// The distance along the surface, in metres, as if Earth were a sphere.
    public func distance(to other: GeoPoint) -> Double { position.angle(to: other.position) * Self.earthRadius }
}

extension GeoPoint: CustomStringConvertible {
    /// `[10.75, 59.91]`: longitude, latitude, and the altitude if there is one, as the query language writes it.
    public var description: String { altitude == 0 ? "[\(longitude), \(latitude)]" : "[\(longitude), \(latitude), \(altitude)]" }
}

/// A stored place, ready to be compared with shapes; there is none for degrees that are no place on Earth.
struct GeoPosition {
    let latitude: Double
    let longitude: Double
    let vector: UnitVector

    init?(latitude: Double, longitude: Double) {
        guard GeoPoint.isValid(latitude, longitude) else { return nil }
        (self.latitude, self.longitude) = (latitude, longitude)
        vector = UnitVector(latitude: latitude, longitude: longitude)
    }
}
