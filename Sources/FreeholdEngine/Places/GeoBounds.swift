/// Parallels and meridians around a shape: south, north, west and east of one box or several.
struct GeoBounds {
    struct Box {
        let south: Double
        let north: Double
        let west: Double
        let east: Double
    }

    private(set) var boxes: [Box]

    /// Degrees that rounding moves a place by, in the worst case.
    static let slack = 1e-12

    init(_ box: Box) { boxes = [box] }

    /// The parts of a box, beside those of the antimeridian that it reaches.
    init(_ box: GeoBox) {
        let south = box.bottomLeft.latitude, north = box.topRight.latitude, west = box.bottomLeft.longitude, east = box.topRight.longitude
        var spans: [(west: Double, east: Double)] = west <= east ? [(west, east)] : [(west, 180), (-180, east)]
        // The antimeridian has two longitudes.
        if spans.contains(where: { $0.east == 180 }), !spans.contains(where: { $0.west == -180 }) { spans.append((-180, -180)) }
        if spans.contains(where: { $0.west == -180 }), !spans.contains(where: { $0.east == 180 }) { spans.append((180, 180)) }
        boxes = spans.map { Box(south: south, north: north, west: $0.west, east: $0.east) }
    }

    /// What is around the places within a chord of a centre.
    init(around center: UnitVector, chord: Double) {
        let slack = 1e-9, degrees = 180 / ExactTrigonometry.pi
        let ring = (center.x * center.x + center.y * center.y).squareRoot()
        let latitude = ExactTrigonometry.angle(y: center.z, x: ring) * degrees
        let half = min(1, chord / 2), angle = 2 * ExactTrigonometry.angle(y: half, x: (1 - half * half).squareRoot())
        let south = latitude - angle * degrees - slack, north = latitude + angle * degrees + slack
        // A meridian touches the circle at the angle whose sine is that of the radius by that of the distance to the pole.
        let sine = ExactTrigonometry.sine(radians: min(angle, ExactTrigonometry.pi)) / max(ring, 1e-300)
        guard south > -90, north < 90, sine < 1 else {
            boxes = [Box(south: max(-90, south), north: min(90, north), west: -180, east: 180)]
            return
        }
        let width = ExactTrigonometry.angle(y: sine, x: (1 - sine * sine).squareRoot()) * degrees + slack
        let longitude = ExactTrigonometry.angle(y: center.y, x: center.x) * degrees
        boxes = [Box(south: south, north: north, west: max(-180, longitude - width), east: min(180, longitude + width))]
        if longitude - width < -180 { boxes.append(Box(south: south, north: north, west: longitude - width + 360, east: 180)) }
        if longitude + width > 180 { boxes.append(Box(south: south, north: north, west: -180, east: longitude + width - 360)) }
    }

    func relation(to cell: GeoCell) -> CellRelation {
        let height = cell.height, south = max(-90, cell.south - Self.slack), north = min(90, cell.south + height + Self.slack)
        let west = max(-180, cell.west - Self.slack), east = min(180, cell.west + 2 * height + Self.slack)
        var relation = CellRelation.apart
        for box in boxes where box.south <= north && box.north >= south && box.west <= east && box.east >= west {
            if box.south <= south, box.north >= north, box.west <= west, box.east >= east { return .within }
            relation = .across
        }
        return relation
    }
}
