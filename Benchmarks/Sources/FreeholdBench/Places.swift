/// The places of the geography workload: between 60 degrees south and 60 degrees north, in millionths of a degree, so that every
/// driver has the same bits.
struct Places {
    /// The radius of a circle with about a thousandth of the places, in radians.
    static let radius = 0.0593

    private var stream: SplitMix64

    init(seed: UInt64) { stream = SplitMix64(seed: seed) }

    /// A latitude and a longitude.
    typealias Place = (latitude: Double, longitude: Double)

    mutating func next() -> Place { draw(60, 180) }

    /// The centre of a search, at least 10 degrees from the edges.
    mutating func centre() -> Place { draw(50, 170) }

    private mutating func draw(_ north: Int, _ east: Int) -> Place {
        let first = stream.next(below: 2_000_000 * north + 1) - 1_000_000 * north
        let second = stream.next(below: 2_000_000 * east + 1) - 1_000_000 * east
        return (Double(first) / 1e6, Double(second) / 1e6)
    }
}
