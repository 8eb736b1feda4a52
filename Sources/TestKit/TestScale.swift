import Glibc

/// How much of a test that could go on for ever one run does.
///
/// `FREEHOLD_LONG=2` (as `tools/test --all` has it; `--long` has 20) asks for so many times the daily amount, twice at
/// least. Under a sanitizer (`FREEHOLD_SANITIZER` is set) a tenth is enough: what it looks for shows in every run.
public enum TestScale {
    /// `daily`, scaled; at least one.
    public static func count(_ daily: Int) -> Int {
        if getenv("FREEHOLD_SANITIZER") != nil { return max(1, daily / 10) }
        guard let text = getenv("FREEHOLD_LONG"), let factor = Int(String(cString: text)) else { return daily }
        return daily * max(2, factor)
    }

    /// The seeds of a run of so many, or of `long` many where more than the daily amount is asked for.
    public static func seeds(_ daily: Int, long: Int) -> [UInt64] {
        let isLong = getenv("FREEHOLD_LONG") != nil && getenv("FREEHOLD_SANITIZER") == nil
        return (1...UInt64(isLong ? long : count(daily))).map { $0 }
    }

    /// The seeds of a daily run of so many; where more is asked for, of `full` many, scaled. For what takes its time in a debug build.
    public static func seeds(_ daily: Int, full: Int) -> [UInt64] {
        let isLong = getenv("FREEHOLD_LONG") != nil && getenv("FREEHOLD_SANITIZER") == nil
        return seeds(isLong ? full : daily)
    }

    /// The seeds of a daily run of so many, scaled.
    public static func seeds(_ daily: Int) -> [UInt64] { (1...UInt64(count(daily))).map { $0 } }
}
