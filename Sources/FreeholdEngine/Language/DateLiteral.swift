/// Parses date literals of the query language: `2024-05-01`; `2024-05-01T09:30:00.25Z`, as the command line prints it,
/// with an offset from UTC in place of the `Z` or nothing; `2024-05-01@09:30:00:250000000`, as Realm writes it. In
/// quotes, a space may separate date and time. Times are UTC unless an offset is given. Years have four digits, or a
/// sign and 4 to 12, as in `-0044-03-15T00:00:00Z`.
enum DateLiteral {
    /// Parses the date at the front of a query's text, and returns its length; nil if there is none. The value is nil
    /// if the text has the form of a date but is not a valid one. A year with a sign and more than four digits must be
    /// followed by a time: `-12345-10-20` is a calculation.
    static func day(_ text: ArraySlice<Unicode.Scalar>) -> (value: Timestamp?, length: Int)? {
        var reader = DateReader(text)
        guard let date = reader.date() else { return nil }
        if reader.skip("T") {
            guard let time = reader.time(fractionMark: "."), let offset = reader.offsetBehindTime() else { return (nil, reader.length) }
            return (date.flatMap { timestamp($0, time.seconds - offset, time.nanoseconds) }, reader.length)
        }
        if reader.hasLongYear { return nil }
        guard reader.skip("@") else { return (date.flatMap { timestamp($0) }, reader.length) }
        guard let time = reader.time(fractionMark: ":") else { return (nil, reader.length) }
        return (date.flatMap { timestamp($0, time.seconds, time.nanoseconds) }, reader.length)
    }

    /// Nil outside the range of 64-bit seconds. The first moment in that range is not the first of its day.
    private static func timestamp(_ day: Int64, _ seconds: Int64 = 0, _ nanoseconds: Int32 = 0) -> Timestamp? {
        Int64(exactly: Int128(day) * 86_400 + Int128(seconds)).map { Timestamp(seconds: $0, nanoseconds: nanoseconds) }
    }

    /// Parses a quoted string as a date; nil if it is not one.
    static func parse(_ text: String) -> Timestamp? {
        var reader = DateReader(Array(text.unicodeScalars)[...])
        guard case .some(.some(let day)) = reader.date() else { return nil }
        if reader.isAtEnd { return timestamp(day) }
        guard reader.skip("T") || reader.skip(" ") || reader.skip("@"), let time = reader.time(fractionMark: ".") else { return nil }
        guard let offset = reader.offset(), reader.isAtEnd else { return nil }
        return timestamp(day, time.seconds - offset, time.nanoseconds)
    }
}

private struct DateReader {
    private let text: ArraySlice<Unicode.Scalar>
    private var place: Int
    /// Whether the year had a sign and more than four digits.
    private(set) var hasLongYear = false

    init(_ text: ArraySlice<Unicode.Scalar>) {
        self.text = text
        place = text.startIndex
    }

    var isAtEnd: Bool { place == text.endIndex }
    var length: Int { place - text.startIndex }

    mutating func skip(_ scalar: Unicode.Scalar) -> Bool {
        guard place < text.endIndex, text[place] == scalar else { return false }
        place += 1
        return true
    }

    private mutating func digits(_ range: ClosedRange<Int>) -> Int64? {
        var number: Int64 = 0, count = 0
        while count < range.upperBound, place < text.endIndex, let digit = Int64(String(text[place])) {
            number = number * 10 + digit
            count += 1
            place += 1
        }
        return count >= range.lowerBound ? number : nil
    }

    private mutating func year() -> Int64? {
        let isNegative = skip("-"), begin = place
        if !isNegative, !skip("+") { return digits(4...4) }
        guard let year = digits(4...12) else { return nil }
        hasLongYear = place - begin > (isNegative ? 4 : 5)
        return isNegative ? -year : year
    }

    /// Days since 1970 of `YYYY-MM-DD`; nil if the text has another form, and an inner nil if the day does not exist.
    mutating func date() -> Int64?? {
        guard let year = year(), skip("-"), let month = digits(2...2), skip("-"), let day = digits(2...2) else { return nil }
        let isLeap = year % 4 == 0 && (year % 100 != 0 || year % 400 == 0)
        let lengths: [Int64] = [31, isLeap ? 29 : 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31]
        guard (1...12).contains(month), day >= 1, day <= lengths[Int(month) - 1] else { return .some(nil) }
        // The calendar repeats every 400 years, which are 146,097 days. The days before the year are counted by the
        // leap-year rule from the first year of the era; 1970 began on day 719,528, counted from year 0.
        let era = (year < 0 ? year - 399 : year) / 400, rest = year - era * 400
        let past = era * 146_097 + (rest == 0 ? 0 : 365 * rest + (rest - 1) / 4 - (rest - 1) / 100 + 1)
        return past + lengths.prefix(Int(month) - 1).reduce(0, +) + day - 1 - 719_528
    }

    /// `HH:MM[:SS[mark digits]]`. A fraction after a colon is in nanoseconds, one after a point is a decimal fraction.
    mutating func time(fractionMark: Unicode.Scalar) -> (seconds: Int64, nanoseconds: Int32)? {
        guard let hours = digits(1...2), hours < 24, skip(":"), let minutes = digits(1...2), minutes < 60 else { return nil }
        var seconds: Int64 = 0, nanoseconds: Int64 = 0
        if skip(":") {
            guard let read = digits(1...2), read < 60 else { return nil }
            seconds = read
            if skip(fractionMark) {
                let begin = place
                guard let read = digits(1...9) else { return nil }
                nanoseconds = read
                if fractionMark == "." { for _ in (place - begin)..<9 { nanoseconds *= 10 } }
            }
        }
        return (hours * 3600 + minutes * 60 + seconds, Int32(nanoseconds))
    }

    /// The offset from UTC in seconds where other text may follow: anything but `Z` or an offset belongs to that text.
    mutating func offsetBehindTime() -> Int64? {
        if place == text.endIndex || skip("Z") { return 0 }
        return text[place] == "+" || text[place] == "-" ? offset() : 0
    }

    /// The offset from UTC in seconds, positive to the east; 0 for `Z` or nothing.
    mutating func offset() -> Int64? {
        if isAtEnd || skip("Z") { return 0 }
        let isWest = skip("-")
        guard isWest || skip("+"), let hours = digits(2...2), skip(":") || !isAtEnd, let minutes = digits(2...2), minutes < 60 else { return nil }
        return (hours * 60 + minutes) * (isWest ? -60 : 60)
    }
}
