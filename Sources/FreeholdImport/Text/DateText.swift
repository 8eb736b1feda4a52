import FreeholdEngine

/// Dates in ISO 8601: `2024-05-01`, `2024-05-01T09:30:00.25Z`, `2024-05-01 09:30:00+02:00`.
///
/// A date alone is its first moment; without a zone the time is UTC. Years have four digits, or a sign and four to
/// twelve, so that every written date can be parsed. Leap seconds (`:60`) count as the next second. Nine digits of a
/// fraction are kept.
public enum DateText {
    /// Parses a date; nil if the text is not one.
    public static func parse(_ text: String) -> Timestamp? {
        var text = text
        return text.withUTF8 { parse($0) }
    }

    static func parse(_ bytes: UnsafeBufferPointer<UInt8>) -> Timestamp? {
        guard bytes.count >= 10, bytes.count <= 48 else { return nil }
        var scanner = DateScanner(bytes)
        return scanner.timestamp()
    }

    /// Formats a date in UTC, with as many digits of the fraction as it needs: `2024-05-01T09:30:00.25Z`.
    public static func format(_ time: Timestamp) -> String {
        var output: [UInt8] = []
        append(time, to: &output)
        return String(decoding: output, as: UTF8.self)
    }

    /// Appends the result of `format`.
    public static func append(_ time: Timestamp, to output: inout [UInt8]) {
        let remainder = time.seconds % 86_400
        let day = time.seconds / 86_400 - (remainder < 0 ? 1 : 0)
        let second = UInt64(remainder < 0 ? remainder + 86_400 : remainder)
        let date = CivilDate(daysSince1970: day)
        if date.year < 0 || date.year > 9999 { output.append(date.year < 0 ? UInt8(ascii: "-") : UInt8(ascii: "+")) }
        DigitText.append(date.year.magnitude, width: date.year > 9999 ? 5 : 4, to: &output)
        append("-", UInt64(date.month), to: &output)
        append("-", UInt64(date.day), to: &output)
        append("T", second / 3600, to: &output)
        append(":", second / 60 % 60, to: &output)
        append(":", second % 60, to: &output)
        if time.nanoseconds != 0 { append(fraction: time.nanoseconds, to: &output) }
        output.append(UInt8(ascii: "Z"))
    }

    /// Appends a separator and two digits.
    @inline(__always)
    private static func append(_ separator: Unicode.Scalar, _ number: UInt64, to output: inout [UInt8]) {
        output.append(UInt8(ascii: separator))
        output.append(UInt8(ascii: "0") + UInt8(number / 10))
        output.append(UInt8(ascii: "0") + UInt8(number % 10))
    }

    private static func append(fraction nanoseconds: Int32, to output: inout [UInt8]) {
        output.append(UInt8(ascii: "."))
        DigitText.append(UInt64(nanoseconds.magnitude), width: 9, to: &output)
        while output.last == UInt8(ascii: "0") { output.removeLast() }
    }
}

/// Parses the bytes of a date.
private struct DateScanner {
    private let bytes: UnsafeBufferPointer<UInt8>
    private var index = 0

    init(_ bytes: UnsafeBufferPointer<UInt8>) { self.bytes = bytes }

    private var byte: UInt8 { index < bytes.count ? bytes[index] : 0 }

    mutating func timestamp() -> Timestamp? {
        guard let date = date() else { return nil }
        let days = date.daysSince1970
        if index == bytes.count { return Self.timestamp(days, 0, 0) }
        guard take("T") || take("t") || take(" "), let clock = clock(), let offset = zone(), index == bytes.count else {
            return nil
        }
        return Self.timestamp(days, clock.seconds - offset, clock.nanoseconds)
    }

    /// Nil if the seconds exceed 64 bits; the first moment of the first day is valid.
    private static func timestamp(_ days: Int64, _ seconds: Int64, _ nanoseconds: Int32) -> Timestamp? {
        Int64(exactly: Int128(days) * 86_400 + Int128(seconds)).map { Timestamp(seconds: $0, nanoseconds: nanoseconds) }
    }

    private mutating func date() -> CivilDate? {
        guard let year = year(), take("-"), let month = number(2), take("-"), let day = number(2) else { return nil }
        let date = CivilDate(year: year, month: month, day: day)
        return date.isValid ? date : nil
    }

    private mutating func year() -> Int64? {
        let isBefore = take("-")
        guard isBefore || take("+") else { return number(4) }
        let first = index
        while byte &- UInt8(ascii: "0") <= 9, index - first < 12 { index += 1 }  // Safe: wraps to above 9.
        let width = index - first
        index = first
        guard width >= 4, let year = number(width) else { return nil }
        return isBefore ? -year : year
    }

    private mutating func clock() -> (seconds: Int64, nanoseconds: Int32)? {
        guard let hour = number(2), hour < 24, take(":"), let minute = number(2), minute < 60 else { return nil }
        guard take(":") else { return (hour * 3600 + minute * 60, 0) }
        guard let second = number(2), second <= 60 else { return nil }
        var nanoseconds: Int32 = 0
        if take(".") || take(",") {
            guard let fraction = fraction() else { return nil }
            nanoseconds = fraction
        }
        return (hour * 3600 + minute * 60 + second, nanoseconds)
    }

    private mutating func fraction() -> Int32? {
        var value: Int32 = 0
        var digits = 0
        while byte &- UInt8(ascii: "0") <= 9 {  // Safe: wraps to above 9.
            if digits < 9 { value = value * 10 + Int32(byte - UInt8(ascii: "0")) }
            digits += 1
            index += 1
        }
        guard digits > 0 else { return nil }
        for _ in digits..<max(digits, 9) { value *= 10 }
        return value
    }

    /// Seconds east of UTC.
    private mutating func zone() -> Int64? {
        if index == bytes.count || take("Z") || take("z") { return 0 }
        if take(" ") { return byte == UInt8(ascii: "+") || byte == UInt8(ascii: "-") ? zone() : nil }
        let isWest = take("-")
        guard isWest || take("+"), let hours = number(2), hours < 24 else { return nil }
        var minutes: Int64 = 0
        if take(":") || index < bytes.count {
            guard let value = number(2), value < 60 else { return nil }
            minutes = value
        }
        let offset = hours * 3600 + minutes * 60
        return isWest ? -offset : offset
    }

    private mutating func take(_ character: Unicode.Scalar) -> Bool {
        guard byte == UInt8(ascii: character) else { return false }
        index += 1
        return true
    }

    private mutating func number(_ width: Int) -> Int64? {
        var value: Int64 = 0
        for _ in 0..<width {
            let digit = byte &- UInt8(ascii: "0")  // Safe: wraps to above 9.
            guard digit <= 9 else { return nil }
            value = value * 10 + Int64(digit)
            index += 1
        }
        return value
    }
}
