/// The places between two parallels and two meridians, edges included.
///
/// If the west is greater than the east, the box extends over the antimeridian. A pole belongs to every box that reaches
/// it, whatever longitude it is given with.
public struct GeoBox: Hashable, Sendable {
    /// The corner in the south-west.
    public let bottomLeft: GeoPoint
    /// The corner in the north-east.
    public let topRight: GeoPoint

    /// A box by its corners. Queries refuse one whose first corner is north of the second.
    public init(bottomLeft: GeoPoint, topRight: GeoPoint) { (self.bottomLeft, self.topRight) = (bottomLeft, topRight) }

    /// What is wrong with the box, or nil.
    var complaint: String? {
        if bottomLeft.latitude <= topRight.latitude { return nil }
        return "a box is given by its south-west corner and its north-east corner; \(bottomLeft) is north of \(topRight)"
    }

    func contains(_ place: GeoPosition) -> Bool {
        guard place.latitude >= bottomLeft.latitude, place.latitude <= topRight.latitude else { return false }
        return place.latitude.magnitude == 90 || holds(place.longitude)
            || place.longitude.magnitude == 180 && holds(-place.longitude)
    }

    private func holds(_ longitude: Double) -> Bool {
        let west = bottomLeft.longitude, east = topRight.longitude
        return west <= east ? longitude >= west && longitude <= east : longitude >= west || longitude <= east
    }
}
