/// Typed values: `uuid("…")`, `oid("…")`, `date("…")`, `data("…")`, `base64("…")`, `decimal(…)`, `float(…)`,
/// `object(…)`.
extension QueryParser {
    mutating func typedValue(_ type: String) throws(FreeholdError) -> Value {
        let token = take()
        take()
        let value: Value? = switch type {
        case "uuid": try text().flatMap(QueryLiterals.uuid)
        case "oid", "objectid": try text().flatMap(QueryLiterals.objectId)
        case "date": try date()
        case "data", "hex": try text().flatMap(QueryLiterals.hexadecimal).map { .data($0) }
        case "base64", "binary": try text().flatMap(QueryLiterals.base64).map { .data($0) }
        case "decimal", "decimal128": try numberText().flatMap { Decimal128($0) }.map { .decimal($0) }
        case "float": try numberText().flatMap { Float($0) }.map { .float($0) }
        case "object", "obj", "link": try object()
        default: throw error("unknown type '\(type)'; typed literals are uuid, oid, date, data, base64, decimal, float and object", at: token)
        }
        guard let value else { throw error("invalid \(type) value", at: token) }
        try require(")", "after the value")
        return value
    }

    /// `B64"…"`, as Realm writes data.
    mutating func base64(_ text: String) throws(FreeholdError) -> Value {
        let token = take()
        take()
        guard let bytes = QueryLiterals.base64(text) else { throw error("invalid base64", at: token) }
        return .data(bytes)
    }

    private mutating func text() throws(FreeholdError) -> String? {
        switch next.kind {
        case .string(let text):
            take()
            return text
        // An id of digits and letters may stand without quotes.
        case .word, .number, .symbol("-"):
            var text = ""
            while !next.isSymbol(")"), next.kind != .end {
                switch take().kind {
                case .word(let part, _), .number(let part), .symbol(let part): text += part
                default: return nil
                }
            }
            return text
        default: throw unexpected("a text")
        }
    }

    private mutating func numberText() throws(FreeholdError) -> String? {
        let sign = skip("-") ? "-" : ""
        switch next.kind {
        case .string(let text), .number(let text), .word(let text, _):
            take()
            return sign + text
        default: throw unexpected("a number")
        }
    }

    private mutating func whole() throws(FreeholdError) -> Int64? {
        let sign = skip("-") ? "-" : ""
        guard case .number(let text) = next.kind else { throw unexpected("a whole number") }
        take()
        return Int64(sign + text)
    }

    private mutating func date() throws(FreeholdError) -> Value? {
        if case .string(let text) = next.kind {
            take()
            return DateLiteral.parse(text).map { .date($0) }
        }
        if case .date(let date) = next.kind {
            take()
            return .date(date)
        }
        guard let seconds = try whole() else { return nil }
        let nanoseconds = skip(",") ? try whole() : 0
        guard let nanoseconds, (0..<1_000_000_000).contains(nanoseconds) else { return nil }
        return .date(Timestamp(seconds: seconds, nanoseconds: Int32(nanoseconds)))
    }

    private mutating func object() throws(FreeholdError) -> Value? {
        guard let first = try whole() else { return nil }
        guard skip(",") else { return .link(ObjectKey(first)) }
        guard let key = try whole(), let number = Int(exactly: first), number >= 0 else { return nil }
        return .object(ObjectReference(classNumber: number, key: ObjectKey(key)))
    }
}

/// Parses ids and bytes from text.
enum QueryLiterals {
    static func hexadecimal(_ text: String) -> [UInt8]? {
        var bytes: [UInt8] = [], high: UInt8?
        for character in text {
            guard let digit = character.hexDigitValue else { return nil }
            if let first = high {
                bytes.append(first << 4 | UInt8(digit))
                high = nil
            } else {
                high = UInt8(digit)
            }
        }
        return high == nil ? bytes : nil
    }

    static func uuid(_ text: String) -> Value? {
        let parts = text.split(separator: "-", omittingEmptySubsequences: false)
        guard parts.map(\.count) == [8, 4, 4, 4, 12], let bytes = hexadecimal(parts.joined()) else { return nil }
        return .uuid(UniqueIdentifier(high: word(bytes[..<8]), low: word(bytes[8...])))
    }

    static func objectId(_ text: String) -> Value? {
        guard text.count == 24, let bytes = hexadecimal(text) else { return nil }
        return .objectId(ObjectIdentifier12(high: word(bytes[..<8]), low: UInt32(truncatingIfNeeded: word(bytes[8...]))))
    }

    private static func word(_ bytes: ArraySlice<UInt8>) -> UInt64 { bytes.reduce(0) { $0 << 8 | UInt64($1) } }

    static func base64(_ text: String) -> [UInt8]? {
        let digits = Array("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/".utf8)
        var bytes: [UInt8] = [], bits: UInt32 = 0, count = 0
        let meant = text.utf8.reversed().drop { $0 == UInt8(ascii: "=") }.reversed()
        for character in meant {
            guard let digit = digits.firstIndex(of: character) else { return nil }
            bits = bits << 6 | UInt32(digit)
            count += 6
            if count >= 8 {
                count -= 8
                bytes.append(UInt8(truncatingIfNeeded: bits >> UInt32(count)))
            }
        }
        return count < 6 && text.utf8.count % 4 == 0 ? bytes : nil
    }
}
