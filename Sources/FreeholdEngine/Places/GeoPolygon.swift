/// The places within a ring, and in none of its holes. Edges are arcs of great circles.
///
/// A ring has two sides; the one of the smaller area is meant, whichever way the ring goes around it. Edges and vertices
/// belong to the polygon, those of holes too.
public struct GeoPolygon: Hashable, Sendable {
    /// The points of the outer ring; the last is the first.
    public let outerRing: [GeoPoint]
    /// The rings of what is left out.
    public let holes: [[GeoPoint]]
    private let outer: GeoRing
    private let inner: [GeoRing]

    /// - Throws: `.invalidArgument` if a ring is not closed, has fewer than three different points, has a point twice or crosses
    ///   itself, and if a hole is not within the outer ring, or within another hole.
    public init(around outerRing: [GeoPoint], without holes: [[GeoPoint]] = []) throws(FreeholdError) {
        (self.outerRing, self.holes) = (outerRing, holes)
        outer = try GeoRing(outerRing, "outer ring of the polygon")
        var inner: [GeoRing] = []
        for (number, hole) in holes.enumerated() { inner.append(try GeoRing(hole, "hole \(number + 1) of the polygon")) }
        self.inner = inner
        try requireHolesWithin()
    }

    private func requireHolesWithin() throws(FreeholdError) {
        if inner.isEmpty { return }
        for (number, hole) in inner.enumerated() {
            if hole.vertices.contains(where: { outer.side(of: $0) == .outside }) {
                throw FreeholdError(.invalidArgument, "hole \(number + 1) of the polygon is not within its outer ring")
            }
            for (other, ring) in inner.enumerated() where other != number {
                guard hole.vertices.contains(where: { ring.side(of: $0) == .inside }) else { continue }
                throw FreeholdError(.invalidArgument, "hole \(number + 1) of the polygon overlaps hole \(other + 1)")
            }
        }
        try GeoRing.requireNoCrossing(outer.edges + inner.flatMap(\.edges), "polygon")
    }

    func contains(_ place: GeoPosition) -> Bool {
        switch outer.side(of: place.vector) {
        case .outside: false
        case .boundary: true
        case .inside: !inner.contains { $0.side(of: place.vector) == .inside }
        }
    }

    /// A cap that has all of the polygon; of a large one it is all of Earth.
    var cap: (center: UnitVector, chord: Double) {
        let cap = outer.cap
        return (cap.center, cap.cosine > 0.01 ? (2 - 2 * cap.cosine).squareRoot() + 1e-7 : 2)
    }

    /// How a cap around a position is to the polygon: across if an edge may go through it.
    func relation(toCap middle: UnitVector, chord: Double) -> CellRelation {
        let relation = outer.relation(toCap: middle, chord: chord)
        guard relation == .within else { return relation }
        var isAcross = false
        for ring in inner {
            switch ring.relation(toCap: middle, chord: chord) {
            case .within: return .apart
            case .across: isAcross = true
            case .apart: continue
            }
        }
        return isAcross ? .across : .within
    }

    public static func == (left: GeoPolygon, right: GeoPolygon) -> Bool { left.outerRing == right.outerRing && left.holes == right.holes }

    public func hash(into hasher: inout Hasher) {
        hasher.combine(outerRing)
        hasher.combine(holes)
    }
}
