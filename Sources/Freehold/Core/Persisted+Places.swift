public import FreeholdEngine

/// A link to one object, which may have a place.
public protocol _PlaceLink {}

extension Optional: _PlaceLink where Wrapped: ObjectBase {}

extension Persisted where Value: _PlaceLink {
    /// Declares a link to an object that has a place on Earth, of which the file keeps an index: queries by circles, boxes, polygons
    /// and distances, and for the nearest objects, then read few objects.
    ///
    /// ```swift
    /// class Cafe: Object {
    ///     @Persisted(places: true) var location: Location?
    /// }
    /// ```
    /// The linked class, as a rule an embedded one, has the properties `type`, a string that is `"Point"`, and `coordinates`, a list
    /// of doubles: the longitude, then the latitude. `Object.placeIndexes()` declares indexes of a latitude and a longitude.
    ///
    /// - Parameters:
    ///   - places: whether the file keeps an index of the places.
    ///   - deleteRule: what deleting the object does to the object that the property links to.
    ///   - name: the property's name in the file, if it differs.
    public init(places: Bool, deleteRule: DeleteRule = .nullify, name: String? = nil) {
        attributes = PropertyWord.of(places: places, deleteRule, name)
        value = nil
    }

    /// Declares a link to an object that has a place on Earth, of which the file keeps an index, with an initial value.
    public init(wrappedValue: Value, places: Bool, deleteRule: DeleteRule = .nullify, name: String? = nil) {
        attributes = PropertyWord.of(places: places, deleteRule, name)
        value = wrappedValue
    }
}

extension PropertyWord {
    fileprivate static func of(places: Bool, _ rule: DeleteRule, _ name: String?) -> UInt {
        var attributes = PropertyAttributes()
        attributes.isPlace = places
        attributes.deleteRule = rule
        attributes.storedName = name
        return attributes.word
    }
}
