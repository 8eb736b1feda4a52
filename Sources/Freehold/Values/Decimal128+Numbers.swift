public import FreeholdEngine
public import Foundation

/// A decimal number of 34 digits (IEEE 754-2008).
public typealias Decimal128 = FreeholdEngine.Decimal128

/// What else Swift programs do with decimal numbers.
extension Decimal128: ExpressibleByFloatLiteral, ExpressibleByStringLiteral {
    /// The number with the digits that are written: `0.1` is a tenth.
    public init(floatLiteral number: Double) { self.init(number) }

    /// The number that a text says; not a number for other texts.
    public init(stringLiteral text: String) { self.init(string: text) }
}

extension Decimal128 {
    /// The number that a text says; not a number for other texts.
    public init(string text: String) { self = Decimal128(text) ?? .nan }

    /// A number of Foundation's, with its digits.
    public init(number: NSNumber) { self = Decimal128("\(number)") ?? .nan }

    /// Zero.
    public init() { self = .zero }

    /// A number, text or `Decimal`; not a number for a text that is none. Reports misuse for anything else.
    ///
    /// `Decimal128(text)` is nil for texts that are no numbers.
    public init(value: Any) {
        let known: Decimal128? = switch value {
        case let number as Decimal128: number
        case let text as String: Decimal128(string: text)
        case let number as Double where type(of: value) == Double.self: Decimal128(number)
        case let number as Decimal: Decimal128("\(number)")
        case let number as NSNumber: Decimal128("\(number)")
        default: nil
        }
        if known == nil { Misuse.report("Cannot convert value '\(value)' of type '\(type(of: value))' to decimal128") }
        self = known ?? .nan
    }

    /// The nearest `Double`.
    public var doubleValue: Double { Double(self) }

    /// The greatest number there is.
    public static var max: Decimal128 { Decimal128(string: "9999999999999999999999999999999999E6111") }
    /// The least number there is.
    public static var min: Decimal128 { -max }
    /// Whether it is not a number, and using it an error: never, as such a one is not kept.
    public var isSignaling: Bool { false }
    /// The same.
    public var isSignalingNaN: Bool { false }
}

/// What can be divided. Its operators are found by programs that import this module alone, which those that a type of the engine declares
/// itself are not.
public protocol _Divisible {
    static func / (left: Self, right: Self) -> Self
}

extension _Divisible {
    /// Divides a number by another one.
    public static func /= (left: inout Self, right: Self) { left = left / right }
}

extension Decimal128: _Divisible {}

extension Decimal128: SignedNumeric, Strideable {
    public typealias Magnitude = Decimal128
    public typealias Stride = Decimal128

    /// A whole number; nil if it has more than 34 digits.
    public init?<Number: BinaryInteger>(exactly number: Number) {
        let text = "\(number)"
        guard text.count(where: \.isNumber) <= 34 else { return nil }
        self.init(text)
    }

    /// The number without its sign.
    public var magnitude: Decimal128 { isNegative ? -self : self }

    /// Multiplies a number by another one.
    public static func *= (left: inout Decimal128, right: Decimal128) { left = left * right }

    /// How far another number is from this one.
    public func distance(to other: Decimal128) -> Decimal128 { other - self }

    /// The number so far from this one.
    public func advanced(by distance: Decimal128) -> Decimal128 { self + distance }
}

extension Decimal128: Codable {
    /// Reads a text with all its digits, as `encode` writes it, or a number.
    public init(from decoder: any Decoder) throws {
        let container = try decoder.singleValueContainer()
        guard let text = try? container.decode(String.self) else {
            self.init(try container.decode(Double.self))
            return
        }
        guard let number = Decimal128(text) else {
            throw DecodingError.dataCorruptedError(in: container, debugDescription: "'\(text)' is no decimal number")
        }
        self = number
    }

    /// Writes a text with all its digits.
    public func encode(to encoder: any Encoder) throws {
        var container = encoder.singleValueContainer()
        try container.encode(description)
    }
}
