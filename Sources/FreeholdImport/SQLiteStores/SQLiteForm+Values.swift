import FreeholdEngine

/// How the values of a form are collected.
enum SQLiteContent { case ints, bools, links, doubles, floats, texts, dates, values }

extension SQLiteForm {
    var content: SQLiteContent {
        switch self {
        case .bool: .bools
        case .int: .ints
        case .link: .links
        case .double: .doubles
        case .float: .floats
        case .string, .numerals, .data: .texts
        case .seconds, .milliseconds, .julianDays, .dateText: .dates
        case .decimal, .mixed, .uuidBytes, .uuidText, .objectIdBytes, .objectIdText, .found: .values
        }
    }

    /// Whether the database takes the values as they are.
    var isPlain: Bool {
        switch self {
        case .mixed, .found: false
        default: true
        }
    }

    /// A value that the database cannot take as it is.
    func sourceValue(_ cell: SQLiteCell) throws(SourceError) -> SourceValue {
        if case .long(let long) = cell { return .long(long) }
        guard case .found(let place, let property, let form) = self else { return .value(try value(cell)) }
        return .found(place: place, property: property, value: try form.value(cell))
    }

    /// The property's value.
    /// - Throws: `.changed` if it is not of this form, as all were when the database was opened.
    func value(_ cell: SQLiteCell) throws(SourceError) -> Value {
        let value: Value? =
            switch cell {
            case .null: .null
            case .int(let number): self.value(number)
            case .real(let number): self.value(number)
            case .text(let bytes): text(bytes)
            case .blob(let bytes): blob(bytes)
            case .long: nil
            }
        if let value { return value }
        throw SourceError(.changed, "the database has values that it did not have when it was opened")
    }

    private func value(_ number: Int64) -> Value? {
        switch self {
        case .int, .mixed, .link: .int(number)
        case .bool: .bool(number != 0)
        case .double: .double(Double(number))
        case .float: .float(Float(number))
        case .numerals: .string(String(number))
        case .decimal: .decimal(Decimal128(number))
        case .seconds: .date(Timestamp(seconds: number))
        case .milliseconds: .date(SQLiteDate.timestamp(milliseconds: number))
        case .julianDays: SQLiteDate.timestamp(julianDay: Double(number)).map { .date($0) }
        default: nil
        }
    }

    private func value(_ number: Double) -> Value? {
        switch self {
        case .mixed, .double: .double(number)
        case .float: .float(Float(number))
        case .numerals: .string("\(number)")
        case .decimal: .decimal(Decimal128(number))
        case .seconds: SQLiteDate.timestamp(seconds: number).map { .date($0) }
        case .julianDays: SQLiteDate.timestamp(julianDay: number).map { .date($0) }
        default: nil
        }
    }

    private func text(_ bytes: [UInt8]) -> Value? {
        if self == .data { return .data(bytes) }
        // Safe: the array lives until the call ends.
        guard bytes.withUnsafeBytes({ SQLiteTextCheck.isValid($0) }) else { return self == .mixed ? .data(bytes) : nil }
        let text = String(decoding: bytes, as: UTF8.self)
        switch self {
        case .string, .numerals, .mixed: return .string(text)
        case .dateText: return DateText.parse(text).map { .date($0) }
        case .uuidText: return IdentifierText.uuid(text).map { .uuid($0) }
        case .objectIdText: return IdentifierText.objectId(text).map { .objectId($0) }
        case .decimal: return SQLiteDecimal.parse(text).map { .decimal($0) }
        default: return nil
        }
    }

    private func blob(_ bytes: [UInt8]) -> Value? {
        func word(_ range: Range<Int>) -> UInt64 { bytes[range].reduce(0) { $0 << 8 | UInt64($1) } }
        switch self {
        case .data, .mixed: return .data(bytes)
        case .uuidBytes: return bytes.count == 16 ? .uuid(UniqueIdentifier(high: word(0..<8), low: word(8..<16))) : nil
        case .objectIdBytes: return bytes.count == 12 ? .objectId(ObjectIdentifier12(high: word(0..<8), low: UInt32(word(8..<12)))) : nil
        default: return nil
        }
    }
}
