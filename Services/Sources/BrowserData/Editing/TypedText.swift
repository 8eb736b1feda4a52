import FreeholdEngine
import FreeholdImport

/// Parses the text of a single value exactly: what a type cannot hold is refused, never rounded to something else or
/// cut.
enum TypedText {
    /// The value of a text; spaces around it count only in strings.
    ///
    /// - Throws: ``OperationMistake`` that says what is expected, with an example.
    static func value(_ text: String, as type: PropertyType) throws(OperationMistake) -> Value {
        if type == .string { return .string(text) }
        let trimmed = trimmed(text)
        if let value = parsed(trimmed, type) { return value }
        throw OperationMistake("'\(excerpt(text))' is not \(expectation(of: type))")
    }

    private static func parsed(_ text: String, _ type: PropertyType) -> Value? {
        switch type {
        case .bool: ["true": true, "false": false][text.lowercased()].map(Value.bool)
        case .int: Int64(text).map(Value.int)
        case .float: float(text).map(Value.float)
        case .double: double(text).map(Value.double)
        case .decimal: decimal(text).map(Value.decimal)
        case .date: DateText.parse(text).map(Value.date)
        case .uuid: IdentifierText.uuid(text).map(Value.uuid)
        case .objectId: IdentifierText.objectId(text).map(Value.objectId)
        case .data: Base64Text.parse(text).map(Value.data)
        case .string, .link, .mixed: nil
        }
    }

    /// What a text of the type looks like: "an int: a whole number …, such as 42".
    static func expectation(of type: PropertyType) -> String {
        switch type {
        case .bool: "a bool: true or false"
        case .int: "an int: a whole number from -9223372036854775808 to 9223372036854775807, such as 42"
        case .float: "a float: a number such as 1.5 or -2e10, at most about 3.4e38; or NaN, Infinity, -Infinity"
        case .double: "a double: a number such as 1.5 or -2e10, at most about 1.8e308; or NaN, Infinity, -Infinity"
        case .decimal: "a decimal: a number of at most 34 digits, such as 19.90"
        case .string: "a string"
        case .data: "data: bytes in Base64, such as SGVsbG8=; or upload them"
        case .date: "a date, with a time if wanted, in UTC if no zone is given, such as 2024-05-01 or 2024-05-01T09:30:00+02:00"
        case .uuid: "a uuid: such as 123e4567-e89b-12d3-a456-426614174000"
        case .objectId: "an objectId: 24 hexadecimal digits, such as 507f1f77bcf86cd799439011"
        case .link: "a link: {\"link\": key}, {\"primaryKey\": text} or {\"new\": name}"
        case .mixed: "a mixed value: {\"mixed\": type, \"text\": text}, a bool, null, a link, a list or a map"
        }
    }

    private static func double(_ text: String) -> Double? {
        if let word = word(text) { return word }
        guard isNumber(text), let number = Double(text), number.isFinite, !number.isZero || isZero(text) else { return nil }
        return number
    }

    private static func float(_ text: String) -> Float? {
        if let word = word(text) { return Float(word) }
        guard isNumber(text), let number = Float(text), number.isFinite, !number.isZero || isZero(text) else { return nil }
        return number
    }

    private static func decimal(_ text: String) -> Decimal128? {
        if word(text) != nil { return Decimal128(text) }
        guard isNumber(text), significantDigits(text) <= 34, let number = Decimal128(text), number.isFinite,
            !number.isZero || isZero(text) else {
            return nil
        }
        return number
    }

    private static func word(_ text: String) -> Double? {
        switch text.lowercased() {
        case "nan": .nan
        case "infinity", "inf": .infinity
        case "-infinity", "-inf": -.infinity
        default: nil
        }
    }

    /// Whether the text has nothing but digits, signs, a point and an exponent: no hexadecimal numbers, which Swift
    /// reads too.
    private static func isNumber(_ text: String) -> Bool {
        text.utf8.contains { isDigit($0) } && text.utf8.allSatisfy { isDigit($0) || "+-.eE".utf8.contains($0) }
    }

    private static func isDigit(_ byte: UInt8) -> Bool { byte >= UInt8(ascii: "0") && byte <= UInt8(ascii: "9") }

    private static func digits(_ text: String) -> [UInt8] {
        text.utf8.prefix { $0 != UInt8(ascii: "e") && $0 != UInt8(ascii: "E") }.filter(isDigit)
    }

    private static func isZero(_ text: String) -> Bool { digits(text).allSatisfy { $0 == UInt8(ascii: "0") } }

    private static func significantDigits(_ text: String) -> Int {
        var digits = digits(text).drop { $0 == UInt8(ascii: "0") }
        while digits.last == UInt8(ascii: "0") { digits.removeLast() }
        return digits.count
    }

    private static func trimmed(_ text: String) -> String {
        var rest = Substring(text)
        while let first = rest.first, first.isWhitespace { rest.removeFirst() }
        while let last = rest.last, last.isWhitespace { rest.removeLast() }
        return String(rest)
    }

    private static func excerpt(_ text: String) -> String { text.count <= 60 ? text : "\(text.prefix(59))…" }
}
