/// A closed line of great-circle arcs, and which side of it a position is on.
///
/// ```
/// boundary   nearer to an arc than the tolerance
/// inside     the side of the smaller area; of two halves of Earth the one on the left
/// ```
/// 1. The line does not cross itself, and no vertex occurs twice.
/// 2. A position that is farther from the line than the tolerance is assigned to its true side.
final class GeoRing: Sendable {
    enum Side { case outside, boundary, inside }

    /// A micrometre. Positions that near to an arc are on it, vertices that near to one another are one.
    static let tolerance = 1.5e-13

    /// The vertices as given, without the last one, which is the first.
    let vertices: [UnitVector]
    let edges: [GreatCircleEdge]
    /// The circle around the line; it has the inside too if it is smaller than a half of Earth.
    let cap: (center: UnitVector, cosine: Double)
    private let references: [Reference]

    /// A position whose side is known: an arc from it to another position crosses the line an even number of times if both are
    /// on the same side.
    private struct Reference: Sendable {
        let place: UnitVector
        let isInside: Bool
    }

    /// - Throws: `.invalidArgument` for a line that is no ring. `name` is what the message calls it.
    init(_ points: [GeoPoint], _ name: String) throws(FreeholdError) {
        vertices = try Self.vertices(points, name)
        var edges: [GreatCircleEdge] = []
        for (place, start) in vertices.enumerated() {
            let end = vertices[(place + 1) % vertices.count]
            if (start + end).length < 1e-9 {
                throw FreeholdError(.invalidArgument, "the \(name) has an edge between opposite points of Earth, which has no direction; "
                    + "add a vertex between them")
            }
            edges.append(GreatCircleEdge(start, end))
        }
        self.edges = edges
        let sum = vertices.reduce(UnitVector(0, 0, 0), +)
        let center = sum.length > 1e-9 ? sum.normalized : vertices[0]
        cap = (center, vertices.map { $0.dot(center) }.min() ?? 1)
        references = cap.cosine > 0.01 ? Self.references(edges, outside: -center) : Self.references(edges)
        try Self.requireNoTurningBack(edges, name)
        try Self.requireNoCrossing(edges, name)
    }

    private static func vertices(_ points: [GeoPoint], _ name: String) throws(FreeholdError) -> [UnitVector] {
        guard let first = points.first, let last = points.last, points.count >= 4 else {
            throw FreeholdError(.invalidArgument, "the \(name) has \(points.count) points; a ring has at least 4, of which the last is the "
                + "first")
        }
        guard first.position == last.position else {
            throw FreeholdError(.invalidArgument, "the \(name) is not closed: its first point is \(first), its last \(last)")
        }
        var vertices: [UnitVector] = [], seen: Set<UnitVector> = []
        let limit = tolerance * tolerance
        for point in points.dropLast() {
            let place = point.position
            if let last = vertices.last, (place - last).lengthSquared <= limit { continue }
            guard seen.insert(place).inserted else {
                throw FreeholdError(.invalidArgument, "the \(name) has the point \(point) twice")
            }
            vertices.append(place)
        }
        while vertices.count > 1, (vertices[vertices.count - 1] - vertices[0]).lengthSquared <= limit { vertices.removeLast() }
        guard vertices.count >= 3 else {
            throw FreeholdError(.invalidArgument, "the \(name) has \(vertices.count) different points; an area has at least 3")
        }
        return vertices
    }

    /// Throws if an arc leads back on the one before it.
    private static func requireNoTurningBack(_ edges: [GreatCircleEdge], _ name: String) throws(FreeholdError) {
        for (place, edge) in edges.enumerated() {
            let before = edges[place == 0 ? edges.count - 1 : place - 1]
            guard before.normal.dot(edge.normal) < 0, before.normal.cross(edge.normal).length <= before.doubt + edge.doubt else { continue }
            throw FreeholdError(.invalidArgument, "the \(name) turns back on itself at \(describe(edge.start)), and encloses nothing there")
        }
    }

    /// Throws if two arcs of the rings cross each other.
    static func requireNoCrossing(_ edges: [GreatCircleEdge], _ name: String) throws(FreeholdError) {
        let ordered = edges.map { (edge: $0, heights: $0.heights) }.sorted { $0.heights.lowerBound < $1.heights.lowerBound }
        for (place, one) in ordered.enumerated() {
            for other in ordered[(place + 1)...] {
                if other.heights.lowerBound > one.heights.upperBound { break }
                guard one.edge.crosses(other.edge) else { continue }
                throw FreeholdError(.invalidArgument, "the \(name) crosses itself: the edge from \(describe(one.edge.start)) crosses the "
                    + "one from \(describe(other.edge.start))")
            }
        }
    }

    /// A vertex for messages, in degrees.
    private static func describe(_ place: UnitVector) -> String {
        let longitude = ExactTrigonometry.angle(y: place.y, x: place.x) * 180 / ExactTrigonometry.pi
        let radius = (place.x * place.x + place.y * place.y).squareRoot()
        let latitude = ExactTrigonometry.angle(y: place.z, x: radius) * 180 / ExactTrigonometry.pi
        return "[\((longitude * 1e9).rounded() / 1e9), \((latitude * 1e9).rounded() / 1e9)]"
    }

    // MARK: sides

    /// The directions of references: general ones, so that an arc to one of them seldom meets a vertex.
    private static let directions: [UnitVector] = [
        UnitVector(0.613, 0.287, 0.736), UnitVector(-0.351, 0.742, -0.571), UnitVector(0.218, -0.823, 0.525),
        UnitVector(-0.787, -0.403, 0.467), UnitVector(0.471, -0.389, -0.792), UnitVector(-0.129, 0.967, 0.221),
        UnitVector(0.903, 0.157, -0.401), UnitVector(-0.577, -0.211, -0.789),
    ].map(\.normalized)

    /// The references of a ring within less than half of Earth, of which a position on the other half is outside.
    private static func references(_ edges: [GreatCircleEdge], outside: UnitVector) -> [Reference] {
        let known = Reference(place: outside, isInside: false)
        let found = directions.compactMap { direction in
            isInside(direction, by: known, edges, isLast: false).map { Reference(place: direction, isInside: $0) }
        }
        if !found.isEmpty { return found }
        return [Reference(place: directions[0], isInside: isInside(directions[0], by: known, edges, isLast: true) ?? false)]
    }

    /// The area to the left of the line is 2π less the angles by which it turns; the sum of the triangles from the position
    /// opposite a reference to the arcs is that area, or 4π less if the reference is on the left.
    private static func references(_ edges: [GreatCircleEdge]) -> [Reference] {
        var left = 2 * ExactTrigonometry.pi
        for (place, edge) in edges.enumerated() {
            let before = edges[place == 0 ? edges.count - 1 : place - 1]
            let turn = before.normal.cross(edge.normal).dot(edge.start)
            left -= ExactTrigonometry.angle(y: turn, x: before.normal.dot(edge.normal))
        }
        let isLeftInside = left <= 2 * ExactTrigonometry.pi + 1e-9
        return directions.map { direction in
            let sum = edges.reduce(0) { $0 + (-direction).triangleArea($1.start, $1.end) }
            return Reference(place: direction, isInside: (left - sum > 2 * ExactTrigonometry.pi) == isLeftInside)
        }
    }

    /// How a cap around a position is to what is inside: across if an arc may go through it.
    func relation(toCap middle: UnitVector, chord: Double) -> CellRelation {
        let reach = chord + 2 * Self.tolerance
        if reach >= 1.4 { return .across }
        // The sine of an angle is below its chord.
        for edge in edges where edge.isNear(middle, sine: reach, chord: reach) { return .across }
        return side(of: middle) == .outside ? .apart : .within
    }

    func side(of place: UnitVector) -> Side {
        if cap.cosine > 0.01, place.dot(cap.center) < cap.cosine - 1e-12 { return .outside }
        for edge in edges where edge.isNear(place, sine: Self.tolerance, chord: Self.tolerance) { return .boundary }
        for reference in references {
            if let isInside = Self.isInside(place, by: reference, edges, isLast: false) { return isInside ? .inside : .outside }
        }
        return Self.isInside(place, by: references[0], edges, isLast: true) ?? false ? .inside : .outside
    }

    /// Counts the arcs that the way to a reference crosses; nil if rounding may decide about one.
    private static func isInside(_ place: UnitVector, by reference: Reference, _ edges: [GreatCircleEdge], isLast: Bool) -> Bool? {
        if !isLast, place.dot(reference.place) < -0.9 { return nil }
        let way = place.normal(to: reference.place)
        var isInside = reference.isInside, isStartLeft = way.dot(edges[0].start) >= 0
        for edge in edges {
            let isEndLeft = way.dot(edge.end) >= 0
            defer { isStartLeft = isEndLeft }
            guard isStartLeft != isEndLeft else { continue }
            let near = edge.normal.dot(place), far = edge.normal.dot(reference.place)
            if !isLast, near.magnitude < edge.doubt || far.magnitude < edge.doubt { return nil }
            if isStartLeft ? near < 0 && far > 0 : near > 0 && far < 0 { isInside.toggle() }
        }
        return isInside
    }
}
