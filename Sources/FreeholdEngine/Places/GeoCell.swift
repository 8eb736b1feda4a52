/// A cell of the grid that files places: a square of degrees, halved in both directions from level to level.
///
/// ```
/// latitude   -90…90   in 2³² rows      row    = floor((latitude + 90) · 2³² / 180), at most 2³² - 1
/// longitude -180…180  in 2³² columns   column = floor((longitude + 180) · 2³² / 360), at most 2³² - 1; 0° at the poles
/// number     the bits of both in turn, the row's first: cells of one level are ranges of numbers (Z order)
/// ```
/// 1. A number depends on the two doubles alone, by additions and products that IEEE 754 defines: every machine files a
///    place under the same one.
/// 2. A cell of level 32 is 4.7 mm high and at most 9.3 mm wide.
struct GeoCell: Equatable {
    /// 0 for all of Earth, 32 for a single number.
    let level: Int
    /// The number with which the cell begins.
    let number: UInt64

    static let world = GeoCell(level: 0, number: 0)

    init(level: Int, number: UInt64) { (self.level, self.number) = (level, number) }

    /// The cell of level 32 that has a place.
    init(latitude: Double, longitude: Double) {
        let isPole = latitude.magnitude == 90
        let row = Self.step((latitude + 90) * (Self.steps / 180)), column = Self.step(((isPole ? 0 : longitude) + 180) * (Self.steps / 360))
        self.init(level: 32, number: Self.spread(row) << 1 | Self.spread(column))
    }

    private static let steps = 4_294_967_296.0

    private static func step(_ number: Double) -> UInt32 { UInt32(min(max(number, 0), steps - 1)) }

    /// The numbers of the cells of level 32 within.
    var numbers: ClosedRange<UInt64> { number...number | (level == 0 ? .max : level == 32 ? 0 : UInt64.max >> UInt64(2 * level)) }

    /// The four cells of the next level.
    var parts: [GeoCell] { (0..<4).map { GeoCell(level: level + 1, number: number | $0 << UInt64(62 - 2 * level)) } }

    // MARK: degrees

    /// The height of the cell in degrees; it is twice as wide.
    var height: Double { 180 / Double(UInt64(1) << UInt64(level)) }
    var south: Double { Double(Self.gather(number >> 1)) * (180 / Self.steps) - 90 }
    var west: Double { Double(Self.gather(number)) * (360 / Self.steps) - 180 }

    /// The middle.
    var center: (latitude: Double, longitude: Double) { (south + height / 2, west + height) }

    /// The length of the longest chord from the middle to a place in the cell; at least 2 for cells that are not small.
    func reach(from middle: UnitVector) -> Double {
        if level < 2 { return 2 }
        // The corners are the farthest: along a parallel distances grow, and along a meridian they have one minimum.
        let (sine, cosine) = ExactTrigonometry.sineAndCosine(degrees: west)
        let (low, high) = (ExactTrigonometry.sineAndCosine(degrees: south), ExactTrigonometry.sineAndCosine(degrees: south + height))
        let one = (UnitVector(low.cosine * cosine, low.cosine * sine, low.sine) - middle).lengthSquared
        let other = (UnitVector(high.cosine * cosine, high.cosine * sine, high.sine) - middle).lengthSquared
        // What rounding moves a place by is far below 10⁻¹⁴.
        return max(one, other).squareRoot() + 1e-14
    }

    // MARK: bits

    /// The bits of a number at the even places of another one.
    private static func spread(_ number: UInt32) -> UInt64 {
        var bits = UInt64(number)
        bits = (bits | bits << 16) & 0x0000_FFFF_0000_FFFF
        bits = (bits | bits << 8) & 0x00FF_00FF_00FF_00FF
        bits = (bits | bits << 4) & 0x0F0F_0F0F_0F0F_0F0F
        bits = (bits | bits << 2) & 0x3333_3333_3333_3333
        return (bits | bits << 1) & 0x5555_5555_5555_5555
    }

    /// The bits at the even places.
    private static func gather(_ number: UInt64) -> UInt32 {
        var bits = number & 0x5555_5555_5555_5555
        bits = (bits | bits >> 1) & 0x3333_3333_3333_3333
        bits = (bits | bits >> 2) & 0x0F0F_0F0F_0F0F_0F0F
        bits = (bits | bits >> 4) & 0x00FF_00FF_00FF_00FF
        bits = (bits | bits >> 8) & 0x0000_FFFF_0000_FFFF
        return UInt32(truncatingIfNeeded: bits | bits >> 16)
    }
}
