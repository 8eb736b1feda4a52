/// Writes JSON to a buffer of UTF-8.
public enum JSONText {
    /// Appends a string in quotes.
    public static func append(_ text: String, to output: inout [UInt8]) {
        output.append(UInt8(ascii: "\""))
        var text = text
        text.withUTF8 { bytes in
            if bytes.isPlain { return output.append(contentsOf: bytes) }
            var plain = 0
            for (index, byte) in bytes.enumerated() where byte < 0x20 || byte == UInt8(ascii: "\"") || byte == UInt8(ascii: "\\") {
                output.append(contentsOf: bytes[plain..<index])
                appendEscape(byte, to: &output)
                plain = index + 1
            }
            output.append(contentsOf: bytes[plain...])
        }
        output.append(UInt8(ascii: "\""))
    }

    /// Appends the shortest decimal that parses to the same double. JSON has no literal for infinities and NaN: they
    /// are written as strings, which a `double` property accepts on import.
    public static func append(_ number: Double, to output: inout [UInt8]) {
        if number.isFinite {
            DigitText.append(number, to: &output)
        } else {
            append(number.isNaN ? "NaN" : number < 0 ? "-Infinity" : "Infinity", to: &output)
        }
    }

    private static func appendEscape(_ byte: UInt8, to output: inout [UInt8]) {
        let letter: Unicode.Scalar
        switch byte {
        case UInt8(ascii: "\""): letter = "\""
        case UInt8(ascii: "\\"): letter = "\\"
        case 0x0A: letter = "n"
        case 0x0D: letter = "r"
        case 0x09: letter = "t"
        default:
            let digits = Array("0123456789abcdef".utf8)
            output.append(contentsOf: "\\u00".utf8)
            output.append(digits[Int(byte >> 4)])
            output.append(digits[Int(byte & 15)])
            return
        }
        output.append(UInt8(ascii: "\\"))
        output.append(UInt8(ascii: letter))
    }
}

extension UnsafeBufferPointer<UInt8> {
    /// Whether no byte needs an escape. Without a branch for each byte, so that several are tested at once.
    fileprivate var isPlain: Bool {
        var special: UInt8 = 0
        for byte in self {
            special |= (byte < 0x20 ? 1 : 0) | (byte == UInt8(ascii: "\"") ? 1 : 0) | (byte == UInt8(ascii: "\\") ? 1 : 0)
        }
        return special == 0
    }
}
