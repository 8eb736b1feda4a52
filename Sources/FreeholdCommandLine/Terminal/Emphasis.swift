import FreeholdTools
import Glibc

extension Output {
    /// Whether parts of a text can be printed in bold: the output is a terminal that has it.
    var marks: Bool { isTerminal && getenv("TERM").map { String(cString: $0) } ?? "dumb" != "dumb" }
}

/// Text on one line, with parts of it in bold.
enum Emphasis {
    /// A text in which line ends, tabs and control characters cannot break the line.
    ///
    /// - Parameter parts: the parts in bold, in bytes of the text: ascending, disjoint, at the ends of characters.
    static func line(_ text: String, _ parts: [Range<Int>]) -> String {
        let bytes = Array(text.utf8)
        var line = "", end = 0
        func shown(_ range: Range<Int>) -> String {
            let ends: [Unicode.Scalar] = ["\n", "\r", "\t"], text = String(decoding: bytes[range], as: UTF8.self)
            return DisplayText.visible(String(String.UnicodeScalarView(text.unicodeScalars.map { ends.contains($0) ? " " : $0 })))
        }
        for part in parts {
            line += shown(end..<part.lowerBound) + "\u{1B}[1m" + shown(part) + "\u{1B}[22m"
            end = part.upperBound
        }
        return line + shown(end..<bytes.count)
    }
}
