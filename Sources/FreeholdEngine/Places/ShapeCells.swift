/// Compares cells with a shape.
struct ShapeCells {
    private enum Kind {
        case circle(UnitVector, chord: Double)
        case polygon(GeoPolygon)
        case box
    }

    private let kind: Kind
    private let bounds: GeoBounds
    /// The size of the shape as a chord: larger cells are not compared in detail.
    private let size: Double
    /// The cells of the poles that belong to a box whatever its longitudes.
    let poles: [GeoCell]

    init(_ shape: GeoShape) {
        switch shape {
        case .circle(let circle):
            let center = circle.center.position, half = min(circle.radiusInRadians, ExactTrigonometry.pi) / 2
            // Chords are as exact as the places, but for circles of nearly all of Earth.
            let chord = half > 1.5 ? 2 : 2 * ExactTrigonometry.sine(radians: half) + 4e-15
            (kind, bounds, size, poles) = (.circle(center, chord: chord), GeoBounds(around: center, chord: chord), chord, [])
        case .polygon(let polygon):
            let cap = polygon.cap
            (kind, bounds, size, poles) = (.polygon(polygon), GeoBounds(around: cap.center, chord: cap.chord), cap.chord, [])
        case .box(let box):
            let bounds = GeoBounds(box)
            poles = [-90.0, 90].filter { pole in bounds.boxes.contains { $0.south <= pole && pole <= $0.north } }
                .map { GeoCell(latitude: $0, longitude: 0) }
            (kind, self.bounds, size) = (.box, bounds, 0)
        }
    }

    func relation(to cell: GeoCell) -> CellRelation {
        let rough = bounds.relation(to: cell)
        if case .box = kind { return rough }
        if rough == .apart { return .apart }
        if cell.level < 2 || cell.height * (ExactTrigonometry.pi / 180) > 2 * size { return .across }
        let center = cell.center, middle = UnitVector(latitude: center.latitude, longitude: center.longitude)
        let reach = cell.reach(from: middle)
        switch kind {
        case .circle(let center, let chord):
            // Chords obey the inequality of triangles.
            let distance = (middle - center).length
            return distance > chord + reach ? .apart : chord < 2 && distance + reach <= chord ? .within : .across
        case .polygon(let polygon): return polygon.relation(toCap: middle, chord: reach)
        case .box: return rough
        }
    }
}

/// What the cell of a place alone says about the place.
struct FiledPlaceTest {
    private enum Kind {
        case circle(FiledCircleTest)
        case polygon(GeoPolygon)
        case box(GeoBounds, poles: [GeoCell])
        case unknown
    }

    private let kind: Kind

    /// More than the chord from the middle of a cell of level 32 to a place in it: half of its height and half of its width.
    static let reach = 1.2e-9

    init(_ shape: GeoShape) {
        switch shape {
        case .circle(let circle):
            // Chords hardly grow near the opposite point.
            kind = circle.radiusInRadians < 3 ? .circle(FiledCircleTest(circle)) : .unknown
        case .polygon(let polygon): kind = .polygon(polygon)
        case .box(let box): kind = .box(GeoBounds(box), poles: ShapeCells(shape).poles)
        }
    }

    /// Whether a place with this number is within the shape; nil if the cell may have places of both kinds.
    func contains(_ number: UInt64) -> Bool? {
        let cell = GeoCell(level: 32, number: number)
        let relation: CellRelation
        switch kind {
        case .circle(let circle): relation = circle.relation(to: cell)
        case .polygon(let polygon):
            let place = cell.center
            relation = polygon.relation(toCap: UnitVector(latitude: place.latitude, longitude: place.longitude), chord: Self.reach)
        case .box(let bounds, let poles):
            // A pole is filed with longitude 0, whatever it was given with.
            relation = poles.contains(cell) ? .across : bounds.relation(to: cell)
        case .unknown: return nil
        }
        return relation == .across ? nil : relation == .within
    }
}

/// The test of cells of level 32 against a circle: by boxes around it and within it, and by the chord for those between.
private struct FiledCircleTest {
    private let center: UnitVector
    /// The squares of the chords below which all places of a cell are within, and beyond which none is.
    private let inner: Double
    private let outer: Double
    private let around: GeoBounds
    private let within: GeoBounds?

    init(_ circle: GeoCircle) {
        let chord = 2 * ExactTrigonometry.sine(radians: circle.radiusInRadians / 2)
        let low = max(0, chord - FiledPlaceTest.reach), high = chord + FiledPlaceTest.reach
        center = circle.center.position
        (inner, outer) = (low * low, high * high)
        around = GeoBounds(around: center, chord: high)
        within = Self.within(circle, chord: low)
    }

    /// A box within a circle that is not large, and not near to a pole or the antimeridian.
    private static func within(_ circle: GeoCircle, chord: Double) -> GeoBounds? {
        let middle = circle.center, height = chord * 0.7 * 180 / ExactTrigonometry.pi
        let south = middle.latitude - height, north = middle.latitude + height
        guard chord < 0.5, south > -85, north < 85 else { return nil }
        let width = height / ExactTrigonometry.sineAndCosine(degrees: max(-south, north)).cosine
        let west = middle.longitude - width, east = middle.longitude + width, center = middle.position
        guard west > -180, east < 180 else { return nil }
        // The corners are the farthest.
        for latitude in [south, north] {
            if (UnitVector(latitude: latitude, longitude: east) - center).length > chord { return nil }
        }
        return GeoBounds(GeoBounds.Box(south: south, north: north, west: west, east: east))
    }

    func relation(to cell: GeoCell) -> CellRelation {
        if around.relation(to: cell) == .apart { return .apart }
        if let within, within.relation(to: cell) == .within { return .within }
        let place = cell.center, distance = (UnitVector(latitude: place.latitude, longitude: place.longitude) - center).lengthSquared
        return distance < inner ? .within : distance > outer ? .apart : .across
    }
}
