/// The places within a distance of a centre.
///
/// The edge belongs to the circle. A radius of π or more is all of Earth.
public struct GeoCircle: Hashable, Sendable {
    public let center: GeoPoint
    /// The radius as an angle at the centre of Earth: a metre is 1 / 6,378,100.
    public let radiusInRadians: Double
    private let test: CircleTest

    /// - Throws: `.invalidArgument` if the radius is negative, infinite or not a number.
    public init(around center: GeoPoint, radians: Double) throws(FreeholdError) {
        guard radians >= 0, radians.isFinite else {
            throw FreeholdError(.invalidArgument, "\(radians) is not a radius of a circle: it is 0 or more, in radians")
        }
        self.center = center
        radiusInRadians = radians
        test = CircleTest(center.position, radians)
    }

    /// - Parameter meters: the radius in metres, measured along the surface.
    /// - Throws: `.invalidArgument` if the radius is negative, infinite or not a number.
    public init(around center: GeoPoint, meters: Double) throws(FreeholdError) {
        try self.init(around: center, radians: meters / GeoPoint.earthRadius)
    }

    func contains(_ place: GeoPosition) -> Bool { test.contains(place.vector) }

    public static func == (left: GeoCircle, right: GeoCircle) -> Bool {
        left.center == right.center && left.radiusInRadians == right.radiusInRadians
    }

    public func hash(into hasher: inout Hasher) {
        hasher.combine(center)
        hasher.combine(radiusInRadians)
    }
}

/// Compares chords, which grow with the angle: exact to the last digits for small circles, and for those that are nearly all
/// of Earth by the chord to the opposite point.
private struct CircleTest: Sendable {
    private let center: UnitVector
    private let chordSquared: Double
    private let isBeyondHalf: Bool

    /// More than rounding can move a place beyond the edge: 6 nanometres.
    private static let tolerance = 1e-15

    init(_ center: UnitVector, _ radius: Double) {
        isBeyondHalf = radius > ExactTrigonometry.pi / 2
        let angle = isBeyondHalf ? max(0, ExactTrigonometry.pi - radius - Self.tolerance) : radius + Self.tolerance
        let half = ExactTrigonometry.sine(radians: angle / 2)
        self.center = isBeyondHalf ? -center : center
        // Nothing is left out by a circle of all of Earth.
        chordSquared = isBeyondHalf && radius >= ExactTrigonometry.pi ? -1 : 4 * half * half
    }

    func contains(_ place: UnitVector) -> Bool {
        let distance = (place - center).lengthSquared
        return isBeyondHalf ? distance >= chordSquared : distance <= chordSquared
    }
}
