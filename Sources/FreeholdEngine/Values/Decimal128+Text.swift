extension Decimal128: LosslessStringConvertible {
    /// The number in the standard's to-scientific-string format: with an exponent where it ends in zeros that are not
    /// digits of it, or is below 0.000001. Parsing it yields exactly the same digits.
    public var description: String {
        switch parts {
        case .nan: return isNegative ? "-NaN" : "NaN"
        case .infinity(let isNegative): return isNegative ? "-Infinity" : "Infinity"
        case .finite(let isNegative, let coefficient, let exponent):
            let digits = String(coefficient)
            return (isNegative ? "-" : "") + Self.text(digits, exponent)
        }
    }

    private static func text(_ digits: String, _ exponent: Int) -> String {
        let first = exponent + digits.utf8.count - 1
        if exponent <= 0, first >= -6 {
            if exponent == 0 { return digits }
            if first < 0 { return "0." + String(repeating: "0", count: -first - 1) + digits }
            return "\(digits.dropLast(-exponent)).\(digits.suffix(-exponent))"
        }
        let rest = digits.dropFirst()
        return "\(digits.prefix(1))\(rest.isEmpty ? "" : ".")\(rest)E\(first < 0 ? "" : "+")\(first)"
    }

    /// Parses a number: digits with or without a point, an exponent, or `NaN`, `Infinity`, `Inf` in any case. More than
    /// 34 digits are rounded. Nil if the text is not a number.
    public init?(_ text: String) {
        var rest = Substring(text)
        let isNegative = rest.first == "-"
        if isNegative || rest.first == "+" { rest.removeFirst() }
        switch rest.lowercased() {
        case "nan": self = isNegative ? -Self.nan : .nan
        case "inf", "infinity": self = isNegative ? -Self.infinity : Self.infinity
        default:
            var scanner = DecimalScanner()
            guard scanner.scan(rest.utf8) else { return nil }
            self.init(isNegative: isNegative, coefficient: scanner.coefficient, exponent: scanner.exponent,
                      isInexact: scanner.isInexact)
        }
    }
}

/// Collects the digits of a number from its text.
private struct DecimalScanner {
    var coefficient: UInt128 = 0
    var exponent = 0
    /// Whether nonzero digits did not fit.
    var isInexact = false
    private var hasDigits = false
    private var isFraction = false

    /// More digits than a result has, and room for one more.
    private static let limit = Decimal128.power(37)
    private static let largestText = 100_000

    /// False if the text is not a number.
    mutating func scan(_ text: Substring.UTF8View) -> Bool {
        var rest = text[...]
        while let byte = rest.first {
            rest = rest.dropFirst()
            switch byte {
            case UInt8(ascii: "0")...UInt8(ascii: "9"): add(byte - UInt8(ascii: "0"))
            case UInt8(ascii: ".") where !isFraction: isFraction = true
            case UInt8(ascii: "e"), UInt8(ascii: "E"):
                guard hasDigits, let given = Self.exponent(rest) else { return false }
                exponent += given
                return true
            default: return false
            }
        }
        return hasDigits
    }

    private mutating func add(_ digit: UInt8) {
        hasDigits = true
        if coefficient < Self.limit {
            coefficient = coefficient * 10 + UInt128(digit)
            if isFraction { exponent -= 1 }
        } else {
            if digit != 0 { isInexact = true }
            if !isFraction { exponent += 1 }
        }
    }

    /// The exponent of the text, capped far beyond what a number can have: from there on its digits no longer matter.
    private static func exponent(_ text: Substring.UTF8View.SubSequence) -> Int? {
        var digits = text
        let isNegative = digits.first == UInt8(ascii: "-")
        if isNegative || digits.first == UInt8(ascii: "+") { digits = digits.dropFirst() }
        guard !digits.isEmpty, digits.allSatisfy({ (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0) }) else { return nil }
        let value = digits.reduce(0) { min($0 * 10 + Int($1 - UInt8(ascii: "0")), largestText) }
        return isNegative ? -value : value
    }
}
