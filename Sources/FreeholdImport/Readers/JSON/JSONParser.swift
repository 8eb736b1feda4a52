/// Parses JSON values (RFC 8259) from an input, one at a time.
///
/// 1. An error after which the text can still be parsed (bad UTF-8, half a surrogate pair, a number beyond the range of
///    doubles) is stored in `fault`, and parsing continues, so that only this record is lost. Any other error is thrown
///    at once.
/// 2. Nesting deeper than `deepest` is refused: the stack is finite and the input is not trusted.
struct JSONParser: ~Copyable {
    static let deepest = 256

    var input: ByteInput
    /// The first error of the current value that did not stop the parser.
    var fault: ImportError?
    private var shapes = ShapeTable()
    /// The number of values of the last object at each depth.
    private var expectedCounts = [Int](repeating: 0, count: deepest + 1)

    init(_ input: consuming ByteInput) { self.input = input }

    /// Parses the next value.
    mutating func record() throws(ImportError) -> ImportedValue {
        fault = nil
        shapes.trim()
        defer { input.mark = -1 }
        let value = try value(depth: 0)
        if let fault { throw fault }
        return value
    }

    /// Skips blanks.
    /// - Returns: the byte after them, not consumed; 0 at the end of the text.
    @inline(__always)
    mutating func skipBlanks() throws(ImportError) -> UInt8 {
        while true {
            // Safe: `position ≤ end`, and the padding after the end may be read.
            let byte = input.bytes[input.position]
            if byte > 0x20 { return byte }
            if try !skipBlank(byte) { return 0 }
        }
    }

    private mutating func skipBlank(_ byte: UInt8) throws(ImportError) -> Bool {
        switch byte {
        case UInt8(ascii: " "), UInt8(ascii: "\t"), UInt8(ascii: "\r"):
            input.position += 1
        case UInt8(ascii: "\n"):
            input.endLine(at: input.position)
            input.position += 1
        default:
            if input.position < input.end { throw unexpected(byte, "a value") }
            return try input.fill()
        }
        return true
    }

    private mutating func value(depth: Int) throws(ImportError) -> ImportedValue {
        let byte = try skipBlanks()
        switch byte {
        case UInt8(ascii: "\""): return .text(try text())
        case UInt8(ascii: "{"): return .object(try object(depth: depth))
        case UInt8(ascii: "["): return .array(try array(depth: depth))
        case UInt8(ascii: "t"): return try word("true", .bool(true))
        case UInt8(ascii: "f"): return try word("false", .bool(false))
        case UInt8(ascii: "n"): return try word("null", .null)
        case UInt8(ascii: "-"), UInt8(ascii: "0")...UInt8(ascii: "9"): return try number()
        default: throw unexpected(byte, "a value")
        }
    }

    private mutating func object(depth: Int) throws(ImportError) -> ImportedObject {
        try deepen(depth)
        var values: [ImportedValue] = []
        values.reserveCapacity(expectedCounts[depth])
        var node = ShapeTable.root
        if try skipBlanks() == UInt8(ascii: "}") {
            input.position += 1
        } else {
            repeat {
                node = try name(after: node)
                values.append(try value(depth: depth + 1))
            } while try another(before: UInt8(ascii: "}"))
        }
        expectedCounts[depth] = min(values.count, 1024)
        return ImportedObject(shape: shapes.shape(of: node), values: values)
    }

    /// Parses `"name":` and returns the shape that has one more name.
    private mutating func name(after node: Int) throws(ImportError) -> Int {
        let byte = try skipBlanks()
        guard byte == UInt8(ascii: "\"") else { throw unexpected(byte, "a name in quotes") }
        let name = try string()
        guard let next = shapes.child(of: node, named: name) else {
            throw input.error(.record, "the name that ends here is not UTF-8")
        }
        let colon = try skipBlanks()
        guard colon == UInt8(ascii: ":") else { throw unexpected(colon, "':'") }
        input.position += 1
        return next
    }

    private mutating func array(depth: Int) throws(ImportError) -> [ImportedValue] {
        try deepen(depth)
        var values: [ImportedValue] = []
        if try skipBlanks() == UInt8(ascii: "]") {
            input.position += 1
            return values
        }
        repeat { values.append(try value(depth: depth + 1)) } while try another(before: UInt8(ascii: "]"))
        return values
    }

    /// Skips a value without keeping it.
    mutating func skipValue(depth: Int) throws(ImportError) {
        let byte = try skipBlanks()
        switch byte {
        case UInt8(ascii: "\""): _ = try string()
        case UInt8(ascii: "{"):
            try deepen(depth)
            if try isEnd(UInt8(ascii: "}")) { return }
            repeat {
                _ = try memberName { _ in true }
                try skipValue(depth: depth + 1)
            } while try another(before: UInt8(ascii: "}"))
        case UInt8(ascii: "["):
            try deepen(depth)
            if try isEnd(UInt8(ascii: "]")) { return }
            repeat { try skipValue(depth: depth + 1) } while try another(before: UInt8(ascii: "]"))
        default: _ = try value(depth: depth)
        }
    }

    /// Consumes a closing bracket if it is next.
    mutating func isEnd(_ close: UInt8) throws(ImportError) -> Bool {
        guard try skipBlanks() == close else { return false }
        input.position += 1
        return true
    }

    /// Consumes `"name":`.
    /// - Returns: the result of `test` for the name's bytes.
    mutating func memberName(_ test: (UnsafeBufferPointer<UInt8>) -> Bool) throws(ImportError) -> Bool {
        let byte = try skipBlanks()
        guard byte == UInt8(ascii: "\"") else { throw unexpected(byte, "a name in quotes") }
        let isWanted = test(try string())
        let colon = try skipBlanks()
        guard colon == UInt8(ascii: ":") else { throw unexpected(colon, "':'") }
        input.position += 1
        return isWanted
    }

    /// Consumes the opening bracket.
    private mutating func deepen(_ depth: Int) throws(ImportError) {
        guard depth < Self.deepest else { throw input.error(.record, "nested deeper than \(Self.deepest) levels") }
        input.position += 1
    }

    /// Consumes a comma (true) or the closing bracket (false).
    @inline(__always)
    mutating func another(before close: UInt8) throws(ImportError) -> Bool {
        let byte = try skipBlanks()
        guard byte == UInt8(ascii: ",") || byte == close else {
            throw unexpected(byte, "',' or '\(Character(UnicodeScalar(close)))'")
        }
        input.position += 1
        return byte != close
    }

    private mutating func word(_ word: StaticString, _ value: ImportedValue) throws(ImportError) -> ImportedValue {
        while input.end - input.position < word.utf8CodeUnitCount {
            if try !input.fill() { break }
        }
        // Safe: words are shorter than the padding, which may be read.
        for index in 0..<word.utf8CodeUnitCount where input.bytes[input.position + index] != word.utf8Start[index] {
            throw input.error(.record, "expected '\(word)' here")
        }
        input.position += word.utf8CodeUnitCount
        return value
    }

    /// "expected a value, found 'x'"
    func unexpected(_ byte: UInt8, _ expected: String) -> ImportError {
        let found =
            switch byte {
            case 0 where input.position == input.end: "the end of the text"
            case 0x21...0x7E: "'\(Character(UnicodeScalar(byte)))'"
            default: "the byte 0x\(String(byte, radix: 16, uppercase: true))"
            }
        return input.error(.record, "expected \(expected), found \(found)")
    }
}
