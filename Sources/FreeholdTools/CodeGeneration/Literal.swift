import FreeholdEngine

/// Names of a file as string literals and comments of programming languages. What is not printable everywhere is
/// escaped.
enum Literal {
    /// A literal of Swift.
    static func swift(_ text: String) -> String { quoted(text) { "\\u{\(hexadecimal($0.value, 1))}" } }

    /// A literal of Python.
    static func python(_ text: String) -> String {
        quoted(text) { scalar in
            scalar.value < 0x100 ? "\\x\(hexadecimal(scalar.value, 2))"
                : scalar.value < 0x10000 ? "\\u\(hexadecimal(scalar.value, 4))" : "\\U\(hexadecimal(scalar.value, 8))"
        }
    }

    /// A literal of C and C++, without regard for its length: the text may contain zero bytes.
    static func c(_ text: String) -> String {
        // Octal escapes have three digits at most, so that a digit may follow. Two question marks could begin a trigraph.
        quoted(text) { scalar in
            String(scalar).utf8.map { "\\" + padded(String($0, radix: 8), 3) }.joined()
        }.replacing("?", with: "\\?")
    }

    /// The text within a comment of any language: without line ends, signs that are not seen, and what ends a comment.
    static func comment(_ text: String) -> String {
        let visible = escaped(text, special: "") { "\\u{\(hexadecimal($0.value, 1))}" }
        let closed = visible.replacing("*/", with: "* /").replacing("/*", with: "/ *").replacing("??/", with: "? ?/")
        // A backslash at the end of a line would join the next one to the comment.
        return closed.hasSuffix("\\") ? closed + " ." : closed
    }

    private static func quoted(_ text: String, _ escape: (Unicode.Scalar) -> String) -> String {
        "\"\(escaped(text, special: "\"\\", escape))\""
    }

    private static func escaped(_ text: String, special: String, _ escape: (Unicode.Scalar) -> String) -> String {
        var result = ""
        for scalar in text.unicodeScalars {
            if special.unicodeScalars.contains(scalar) { result += "\\" }
            let isVisible = (" "..."~").contains(scalar) || Identifiers.isLetter(scalar)
            if isVisible { result.unicodeScalars.append(scalar) } else { result += escape(scalar) }
        }
        return result
    }

    private static func hexadecimal(_ number: UInt32, _ width: Int) -> String { padded(String(number, radix: 16), width) }
    private static func padded(_ digits: String, _ width: Int) -> String {
        String(repeating: "0", count: max(0, width - digits.utf8.count)) + digits
    }
}
