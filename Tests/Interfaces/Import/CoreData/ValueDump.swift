import FreeholdEngine

/// Values in the form of `store_dump.py`.
enum ValueDump {
    static func text(_ value: Value) -> String {
        switch value {
        case .null: return "-"
        case .bool(let flag): return "b:\(flag ? 1 : 0)"
        case .int(let number): return "i:\(number)"
        case .double(let number): return "d:" + hexadecimal(number.bitPattern, 16)
        case .string(let text): return "s:" + escaped(text)
        case .data(let bytes): return text(bytes)
        case .date(let date): return "t:\(date.seconds)." + padded(String(date.nanoseconds), 9)
        case .uuid(let id): return "u:" + hexadecimal(id.high, 16) + hexadecimal(id.low, 16)
        case .decimal(let number): return "m:" + normal(number.description)
        case .list(let all): return "[" + all.map(text).joined(separator: ",") + "]"
        case .map(let entries):
            return "{" + entries.sortedByKey.map { escaped($0.key) + "=" + text($0.value) }.joined(separator: ",") + "}"
        case .float, .objectId, .link, .set, .object: return "?"
        }
    }

    private static func text(_ bytes: [UInt8]) -> String {
        if bytes.count <= 64 { return "x:" + bytes.map { hexadecimal(UInt64($0), 2) }.joined() }
        var low: UInt32 = 1
        var high: UInt32 = 0
        for byte in bytes {
            low = (low + UInt32(byte)) % 65521
            high = (high + low) % 65521
        }
        return "X:\(bytes.count):\(high << 16 | low)"
    }

    /// Digits without zeros at the end, and an exponent.
    private static func normal(_ text: String) -> String {
        let parts = text.split(separator: "E")
        let mantissa = parts[0].split(separator: "-", omittingEmptySubsequences: false)
        let number = mantissa[mantissa.count - 1].split(separator: ".", omittingEmptySubsequences: false)
        var digits = number.joined()
        var exponent = (parts.count > 1 ? Int(parts[1]) ?? 0 : 0) - (number.count > 1 ? number[1].count : 0)
        digits = String(digits.drop { $0 == "0" })
        if digits.isEmpty { return "0" }
        while digits.hasSuffix("0") {
            digits.removeLast()
            exponent += 1
        }
        return (mantissa.count > 1 ? "-" : "") + digits + "E\(exponent)"
    }

    static func escaped(_ text: String) -> String {
        let kept = Set("\\[](){},=".unicodeScalars)
        return text.unicodeScalars.map { 33..<127 ~= $0.value && !kept.contains($0) ? String($0) : "\\\(String($0.value, radix: 16));" }
            .joined()
    }

    static func hexadecimal(_ number: UInt64, _ count: Int) -> String { padded(String(number, radix: 16), count) }
    private static func padded(_ text: String, _ count: Int) -> String { String(repeating: "0", count: max(0, count - text.count)) + text }
}
