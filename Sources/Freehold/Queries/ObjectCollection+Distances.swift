public import FreeholdEngine

extension ObjectCollection {
    /// The objects by the distance of a place from a point, the nearest first; those without a place last.
    ///
    /// ```swift
    /// let here = GeoPoint(latitude: 59.91, longitude: 10.75)!
    /// let nearest = realm.objects(Cafe.self).sortedByDistance(of: \.location, from: here)
    /// for cafe in nearest.prefix(10) { print(cafe.name, nearest.distance(of: cafe) ?? .nan) }
    /// ```
    /// It is `SORT(@distance(location, [10.75, 59.91]))` of the query language. With `limit` an index of places finds the first
    /// objects without sorting all.
    ///
    /// - Parameter place: an object with the properties `type` and `coordinates`.
    public func sortedByDistance(of place: PartialKeyPath<Element>, from point: GeoPoint) -> Results<Element> {
        refined { _ in try .nearest(place, nil, from: point) }
    }

    /// The objects by the distance of a latitude and a longitude from a point, the nearest first; those without a place last.
    ///
    /// ```swift
    /// let nearest = realm.objects(Shop.self).sortedByDistance(latitude: \.latitude, longitude: \.longitude, from: here)
    /// ```
    public func sortedByDistance(
        latitude: PartialKeyPath<Element>, longitude: PartialKeyPath<Element>, from point: GeoPoint
    ) -> Results<Element> {
        refined { _ in try .nearest(latitude, longitude, from: point) }
    }
}

extension Results where Element: ObjectBase {
    /// The distance of an object, in metres along the surface: the one that these results are sorted by, or else that of the first
    /// `@distance` in their conditions. nil for an object without a place, and for one of another realm.
    ///
    /// ```swift
    /// let near = realm.objects(Cafe.self).where { $0.location.distance(to: here) < 500 }
    /// for cafe in near { print(cafe.name, near.distance(of: cafe) ?? .nan) }
    /// ```
    public func distance(of object: Element) -> Double? {
        told(nil) { try asked().distance(of: object) }
    }
}

extension ObjectQuery {
    fileprivate static func nearest(
        _ place: AnyKeyPath, _ longitude: AnyKeyPath?, from point: GeoPoint
    ) throws(FreeholdError) -> ObjectQuery {
        let steps = try PropertyPath(parsing: PropertyNames.required(place)).steps
        let others = try longitude.map { path throws(FreeholdError) in try PropertyPath(parsing: PropertyNames.required(path)).steps }
        let path = PropertyPath(steps + [.distance(from: point, longitude: others ?? [])])
        return ObjectQuery(.constant(true), [.sort([QuerySort(path)])])
    }
}
