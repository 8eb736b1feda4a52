import FreeholdEngine

/// A part of SQL text.
struct SQLiteToken: Sendable {
    enum Kind: Sendable {
        /// A name or keyword without quotes.
        case word
        /// A name or string in quotes, whose text is without them.
        case quoted
        case number
        /// The digits of `x'…'`.
        case blob
        /// One byte of anything else.
        case symbol
    }

    let kind: Kind
    let text: String
    /// Its bytes in the text.
    let range: Range<Int>

    /// Whether it is a keyword, given in upper case.
    func isWord(_ word: String) -> Bool { kind == .word && SQLiteName.isSame(text, word) }

    func isSymbol(_ symbol: String) -> Bool { kind == .symbol && text.isSame(as: symbol) }

    /// The tokens of a text; comments and blanks are left out.
    static func all(of sql: String) -> [SQLiteToken] {
        var scanner = SQLiteScanner(Array(sql.utf8))
        var tokens: [SQLiteToken] = []
        while let token = scanner.next() { tokens.append(token) }
        return tokens
    }
}

/// Finds the tokens of SQL text, of which any bytes may be the input.
private struct SQLiteScanner {
    private let bytes: [UInt8]
    private var index = 0

    init(_ bytes: [UInt8]) { self.bytes = bytes }

    private func byte(_ offset: Int = 0) -> UInt8 { index + offset < bytes.count ? bytes[index + offset] : 0 }

    mutating func next() -> SQLiteToken? {
        skipBlanks()
        guard index < bytes.count else { return nil }
        let start = index
        switch byte() {
        case UInt8(ascii: "'"), UInt8(ascii: "\""), UInt8(ascii: "`"): return quoted(by: byte())
        case UInt8(ascii: "["): return quoted(by: UInt8(ascii: "]"))
        case UInt8(ascii: "x"), UInt8(ascii: "X"):
            guard byte(1) == UInt8(ascii: "'") else { return word() }
            index += 1
            let digits = quoted(by: UInt8(ascii: "'"))
            return SQLiteToken(kind: .blob, text: digits.text, range: start..<index)
        case UInt8(ascii: "0")...UInt8(ascii: "9"): return number()
        case UInt8(ascii: "."):
            if (0x30...0x39).contains(byte(1)) { return number() }
            return symbol()
        case let byte: return Self.isNamePart(byte) ? word() : symbol()
        }
    }

    private mutating func skipBlanks() {
        while index < bytes.count {
            switch byte() {
            case 0x09...0x0D, 0x20: index += 1
            case UInt8(ascii: "-") where byte(1) == UInt8(ascii: "-"):
                while index < bytes.count, byte() != 0x0A { index += 1 }
            case UInt8(ascii: "/") where byte(1) == UInt8(ascii: "*"):
                index += 2
                while index < bytes.count, !(byte() == UInt8(ascii: "*") && byte(1) == UInt8(ascii: "/")) { index += 1 }
                index = min(index + 2, bytes.count)
            default: return
            }
        }
    }

    private static func isNamePart(_ byte: UInt8) -> Bool {
        switch byte {
        case 0x30...0x39, 0x41...0x5A, 0x61...0x7A, UInt8(ascii: "_"), UInt8(ascii: "$"), 0x80...: true
        default: false
        }
    }

    private mutating func word() -> SQLiteToken {
        let start = index
        while index < bytes.count, Self.isNamePart(byte()) { index += 1 }
        return token(.word, start)
    }

    private mutating func number() -> SQLiteToken {
        let start = index, isHexadecimal = byte(1) | 0x20 == UInt8(ascii: "x")
        while index < bytes.count {
            let isSign = byte() == UInt8(ascii: "+") || byte() == UInt8(ascii: "-")
            let isExponent = !isHexadecimal && index > start && bytes[index - 1] | 0x20 == UInt8(ascii: "e")
            guard Self.isNamePart(byte()) || byte() == UInt8(ascii: ".") || isSign && isExponent else { break }
            index += 1
        }
        return token(.number, start)
    }

    private mutating func symbol() -> SQLiteToken {
        index += 1
        return token(.symbol, index - 1)
    }

    /// A doubled quote stands for one, except for `]`.
    private mutating func quoted(by end: UInt8) -> SQLiteToken {
        let start = index
        var text: [UInt8] = []
        index += 1
        while index < bytes.count {
            if byte() == end {
                guard end != UInt8(ascii: "]"), byte(1) == end else { break }
                index += 1
            }
            text.append(byte())
            index += 1
        }
        index = min(index + 1, bytes.count)
        return SQLiteToken(kind: .quoted, text: String(decoding: text, as: UTF8.self), range: start..<index)
    }

    private func token(_ kind: SQLiteToken.Kind, _ start: Int) -> SQLiteToken {
        SQLiteToken(kind: kind, text: String(decoding: bytes[start..<index], as: UTF8.self), range: start..<index)
    }
}
