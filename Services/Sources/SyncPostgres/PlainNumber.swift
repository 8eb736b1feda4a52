/// Numbers without exponents, as PostgreSQL prints them: the same number with as many decimals is the same text.
enum PlainNumber {
    /// - Parameter text: digits, perhaps with a sign, a point and an exponent; other text is given back.
    static func text(_ text: String) -> String {
        var rest = text.utf8[...], isNegative = false, digits: [UInt8] = [], decimals = 0, isBehind = false
        if rest.first == UInt8(ascii: "-") { (isNegative, rest) = (true, rest.dropFirst()) }
        while let one = rest.first, one != UInt8(ascii: "e"), one != UInt8(ascii: "E") {
            rest = rest.dropFirst()
            if one == UInt8(ascii: ".") {
                isBehind = true
            } else if (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(one) {
                digits.append(one)
                decimals += isBehind ? 1 : 0
            } else {
                return text
            }
        }
        if digits.isEmpty { return text }
        decimals -= Int(String(rest.dropFirst()) ?? "") ?? 0
        if decimals < 0 { (digits, decimals) = (digits + Array(repeating: zero, count: -decimals), 0) }
        // At least one digit before the point.
        if digits.count <= decimals { digits = Array(repeating: zero, count: decimals + 1 - digits.count) + digits }
        let whole = digits.dropLast(decimals).drop { $0 == zero }, fraction = digits.suffix(decimals)
        let sign = isNegative && digits.contains { $0 != zero } ? "-" : ""
        let start = sign + (whole.isEmpty ? "0" : String(decoding: whole, as: UTF8.self))
        return fraction.isEmpty ? start : start + "." + String(decoding: fraction, as: UTF8.self)
    }

    private static let zero = UInt8(ascii: "0")
}
