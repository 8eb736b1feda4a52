import FreeholdEngine

/// Takes words and statements from the text of rules, one after the other.
struct RuleScanner {
    /// A word, and where it is.
    struct Word {
        let text: String
        let isQuoted: Bool
        let place: Int

        /// The word in lower case, if it may be a keyword.
        var keyword: String? { isQuoted ? nil : text.lowercased() }
    }

    let text: RuleText
    private(set) var place: Int
    let end: Int

    init(_ text: RuleText, _ range: Range<Int>? = nil) {
        self.text = text
        (place, end) = (range?.lowerBound ?? 0, range?.upperBound ?? text.scalars.count)
    }

    private var scalars: [Unicode.Scalar] { text.scalars }

    mutating func skipBlanks() { while place < end, RuleText.isBlank(scalars[place]) { place += 1 } }

    /// Whether nothing but blanks is left.
    var isAtEnd: Bool { scalars[place..<end].allSatisfy(RuleText.isBlank) }

    func mistake(_ what: String) -> FreeholdError { text.mistake(at: place, what) }

    /// The character here, as messages show it.
    var found: String { place < end ? "'\(scalars[place])'" : "the end" }

    mutating func skip(_ symbol: Unicode.Scalar) -> Bool {
        skipBlanks()
        guard place < end, scalars[place] == symbol else { return false }
        place += 1
        return true
    }

    /// The word here; nil if there is none.
    mutating func word() -> Word? {
        skipBlanks()
        let begin = place
        guard place < end else { return nil }
        if scalars[place] == "`" {
            place = RuleText.end(ofQuote: "`", from: place, in: scalars)
            return Word(text: text.string(begin + 1..<place - 1), isQuoted: true, place: begin)
        }
        while place < end, RuleText.isInWord(scalars[place]) { place += 1 }
        return place == begin ? nil : Word(text: text.string(begin..<place), isQuoted: false, place: begin)
    }

    mutating func word(_ wanted: String) throws(FreeholdError) -> Word {
        if let word = word() { return word }
        throw mistake("expected \(wanted), found \(found)")
    }

    /// Takes a keyword, if it is next.
    mutating func skip(keyword: String) -> Bool {
        var ahead = self
        guard ahead.word()?.keyword == keyword else { return false }
        self = ahead
        return true
    }

    /// The rest up to an unquoted keyword outside parentheses, which is taken, or to the end.
    mutating func rest(until keyword: String?) -> (range: Range<Int>, isFound: Bool) {
        skipBlanks()
        let begin = place
        var depth = 0
        while place < end {
            let here = place
            if let keyword, depth == 0, RuleText.isInWord(scalars[here]), let word = word() {
                if word.keyword == keyword { return (begin..<here, true) }
                continue
            }
            step(&depth)
        }
        return (begin..<end, false)
    }

    /// Passes one character, or a quoted text.
    private mutating func step(_ depth: inout Int) {
        if let mark = RuleText.quote(scalars[place]) {
            place = RuleText.end(ofQuote: mark, from: place, in: scalars)
            return
        }
        if ["(", "[", "{"].contains(scalars[place]) { depth += 1 }
        if [")", "]", "}"].contains(scalars[place]) { depth -= 1 }
        place += 1
    }

    // MARK: Statements

    /// The statements up to the brace that closes the block, which is taken. A statement ends with its line or a semicolon; a line
    /// continues the one before if that or this one says so.
    mutating func statements() throws(FreeholdError) -> [Range<Int>] {
        var found: [Range<Int>] = [], depth = 0, begin = place
        let first = place
        func add(_ range: Range<Int>) { if !RuleScanner(text, range).isAtEnd { found.append(range) } }
        while place < end {
            let scalar = scalars[place]
            if depth == 0, scalar == "}" {
                add(begin..<place)
                place += 1
                return found
            }
            if depth == 0, scalar == ";" || RuleText.isLineEnd(scalar) {
                if scalar != ";", continues(begin..<place) {
                    skipBlanks() // with all line ends, so that none of them asks again
                    continue
                }
                add(begin..<place)
                place += 1
                begin = place
            } else {
                step(&depth)
            }
        }
        throw text.mistake(at: first > 0 ? first - 1 : 0, "the block that begins here is not closed; close it with }")
    }

    private static let joining: Set<String> = ["and", "or", "not", "where", "follow", "&&", "||", "!", ","]
    private static let continuing: Set<String> = ["and", "or", "where", "follow", "depth"]

    /// Whether the line behind a statement belongs to it.
    private func continues(_ statement: Range<Int>) -> Bool {
        guard let last = lastWord(of: statement) else { return false }
        if Self.joining.contains(last.lowercased()) || [",", "&&", "||"].contains(where: last.hasSuffix) { return true }
        var ahead = RuleScanner(text, place..<end)
        ahead.skipBlanks()
        if ahead.place < end, ["&", "|", ",", "("].contains(scalars[ahead.place]) { return true }
        return ahead.word().map { $0.keyword.map(Self.continuing.contains) ?? false } ?? false
    }

    /// What stands behind the last blank of a statement; nil if it has nothing but blanks.
    private func lastWord(of statement: Range<Int>) -> String? {
        guard let last = scalars[statement].lastIndex(where: { !RuleText.isBlank($0) }) else { return nil }
        let begin = scalars[statement.lowerBound...last].lastIndex(where: RuleText.isBlank).map { $0 + 1 } ?? statement.lowerBound
        return text.string(begin..<last + 1)
    }
}
