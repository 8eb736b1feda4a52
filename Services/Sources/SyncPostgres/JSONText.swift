import Foundation
import FreeholdEngine
import FreeholdMerge

/// Values of mixed properties as JSON, for reading: the exact value is in the row that the merge keeps.
///
/// Numbers that JSON has not (NaN, the infinities), dates (ISO 8601, UTC), UUIDs and ObjectIds are strings, data is Base64. A link
/// is `{"class": …, "key": …}`, an embedded object of which only the identity is known is `true`. Characters of number 0, which jsonb
/// cannot have, are left out, as are entries of maps with such keys. Values that differ as text do so as jsonb.
enum JSONText {
    static func text(of value: SyncValue, _ schema: SyncSchema) -> String {
        switch value {
        case .null, .absent: "null"
        case .bool(let truth): truth ? "true" : "false"
        case .int(let number): "\(number)"
        case .float(let bits): number(Double(Float(bitPattern: bits)), "\(Float(bitPattern: bits))")
        case .double(let bits): number(Double(bitPattern: bits), "\(Double(bitPattern: bits))")
        case .decimal(let high, let low): number(Decimal128(high: high, low: low))
        case .timestamp(let seconds, let nanoseconds): quoted(date(seconds, nanoseconds))
        case .uuid(let high, let low): quoted(uuid(high, low))
        case .objectID(let high, let low): quoted(hex(high) + hex(low))
        case .string(let text): quoted(text)
        case .data(let bytes): quoted(Data(bytes).base64EncodedString())
        case .link(let object): "{\"class\": \(quoted(schema.classes[Int(object.type)].name)), \"key\": \(key(object.key))}"
        case .embedded: "true"
        case .list(let values), .set(let values): "[" + values.map { text(of: $0, schema) }.joined(separator: ", ") + "]"
        case .map(let entries):
            "{" + entries.filter { !$0.key.utf8.contains(0) }.map { "\(quoted($0.key)): \(text(of: $0.value, schema))" }
                .joined(separator: ", ") + "}"
        }
    }

    private static func key(_ key: SyncKey) -> String {
        switch key {
        case .int(let number): "\(number)"
        case .string(let text): quoted(text)
        case .uuid(let high, let low): quoted(uuid(high, low))
        case .objectID(let high, let low): quoted(hex(high) + hex(low))
        }
    }

    private static func number(_ value: Double, _ text: String) -> String {
        value.isFinite ? PlainNumber.text(text) : quoted(value.isNaN ? "NaN" : value < 0 ? "-Infinity" : "Infinity")
    }

    private static func number(_ value: Decimal128) -> String {
        let text = value.description, first = text.utf8.first { $0 != UInt8(ascii: "-") } ?? 0
        return (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(first) ? PlainNumber.text(text) : quoted(text)
    }

    /// A string of JSON, without characters of number 0.
    static func quoted(_ text: String) -> String {
        var made = "\""
        for scalar in text.unicodeScalars {
            switch scalar.value {
            case 0: break
            case 0x22, 0x5c: made += "\\\(scalar)"
            case 0x01..<0x20: made += "\\u00" + hex(UInt8(scalar.value))
            default: made.unicodeScalars.append(scalar)
            }
        }
        return made + "\""
    }

    private static func hex<Number: FixedWidthInteger & UnsignedInteger>(_ number: Number) -> String {
        let digits = String(number, radix: 16)
        return String(repeating: "0", count: Number.bitWidth / 4 - digits.count) + digits
    }

    private static func uuid(_ high: UInt64, _ low: UInt64) -> String {
        let parts = [hex(UInt32(high >> 32)), hex(UInt16(truncatingIfNeeded: high >> 16)), hex(UInt16(truncatingIfNeeded: high)),
                     hex(UInt16(low >> 48))]
        return parts.joined(separator: "-") + "-" + String(hex(low).dropFirst(4))
    }

    // MARK: Dates

    /// `2026-11-29T09:00:00.5Z` by the Gregorian calendar, for every number of seconds.
    private static func date(_ seconds: Int64, _ nanoseconds: Int32) -> String {
        let (days, rest) = floorDivision(seconds, 86_400), (year, month, day) = civil(days)
        let time = [rest / 3600, rest / 60 % 60, rest % 60].map { padded($0, 2) }.joined(separator: ":")
        var fraction = nanoseconds == 0 ? "" : "." + padded(Int64(nanoseconds), 9)
        while fraction.hasSuffix("0") { fraction.removeLast() }
        let start = year < 0 ? "-" + padded(-year, 4) : padded(year, 4)
        return "\(start)-\(padded(month, 2))-\(padded(day, 2))T\(time)\(fraction)Z"
    }

    /// The day that is so many days after 1970-01-01: eras of 400 years, which begin in March.
    private static func civil(_ days: Int64) -> (year: Int64, month: Int64, day: Int64) {
        let (era, inEra) = floorDivision(days + 719_468, 146_097)
        let yearOfEra = (inEra - inEra / 1460 + inEra / 36_524 - inEra / 146_096) / 365
        let dayOfYear = inEra - (365 * yearOfEra + yearOfEra / 4 - yearOfEra / 100), part = (5 * dayOfYear + 2) / 153
        let month = part < 10 ? part + 3 : part - 9
        return (yearOfEra + era * 400 + (month <= 2 ? 1 : 0), month, dayOfYear - (153 * part + 2) / 5 + 1)
    }

    private static func floorDivision(_ number: Int64, _ divisor: Int64) -> (quotient: Int64, rest: Int64) {
        let (quotient, rest) = number.quotientAndRemainder(dividingBy: divisor)
        return rest < 0 ? (quotient - 1, rest + divisor) : (quotient, rest)
    }

    private static func padded(_ number: Int64, _ count: Int) -> String {
        let digits = "\(number)"
        return String(repeating: "0", count: max(0, count - digits.utf8.count)) + digits
    }
}
