/// A number parsed from text.
enum NumberText: Equatable {
    /// Without fraction and exponent, within 64 bits.
    case int(Int64)
    /// Without fraction and exponent, beyond 64 bits.
    case longInt
    /// Any other finite number.
    case double(Double)
    /// Valid syntax, but beyond the largest double.
    case tooLarge

    /// Parses a number in JSON syntax (RFC 8259): `-`? digits without leading zeros, fraction?, exponent?.
    /// - Returns: nil if the bytes are not a number.
    @inline(__always)
    init?(_ bytes: UnsafeBufferPointer<UInt8>) {
        var scanner = NumberScanner(bytes)
        guard scanner.scan() else { return nil }
        self = scanner.number
    }
}

/// Scans the bytes of a number once and accumulates its value.
///
/// Safe throughout: digits are accumulated only while the sum stays below 2^64 (19 digits), and every index is checked.
private struct NumberScanner {
    private static let mostExactDigits = 19

    private let bytes: UnsafeBufferPointer<UInt8>
    private var index = 0
    private var isNegative = false
    private var isIntegral = true
    private var digits: UInt64 = 0
    private var digitCount = 0
    private var exponent = 0

    @inline(__always)
    init(_ bytes: UnsafeBufferPointer<UInt8>) { self.bytes = bytes }

    @inline(__always)
    private var byte: UInt8 { index < bytes.count ? bytes[index] : 0 }

    /// - Returns: whether all bytes form one number.
    @inline(__always)
    mutating func scan() -> Bool {
        if byte == UInt8(ascii: "-") {
            isNegative = true
            index += 1
        }
        if byte == UInt8(ascii: "0") {
            index += 1
        } else if !scanDigits() {
            return false
        }
        if index == bytes.count { return true }
        isIntegral = false
        if byte == UInt8(ascii: ".") {
            index += 1
            let before = index
            guard scanDigits() else { return false }
            exponent -= index - before
        }
        if byte | 0x20 == UInt8(ascii: "e") { return scanExponent() && index == bytes.count }
        return index == bytes.count
    }

    /// Accumulates digits; leading zeros of the integer part do not count towards its precision.
    @inline(__always)
    private mutating func scanDigits() -> Bool {
        let before = index
        while index < bytes.count {
            let digit = bytes[index] &- UInt8(ascii: "0")
            if digit > 9 { break }
            if digitCount < Self.mostExactDigits { digits = digits &* 10 &+ UInt64(digit) }
            if digits > 0 { digitCount += 1 }
            index += 1
        }
        return index > before
    }

    private mutating func scanExponent() -> Bool {
        index += 1
        let isDown = byte == UInt8(ascii: "-")
        if isDown || byte == UInt8(ascii: "+") { index += 1 }
        let before = index
        var value = 0
        while index < bytes.count {
            let digit = bytes[index] &- UInt8(ascii: "0")
            if digit > 9 { break }
            value = min(value * 10 + Int(digit), 1_000_000)
            index += 1
        }
        exponent += isDown ? -value : value
        return index > before
    }

    /// The number that was scanned.
    @inline(__always)
    var number: NumberText {
        if isIntegral {
            guard digitCount <= Self.mostExactDigits else { return .longInt }
            if !isNegative, digits <= UInt64(Int64.max) { return .int(Int64(digits)) }
            return isNegative && digits <= UInt64(Int64.max) + 1 ? .int(0 &- Int64(bitPattern: digits)) : .longInt
        }
        // A mantissa and a power of ten that are both exact doubles give the correctly rounded result in one operation.
        if digitCount <= 15, exponent >= -22, exponent <= 22 {
            let power = Self.powers[abs(exponent)]
            let magnitude = exponent < 0 ? Double(digits) / power : Double(digits) * power
            return .double(isNegative ? -magnitude : magnitude)
        }
        return inexactNumber
    }

    @inline(never)
    private var inexactNumber: NumberText {
        guard let value = Double(String(decoding: bytes, as: UTF8.self)), value.isFinite else { return .tooLarge }
        return .double(value)
    }

    private static let powers: [Double] = [
        1e0, 1e1, 1e2, 1e3, 1e4, 1e5, 1e6, 1e7, 1e8, 1e9, 1e10, 1e11, 1e12, 1e13, 1e14, 1e15, 1e16, 1e17, 1e18, 1e19,
        1e20, 1e21, 1e22,
    ]
}
