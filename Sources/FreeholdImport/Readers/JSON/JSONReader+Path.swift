/// Records nested in objects rather than at the top of the text: `{"data": {"items": [{…}, …]}}`.
///
/// Values outside the path are skipped and not kept; their syntax is checked.
extension JSONReader {
    /// Splits a user's path: names separated by dots, or a JSON pointer (RFC 6901), `/data/items`.
    /// - Returns: nil if it contains no name.
    public static func path(_ text: String) -> [String]? {
        if text.hasPrefix("/") {
            return text.dropFirst().split(separator: "/" as Character, omittingEmptySubsequences: false).map(unescaped)
        }
        let names = text.split(separator: ".", omittingEmptySubsequences: false).map(String.init)
        return names.contains("") ? nil : names
    }

    /// A name of a JSON pointer, in which "~1" is a slash and "~0" a tilde. (Splitting by strings would link regular
    /// expressions into every program, a megabyte.)
    private static func unescaped(_ name: Substring) -> String {
        let parts = name.split(separator: "~" as Character, omittingEmptySubsequences: false)
        return parts.dropFirst().reduce(String(parts.first ?? "")) { unescaped, part in
            switch part.first {
            case "0": unescaped + "~" + part.dropFirst()
            case "1": unescaped + "/" + part.dropFirst()
            default: unescaped + "~" + part
            }
        }
    }

    /// Enters the objects that the path names, up to the records.
    func descend() throws(ImportError) {
        do throws(ImportError) {
            for depth in path.indices { try enter(depth) }
            switch try parser.skipBlanks() {
            case UInt8(ascii: "["):
                parser.input.position += 1
                state = .array(isFirst: true)
            case UInt8(ascii: "{"): state = .single
            case let byte: throw parser.unexpected(byte, "an object or an array of objects at '\(name(path.count))'")
            }
        } catch {
            throw error.ending
        }
    }

    /// Moves to the value of the name at this depth.
    private func enter(_ depth: Int) throws(ImportError) {
        let byte = try parser.skipBlanks()
        guard byte == UInt8(ascii: "{") else {
            throw parser.unexpected(byte, "an object\(depth == 0 ? "" : " at '\(name(depth))'") with a member '\(path[depth])'")
        }
        parser.input.position += 1
        if try !parser.isEnd(UInt8(ascii: "}")) {
            repeat {
                if try parser.memberName({ $0.elementsEqual(path[depth].utf8) }) { return }
                try parser.skipValue(depth: depth + 1)
            } while try parser.another(before: UInt8(ascii: "}"))
        }
        throw parser.input.error(.text, "the text has no '\(name(depth + 1))'")
    }

    /// Consumes the rest of the objects around the records.
    func ascend() throws(ImportError) {
        for depth in path.indices.reversed() {
            while try parser.another(before: UInt8(ascii: "}")) {
                _ = try parser.memberName { _ in true }
                try parser.skipValue(depth: depth + 1)
            }
        }
    }

    /// The object at the end of the path.
    func onlyRecord() throws(ImportError) -> ImportedRecord? {
        state = .ended
        _ = try parser.skipBlanks()
        let line = parser.input.line
        let value = try parser.record()
        try ascend()
        let behind = try parser.skipBlanks()
        guard behind == 0 else { throw parser.unexpected(behind, "the end of the text after the object") }
        return try record(value, line: line)
    }

    /// The first names of the path, in the form that users write.
    private func name(_ count: Int) -> String { path.prefix(count).joined(separator: ".") }
}
