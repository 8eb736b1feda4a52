import Glibc

/// A sample of durations, in nanoseconds.
struct Latencies {
    private var samples: [Int64] = []

    /// Adds a duration, up to a million of them.
    mutating func add(_ nanoseconds: Int64) {
        if samples.count < 1_000_000 { samples.append(nanoseconds) }
    }

    /// The given percentile in seconds; 0 without samples.
    func percentile(_ percent: Double) -> Double {
        guard !samples.isEmpty else { return 0 }
        let sorted = samples.sorted()
        let place = Int((Double(sorted.count) * percent / 100).rounded(.up)) - 1
        return Double(sorted[min(max(place, 0), sorted.count - 1)]) / 1e9
    }

    /// The boot's clock in nanoseconds, the same for all processes.
    static func now() -> Int64 {
        var time = timespec()
        clock_gettime(CLOCK_MONOTONIC, &time)
        return Int64(time.tv_sec) * 1_000_000_000 + Int64(time.tv_nsec)
    }
}
