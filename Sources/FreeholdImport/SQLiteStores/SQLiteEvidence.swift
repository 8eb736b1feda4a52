import FreeholdEngine

/// What the rows of a table have in one column.
struct SQLiteEvidence {
    /// What is looked for in strings and blobs.
    struct Interest: OptionSet {
        let rawValue: UInt8
        static let dates = Interest(rawValue: 1)
        static let uuids = Interest(rawValue: 2)
        static let decimals = Interest(rawValue: 4)
        static let objectIds = Interest(rawValue: 8)
    }

    private let interest: Interest
    private(set) var nulls = 0
    private(set) var ints = 0
    private(set) var reals = 0
    private(set) var texts = 0
    private(set) var blobs = 0
    /// Strings that are not valid in the encoding of the database.
    private(set) var invalidTexts = 0
    /// Strings and blobs that are read in parts.
    private(set) var longs = 0
    private(set) var uuidBlobs = 0
    private(set) var objectIdBlobs = 0
    /// What strings are found to be.
    private(set) var found = SQLiteTextEvidence()
    /// What holds for all numbers.
    private var flags = Flags()

    private struct Flags {
        var areBools = true
        var areIntsExact = true
        var areFloats = true
        var areRealsDates = true
        var areRealsDecimal = true
        var areJulianDays = true
        var magnitude: Double = 0
        var longest = 0
    }

    init(_ interest: Interest) { self.interest = interest }

    /// The number of values that are not null.
    var count: Int { ints + reals + texts + blobs }
    var isOnlyInts: Bool { ints == count }
    /// The integers are 0 and 1.
    var areBools: Bool { flags.areBools }
    /// The integers are doubles as well.
    var areIntsExact: Bool { flags.areIntsExact }
    /// The numbers are floats as well.
    var areFloats: Bool { flags.areFloats }
    /// The reals are seconds of dates.
    var areRealsDates: Bool { flags.areRealsDates }
    /// The reals are decimals as well.
    var areRealsDecimal: Bool { flags.areRealsDecimal }
    var areJulianDays: Bool { flags.areJulianDays }
    /// The largest magnitude of the numbers.
    var magnitude: Double { flags.magnitude }

    /// The number of bytes of the longest string or blob.
    var longest: Int { flags.longest }

    mutating func addNull() { nulls += 1 }

    @inline(__always)
    mutating func add(int value: Int64) {
        ints += 1
        if value != 0, value != 1 { flags.areBools = false }
        let magnitude = Double(value.magnitude)
        if magnitude > flags.magnitude { flags.magnitude = magnitude }
        if magnitude >= 0x1p24 { addLarge(value) }
        if interest.contains(.dates), SQLiteDate.timestamp(julianDay: Double(value)) == nil { flags.areJulianDays = false }
    }

    private mutating func addLarge(_ value: Int64) {
        if Int64(exactly: Double(value)) != value { flags.areIntsExact = false }
        if Int64(exactly: Float(value)) != value { flags.areFloats = false }
    }

    @inline(__always)
    mutating func add(real value: Double) {
        reals += 1
        if value.magnitude > flags.magnitude { flags.magnitude = value.magnitude }
        if Double(Float(value)).bitPattern != value.bitPattern { flags.areFloats = false }
        if interest.contains(.dates) { addDate(value) }
        if interest.contains(.decimals), flags.areRealsDecimal {
            flags.areRealsDecimal = value.isFinite && Double(Decimal128(value)).bitPattern == value.bitPattern
        }
    }

    private mutating func addDate(_ value: Double) {
        if flags.areRealsDates { flags.areRealsDates = SQLiteDate.isExact(value) }
        if SQLiteDate.timestamp(julianDay: value) == nil { flags.areJulianDays = false }
    }

    /// - Parameter bytes: UTF-8, or what was to be.
    @inline(__always)
    mutating func add(text bytes: UnsafeRawBufferPointer) {
        texts += 1
        if bytes.count > flags.longest { flags.longest = bytes.count }
        guard SQLiteTextCheck.isValid(bytes) else {
            invalidTexts += 1
            return
        }
        if !interest.isEmpty { addInteresting(bytes) }
    }

    @inline(never)
    private mutating func addInteresting(_ bytes: UnsafeRawBufferPointer) {
        let text = String(decoding: bytes.prefix(4096), as: UTF8.self)
        if bytes.count > 4096 { return }
        found.add(text, interest)
    }

    @inline(__always)
    mutating func add(blob count: Int) {
        blobs += 1
        if count > flags.longest { flags.longest = count }
        if count == 16 { uuidBlobs += 1 }
        if count == 12 { objectIdBlobs += 1 }
    }

    /// A value of more than `SourceLimits.shortBytes`.
    mutating func add(long: SourceBytes, isText: Bool) {
        longs += 1
        flags.longest = max(flags.longest, long.count)
        if isText { texts += 1 } else { blobs += 1 }
        if isText, !long.isText { invalidTexts += 1 }
    }
}

/// What the strings of a column are found to be, as far as that is looked for.
struct SQLiteTextEvidence {
    private(set) var dates = 0
    private(set) var uuids = 0
    private(set) var decimals = 0
    private(set) var objectIds = 0
    private var hasUpperCase = false
    private var hasLowerCase = false

    /// Identifiers have letters in upper and in lower case.
    var hasBothCases: Bool { hasUpperCase && hasLowerCase }

    mutating func add(_ text: String, _ interest: SQLiteEvidence.Interest) {
        if interest.contains(.dates), DateText.parse(text) != nil { dates += 1 }
        if interest.contains(.uuids), IdentifierText.uuid(text) != nil { uuids += 1 }
        if interest.contains(.objectIds), IdentifierText.objectId(text) != nil { objectIds += 1 }
        if interest.contains(.decimals), SQLiteDecimal.parse(text) != nil { decimals += 1 }
        guard !interest.isDisjoint(with: [.uuids, .objectIds]), text.utf8.count <= 36 else { return }
        hasLowerCase = hasLowerCase || text.utf8.contains { $0 >= 0x61 }
        hasUpperCase = hasUpperCase || text.utf8.contains { (0x41...0x5A).contains($0) }
    }
}

/// Decimal numbers as text.
enum SQLiteDecimal {
    /// A number of which no digit is lost; nil if the text is not one.
    static func parse(_ text: String) -> Decimal128? {
        let digits = text.utf8.prefix { $0 | 0x20 != UInt8(ascii: "e") }.count { (0x30...0x39).contains($0) }
        guard (1...34).contains(digits), let number = Decimal128(text), number.isFinite else { return nil }
        // The exponent may be beyond what a decimal has.
        return number.isZero == !text.utf8.contains { (0x31...0x39).contains($0) } ? number : nil
    }
}
