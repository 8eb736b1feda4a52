import FreeholdEngine

/// A JSON value: what requests and answers are written in.
///
/// Members of an object keep their order. Numbers that are not whole, or too large for 64 bits, keep the text they were
/// written as, so that nothing is rounded on the way.
///
/// ```swift
/// let answer: JSON = ["count": 3, "items": ["a", nil]]
/// answer.text            // {"count":3,"items":["a",null]}
/// try JSON(parsing: bytes)["count"]?.integer
/// ```
public enum JSON: Sendable {
    case null
    case bool(Bool)
    /// A whole number of 64 bits.
    case integer(Int64)
    /// Any other number, as it is written.
    case number(String)
    case string(String)
    case array([JSON])
    case object([Member])

    /// A name and a value of an object.
    public struct Member: Sendable {
        public let name: String
        public let value: JSON

        public init(_ name: String, _ value: JSON) {
            self.name = name
            self.value = value
        }
    }

    /// A number of any kind. Infinities and not-a-numbers become null, as JSON cannot write them.
    public static func double(_ value: Double) -> JSON {
        guard value.isFinite else { return .null }
        if let whole = Int64(exactly: value), whole != 0 || value.sign == .plus { return .integer(whole) }
        return .number("\(value)")
    }

    /// A whole number.
    public static func integer(_ value: Int) -> JSON { .integer(Int64(value)) }

    /// A whole number without a sign; its text if it is too large for 64 bits with one.
    public static func integer(_ value: UInt64) -> JSON { Int64(exactly: value).map(JSON.integer) ?? .number(String(value)) }
}

extension JSON {
    /// The value of the object's member of this name; nil if there is none, or this is not an object.
    public subscript(name: String) -> JSON? {
        guard case .object(let members) = self else { return nil }
        return members.first { $0.name.isSame(as: name) }?.value
    }

    /// The object's members in their order; nil if this is not an object.
    public var members: [Member]? {
        if case .object(let members) = self { members } else { nil }
    }

    /// The array's elements; nil if this is not an array.
    public var elements: [JSON]? {
        if case .array(let elements) = self { elements } else { nil }
    }

    /// The string; nil if this is not a string.
    public var string: String? {
        if case .string(let text) = self { text } else { nil }
    }

    /// The whole number; nil if this is not one of 64 bits.
    public var integer: Int64? {
        if case .integer(let value) = self { value } else { nil }
    }

    /// The number, rounded to a double; nil if this is not a number.
    public var double: Double? {
        switch self {
        case .integer(let value): Double(value)
        case .number(let text): Double(text)
        default: nil
        }
    }

    /// The truth value; nil if this is not one.
    public var bool: Bool? {
        if case .bool(let value) = self { value } else { nil }
    }

    /// Whether this is null.
    public var isNull: Bool {
        if case .null = self { true } else { false }
    }

    /// What this is, for messages: "an array", "null".
    public var kindText: String {
        switch self {
        case .null: "null"
        case .bool: "true or false"
        case .integer, .number: "a number"
        case .string: "a string"
        case .array: "an array"
        case .object: "an object"
        }
    }
}

/// Strings and names are compared by their bytes; members in any order.
extension JSON: Equatable {
    public static func == (one: JSON, other: JSON) -> Bool {
        switch (one, other) {
        case (.null, .null): true
        case (.bool(let one), .bool(let other)): one == other
        case (.integer(let one), .integer(let other)): one == other
        case (.number(let one), .number(let other)): one.isSame(as: other)
        case (.string(let one), .string(let other)): one.isSame(as: other)
        case (.array(let one), .array(let other)): one == other
        case (.object(let one), .object(let other)): hasSameMembers(one, other)
        default: false
        }
    }

    private static func hasSameMembers(_ one: [Member], _ other: [Member]) -> Bool {
        guard one.count == other.count else { return false }
        if zip(one, other).allSatisfy({ $0.name.isSame(as: $1.name) }) { return zip(one, other).allSatisfy { $0.value == $1.value } }
        let values = Dictionary(other.map { (ExactText($0.name), $0.value) }, uniquingKeysWith: { first, _ in first })
        return one.allSatisfy { values[ExactText($0.name)] == $0.value }
    }
}

extension JSON: ExpressibleByNilLiteral, ExpressibleByBooleanLiteral, ExpressibleByIntegerLiteral, ExpressibleByStringLiteral,
    ExpressibleByArrayLiteral, ExpressibleByDictionaryLiteral
{
    public init(nilLiteral: ()) { self = .null }
    public init(booleanLiteral value: Bool) { self = .bool(value) }
    public init(integerLiteral value: Int64) { self = .integer(value) }
    public init(stringLiteral value: String) { self = .string(value) }
    public init(arrayLiteral elements: JSON...) { self = .array(elements) }
    public init(dictionaryLiteral members: (String, JSON)...) { self = .object(members.map { Member($0.0, $0.1) }) }
}
