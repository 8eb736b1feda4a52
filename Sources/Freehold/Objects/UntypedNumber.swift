import Foundation

/// A number without its static type: an integer or float of any width, or one of Foundation's, as JSON provides them.
enum UntypedNumber {
    case bool(Bool)
    case whole(Int64)
    case real(Double)

    /// Nil for a value that is not a number, and for whole numbers that do not fit 64 bits.
    init?(_ value: Any) {
        let type = type(of: value)
        // The most frequent type first. Casting a value of another kind to a class would bridge it to Foundation.
        if type == Bool.self, let flag = value as? Bool {
            self = .bool(flag)
            return
        }
        if type is AnyClass {
            guard let number = value as? NSNumber else { return nil }
            self.init(foundation: number)
            return
        }
        let value = ValueContext.bare(value)
        switch value {
        case _ where Swift.type(of: value) is AnyClass: self.init(value)
        case let flag as Bool: self = .bool(flag)
        case let number as any BinaryInteger:
            guard let number = Int64(exactly: number) else { return nil }
            self = .whole(number)
        case let number as any BinaryFloatingPoint: self = .real(Double(number))
        case let number as Decimal: self = .real(Double("\(number)") ?? .nan)
        default: return nil
        }
    }

    /// The class of bools, which differs from that of Foundation's other numbers.
    private static let boolean: AnyClass = type(of: NSNumber(value: true))

    private init?(foundation number: NSNumber) {
        if type(of: number) == Self.boolean {
            self = .bool(Bool(truncating: number))
            return
        }
        // Safe: a type's name has at least one letter.
        switch UnicodeScalar(UInt8(bitPattern: number.objCType.pointee)) {
        case "d", "f": self = .real(Double(truncating: number))
        case "Q" where UInt64(truncating: number) > UInt64(Int64.max): return nil
        default: self = .whole(Int64(truncating: number))
        }
    }

    /// The number as a whole number; nil if it is a bool or not whole.
    var whole: Int64? {
        switch self {
        case .bool: nil
        case .whole(let number): number
        case .real(let number): Int64(exactly: number)
        }
    }

    /// The number as a `Double`; nil for a bool.
    var real: Double? {
        switch self {
        case .bool: nil
        case .whole(let number): Double(number)
        case .real(let number): number
        }
    }
}

/// A whole number without its static type.
enum WholeNumber {
    static func from(_ value: Any) -> Int64? {
        // The most frequent type first.
        if type(of: value) == Int.self, let value = value as? Int { return Int64(value) }
        return UntypedNumber(value)?.whole
    }
}
