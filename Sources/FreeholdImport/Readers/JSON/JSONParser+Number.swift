extension JSONParser {
    /// Parses a number whose first byte is next.
    mutating func number() throws(ImportError) -> ImportedValue {
        input.mark = input.position
        var length = 1
        while true {
            // Safe: `mark + length ≤ end`, and the padding after the end may be read.
            while Self.isPartOfNumber(input.bytes[input.mark + length]) { length += 1 }
            if input.mark + length < input.end { break }
            if try !input.fill() { break }
        }
        let bytes = UnsafeBufferPointer(start: input.bytes + input.mark, count: length)
        let number = NumberText(bytes)
        input.mark = -1
        switch number {
        case .int(let value):
            input.position += length
            return .int(value)
        case .longInt:
            input.position += length
            return .longInt(String(decoding: bytes, as: UTF8.self))
        case .double(let value):
            input.position += length
            return .double(value)
        case .tooLarge:
            note("the number is beyond the range of a double")
            input.position += length
            return .null
        case nil:
            throw input.error(.record, "invalid JSON number")
        }
    }

    /// Records the value's first error, at the next unread byte.
    mutating func note(_ message: String) {
        if fault == nil { fault = input.error(.record, message) }
    }

    @inline(__always)
    private static func isPartOfNumber(_ byte: UInt8) -> Bool {
        byte &- UInt8(ascii: "0") <= 9 || byte == UInt8(ascii: ".") || byte | 0x20 == UInt8(ascii: "e")  // Safe: wraps to above 9.
            || byte == UInt8(ascii: "-") || byte == UInt8(ascii: "+")
    }
}
