import FreeholdEngine
import FreeholdImport
import Glibc

/// Names and values as SQLite reads them.
enum SQLText {
    /// A name in quotes.
    static func name(_ name: String) -> String { "\"\(name.replacing("\"", with: "\"\""))\"" }

    /// Names in quotes, in parentheses.
    static func names(_ names: [String]) -> String { "(\(names.map(name).joined(separator: ", ")))" }

    /// Appends a value. Collections are not values of a column.
    static func append(_ value: Value, to bytes: inout [UInt8]) {
        switch value {
        case .null, .list, .set, .map: bytes += "NULL".utf8
        case .bool(let flag): bytes.append(UInt8(ascii: flag ? "1" : "0"))
        case .int(let number): DigitText.append(number, to: &bytes)
        case .link(let key): DigitText.append(key.rawValue, to: &bytes)
        case .object(let object): DigitText.append(object.key.rawValue, to: &bytes)
        case .float(let number): append(Double(number), to: &bytes)
        case .double(let number): append(number, to: &bytes)
        case .data(let data): appendHexadecimal(data, to: &bytes)
        case .string(let text): append(text, to: &bytes)
        case .date, .uuid, .objectId, .decimal: append(ValueText.format(value), to: &bytes)
        }
    }

    /// Appends a string. A literal ends at a zero byte, and the program `sqlite3` drops a carriage return at the end of a
    /// line.
    static func append(_ text: String, to bytes: inout [UInt8]) {
        var text = text
        let isPlain = text.withUTF8 { utf8 in
            if utf8.contains(where: { $0 == 0 || $0 == UInt8(ascii: "\r") }) { return false }
            bytes.append(UInt8(ascii: "'"))
            for byte in utf8 {
                if byte == UInt8(ascii: "'") { bytes.append(byte) }
                bytes.append(byte)
            }
            bytes.append(UInt8(ascii: "'"))
            return true
        }
        if isPlain { return }
        bytes += "CAST(".utf8
        appendHexadecimal(Array(text.utf8), to: &bytes)
        bytes += " AS TEXT)".utf8
    }

    private static func appendHexadecimal(_ data: [UInt8], to bytes: inout [UInt8]) {
        func digit(_ half: UInt8) -> UInt8 { half < 10 ? UInt8(ascii: "0") + half : UInt8(ascii: "a") - 10 + half }
        bytes.reserveCapacity(bytes.count + 2 * data.count + 3)
        bytes += "x'".utf8
        for byte in data {
            bytes.append(digit(byte >> 4))
            bytes.append(digit(byte & 15))
        }
        bytes.append(UInt8(ascii: "'"))
    }

    /// Appends a number that SQLite reads as the same double; what is no number as the text `NaN`.
    private static func append(_ number: Double, to bytes: inout [UInt8]) {
        if number.isNaN { return bytes += "'NaN'".utf8 }
        if number.isInfinite { return bytes += (number < 0 ? "-9e999" : "9e999").utf8 }
        let shortest = number.description
        bytes += (isSafe(shortest, number) ? shortest : seventeenDigits(number)).utf8
    }

    /// Whether a decimal lies so near to the double that an imprecise conversion finds it, too. SQLite's conversion may err
    /// by a little, and the shortest digits of a double can lie almost in the middle between it and the next.
    private static func isSafe(_ text: String, _ number: Double) -> Bool {
        guard let (digits, exponent) = parts(text), digits < 1e15, abs(exponent) < powers.count else { return false }
        // Exact but for one rounding: neither the digits nor the power of ten have more than 53 bits.
        if exponent >= 0 { return abs((-number.magnitude).addingProduct(digits, powers[exponent])) <= 0.45 * number.ulp }
        return abs((-digits).addingProduct(number.magnitude, powers[-exponent])) <= 0.45 * number.ulp * powers[-exponent]
    }

    /// The powers of ten that a double has exactly.
    private static let powers: [Double] = (0...22).reduce(into: []) { powers, _ in powers.append((powers.last ?? 0.1) * 10) }

    /// The digits of a decimal as an integer, and the power of ten that it is multiplied with.
    private static func parts(_ text: String) -> (digits: Double, exponent: Int)? {
        let halves = text.split(separator: "e"), number = halves[0].split(separator: ".")
        guard var exponent = halves.count > 1 ? Int(halves[1]) : 0 else { return nil }
        var digits = String(number[0].drop { $0 == "-" })
        // Swift writes `5.0`.
        if number.count > 1, number[1] != "0" {
            digits += number[1]
            exponent -= number[1].utf8.count
        }
        return Double(digits).map { ($0, exponent) }
    }

    /// The number with 17 significant digits, which lie nearer to it than to any other.
    private static func seventeenDigits(_ number: Double) -> String {
        var buffer: [CChar] = Array(repeating: 0, count: 40)
        _ = withVaList([number]) { vsnprintf(&buffer, buffer.count, "%.17g", $0) }
        let text = String(decoding: buffer.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }, as: UTF8.self)
        return text.contains(".") || text.contains("e") ? text : text + ".0"
    }
}
