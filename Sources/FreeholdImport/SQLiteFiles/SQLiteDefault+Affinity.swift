import Glibc

extension SQLiteDefault {
    /// A column's default value, as SQLite gives it for rows that were written before the column was added.
    init(_ fallback: SQLiteFallback, _ affinity: SQLiteAffinity) {
        switch fallback {
        case .none: self = .value(.null)
        case .bool(let value): self = .value(affinity.applied(toInt: value ? 1 : 0))
        case .blob(let digits): self = .value(.blob(Self.bytes(digits)))
        case .text(let text): self = .value(affinity.applied(toText: text))
        case .expression(let text): self = SQLiteConstant.value(of: text, affinity).map { .value($0) } ?? .expression(text)
        case .number(let text, let isNegative): self = .value(Self.number(text, isNegative, affinity))
        }
    }

    private static func number(_ text: String, _ isNegative: Bool, _ affinity: SQLiteAffinity) -> SQLiteCell {
        let digits = String(decoding: text.utf8.filter { $0 != UInt8(ascii: "_") }, as: UTF8.self)
        let start = digits.utf8.prefix(2)
        if start.elementsEqual("0x".utf8) || start.elementsEqual("0X".utf8) {
            let bits = UInt64(digits.dropFirst(2), radix: 16).map { Int64(bitPattern: $0) } ?? 0
            // Safe: the negative of the least integer is itself, as in SQLite.
            return affinity.applied(toInt: isNegative ? 0 &- bits : bits)
        }
        let signed = isNegative ? "-" + digits : digits
        if let value = Int64(signed) { return affinity.applied(toInt: value) }
        // A column of text has the digits as they were written.
        return (affinity == .blob ? .numeric : affinity).applied(toText: signed)
    }

    private static func bytes(_ digits: String) -> [UInt8] {
        let values = digits.utf8.compactMap { UInt8(String(UnicodeScalar($0)), radix: 16) }
        return stride(from: 0, to: values.count & ~1, by: 2).map { values[$0] << 4 | values[$0 + 1] }
    }
}

extension SQLiteAffinity {
    func applied(toInt value: Int64) -> SQLiteCell {
        switch self {
        case .text: .text(Array(String(value).utf8))
        case .real: .real(Double(value))
        default: .int(value)
        }
    }

    func applied(toReal value: Double) -> SQLiteCell {
        guard self != .real, let whole = Int64(exactly: value), whole != Int64.min else { return .real(value) }
        return .int(whole)
    }

    /// Text that reads as a number becomes one in a column of numbers.
    func applied(toText text: String) -> SQLiteCell {
        let blanks: (UInt8) -> Bool = { $0 == 0x20 || (0x09...0x0D).contains($0) }
        let trimmed = String(decoding: Array(text.utf8.drop(while: blanks).reversed().drop(while: blanks).reversed()), as: UTF8.self)
        guard self != .text, self != .blob, !trimmed.isEmpty, Self.isNumber(Array(trimmed.utf8)) else { return .text(Array(text.utf8)) }
        if let value = Int64(trimmed) { return applied(toInt: value) }
        return applied(toReal: strtod(trimmed, nil))
    }

    /// Whether bytes are a decimal number: sign, digits with a point, exponent.
    private static func isNumber(_ bytes: [UInt8]) -> Bool {
        var rest = bytes[...], digits = 0
        func isSign(_ byte: UInt8?) -> Bool { byte == UInt8(ascii: "+") || byte == UInt8(ascii: "-") }
        func takeDigits() -> Int {
            let count = rest.prefix { (0x30...0x39).contains($0) }.count
            rest = rest.dropFirst(count)
            return count
        }
        if isSign(rest.first) { rest = rest.dropFirst() }
        digits = takeDigits()
        if rest.first == UInt8(ascii: ".") {
            rest = rest.dropFirst()
            digits += takeDigits()
        }
        guard digits > 0 else { return false }
        if let first = rest.first, first | 0x20 == UInt8(ascii: "e") {
            rest = rest.dropFirst()
            if isSign(rest.first) { rest = rest.dropFirst() }
            if takeDigits() == 0 { return false }
        }
        return rest.isEmpty
    }
}
