import Foundation

/// A number that came without its type: of any width, or one of Foundation's, as JSON has them.
enum UntypedNumber {
    case bool(Bool)
    case whole(Int64)
    case real(Double)

    /// Nil for what is none, and for whole numbers that 64 bits do not hold.
    init?(_ value: Any) {
        let type = type(of: value)
        // The most frequent first; and asking a value of another kind for a class bridges it to Foundation.
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

    /// Bools have a class of their own among Foundation's numbers.
    private static let boolean: AnyClass = type(of: NSNumber(value: true))

    private init?(foundation number: NSNumber) {
        if type(of: number) == Self.boolean {
            self = .bool(Bool(truncating: number))
            return
        }
        // Safe: a type's name has a letter at least.
        switch UnicodeScalar(UInt8(bitPattern: number.objCType.pointee)) {
        case "d", "f": self = .real(Double(truncating: number))
        case "Q" where UInt64(truncating: number) > UInt64(Int64.max): return nil
        default: self = .whole(Int64(truncating: number))
        }
    }

    /// The whole number that it is; a bool is none.
    var whole: Int64? {
        switch self {
        case .bool: nil
        case .whole(let number): number
        case .real(let number): Int64(exactly: number)
        }
    }

    /// The number as a real one; a bool is none.
    var real: Double? {
        switch self {
        case .bool: nil
        case .whole(let number): Double(number)
        case .real(let number): number
        }
    }
}

/// A whole number that came without its type.
enum WholeNumber {
    static func from(_ value: Any) -> Int64? {
        // The most frequent first.
        if type(of: value) == Int.self, let value = value as? Int { return Int64(value) }
        return UntypedNumber(value)?.whole
    }
}
