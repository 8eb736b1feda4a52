/// Strings of a database as UTF-8.
enum SQLiteText {
    /// Appends text as UTF-8. Half of a surrogate pair becomes three bytes that are not valid UTF-8, so that no text is lost
    /// in silence.
    static func append(_ bytes: UnsafeRawBufferPointer, _ encoding: SQLiteEncoding, to text: inout [UInt8]) {
        if encoding == .utf8 {
            text.append(contentsOf: bytes)
            return
        }
        var converter = Converter(encoding)
        converter.append(bytes, to: &text)
        converter.finish(&text)
    }

    /// Converts UTF-16 that comes in parts of an even number of bytes; a single byte at the end is left out, as SQLite does.
    struct Converter {
        private let isBigEndian: Bool
        /// The first half of a pair whose second half has not come yet.
        private var high: UInt16?

        init(_ encoding: SQLiteEncoding) { isBigEndian = encoding == .utf16BigEndian }

        mutating func append(_ bytes: UnsafeRawBufferPointer, to text: inout [UInt8]) {
            text.reserveCapacity(text.count + bytes.count / 2)
            for offset in stride(from: 0, to: bytes.count & ~1, by: 2) {
                let (first, second) = (UInt16(bytes[offset]), UInt16(bytes[offset + 1]))
                append(isBigEndian ? first << 8 | second : second << 8 | first, to: &text)
            }
        }

        mutating func finish(_ text: inout [UInt8]) {
            if let high { SQLiteText.append(UInt32(high), to: &text) }
            high = nil
        }

        private mutating func append(_ unit: UInt16, to text: inout [UInt8]) {
            if let first = high {
                high = nil
                if unit & 0xFC00 == 0xDC00 {
                    return SQLiteText.append(0x10000 + (UInt32(first & 0x3FF) << 10 | UInt32(unit & 0x3FF)), to: &text)
                }
                SQLiteText.append(UInt32(first), to: &text)
            }
            if unit & 0xFC00 == 0xD800 { high = unit } else { SQLiteText.append(UInt32(unit), to: &text) }
        }
    }

    fileprivate static func append(_ scalar: UInt32, to text: inout [UInt8]) {
        func tail(_ shift: UInt32) -> UInt8 { UInt8(0x80 | scalar >> shift & 0x3F) }
        switch scalar {
        case ..<0x80: text.append(UInt8(scalar))
        case ..<0x800: text += [UInt8(0xC0 | scalar >> 6), tail(0)]
        case ..<0x10000: text += [UInt8(0xE0 | scalar >> 12), tail(6), tail(0)]
        default: text += [UInt8(0xF0 | scalar >> 18), tail(12), tail(6), tail(0)]
        }
    }
}

/// Checks that bytes, which may come in parts, are UTF-8 (RFC 3629).
struct SQLiteTextCheck {
    private var isValid = true
    /// The bytes that have to follow, and the range of the next one.
    private var missing = 0
    private var range: ClosedRange<UInt8> = 0x80...0xBF

    var isValidAtEnd: Bool { isValid && missing == 0 }

    /// Whether the bytes are UTF-8.
    @inline(__always)
    static func isValid(_ bytes: UnsafeRawBufferPointer) -> Bool {
        if bytes.isASCII { return true }
        var check = SQLiteTextCheck()
        check.add(bytes)
        return check.isValidAtEnd
    }

    mutating func add(_ bytes: UnsafeRawBufferPointer) {
        for byte in bytes where isValid {
            if missing == 0 {
                isValid = start(byte)
            } else {
                isValid = range.contains(byte)
                range = 0x80...0xBF
                missing -= 1
            }
        }
    }

    private mutating func start(_ byte: UInt8) -> Bool {
        switch byte {
        case ..<0x80: return true
        case 0xC2...0xDF: missing = 1
        case 0xE0...0xEF:
            missing = 2
            range = byte == 0xE0 ? 0xA0...0xBF : byte == 0xED ? 0x80...0x9F : 0x80...0xBF
        case 0xF0...0xF4:
            missing = 3
            range = byte == 0xF0 ? 0x90...0xBF : byte == 0xF4 ? 0x80...0x8F : 0x80...0xBF
        default: return false
        }
        return true
    }
}
