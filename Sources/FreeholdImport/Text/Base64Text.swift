/// Bytes as text: Base64 with padding (RFC 4648).
public enum Base64Text {
    private static let alphabet = Array("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/".utf8)

    /// Encodes bytes.
    public static func format(_ bytes: [UInt8]) -> String {
        var text: [UInt8] = []
        text.reserveCapacity((bytes.count + 2) / 3 * 4)
        for first in stride(from: 0, to: bytes.count, by: 3) {
            let count = min(3, bytes.count - first)
            var word: UInt32 = 0
            for index in 0..<3 { word = word << 8 | (index < count ? UInt32(bytes[first + index]) : 0) }
            for index in 0..<4 {
                text.append(index <= count ? alphabet[Int(word >> UInt32(18 - 6 * index) & 63)] : UInt8(ascii: "="))
            }
        }
        return String(decoding: text, as: UTF8.self)
    }

    /// Decodes bytes; nil if the text is not Base64.
    public static func parse(_ text: String) -> [UInt8]? {
        let digits = text.utf8
        guard digits.count % 4 == 0 else { return nil }
        let padding = digits.reversed().prefix { $0 == UInt8(ascii: "=") }.count
        guard padding <= 2 else { return nil }
        var bytes: [UInt8] = []
        bytes.reserveCapacity(digits.count / 4 * 3)
        var word: UInt32 = 0
        for (index, digit) in digits.dropLast(padding).enumerated() {
            guard let value = value(digit) else { return nil }
            word = word << 6 | value
            if index % 4 != 0 { bytes.append(UInt8(truncatingIfNeeded: word >> UInt32(6 - index % 4 * 2))) }
        }
        return bytes
    }

    private static func value(_ digit: UInt8) -> UInt32? {
        switch digit {
        case UInt8(ascii: "A")...UInt8(ascii: "Z"): UInt32(digit - UInt8(ascii: "A"))
        case UInt8(ascii: "a")...UInt8(ascii: "z"): UInt32(digit - UInt8(ascii: "a") + 26)
        case UInt8(ascii: "0")...UInt8(ascii: "9"): UInt32(digit - UInt8(ascii: "0") + 52)
        case UInt8(ascii: "+"): 62
        case UInt8(ascii: "/"): 63
        default: nil
        }
    }
}
