public import FreeholdEngine

/// A property that has places: an embedded object with the properties `type` and `coordinates`, or a collection of such.
public protocol _QueryPlaces {}

extension Optional: _QueryPlaces where Wrapped: ObjectBase {}
extension List: _QueryPlaces where Element: ObjectBase {}

extension Query where T: _QueryPlaces {
    /// Whether the place is within a shape; of a list whether at least one place is.
    ///
    /// Edges belong to shapes. What is no place on Earth is within none.
    ///
    /// ```swift
    /// let near = GeoCircle(center: (59.91, 10.75), radius: Distance.kilometers(2)!)!
    /// let cafes = realm.objects(Cafe.self).where { $0.location.geoWithin(near) }
    /// ```
    public func geoWithin(_ shape: some Geospatial) -> Query<Bool> { compared(.within, .shape(shape._shape)) }

    /// The distance of the place from a point, in metres; null for what is no place on Earth.
    ///
    /// ```swift
    /// realm.objects(Cafe.self).where { $0.location.distance(to: GeoPoint(latitude: 59.91, longitude: 10.75)!) < 2000 }
    /// ```
    public func distance(to point: GeoPoint) -> Query<Double?> {
        guard case .path(let path) = operand.expression else { return Query<Double?>(.figure(.value(.null)), asking) }
        return Query<Double?>(.figure(.distance([path], from: point)), asking)
    }
}
