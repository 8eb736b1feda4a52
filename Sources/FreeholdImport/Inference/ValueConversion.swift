import FreeholdEngine

/// Why a value does not fit a property's type.
public struct ConversionError: Error, Sendable, Equatable {
    /// The value found and the type expected.
    public let message: String
}

extension ImportedValue {
    /// Converts the value to a property's type. Accepted values, besides those of the type's own kind:
    ///
    /// | type | accepts |
    /// |---|---|
    /// | bool | `true`, `false` in any case; 1, 0 |
    /// | int | digits; a number without fraction |
    /// | float, double | any number; `NaN`, `Infinity`, `-Infinity` |
    /// | decimal | any number; a string keeps its exact digits |
    /// | mixed | the value of the type that the text has, arrays and objects as lists and maps; `{"$date": "2024-05-01"}` for types that JSON lacks |
    /// | string | anything; objects and arrays as JSON |
    /// | data | Base64 |
    /// | date | ISO 8601; a number as seconds since 1970 |
    /// | uuid, objectId | their hexadecimal digits |
    ///
    /// Links are not converted here: they are looked up by code that knows the objects.
    ///
    /// - Parameter rounding: whether a float or double accepts integers that it rounds.
    public func converted(to type: PropertyType, rounding: Bool = true) throws(ConversionError) -> Value {
        if case .null = self { return .null }
        let value: Value? =
            switch type {
            case .bool: bool.map(Value.bool)
            case .int: int.map(Value.int)
            case .float: double(rounding).map { .float(Float($0)) }
            case .double: double(rounding).map(Value.double)
            case .string: .string(string)
            case .data: text.flatMap(Base64Text.parse).map(Value.data)
            case .date: date.map(Value.date)
            case .uuid: text.flatMap(IdentifierText.uuid).map(Value.uuid)
            case .objectId: text.flatMap(IdentifierText.objectId).map(Value.objectId)
            case .link: nil
            case .decimal: decimal.map(Value.decimal)
            case .mixed: mixed
            }
        if let value { return value }
        if isLongInt, type == .decimal {
            throw ConversionError(message: "\(excerpt) has more than 34 digits, the maximum of a decimal")
        }
        if isLongInt, type == .int || type == .mixed {
            throw ConversionError(message: "\(excerpt) is an integer beyond 64 bits; the types decimal, double and string can hold it")
        }
        if type == .double || type == .float, !rounding, let kind = isLongInt ? "an integer beyond 64 bits, which" : isInt ? "an integer that" : nil {
            throw ConversionError(message: "\(excerpt) is \(kind) a \(type.name) would round; declare the property as decimal "
                + "or string to keep it, or as double to round it")
        }
        throw ConversionError(message: "\(excerpt) is not a valid \(type.name)")
    }

    /// Whether the value is an integer beyond 64 bits.
    private var isLongInt: Bool {
        switch self {
        case .longInt: true
        case .text(var text): text.withUTF8 { NumberText($0) } == .longInt
        default: false
        }
    }

    /// Whether the value is an integer of 64 bits.
    private var isInt: Bool {
        switch self {
        case .int: true
        case .text(var text): if case .int = text.withUTF8({ NumberText($0) }) { true } else { false }
        default: false
        }
    }

    /// The value, cut to a length that fits a message.
    var excerpt: String {
        let whole = string
        return whole.count <= 40 ? "'\(whole)'" : "'\(whole.prefix(39))…'"
    }

    private var text: String? {
        if case .text(let text) = self { return text }
        return nil
    }

    private var bool: Bool? {
        switch self {
        case .bool(let value): value
        case .int(0): false
        case .int(1): true
        case .text(let text):
            switch text {
            case "true", "1": true
            case "false", "0": false
            default: Self.wordsForBools[text.lowercased()]
            }
        default: nil
        }
    }

    private var int: Int64? {
        switch self {
        case .int(let value): value
        case .double(let value): Int64(exactly: value)
        case .text(var text):
            switch text.withUTF8({ NumberText($0) }) {
            case .int(let value): value
            case .double(let value): Int64(exactly: value)
            default: Int64(text)
            }
        default: nil
        }
    }

    private func double(_ rounding: Bool) -> Double? {
        switch self {
        case .int(let value): return Self.double(of: value, rounding)
        case .double(let value): return value
        case .longInt(let digits): return Self.double(ofLongInt: digits, rounding)
        case .text(var text):
            switch text.withUTF8({ NumberText($0) }) {
            case .int(let value): return Self.double(of: value, rounding)
            case .double(let value): return value
            case .longInt: return Self.double(ofLongInt: text, rounding)
            case .tooLarge: return nil
            case nil: return Self.wordsForDoubles[text.lowercased()] ?? Double(text)
            }
        default: return nil
        }
    }

    /// Without rounding, the float must equal the integer or print with the same digits.
    private static func double(of value: Int64, _ rounding: Bool) -> Double? {
        let number = Double(value)
        return rounding || Int64(exactly: number) == value || Decimal128(number) == Decimal128(value) ? number : nil
    }

    /// Without rounding, the double must print with the digits of the integer, as it does if a program wrote it without
    /// an exponent.
    private static func double(ofLongInt digits: String, _ rounding: Bool) -> Double? {
        guard let number = Double(digits), number.isFinite else { return nil }
        if rounding { return number }
        guard let exact = ImportedValue.longInt(digits).decimal else { return nil }
        return exact == Decimal128(number) ? number : nil
    }

    private var decimal: Decimal128? {
        switch self {
        case .int(let value): Decimal128(value)
        case .double(let value): Decimal128(value)
        // Digits of an integer are kept or refused, never rounded.
        case .text, .longInt: (isLongInt ? significantDigits : 0) <= 34 ? Decimal128(string) : nil
        default: nil
        }
    }

    /// The digits of an integer without trailing zeros.
    private var significantDigits: Int {
        var digits = string.utf8.drop { $0 == UInt8(ascii: "-") }[...]
        while digits.last == UInt8(ascii: "0") { digits.removeLast() }
        return digits.count
    }

    /// A value with an explicit type, `{"$date": "2024-05-01"}`, for mixed properties and types that JSON lacks.
    var tagged: (type: String, value: ImportedValue)? {
        guard case .object(let object) = self, object.values.count == 1, let name = object.shape.names.first,
              name.hasPrefix("$") else { return nil }
        return (String(name.dropFirst()), object.values[0])
    }

    /// Converts the elements of a list or map in a mixed property; nil if the value is neither.
    func mixedCollection<Failure>(_ convert: (ImportedValue) throws(Failure) -> Value) throws(Failure) -> Value? {
        var entries: ImportedValue = self
        if let tagged {
            guard tagged.type == "map" else { return nil }
            entries = tagged.value
        }
        switch entries {
        case .array(let values):
            var list: [Value] = []
            for value in values { list.append(try convert(value)) }
            return .list(list)
        case .object(let object):
            var map: TextMap<Value> = [:]
            for (name, value) in zip(object.shape.names, object.values) { map[String(name)] = try convert(value) }
            return .map(map)
        default: return nil
        }
    }

    private var mixed: Value? {
        if let collection = try? mixedCollection({ value throws(ConversionError) in try value.converted(to: .mixed) }) { return collection }
        switch self {
        case .null: return .null
        case .bool(let value): return .bool(value)
        case .int(let value): return .int(value)
        case .double(let value): return .double(value)
        case .text(let value): return .string(value)
        case .longInt: return nil
        case .array, .object:
            guard let tagged, let type = PropertyType.allCases.first(where: { $0.name.isSame(as: tagged.type) }), type != .mixed else { return nil }
            return try? tagged.value.converted(to: type)
        }
    }

    private static let wordsForBools = ["true": true, "false": false]

    // Allowed: a few words of ASCII.
    private static let wordsForDoubles: [String: Double] = [
        "nan": .nan, "infinity": .infinity, "-infinity": -.infinity, "inf": .infinity, "-inf": -.infinity,
    ]

    private var string: String {
        switch self {
        case .text(let text): text
        default: jsonText
        }
    }

    private var date: Timestamp? {
        switch self {
        case .int(let seconds): return Timestamp(seconds: seconds)
        case .double(let seconds):
            guard let whole = Int64(exactly: seconds.rounded(.down)) else { return nil }
            let nanoseconds = ((seconds - seconds.rounded(.down)) * 1e9).rounded(.down)
            return Timestamp(seconds: whole, nanoseconds: Int32(nanoseconds))
        case .text(var text): return text.withUTF8 { DateText.parse($0) }
        default: return nil
        }
    }
}
