public import FreeholdEngine
public import Foundation

/// A decimal number of 34 digits (IEEE 754-2008).
public typealias Decimal128 = FreeholdEngine.Decimal128

/// Further conversions and operators of decimal numbers.
extension Decimal128: ExpressibleByFloatLiteral, ExpressibleByStringLiteral {
    /// The number with the digits as written: `0.1` is exactly a tenth.
    public init(floatLiteral number: Double) { self.init(number) }

    /// The number that a string represents; NaN if the string is not a number.
    public init(stringLiteral text: String) { self.init(string: text) }
}

extension Decimal128 {
    /// The number that a string represents; NaN if the string is not a number.
    public init(string text: String) { self = Decimal128(text) ?? .nan }

    /// The number of an `NSNumber`, with its digits.
    public init(number: NSNumber) { self = Decimal128("\(number)") ?? .nan }

    /// Zero.
    public init() { self = .zero }

    /// Converts a number, string or `Decimal`; NaN for a string that is not a number. Other types are misuse.
    ///
    /// `Decimal128(text)` returns nil for a string that is not a number.
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

    /// The maximum finite number.
    public static var max: Decimal128 { Decimal128(string: "9999999999999999999999999999999999E6111") }
    /// The minimum finite number.
    public static var min: Decimal128 { -max }
    /// Whether the number is a signaling NaN: always false, as signaling NaNs are not stored.
    public var isSignaling: Bool { false }
    /// Whether the number is a signaling NaN: always false, as signaling NaNs are not stored.
    public var isSignalingNaN: Bool { false }
}

/// A type with division. Programs that import only this module find the protocol's operators, but not those that an
/// engine type declares itself.
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

    /// Converts a whole number; nil if it has more than 34 digits.
    public init?<Number: BinaryInteger>(exactly number: Number) {
        let text = "\(number)"
        guard text.count(where: \.isNumber) <= 34 else { return nil }
        self.init(text)
    }

    /// The number without its sign.
    public var magnitude: Decimal128 { isNegative ? -self : self }

    /// Multiplies a number by another one.
    public static func *= (left: inout Decimal128, right: Decimal128) { left = left * right }

    /// The difference of another number and this one.
    public func distance(to other: Decimal128) -> Decimal128 { other - self }

    /// This number plus a distance.
    public func advanced(by distance: Decimal128) -> Decimal128 { self + distance }
}

extension Decimal128: Codable {
    /// Decodes a string with all digits, as `encode` writes it, or a number.
    public init(from decoder: any Decoder) throws {
        let container = try decoder.singleValueContainer()
        guard let text = try? container.decode(String.self) else {
            self.init(try container.decode(Double.self))
            return
        }
        guard let number = Decimal128(text) else {
            throw DecodingError.dataCorruptedError(in: container, debugDescription: "'\(text)' is not a decimal number")
        }
        self = number
    }

    /// Encodes the number as a string with all its digits.
    public func encode(to encoder: any Encoder) throws {
        var container = encoder.singleValueContainer()
        try container.encode(description)
    }
}
