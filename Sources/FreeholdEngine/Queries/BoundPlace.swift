/// Where the places of an object are stored, with resolved names.
final class BoundPlace {
    enum Source {
        /// Objects with the properties `type` and `coordinates`, as GeoJSON has points.
        case objects(BoundPath, Table, type: Column, coordinates: Column)
        /// Two numbers of degrees.
        case degrees(latitude: BoundPath, longitude: BoundPath)
    }

    let source: Source

    init(_ source: Source) { self.source = source }

    /// The paths that are read.
    var paths: [BoundPath] {
        switch source {
        case .objects(let path, _, _, _): [path]
        case .degrees(let latitude, let longitude): [latitude, longitude]
        }
    }

    var isToMany: Bool { paths[0].isToMany }

    /// Whether nothing but the tested object is read.
    var isOfOneTable: Bool {
        if case .degrees = source { return paths.allSatisfy(\.isOfOneTable) }
        return false
    }

    /// In nanoseconds.
    var cost: Int { isToMany ? 2000 : isOfOneTable ? 150 : 600 }

    /// Calls `body` with each place until it returns false; nil for what is no place on Earth: a null link or number, NaN,
    /// degrees out of range, an object of another type than "Point".
    func forEach(_ context: QueryContext, _ body: (GeoPosition?) throws(FreeholdError) -> Bool) throws(FreeholdError) {
        switch source {
        case .degrees(let latitude, let longitude):
            guard let north = try latitude.value(context).double, let east = try longitude.value(context).double else {
                _ = try body(nil)
                return
            }
            _ = try body(GeoPosition(latitude: north, longitude: east))
        case .objects(let path, let table, let type, let coordinates):
            try path.forEach(context) { value throws(FreeholdError) in
                guard case .link(let key) = value, let row = try table.row(key) else { return try body(nil) }
                return try body(try Self.place(row, type, coordinates))
            }
        }
    }

    /// The place of a path to one place.
    func place(_ context: QueryContext) throws(FreeholdError) -> GeoPosition? {
        var found: GeoPosition?
        try forEach(context) { place in
            found = place
            return false
        }
        return found
    }

    private static func place(_ row: Row, _ type: Column, _ coordinates: Column) throws(FreeholdError) -> GeoPosition? {
        guard case .string("Point") = try row.value(type) else { return nil }
        let numbers = try row.collection(coordinates)
        guard numbers.count >= 2, let east = try numbers.value(at: 0).double,
              let north = try numbers.value(at: 1).double else { return nil }
        return GeoPosition(latitude: north, longitude: east)
    }
}

/// A test of places with resolved names: `place GEOWITHIN geoCircle([10.75, 59.91], 0.001)`.
final class BoundWithin {
    let place: BoundPlace
    let shape: GeoShape
    private let quantifier: QueryComparison.Quantifier?
    /// The test as it was written.
    private let source: QueryComparison

    init(_ place: BoundPlace, _ shape: GeoShape, _ quantifier: QueryComparison.Quantifier?, source: QueryComparison) {
        self.place = place
        self.shape = shape
        self.quantifier = quantifier
        self.source = source
    }

    var text: String { source.description }

    var cost: Int { place.cost }

    func holds(_ context: QueryContext) throws(FreeholdError) -> Bool {
        let isAll = quantifier == .all
        var hasDecided = false
        try place.forEach(context) { place in
            hasDecided = (place.map(shape.contains) ?? false) != isAll
            return !hasDecided
        }
        return quantifier == .any || quantifier == nil ? hasDecided : !hasDecided
    }
}

/// A distance with resolved names: `@distance(place, [10.75, 59.91])`, in metres.
final class BoundDistance {
    let place: BoundPlace
    let point: GeoPoint
    private let origin: UnitVector

    init(_ place: BoundPlace, from point: GeoPoint) {
        self.place = place
        self.point = point
        origin = point.position
    }

    /// Null for an object without a place.
    func value(_ context: QueryContext) throws(FreeholdError) -> Value {
        try place.place(context).map { .double($0.vector.angle(to: origin) * GeoPoint.earthRadius) } ?? .null
    }
}
