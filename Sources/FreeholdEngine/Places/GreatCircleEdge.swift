/// The shorter arc of a great circle between two positions.
struct GreatCircleEdge: Sendable {
    let start: UnitVector
    let end: UnitVector
    /// The unit vector that is perpendicular to both, on the left of the way from start to end.
    let normal: UnitVector
    /// The distance to the circle below which the side of a position is not known, because of rounding.
    let doubt: Double

    init(_ start: UnitVector, _ end: UnitVector) {
        self.start = start
        self.end = end
        normal = start.normal(to: end).normalized
        doubt = 1e-15 * (2 + 2 / min((end - start).length, (end + start).length))
    }

    /// Whether the foot of the perpendicular from a position is on the arc.
    private func spans(_ place: UnitVector) -> Bool {
        normal.cross(start).dot(place) >= 0 && end.cross(normal).dot(place) >= 0
    }

    /// Whether a position is within an angle of the arc, of which the sine and the chord are given.
    func isNear(_ place: UnitVector, sine: Double, chord: Double) -> Bool {
        guard normal.dot(place).magnitude <= sine else { return false }
        let limit = chord * chord
        return (place - start).lengthSquared <= limit || (place - end).lengthSquared <= limit || spans(place)
    }

    /// Whether the arcs cross each other at a position that is an end of neither, by more than the tolerance.
    func crosses(_ other: GreatCircleEdge) -> Bool {
        let first = normal.dot(other.start), second = normal.dot(other.end)
        guard first * second < 0 else { return false }
        let third = other.normal.dot(start), fourth = other.normal.dot(end)
        // Both ends of each are on different sides of the other, and the arcs meet on the same half of Earth.
        guard third * fourth < 0, first * fourth > 0 else { return false }
        return min(first.magnitude, second.magnitude, third.magnitude, fourth.magnitude) > GeoRing.tolerance
    }

    /// The minimum and maximum sine of a latitude on the arc.
    var heights: ClosedRange<Double> {
        var low = min(start.z, end.z), high = max(start.z, end.z)
        let apex = UnitVector(-normal.z * normal.x, -normal.z * normal.y, 1 - normal.z * normal.z)
        let height = max(0, 1 - normal.z * normal.z).squareRoot()
        if spans(apex) { high = max(high, height) }
        if spans(-apex) { low = min(low, -height) }
        return low...high
    }
}
