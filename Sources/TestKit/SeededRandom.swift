/// Random numbers that a seed repeats exactly (SplitMix64).
public struct SeededRandom: RandomNumberGenerator, Sendable {
    private var state: UInt64

    public init(seed: UInt64) { state = seed }

    public mutating func next() -> UInt64 {
        // Safe: overflow is the algorithm's own.
        state &+= 0x9E37_79B9_7F4A_7C15
        var mixed = state
        mixed = (mixed ^ (mixed >> 30)) &* 0xBF58_476D_1CE4_E5B9
        mixed = (mixed ^ (mixed >> 27)) &* 0x94D0_49BB_1331_11EB
        return mixed ^ (mixed >> 31)
    }

    /// True once in `count` times; never if `count` is 0.
    public mutating func oneIn(_ count: Int) -> Bool {
        count > 0 && Int.random(in: 0..<count, using: &self) == 0
    }

    /// A number from 0 up to, and not including, `bound`.
    public mutating func below(_ bound: Int) -> Int { Int.random(in: 0..<bound, using: &self) }
}
