/// The random stream of the benchmark: the same numbers from the same seed in every driver.
struct SplitMix64 {
    private static let step: UInt64 = 0x9E37_79B9_7F4A_7C15
    private var state: UInt64

    init(seed: UInt64) { state = seed }

    // Safe: the numbers wrap by the stream's definition.
    /// A stream from its draw number `draw` on; it is counter-based, so any draw is reached at once.
    init(seed: UInt64, draw: UInt64) { state = seed &+ draw &* Self.step }

    /// The stream of seed 42 from its draw number `draw` on.
    init(dataDraw draw: UInt64) { self.init(seed: 42, draw: draw) }

    // Safe: the numbers wrap by the stream's definition.
    mutating func next() -> UInt64 {
        state &+= Self.step
        var z = state
        z = (z ^ (z >> 30)) &* 0xBF58_476D_1CE4_E5B9
        z = (z ^ (z >> 27)) &* 0x94D0_49BB_1331_11EB
        return z ^ (z >> 31)
    }

    /// The next draw as a number below `bound`.
    mutating func next(below bound: Int) -> Int { Int(next() % UInt64(bound)) }
}
