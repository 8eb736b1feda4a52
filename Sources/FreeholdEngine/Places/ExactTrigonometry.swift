/// Sines, cosines and arctangents, in operations that IEEE 754 defines exactly.
///
/// The libraries of C differ in the last digit from one another, and an object on the edge of a shape would be within it
/// on one machine only.
enum ExactTrigonometry {
    static let pi = 3.141_592_653_589_793
    private static let radiansPerDegree = 0.017_453_292_519_943_295

    /// The sine and cosine of an angle in degrees. Multiples of 90 give exactly 0, 1 and -1; the error is below 3 · 10⁻¹⁶.
    static func sineAndCosine(degrees: Double) -> (sine: Double, cosine: Double) {
        // Exact: both numbers are multiples of the last digit of `degrees`.
        let quarters = nearest(degrees / 90), rest = degrees - 90 * quarters
        let (sine, cosine) = series(rest * radiansPerDegree)
        return turned(sine, cosine, quarters)
    }

    /// The sine of an angle from 0 to π.
    static func sine(radians: Double) -> Double {
        let quarters = nearest(radians / (pi / 2))
        let (sine, cosine) = series(radians - quarters * (pi / 2))
        return turned(sine, cosine, quarters).sine
    }

    /// The nearest integer of a small number: beyond 2⁵² doubles have no fraction. It is quicker than a call of the C library.
    @inline(__always)
    private static func nearest(_ number: Double) -> Double { (number + 6_755_399_441_055_744) - 6_755_399_441_055_744 }

    private static func turned(_ sine: Double, _ cosine: Double, _ quarters: Double) -> (sine: Double, cosine: Double) {
        switch Int(quarters) & 3 {
        case 0: (sine, cosine)
        case 1: (cosine, 0 - sine)
        case 2: (0 - sine, 0 - cosine)
        default: (0 - cosine, sine)
        }
    }

    /// The series of both, for angles up to π/4.
    @inline(__always)
    private static func series(_ angle: Double) -> (sine: Double, cosine: Double) {
        let z = angle * angle
        let high = 1.0 / 6_227_020_800 + z * (-1.0 / 1_307_674_368_000 + z * (1.0 / 355_687_428_096_000))
        let odd = -1.0 / 6 + z * (1.0 / 120 + z * (-1.0 / 5_040 + z * (1.0 / 362_880 + z * (-1.0 / 39_916_800 + z * high))))
        let top = 1.0 / 479_001_600 + z * (-1.0 / 87_178_291_200 + z * (1.0 / 20_922_789_888_000))
        let even = 1.0 / 24 + z * (-1.0 / 720 + z * (1.0 / 40_320 + z * (-1.0 / 3_628_800 + z * top)))
        return (angle + angle * z * odd, 1 - (0.5 * z - z * z * even))
    }

    /// The angle, from -π to π, of the direction (x, y).
    static func angle(y: Double, x: Double) -> Double {
        let a = y.magnitude, b = x.magnitude
        if a == 0 && b == 0 { return 0 }
        let acute = a <= b ? arctangent(a / b) : pi / 2 - arctangent(b / a)
        let upper = x < 0 ? pi - acute : acute
        return y < 0 ? -upper : upper
    }

    /// The arctangent of a number from 0 to 1: that of the nearest sixteenth, and a short series for the rest.
    private static func arctangent(_ tangent: Double) -> Double {
        let sixteenths = nearest(tangent * 16), near = sixteenths / 16
        let rest = (tangent - near) / (1 + tangent * near), z = rest * rest
        let sum = -1.0 / 3 + z * (1.0 / 5 + z * (-1.0 / 7 + z * (1.0 / 9 + z * (-1.0 / 11))))
        return arctangents[Int(sixteenths)] + (rest + rest * z * sum)
    }

    /// The arctangents of 0/16 to 16/16.
    private static let arctangents: [Double] = [
        0, 0.062_418_809_995_957_35, 0.124_354_994_546_761_44, 0.185_347_949_995_694_76, 0.244_978_663_126_864_14, 0.302_884_868_374_971_4,
        0.358_770_670_270_572_25, 0.412_410_441_597_387_3, 0.463_647_609_000_806_1, 0.512_389_460_310_737_7, 0.558_599_315_343_562_4,
        0.602_287_346_134_964_2, 0.643_501_108_793_284_4, 0.682_316_554_874_748_1, 0.718_829_999_621_624_5, 0.753_151_280_962_194_4,
        0.785_398_163_397_448_3,
    ]
}
