import FreeholdEngine

/// Reads JSON text from bytes.
struct JSONParser {
    private let bytes: [UInt8]
    private var position = 0
    private var depthLeft: Int

    init(_ bytes: [UInt8], depth: Int) {
        self.bytes = bytes
        self.depthLeft = depth
    }

    /// The only value of the text.
    mutating func document() throws(JSONError) -> JSON {
        let value = try value()
        skipSpaces()
        guard position == bytes.count else { throw JSONError("text after the value", at: position) }
        return value
    }

    private mutating func value() throws(JSONError) -> JSON {
        skipSpaces()
        // 0 begins no value.
        switch next ?? 0 {
        case UInt8(ascii: "{"): return try nested { parser throws(JSONError) in try parser.object() }
        case UInt8(ascii: "["): return try nested { parser throws(JSONError) in try parser.array() }
        case UInt8(ascii: "\""): return .string(try string())
        case UInt8(ascii: "-"), UInt8(ascii: "0")...UInt8(ascii: "9"): return try number()
        case UInt8(ascii: "t"): return try word("true", .bool(true))
        case UInt8(ascii: "f"): return try word("false", .bool(false))
        case UInt8(ascii: "n"): return try word("null", .null)
        default: throw JSONError("a value was expected", at: position)
        }
    }

    private mutating func nested(_ body: (inout JSONParser) throws(JSONError) -> JSON) throws(JSONError) -> JSON {
        guard depthLeft > 0 else { throw JSONError("too many arrays and objects inside one another", at: position) }
        depthLeft -= 1
        position += 1
        let value = try body(&self)
        depthLeft += 1
        return value
    }

    private mutating func array() throws(JSONError) -> JSON {
        var elements: [JSON] = []
        skipSpaces()
        if take(UInt8(ascii: "]")) { return .array(elements) }
        while true {
            elements.append(try value())
            skipSpaces()
            if take(UInt8(ascii: "]")) { return .array(elements) }
            guard take(UInt8(ascii: ",")) else { throw JSONError("a comma or ']' was expected", at: position) }
        }
    }

    private mutating func object() throws(JSONError) -> JSON {
        var members: [JSON.Member] = []
        var names: Set<ExactText> = []
        skipSpaces()
        if take(UInt8(ascii: "}")) { return .object(members) }
        while true {
            skipSpaces()
            guard next == UInt8(ascii: "\"") else { throw JSONError("a name in quotes was expected", at: position) }
            let start = position
            let name = try string()
            guard names.insert(name).inserted else { throw JSONError("the name \"\(name)\" twice in one object", at: start) }
            skipSpaces()
            guard take(UInt8(ascii: ":")) else { throw JSONError("a colon was expected", at: position) }
            members.append(JSON.Member(name, try value()))
            skipSpaces()
            if take(UInt8(ascii: "}")) { return .object(members) }
            guard take(UInt8(ascii: ",")) else { throw JSONError("a comma or '}' was expected", at: position) }
        }
    }

    private mutating func word(_ word: String, _ value: JSON) throws(JSONError) -> JSON {
        guard bytes[position...].starts(with: word.utf8) else { throw JSONError("a value was expected", at: position) }
        position += word.utf8.count
        return value
    }

    private mutating func number() throws(JSONError) -> JSON {
        let start = position
        var isWhole = true
        _ = take(UInt8(ascii: "-"))
        if !take(UInt8(ascii: "0")) { try digits() }
        if take(UInt8(ascii: ".")) {
            isWhole = false
            try digits()
        }
        if take(UInt8(ascii: "e")) || take(UInt8(ascii: "E")) {
            isWhole = false
            if !take(UInt8(ascii: "+")) { _ = take(UInt8(ascii: "-")) }
            try digits()
        }
        let text = String(decoding: bytes[start..<position], as: UTF8.self)
        if isWhole, text != "-0", let value = Int64(text) { return .integer(value) }
        return .number(text)
    }

    private mutating func digits() throws(JSONError) {
        let start = position
        while let byte = next, byte >= UInt8(ascii: "0"), byte <= UInt8(ascii: "9") { position += 1 }
        guard position > start else { throw JSONError("a digit was expected", at: position) }
    }
}

/// Strings.
extension JSONParser {
    private mutating func string() throws(JSONError) -> String {
        let start = position
        position += 1
        var text: [UInt8] = []
        while true {
            let run = position
            while let byte = next, byte >= 0x20, byte != UInt8(ascii: "\""), byte != UInt8(ascii: "\\") { position += 1 }
            text.append(contentsOf: bytes[run..<position])
            if take(UInt8(ascii: "\"")) { break }
            guard take(UInt8(ascii: "\\")) else {
                throw JSONError(next == nil ? "the string does not end" : "a control character in a string", at: position)
            }
            try escape(into: &text)
        }
        guard let string = String(validating: text, as: UTF8.self) else { throw JSONError("the string is not UTF-8", at: start) }
        return string
    }

    private mutating func escape(into text: inout [UInt8]) throws(JSONError) {
        let start = position
        guard let byte = next else { throw JSONError("the string does not end", at: position) }
        position += 1
        switch byte {
        case UInt8(ascii: "\""), UInt8(ascii: "\\"), UInt8(ascii: "/"): text.append(byte)
        case UInt8(ascii: "b"): text.append(0x08)
        case UInt8(ascii: "f"): text.append(0x0C)
        case UInt8(ascii: "n"): text.append(0x0A)
        case UInt8(ascii: "r"): text.append(0x0D)
        case UInt8(ascii: "t"): text.append(0x09)
        case UInt8(ascii: "u"):
            guard let scalar = Unicode.Scalar(try scalarNumber(from: start)) else {
                throw JSONError("half of a surrogate pair", at: start)
            }
            text.append(contentsOf: UTF8.encode(scalar).map { Array($0) } ?? [])
        default: throw JSONError("an unknown escape", at: start)
        }
    }

    /// The number after `\u`, of two surrogates their scalar.
    private mutating func scalarNumber(from start: Int) throws(JSONError) -> UInt32 {
        let unit = try fourDigits()
        guard unit >= 0xD800, unit < 0xDC00 else { return unit }
        guard take(UInt8(ascii: "\\")), take(UInt8(ascii: "u")) else { throw JSONError("half of a surrogate pair", at: start) }
        let low = try fourDigits()
        guard low >= 0xDC00, low < 0xE000 else { throw JSONError("half of a surrogate pair", at: start) }
        return 0x10000 + (unit - 0xD800) << 10 + (low - 0xDC00)
    }

    private mutating func fourDigits() throws(JSONError) -> UInt32 {
        var number: UInt32 = 0
        for _ in 0..<4 {
            guard let byte = next, let digit = hexadecimal(byte) else {
                throw JSONError("four hexadecimal digits were expected", at: position)
            }
            number = number << 4 | digit
            position += 1
        }
        return number
    }

    private func hexadecimal(_ byte: UInt8) -> UInt32? {
        switch byte {
        case UInt8(ascii: "0")...UInt8(ascii: "9"): UInt32(byte - UInt8(ascii: "0"))
        case UInt8(ascii: "a")...UInt8(ascii: "f"): UInt32(byte - UInt8(ascii: "a") + 10)
        case UInt8(ascii: "A")...UInt8(ascii: "F"): UInt32(byte - UInt8(ascii: "A") + 10)
        default: nil
        }
    }
}

/// Bytes.
extension JSONParser {
    private var next: UInt8? { position < bytes.count ? bytes[position] : nil }

    private mutating func take(_ byte: UInt8) -> Bool {
        guard next == byte else { return false }
        position += 1
        return true
    }

    private mutating func skipSpaces() {
        while let byte = next, byte == 0x20 || byte == 0x0A || byte == 0x0D || byte == 0x09 { position += 1 }
    }
}
