/// Splits a search into tokens.
struct TextQueryLexer {
    struct Token {
        let kind: Kind
        /// Where it begins, in Unicode scalars from 1.
        let column: Int

        /// Whether a word, a phrase, a group or an exclusion begins here.
        var beginsOperand: Bool {
            switch kind {
            case .words, .open, .not: true
            default: false
            }
        }

        /// The token in messages.
        var name: String {
            switch kind {
            case .words(let text, _): "'\(text)'"
            case .open: "'('"
            case .close: "')'"
            case .and: "AND"
            case .or: "OR"
            case .not: "'-'"
            case .near: "NEAR"
            case .end: "the end"
            }
        }
    }

    enum Kind: Equatable {
        case words(String, TextQuery.Match)
        case open
        case close
        case and
        case or
        case not
        case near(Int)
        case end
    }

    private let scalars: [Unicode.Scalar]
    private var place = 0
    private var ahead: Token?

    init(_ text: String) throws(FreeholdError) {
        scalars = Array(text.unicodeScalars)
        if scalars.count > TextQuery.longestText {
            let message = "a search of \(scalars.count) characters is too long; the maximum is \(TextQuery.longestText)"
            throw FreeholdError(.malformedInput, message)
        }
    }

    /// An error at a token.
    func error(_ message: String, _ token: Token) -> FreeholdError { error(message, column: token.column) }

    private func error(_ message: String, column: Int) -> FreeholdError {
        FreeholdError(.malformedInput, "search, column \(column): \(message)")
    }

    /// The next token, which stays.
    mutating func next() throws(FreeholdError) -> Token {
        if let ahead { return ahead }
        let token = try read()
        ahead = token
        return token
    }

    @discardableResult
    mutating func take() throws(FreeholdError) -> Token {
        let token = try next()
        ahead = nil
        return token
    }

    mutating func skip(_ kind: Kind) throws(FreeholdError) -> Bool {
        guard try next().kind == kind else { return false }
        try take()
        return true
    }

    private mutating func read() throws(FreeholdError) -> Token {
        while place < scalars.count, scalars[place].properties.isWhitespace { place += 1 }
        let column = place + 1
        return Token(kind: try kind(column), column: column)
    }

    private mutating func kind(_ column: Int) throws(FreeholdError) -> Kind {
        guard place < scalars.count else { return .end }
        switch scalars[place] {
        case "(": return symbol(.open)
        case ")": return symbol(.close)
        case "\"": return try phrase(column)
        case "-" where place + 1 < scalars.count && isOperandAfterMinus(scalars[place + 1]): return symbol(.not)
        default: return try word(column)
        }
    }

    private func isOperandAfterMinus(_ next: Unicode.Scalar) -> Bool {
        next == "(" || next == "\"" || next != "-" && Self.isInWord(next)
    }

    private static func isInWord(_ scalar: Unicode.Scalar) -> Bool {
        !scalar.properties.isWhitespace && scalar != "\"" && scalar != "(" && scalar != ")"
    }

    private mutating func symbol(_ kind: Kind) -> Kind {
        place += 1
        return kind
    }

    private mutating func phrase(_ column: Int) throws(FreeholdError) -> Kind {
        var text = String.UnicodeScalarView()
        place += 1
        while place < scalars.count, scalars[place] != "\"" {
            if scalars[place] == "\\", place + 1 < scalars.count { place += 1 }
            text.append(scalars[place])
            place += 1
        }
        if place == scalars.count { throw error("this '\"' is not closed", column: column) }
        place += 1
        return .words(String(text), try suffix())
    }

    /// The `*` or `~` after a phrase.
    private mutating func suffix() throws(FreeholdError) -> TextQuery.Match {
        guard place < scalars.count, scalars[place] == "*" || scalars[place] == "~" else { return .exact }
        let start = place
        while place < scalars.count, Self.isInWord(scalars[place]) { place += 1 }
        let (rest, match) = try Self.split(scalars[start..<place], column: start + 1, error)
        if !rest.isEmpty { throw error("expected '*', '~1' or '~2' after the phrase", column: start + 1) }
        return match
    }

    private mutating func word(_ column: Int) throws(FreeholdError) -> Kind {
        let start = place
        while place < scalars.count, Self.isInWord(scalars[place]) { place += 1 }
        let written = scalars[start..<place]
        switch Self.text(written) {
        case "AND": return .and
        case "OR": return .or
        case "NOT": return .not
        case "NEAR": return .near(TextQuery.usualDistance)
        case let text where text.hasPrefix("NEAR/"): return .near(try distance(text.dropFirst(5), column))
        default:
            let (rest, match) = try Self.split(written, column: column, error)
            if let star = rest.firstIndex(of: "*") {
                throw error("'*' stands at the end of a word only; put text that contains it in quotation marks", column: star + 1)
            }
            return .words(Self.text(rest), match)
        }
    }

    private func distance(_ text: Substring, _ column: Int) throws(FreeholdError) -> Int {
        let isNumber = !text.isEmpty && text.utf8.allSatisfy { $0 >= 0x30 && $0 <= 0x39 }
        if isNumber, let number = Int(text), number <= TextQuery.longestDistance { return number }
        throw error("NEAR/ needs a number of words from 0 to \(TextQuery.longestDistance)", column: column)
    }

    private static func text(_ scalars: ArraySlice<Unicode.Scalar>) -> String {
        var text = String.UnicodeScalarView()
        text.append(contentsOf: scalars)
        return String(text)
    }

    /// A word without its suffix, and what the suffix says.
    private static func split(
        _ word: ArraySlice<Unicode.Scalar>, column: Int, _ error: (String, Int) -> FreeholdError
    ) throws(FreeholdError) -> (ArraySlice<Unicode.Scalar>, TextQuery.Match) {
        if word.last == "*" { return (word.dropLast(), .prefix) }
        let digits = word.reversed().prefix { ("0"..."9").contains($0) }.count
        let tilde = word.endIndex - digits - 1
        guard tilde >= word.startIndex, word[tilde] == "~" else { return (word, .exact) }
        switch text(word[(tilde + 1)...]) {
        case "", "1": return (word[..<tilde], .fuzzy(1))
        case "2": return (word[..<tilde], .fuzzy(2))
        default: throw error("'~' is followed by 1 or 2, the number of characters that may differ", column + tilde - word.startIndex)
        }
    }
}
