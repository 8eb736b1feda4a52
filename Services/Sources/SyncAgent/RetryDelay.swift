/// How long to wait after a request has failed: any time up to a bound, which doubles with each failure ("full jitter"), so that the
/// clients of a server that comes back do not all ask it at once.
public struct RetryDelay: Sendable {
    public static let first = 0.2
    public static let longest = 60.0

    private var bound = Self.first

    public init() {}

    /// Seconds until the next attempt, after one more failure.
    ///
    /// - Parameter atLeast: the seconds that the server has asked for (`Retry-After`). The wait is added to them, at most an hour in all:
    ///   a server cannot send a client away for good.
    public mutating func next(atLeast: Double = 0, using generator: inout some RandomNumberGenerator) -> Double {
        let wait = Double.random(in: 0...bound, using: &generator)
        bound = min(bound * 2, Self.longest)
        // Also what is not a number counts as nothing.
        return atLeast > 0 ? min(atLeast + wait, 3_600) : wait
    }

    /// A request was answered: the next failure is a first one.
    public mutating func reset() { bound = Self.first }
}
