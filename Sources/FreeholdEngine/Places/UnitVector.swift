/// A position on the unit sphere, or a direction in space.
struct UnitVector: Hashable, Sendable {
    var x: Double
    var y: Double
    var z: Double

    init(_ x: Double, _ y: Double, _ z: Double) { (self.x, self.y, self.z) = (x, y, z) }

    init(latitude: Double, longitude: Double) {
        let (height, radius) = ExactTrigonometry.sineAndCosine(degrees: latitude)
        let (sine, cosine) = ExactTrigonometry.sineAndCosine(degrees: longitude)
        self.init(radius * cosine, radius * sine, height)
    }

    static func + (a: UnitVector, b: UnitVector) -> UnitVector { UnitVector(a.x + b.x, a.y + b.y, a.z + b.z) }
    static func - (a: UnitVector, b: UnitVector) -> UnitVector { UnitVector(a.x - b.x, a.y - b.y, a.z - b.z) }
    static prefix func - (a: UnitVector) -> UnitVector { UnitVector(-a.x, -a.y, -a.z) }
    static func * (a: UnitVector, factor: Double) -> UnitVector { UnitVector(a.x * factor, a.y * factor, a.z * factor) }

    func dot(_ other: UnitVector) -> Double { x * other.x + y * other.y + z * other.z }

    func cross(_ other: UnitVector) -> UnitVector {
        UnitVector(y * other.z - z * other.y, z * other.x - x * other.z, x * other.y - y * other.x)
    }

    var lengthSquared: Double { dot(self) }
    var length: Double { lengthSquared.squareRoot() }
    var normalized: UnitVector { self * (1 / length) }

    /// Twice the cross product with another unit vector: exact to the last digits also where both are nearly the same.
    func normal(to other: UnitVector) -> UnitVector { (self + other).cross(other - self) }

    /// The angle to another position, from 0 to π: exact to the last digits everywhere.
    func angle(to other: UnitVector) -> Double {
        2 * ExactTrigonometry.angle(y: (self - other).length, x: (self + other).length)
    }

    /// The area of the spherical triangle with two other corners, from -2π to 2π: positive if they are counterclockwise.
    func triangleArea(_ a: UnitVector, _ b: UnitVector) -> Double {
        2 * ExactTrigonometry.angle(y: 0.5 * dot(a.normal(to: b)), x: 1 + dot(a) + a.dot(b) + b.dot(self))
    }
}
