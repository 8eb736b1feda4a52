/// Strings are scanned eight bytes at a time; escapes are decoded in place, because the decoded bytes are never longer.
///
/// Safe throughout: `mark ≤ written ≤ read ≤ end`; sixteen bytes after `end` may be read and are zero, and a zero stops
/// the scan.
extension JSONParser {
    /// Parses a string whose opening quote is next.
    @inline(__always)
    mutating func text() throws(ImportError) -> String {
        let bytes = try string()
        if let text = String(utf8: bytes) { return text }
        note("the string that ends here is not UTF-8")
        return ""
    }

    /// Parses a string whose opening quote is next.
    /// - Returns: its decoded bytes, valid until the input is filled again.
    @inline(__always)
    mutating func string() throws(ImportError) -> UnsafeBufferPointer<UInt8> {
        input.position += 1
        input.mark = input.position
        var read = ByteScan.endOfPlainText(input.bytes, input.position)
        var written = read - input.mark
        // Here `written` counts from the mark, which moves when the input is filled.
        while input.bytes[read] != UInt8(ascii: "\"") {
            try special(&read, &written)
        }
        let start = input.bytes + input.mark
        input.position = read + 1
        input.mark = -1
        return UnsafeBufferPointer(start: start, count: written)
    }

    /// Handles the byte that stopped the scan, and the plain bytes after it.
    @inline(never)
    private mutating func special(_ read: inout Int, _ written: inout Int) throws(ImportError) {
        if read >= input.end {
            input.position = input.end
            let kept = input.end - input.mark
            guard try input.fill() else { throw input.error(.record, "the string is not closed") }
            read = input.mark + kept
        } else if input.bytes[read] == UInt8(ascii: "\\") {
            input.position = read
            try escape(&written)
            read = input.position
        } else {
            input.position = read
            throw input.error(.record, "a control character in a string must be escaped")
        }
        let next = min(ByteScan.endOfPlainText(input.bytes, read), input.end)
        let target = input.mark + written
        if target < read { (input.bytes + target).update(from: input.bytes + read, count: next - read) }
        written += next - read
        read = next
    }

    /// Decodes the escape at `position`.
    private mutating func escape(_ written: inout Int) throws(ImportError) {
        while input.end - input.position < 12 {
            if try !input.fill() { break }
        }
        let plain: UInt8
        switch input.bytes[input.position + 1] {
        case UInt8(ascii: "u"): return try unicodeEscape(&written)
        case let byte where "\"\\/".utf8.contains(byte): plain = byte
        case UInt8(ascii: "n"): plain = 0x0A
        case UInt8(ascii: "t"): plain = 0x09
        case UInt8(ascii: "r"): plain = 0x0D
        case UInt8(ascii: "b"): plain = 0x08
        case UInt8(ascii: "f"): plain = 0x0C
        default: throw input.error(.record, "unknown escape sequence")
        }
        input.position += 2
        append(plain, &written)
    }

    private mutating func unicodeEscape(_ written: inout Int) throws(ImportError) {
        guard let first = hexadecimal(at: input.position + 2) else {
            throw input.error(.record, "'\\u' needs four hexadecimal digits")
        }
        var value = first
        var length = 6
        if first & 0xFC00 == 0xD800, input.bytes[input.position + 6] == UInt8(ascii: "\\"),
            input.bytes[input.position + 7] == UInt8(ascii: "u"),
            let second = hexadecimal(at: input.position + 8), second & 0xFC00 == 0xDC00
        {
            value = 0x10000 + (first & 0x3FF) << 10 + second & 0x3FF
            length = 12
        }
        if let scalar = Unicode.Scalar(value) {
            for byte in UTF8.encode(scalar)?.map({ $0 }) ?? [] { append(byte, &written) }
        } else {
            note("half a surrogate pair is not a character")
        }
        input.position += length
    }

    private func hexadecimal(at index: Int) -> UInt32? {
        var value: UInt32 = 0
        for byte in UnsafeBufferPointer(start: input.bytes + index, count: 4) {
            guard let digit = Character(UnicodeScalar(byte)).hexDigitValue, byte < 0x80 else { return nil }
            value = value << 4 | UInt32(digit)
        }
        return value
    }

    @inline(__always)
    private func append(_ byte: UInt8, _ written: inout Int) {
        input.bytes[input.mark + written] = byte
        written += 1
    }
}
