/// Limits how often a waiter for commits may be woken: at once, and under a storm of commits once a millisecond.
///
/// ```
/// tokens: ████████████████  one goes with each version told, one comes back each millisecond; without any, no waking before the next
/// ```
/// So each listener costs a process that commits at full speed a thousand wake-ups a second at most, and occasional
/// commits are notified without delay.
struct WakePace {
    /// Time until a token comes back, in nanoseconds.
    static let interval: UInt64 = 1_000_000
    /// Number of tokens.
    static let burst: UInt64 = 16
    /// Nanoseconds after which a waiter looks again without a notification, in case the process that should have
    /// notified it died.
    static let reread: UInt64 = 250_000_000

    /// The newest version notified.
    private(set) var told: UInt64
    private var tokens = Self.burst
    private var since: UInt64

    init(told: UInt64, now: UInt64) {
        self.told = told
        since = now
    }

    /// Notes that a version is notified; notifying it again costs nothing.
    mutating func tell(_ version: UInt64, now: UInt64) {
        refill(now)
        if version <= told { return }
        told = version
        if tokens > 0 { tokens -= 1 }
    }

    /// Time for which no waiter is to be woken, in nanoseconds.
    mutating func rest(now: UInt64) -> UInt64 {
        refill(now)
        assert(tokens > 0 || since + Self.interval > now, "a token is due, and was not given")
        return tokens > 0 ? 0 : since + Self.interval - now
    }

    private mutating func refill(_ now: UInt64) {
        let gained = now > since ? (now - since) / Self.interval : 0
        tokens = min(Self.burst, tokens + gained)
        since = tokens == Self.burst ? max(now, since) : since + gained * Self.interval
        assert(tokens <= Self.burst, "more tokens than a burst has")
    }
}
