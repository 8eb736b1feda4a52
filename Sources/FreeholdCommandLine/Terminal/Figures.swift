import Glibc

/// Formats numbers for people.
enum Figures {
    /// `1234567` as `1,234,567`.
    static func grouped(_ number: Int) -> String {
        let digits = String(number.magnitude)
        var result = ""
        for (index, digit) in digits.enumerated() {
            if index > 0, (digits.count - index) % 3 == 0 { result.append(",") }
            result.append(digit)
        }
        return number < 0 ? "-" + result : result
    }

    /// `1 object`, `2 objects`, `1,234 objects`.
    static func count(_ number: Int, _ noun: String, plural: String? = nil) -> String {
        "\(grouped(number)) \(number == 1 ? noun : plural ?? noun + "s")"
    }

    /// Bytes with a decimal unit: `912 B`, `12.3 MB`.
    static func bytes(_ count: Int) -> String {
        var value = Double(count)
        for unit in ["B", "kB", "MB", "GB"] {
            if value < 1000 { return unit == "B" ? "\(count) B" : "\(fixed(value, 1)) \(unit)" }
            value /= 1000
        }
        return "\(fixed(value, 1)) TB"
    }

    /// Seconds with a unit that fits: `850 ns`, `12.3 µs`, `4.5 ms`, `1.2 s`.
    static func duration(_ seconds: Double) -> String {
        switch seconds {
        case ..<1e-6: "\(fixed(seconds * 1e9, 0)) ns"
        case ..<1e-3: "\(fixed(seconds * 1e6, 1)) µs"
        case ..<1: "\(fixed(seconds * 1e3, 1)) ms"
        default: "\(fixed(seconds, 1)) s"
        }
    }

    /// Minutes and seconds: `0:07`, `12:30`.
    static func clock(_ seconds: Double) -> String {
        let whole = Int(min(max(seconds, 0), 359_999).rounded())
        let second = whole % 60
        return "\(whole / 60):\(second < 10 ? "0" : "")\(second)"
    }

    /// A number with a fixed number of decimals.
    static func fixed(_ number: Double, _ digits: Int) -> String {
        guard number.isFinite, abs(number) < 1e15 else { return "?" }
        var scale = 1
        for _ in 0..<digits { scale *= 10 }
        let scaled = Int((abs(number) * Double(scale)).rounded())
        let sign = number < 0 && scaled > 0 ? "-" : ""
        if digits == 0 { return sign + grouped(scaled) }
        let rest = String(scaled % scale)
        return "\(sign)\(grouped(scaled / scale)).\(String(repeating: "0", count: digits - rest.count))\(rest)"
    }

    /// The monotonic clock, in seconds.
    static func now() -> Double {
        var time = timespec()
        clock_gettime(CLOCK_MONOTONIC, &time)
        return Double(time.tv_sec) + Double(time.tv_nsec) / 1e9
    }
}
