import FreeholdEngine

/// UUIDs (`123e4567-e89b-12d3-a456-426614174000`) and ObjectIds (24 hexadecimal digits) as text.
public enum IdentifierText {
    /// Parses a UUID with its four hyphens; nil if the text is not one.
    public static func uuid(_ text: String) -> UniqueIdentifier? {
        var text = text
        return text.withUTF8 { uuid($0) }
    }

    static func uuid(_ bytes: UnsafeBufferPointer<UInt8>) -> UniqueIdentifier? {
        guard bytes.count == 36 else { return nil }
        var words = (high: UInt64(0), low: UInt64(0))
        for (index, byte) in bytes.enumerated() {
            if index == 8 || index == 13 || index == 18 || index == 23 {
                guard byte == UInt8(ascii: "-") else { return nil }
                continue
            }
            guard let digit = hexadecimal(byte) else { return nil }
            words.high = words.high << 4 | words.low >> 60
            words.low = words.low << 4 | digit
        }
        return UniqueIdentifier(high: words.high, low: words.low)
    }

    /// Parses an ObjectId; nil if the text is not one.
    public static func objectId(_ text: String) -> ObjectIdentifier12? {
        var words = (high: UInt64(0), low: UInt64(0))
        guard text.utf8.count == 24 else { return nil }
        for (index, byte) in text.utf8.enumerated() {
            guard let digit = hexadecimal(byte) else { return nil }
            if index < 16 { words.high = words.high << 4 | digit } else { words.low = words.low << 4 | digit }
        }
        return ObjectIdentifier12(high: words.high, low: UInt32(words.low))
    }

    /// Formats a UUID in lower case.
    public static func format(_ identifier: UniqueIdentifier) -> String {
        let digits = Array(padded(identifier.high, 16) + padded(identifier.low, 16))
        let parts = [digits[0..<8], digits[8..<12], digits[12..<16], digits[16..<20], digits[20...]]
        return parts.map { String($0) }.joined(separator: "-")
    }

    /// Formats an ObjectId in lower case.
    public static func format(_ identifier: ObjectIdentifier12) -> String {
        padded(identifier.high, 16) + padded(UInt64(identifier.low), 8)
    }

    private static func hexadecimal(_ byte: UInt8) -> UInt64? {
        switch byte {
        case UInt8(ascii: "0")...UInt8(ascii: "9"): UInt64(byte - UInt8(ascii: "0"))
        case UInt8(ascii: "a")...UInt8(ascii: "f"): UInt64(byte - UInt8(ascii: "a") + 10)
        case UInt8(ascii: "A")...UInt8(ascii: "F"): UInt64(byte - UInt8(ascii: "A") + 10)
        default: nil
        }
    }

    private static func padded(_ word: UInt64, _ width: Int) -> String {
        let digits = String(word, radix: 16)
        return String(repeating: "0", count: width - digits.count) + digits
    }
}
