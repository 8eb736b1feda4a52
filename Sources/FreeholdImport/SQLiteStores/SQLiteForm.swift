import FreeholdEngine

/// How the stored values of a column become those of a property.
enum SQLiteForm: Sendable, Equatable {
    case bool, int, float, double, string, data, decimal, mixed
    /// Strings, and numbers as strings.
    case numerals
    /// Dates as seconds since 1970, as FMDB writes them; as milliseconds; as Julian days; as ISO 8601.
    case seconds, milliseconds, julianDays, dateText
    case uuidBytes, uuidText, objectIdBytes, objectIdText
    /// Rowids of another table, whose class has this place.
    case link(place: Int)
    /// Values of a property of the class at this place.
    indirect case found(place: Int, property: Int, SQLiteForm)

    var type: PropertyType {
        switch self {
        case .bool: .bool
        case .int: .int
        case .float: .float
        case .double: .double
        case .string, .numerals: .string
        case .data: .data
        case .decimal: .decimal
        case .mixed: .mixed
        case .seconds, .milliseconds, .julianDays, .dateText: .date
        case .uuidBytes, .uuidText: .uuid
        case .objectIdBytes, .objectIdText: .objectId
        case .link, .found: .link
        }
    }

    /// Whether values that differ as they are stored differ as properties, so that a unique column stays unique.
    func keepsDistinct(_ seen: SQLiteEvidence) -> Bool {
        switch self {
        case .bool, .int, .float, .double, .string, .data, .uuidBytes, .objectIdBytes, .link, .found, .milliseconds, .seconds: true
        // A string and a blob of the same bytes are one value to an index.
        case .mixed: seen.invalidTexts == 0 && (seen.texts == 0 || seen.blobs == 0)
        case .uuidText, .objectIdText: !seen.found.hasBothCases
        case .decimal, .julianDays, .dateText, .numerals: false
        }
    }

    /// Whether other tables can refer to a row by a value.
    var identifies: Bool {
        switch self {
        case .int, .string, .uuidBytes, .uuidText, .objectIdBytes, .objectIdText: true
        default: false
        }
    }

    /// Whether it can be a primary key.
    var canBeKey: Bool {
        switch type {
        case .int, .string, .date, .uuid, .objectId: true
        default: false
        }
    }

    /// Whether all values seen can be read in this form without loss.
    func fits(_ seen: SQLiteEvidence) -> Bool {
        switch self {
        case .bool: seen.ints == seen.count && seen.areBools
        case .int, .link: seen.ints == seen.count
        case .float: seen.texts + seen.blobs == 0 && seen.areFloats
        case .double: seen.texts + seen.blobs == 0 && seen.areIntsExact
        case .string: seen.texts == seen.count && seen.invalidTexts == 0
        case .numerals: seen.blobs == 0 && seen.invalidTexts == 0
        case .data: seen.ints + seen.reals == 0 && (seen.texts == 0 || seen.blobs == 0)
        case .decimal: seen.blobs == 0 && seen.areRealsDecimal && seen.found.decimals == seen.texts
        case .mixed: true
        case .seconds: seen.texts + seen.blobs == 0 && seen.areRealsDates && seen.magnitude < SQLiteDate.limit
        case .milliseconds: seen.ints == seen.count && seen.magnitude < SQLiteDate.limit
        case .julianDays: seen.texts + seen.blobs == 0 && seen.areJulianDays
        case .dateText: seen.found.dates == seen.count
        case .uuidBytes: seen.uuidBlobs == seen.count
        case .uuidText: seen.found.uuids == seen.count
        case .objectIdBytes: seen.objectIdBlobs == seen.count
        case .objectIdText: seen.found.objectIds == seen.count
        case .found(_, _, let form): form.fits(seen) && seen.longs == 0
        }
    }
}

/// Dates as numbers.
enum SQLiteDate {
    /// Numbers of this magnitude are no dates: 10^15 seconds are 30 million years, 10^15 milliseconds 30 thousand.
    static let limit: Double = 1e15
    /// Whole numbers are taken for milliseconds if one has this magnitude: as seconds it would be after the year 5000.
    static let millisecondLimit: Double = 1e11

    /// Seconds since 1970, to the nearest nanosecond; nil if they are beyond the limit, or no number.
    @inline(__always)
    static func timestamp(seconds: Double) -> Timestamp? {
        guard seconds.magnitude < limit else { return nil }
        let whole = seconds.rounded(.down)
        let nanoseconds = ((seconds - whole) * 1e9).rounded()
        return nanoseconds < 1e9
            ? Timestamp(seconds: Int64(whole), nanoseconds: Int32(nanoseconds)) : Timestamp(seconds: Int64(whole) + 1)
    }

    static func timestamp(milliseconds: Int64) -> Timestamp {
        let remainder = milliseconds % 1000
        let seconds = milliseconds / 1000 - (remainder < 0 ? 1 : 0)
        return Timestamp(seconds: seconds, nanoseconds: Int32(remainder < 0 ? remainder + 1000 : remainder) * 1_000_000)
    }

    /// Days since noon of 24 November 4714 BC, to the millisecond, as SQLite's functions take them; nil if they are no days of
    /// theirs.
    static func timestamp(julianDay: Double) -> Timestamp? {
        guard julianDay >= 0, julianDay < 5_373_484.5 else { return nil }
        return timestamp(milliseconds: Int64((julianDay * 86_400_000).rounded()) - 210_866_760_000_000)
    }

    /// Whether a date is the number of seconds to the last bit.
    static func isExact(_ seconds: Double) -> Bool {
        guard let time = timestamp(seconds: seconds) else { return false }
        return Double(time.seconds) + Double(time.nanoseconds) / 1e9 == seconds
    }
}
