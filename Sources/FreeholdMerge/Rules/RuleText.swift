import FreeholdEngine

/// The text of rules, without comments, and where in it something is.
struct RuleText {
    let scalars: [Unicode.Scalar]

    /// The most characters that rules have.
    static let longest = 1 << 18

    init(_ text: String) throws(FreeholdError) {
        var scalars = Array(text.unicodeScalars)
        guard scalars.count <= Self.longest else {
            throw FreeholdError(.malformedInput, "rules of \(scalars.count) characters are too long; the most are \(Self.longest)")
        }
        // Editors of some systems begin a file with the mark of its byte order.
        if scalars.first == "\u{FEFF}" { scalars[0] = " " }
        var place = 0
        while place < scalars.count {
            if let mark = Self.quote(scalars[place]) {
                let begin = place
                place = Self.end(ofQuote: mark, from: place, in: scalars)
                if place > scalars.count {
                    throw Self.located(.malformedInput, scalars, at: begin, "what is quoted here is not closed; close it with \(mark)")
                }
            } else if scalars[place] == "-", place + 1 < scalars.count, scalars[place + 1] == "-" {
                while place < scalars.count, !Self.isLineEnd(scalars[place]) {
                    scalars[place] = " "
                    place += 1
                }
            } else {
                place += 1
            }
        }
        self.scalars = scalars
    }

    func string(_ range: Range<Int>) -> String {
        var view = String.UnicodeScalarView()
        view.append(contentsOf: scalars[range])
        return String(view)
    }

    /// An error with the line and the column of a character.
    func mistake(_ code: FreeholdError.Code = .malformedInput, at offset: Int, _ what: String) -> FreeholdError {
        Self.located(code, scalars, at: offset, what)
    }

    private static func located(_ code: FreeholdError.Code, _ scalars: [Unicode.Scalar], at offset: Int, _ what: String) -> FreeholdError {
        var line = 1, column = 1
        for scalar in scalars[..<min(offset, scalars.count)] {
            if scalar == "\n" {
                line += 1
                column = 1
            } else {
                column += 1
            }
        }
        return FreeholdError(code, "rules, line \(line), column \(column): \(what)")
    }

    // MARK: Characters

    static func quote(_ scalar: Unicode.Scalar) -> Unicode.Scalar? { ["'", "\"", "`"].contains(scalar) ? scalar : nil }

    /// The place behind a quoted text; beyond the end if it is not closed.
    static func end(ofQuote mark: Unicode.Scalar, from begin: Int, in scalars: [Unicode.Scalar]) -> Int {
        var place = begin + 1
        while place < scalars.count, scalars[place] != mark { place += scalars[place] == "\\" ? 2 : 1 }
        return place >= scalars.count ? scalars.count + 1 : place + 1
    }

    static func isLineEnd(_ scalar: Unicode.Scalar) -> Bool { scalar == "\n" || scalar == "\r" }

    static func isBlank(_ scalar: Unicode.Scalar) -> Bool { scalar.properties.isWhitespace }

    /// Whether a name, a keyword or `read-only` goes on with it.
    static func isInWord(_ scalar: Unicode.Scalar) -> Bool {
        !isBlank(scalar) && quote(scalar) == nil && !["{", "}", "(", ")", "[", "]", ",", ";", ".", "$", "=", "<", ">", "!"].contains(scalar)
    }
}
