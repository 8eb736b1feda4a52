/// How often somebody who waits for commits may be woken: at once, and under a storm of commits once a millisecond.
///
/// ```
/// tokens: ████████████████  one goes with each version told, one comes back each millisecond; without any, no waking before the next
/// ```
/// So listeners cost who commits as fast as he can a thousand wake-ups a second each at most, and commits that come now and then are told
/// without delay.
struct WakePace {
    /// How long a token takes to come back, in nanoseconds.
    static let interval: UInt64 = 1_000_000
    /// How many there are.
    static let burst: UInt64 = 16
    /// After how long who waits looks by himself, in case that the one who should have told him died, in nanoseconds.
    static let reread: UInt64 = 250_000_000

    /// The newest version told.
    private(set) var told: UInt64
    private var tokens = Self.burst
    private var since: UInt64

    init(told: UInt64, now: UInt64) {
        self.told = told
        since = now
    }

    /// Notes that a version is told; telling it again costs nothing.
    mutating func tell(_ version: UInt64, now: UInt64) {
        refill(now)
        if version <= told { return }
        told = version
        if tokens > 0 { tokens -= 1 }
    }

    /// For how long nobody is to be woken, in nanoseconds.
    mutating func rest(now: UInt64) -> UInt64 {
        refill(now)
        return tokens > 0 ? 0 : since + Self.interval - now
    }

    private mutating func refill(_ now: UInt64) {
        let gained = now > since ? (now - since) / Self.interval : 0
        tokens = min(Self.burst, tokens + gained)
        since = tokens == Self.burst ? max(now, since) : since + gained * Self.interval
    }
}
